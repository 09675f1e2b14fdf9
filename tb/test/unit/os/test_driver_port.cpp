// HostPort as a driver sees it: what a driver must not do is reported and has no effect.
#include <catch2/catch.hpp>
#include <cstring>

#include "models/abi/register_map.h"
#include "models/top/gpu.h"
#include "tb/os/guard/driver_port.h"
#include "tb/test/support/os/kernel_bench.h"

namespace fenceline::os::test_driver_port {

namespace {

using support::KernelBench;

constexpr std::uint64_t kNothing = UINT64_MAX;
constexpr kmd_host::CallSite kSite{"driver.cpp", 1, "work"};

/// A second port to the first adapter, whose driver is in a DDI.
struct Bench {
  Bench(Kernel& of, KernelBench& on)
      : cpu(of.cpu()),
        machine(on),
        adapter(of.adapter(0)),
        limits{of.platform().system_memory().config().size_bytes,
               adapter.gpu().config().vram.size_bytes, static_cast<std::uint32_t>(adapter.nodes())},
        guard(cpu, adapter.object()),
        stay(guard, Ddi::DxgkDdiEscape),
        port(cpu, adapter.port(), guard, adapter.gpu().bars(), limits) {
    on.events.all.clear();
  }
  /// Misuse and number reported since the last look.
  bool reported(Misuse misuse, std::uint64_t number = 0) {
    const auto all = machine.events.of<event::DriverMisuse>();
    machine.events.all.clear();
    return all.size() == 1 && all[0].misuse == static_cast<std::uint64_t>(misuse) &&
           all[0].number == number;
  }
  bool quiet() const { return machine.events.of<event::DriverMisuse>().empty(); }
  std::uint64_t count(event::GuardedCall kind) const {
    return guard.counts() >> static_cast<unsigned>(kind) * event::kGuardedCallBits &
           event::kMaxGuardedCalls;
  }
  /// A page of system memory that the driver may use.
  void* page() { return port.allocate_contiguous(4096, kSite).kernel_address; }

  Cpu& cpu;
  KernelBench& machine;
  Adapter& adapter;
  const DriverPort::Limits limits;
  DriverGuard guard;
  DriverGuard::Stay stay;
  DriverPort port;
};

void with_bench(const std::function<void(Bench&)>& body) {
  KernelBench machine;
  machine.run({[&](Kernel& kernel) {
    Bench bench(kernel, machine);
    body(bench);
  }});
}

void* offset(void* address, std::int64_t bytes) { return static_cast<BYTE*>(address) + bytes; }

}  // namespace

TEST_CASE("a driver reads registers that are there", "[driver]") {
  with_bench([](Bench& it) {
    CHECK(it.port.read_register(abi::kId, kSite) != kNothing);
    CHECK(it.quiet());
    CHECK(it.port.read_register(abi::kId + 4, kSite) == kNothing);
    CHECK(it.reported(Misuse::kRegisterUnaligned, abi::kId + 4));
    constexpr std::uint64_t kBehind = abi::kHostApertureControl + 16;
    CHECK(it.port.read_register(kBehind, kSite) == kNothing);
    CHECK(it.reported(Misuse::kRegisterUnknown, kBehind));
    const std::uint64_t last = abi::kSubmission + 8 * (it.limits.nodes - 1);
    CHECK(it.port.read_register(last, kSite) != kNothing);
    CHECK(it.quiet());
    CHECK(it.port.read_register(last + 8, kSite) == kNothing);
    CHECK(it.reported(Misuse::kRegisterUnknown, last + 8));
    CHECK(it.port.read_register(abi::kMsixTable, kSite) != kNothing);
    CHECK(it.quiet());
    CHECK(it.count(event::GuardedCall::kRegister) == 6);
  });
}

TEST_CASE("a driver writes registers that are its own with values that they take", "[driver]") {
  with_bench([](Bench& it) {
    constexpr std::uint64_t kSpace = abi::kAddressSpaces - 1;
    it.port.write_register(abi::kMmuRoot + 8 * kSpace, 0x5000, kSite);
    const auto spaces = it.machine.events.of<event::AddressSpace>();
    REQUIRE(spaces.size() == 1);
    CHECK(spaces[0].space == kSpace);
    CHECK(it.quiet());
    it.port.write_register(abi::kId, 5, kSite);
    CHECK(it.reported(Misuse::kRegisterReadOnly, abi::kId));
    const std::uint64_t message = it.port.read_register(abi::kMsixTable, kSite);
    it.port.write_register(abi::kMsixTable, message + 8, kSite);
    CHECK(it.reported(Misuse::kRegisterOfSystem, abi::kMsixTable));
    CHECK(it.port.read_register(abi::kMsixTable, kSite) == message);
    it.port.write_register(abi::kMmuInvalidate, abi::kAddressSpaces, kSite);
    CHECK(it.reported(Misuse::kRegisterValue, abi::kAddressSpaces));
    it.port.write_register(abi::kMmuRoot + 4, 0x5000, kSite);
    CHECK(it.reported(Misuse::kRegisterUnaligned, abi::kMmuRoot + 4));
    CHECK(it.machine.events.of<event::AddressSpace>().empty());
  });
}

TEST_CASE("a driver polls registers that are there", "[driver]") {
  with_bench([](Bench& it) {
    CHECK(it.port.poll_register(abi::kMonitoredUpdatesDone, 0, kSite));
    CHECK(it.quiet());
    CHECK_FALSE(it.port.poll_register(abi::kMonitoredUpdatesDone + 4, 0, kSite));
    CHECK(it.reported(Misuse::kRegisterUnaligned, abi::kMonitoredUpdatesDone + 4));
  });
}

TEST_CASE("a driver uses words of memory that it has", "[driver]") {
  with_bench([](Bench& it) {
    void* const page = it.page();
    it.port.write_memory(page, 7, kSite);
    CHECK(it.port.read_memory(page, kSite) == 7);
    CHECK(it.quiet());
    const auto refused = [&](void* address, Misuse misuse) {
      const bool read = it.port.read_memory(address, kSite) == kNothing && it.reported(misuse, 8);
      it.port.write_memory(address, 9, kSite);
      return read && it.reported(misuse, 8);
    };
    CHECK(refused(nullptr, Misuse::kAddressNull));
    CHECK(refused(offset(page, 4096), Misuse::kAddressUnmapped));
    CHECK(refused(offset(page, 4), Misuse::kAddressUnaligned));
    // NOLINTNEXTLINE(performance-no-int-to-ptr): it is a number of the modelled machine.
    void* const user = reinterpret_cast<void*>(to_bus_address(page));
    CHECK(refused(user, Misuse::kAddressUnmapped));
    CHECK(it.port.read_memory(page, kSite) == 7);
    CHECK(it.count(event::GuardedCall::kAddress) == 11);
    void* const lowest = it.port.map_physical(0, 4096, false, kSite);
    CHECK(it.port.read_memory(lowest, kSite) == 0);
    CHECK(it.quiet());
  });
}

TEST_CASE("a driver copies whole words within a mapping", "[driver]") {
  with_bench([](Bench& it) {
    void* const page = it.page();
    std::uint64_t words[] = {1, 2};
    it.port.write_memory(page, words, sizeof words, kSite);
    std::uint64_t got[2]{};
    it.port.read_memory(page, got, sizeof got, kSite);
    CHECK(got[1] == 2);
    CHECK(it.quiet());
    const auto refused = [&](const void* address, std::size_t bytes, Misuse misuse,
                             std::uint64_t number) {
      std::memset(got, 0, sizeof got);
      it.port.read_memory(address, got, bytes, kSite);
      return it.reported(misuse, number) && (bytes < 8 || got[0] == kNothing);
    };
    CHECK(refused(page, 0, Misuse::kBytesNone, 0));
    CHECK(refused(page, 12, Misuse::kBytesUneven, 12));
    CHECK(refused(offset(page, 4088), 16, Misuse::kRangeTooLong, 16));
    CHECK(refused(nullptr, 16, Misuse::kAddressNull, 16));
    it.port.read_memory(page, nullptr, 16, kSite);
    CHECK(it.reported(Misuse::kDataNull));
    it.port.write_memory(offset(page, 4088), words, 16, kSite);
    CHECK(it.reported(Misuse::kRangeTooLong, 16));
    CHECK(it.port.read_memory(offset(page, 4088), kSite) == 0);
    it.port.write_memory(page, nullptr, 16, kSite);
    CHECK(it.reported(Misuse::kDataNull));
  });
}

TEST_CASE("a driver uses memory that the OS gives it an address of", "[driver]") {
  with_bench([](Bench& it) {
    const std::uint64_t page = it.adapter.port().allocate_contiguous(4096).physical_address;
    CHECK(it.port.read_memory(to_kernel_address(page), kSite) == kNothing);
    CHECK(it.reported(Misuse::kAddressUnmapped, 8));
    CHECK(it.port.give(page, 8) == to_kernel_address(page));
    CHECK(it.port.read_memory(to_kernel_address(page), kSite) == 0);
    CHECK(it.quiet());
    CHECK(it.port.good_answer(to_kernel_address(page), 8, Ddi::DxgkDdiPresent));
    CHECK(it.quiet());
    CHECK_FALSE(it.port.good_answer(nullptr, 8, Ddi::DxgkDdiPresent));
    CHECK(it.reported(Misuse::kAddressNull, 8));
  });
}

TEST_CASE("a driver asks for some memory at DISPATCH_LEVEL or below", "[driver]") {
  with_bench([](Bench& it) {
    CHECK(it.port.allocate_contiguous(0, kSite).kernel_address == nullptr);
    CHECK(it.reported(Misuse::kMemoryNone));
    CHECK(it.port.map_physical(0x1000, 0, false, kSite) == nullptr);
    CHECK(it.reported(Misuse::kMemoryNone));
    const KIRQL passive = it.cpu.raise(DISPATCH_LEVEL);
    CHECK(it.page() != nullptr);
    CHECK(it.quiet());
    const KIRQL dispatch = it.cpu.raise(DEVICE_LEVEL);
    CHECK(it.page() == nullptr);
    CHECK(it.reported(Misuse::kMemoryIrql, DEVICE_LEVEL));
    CHECK(it.port.map_doorbell(0, kSite) == nullptr);
    CHECK(it.reported(Misuse::kMemoryIrql, DEVICE_LEVEL));
    it.cpu.lower(dispatch);
    it.cpu.lower(passive);
    CHECK(it.count(event::GuardedCall::kMemory) == 5);
  });
}

TEST_CASE("the OS keeps a sixteenth of the memory for itself", "[driver]") {
  with_bench([](Bench& it) {
    const std::uint64_t free = it.adapter.port().contiguous_left() - it.limits.system_memory / 16;
    CHECK(it.port.allocate_contiguous(free + 4096, kSite).kernel_address == nullptr);
    CHECK(it.quiet());
    CHECK(it.port.allocate_contiguous(free, kSite).kernel_address != nullptr);
    CHECK(it.page() == nullptr);
    it.adapter.port().allocate_contiguous(4096);  // the OS itself
    CHECK(it.page() == nullptr);
  });
}

TEST_CASE("a driver maps memory that the machine has", "[driver]") {
  with_bench([](Bench& it) {
    const auto map = [&](std::uint64_t address, std::size_t bytes, bool vram) {
      return it.port.map_physical(address, bytes, vram, kSite);
    };
    const std::uint64_t host = it.limits.system_memory;
    const std::uint64_t vram = it.limits.vram;
    const kmd_host::HostPort::MemoryResource bar = it.port.vram_bar();
    CHECK(map(host - 4096, 4096, false) == to_kernel_address(host - 4096));
    CHECK(map(bar.address + bar.bytes - 8, 8, false) != nullptr);
    CHECK(map(vram - 4096, 4096, true) == to_kernel_address(bar.address + vram - 4096));
    CHECK(it.quiet());
    for (const std::uint64_t bad :
         {host, host - 4088, bar.address - 8, bar.address + bar.bytes - 4088}) {
      CHECK(map(bad, 4096, false) == nullptr);
      CHECK(it.reported(Misuse::kMapNoMemory, bad));
    }
    for (const std::uint64_t bad : {vram, vram - 4088}) {
      CHECK(map(bad, 4096, true) == nullptr);
      CHECK(it.reported(Misuse::kMapNoVram, bad));
    }
    CHECK(it.port.read_memory(to_kernel_address(host - 4096), kSite) != kNothing);
    CHECK(it.quiet());
  });
}

TEST_CASE("a driver maps doorbells of queues and of nodes", "[driver]") {
  with_bench([](Bench& it) {
    const std::uint64_t base = it.adapter.gpu().bars().doorbells;
    const auto queues = static_cast<std::uint32_t>(abi::kQueueSlots);
    const auto nodes = static_cast<std::uint32_t>(abi::kNodeDoorbell);
    for (const std::uint32_t good : {0U, queues - 1, nodes, nodes + it.limits.nodes - 1})
      CHECK(it.port.map_doorbell(good, kSite) ==
            to_kernel_address(base + good * abi::kDoorbellStride));
    CHECK(it.port.good_answer(to_kernel_address(base), 8, Ddi::DxgkDdiConnectDoorbell));
    CHECK(it.quiet());
    for (const std::uint32_t bad : {nodes - 1, nodes + it.limits.nodes}) {
      CHECK(it.port.map_doorbell(bad, kSite) == nullptr);
      CHECK(it.reported(Misuse::kMapNoDoorbell, bad));
    }
  });
}

TEST_CASE("a driver uses shared values and locks that it has created", "[driver]") {
  with_bench([](Bench& it) {
    const std::uint32_t shared = it.port.create_shared();
    CHECK(it.port.create_shared() == shared + 1);
    it.port.touch_shared(shared + 1, true, kSite);
    it.port.touch_shared(shared, false, kSite);
    CHECK(it.quiet());
    it.port.touch_shared(shared + 2, false, kSite);
    CHECK(it.reported(Misuse::kSharedUnknown, shared + 2));
    const DriverPort::LockId lock = it.port.create_lock();
    it.port.acquire_lock(lock, kSite);
    CHECK(it.port.current_irql() == DISPATCH_LEVEL);
    it.port.release_lock(lock, kSite);
    CHECK(it.port.current_irql() == PASSIVE_LEVEL);
    CHECK(it.quiet());
    it.port.release_lock(lock, kSite);
    CHECK(it.reported(Misuse::kLockNotHeld, lock));
    CHECK(it.count(event::GuardedCall::kLock) == 6);
  });
}

TEST_CASE("a driver exposes a state with a function", "[driver]") {
  with_bench([](Bench& it) {
    static const std::uint64_t state = 4;
    const auto hash = [](const void* of) { return *static_cast<const std::uint64_t*>(of) + 1; };
    it.port.expose_state(nullptr, &state, kSite);
    CHECK(it.reported(Misuse::kStateNull));
    it.port.expose_state(hash, nullptr, kSite);
    CHECK(it.reported(Misuse::kStateNull));
    CHECK(it.port.driver_state() == nullptr);
    it.port.expose_state(hash, &state, kSite);
    REQUIRE(it.port.driver_state() != nullptr);
    CHECK(it.port.driver_state()->state_hash() == 5);
    CHECK(it.quiet());
  });
}

}  // namespace fenceline::os::test_driver_port
