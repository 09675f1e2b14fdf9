// Translation of GPU virtual addresses: page tables, the TLB, and what it costs.
#include <catch2/catch.hpp>
#include <functional>
#include <map>
#include <tlm_utils/simple_initiator_socket.h>
#include <tlm_utils/simple_target_socket.h>

#include "models/abi/page_table.h"
#include "models/mmu/mmu.h"

namespace fenceline::test_mmu {

using common::Time;

namespace {

constexpr std::uint32_t kSpace = 5;
constexpr std::uint64_t kRoot = 0x10000, kMiddle = 0x11000, kLeaf = 0x12000;  ///< tables
constexpr std::uint64_t kPhysicalPage = 0x77000;
/// Entry 3 of the root, 4 of the middle, 6 of the leaf.
constexpr std::uint64_t kVirtual = (3ULL << 30) + (4ULL << 21) + (6ULL << 12);
constexpr Time kHit = 2 * common::kNanosecond, kRead = 50 * common::kNanosecond;

struct Memory : sc_core::sc_module {
  tlm_utils::simple_target_socket<Memory> SC_NAMED(socket);
  std::map<std::uint64_t, std::uint64_t> words;
  std::vector<std::uint64_t> accesses;  ///< addresses
  std::uint64_t unreadable = 1;         ///< not aligned: no address
  Time latency = 0;

  explicit Memory(const sc_core::sc_module_name& name) : sc_module(name) {
    socket.register_b_transport(this, &Memory::transport);
    socket.register_transport_dbg(this, &Memory::debug);
  }
  void transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) {
    accesses.push_back(payload.get_address());
    delay += common::kernel_time(latency);
    const bool readable = payload.get_address() != unreadable;
    if (readable && payload.is_read())
      std::memcpy(payload.get_data_ptr(), &words[payload.get_address()], 8);
    payload.set_response_status(readable ? tlm::TLM_OK_RESPONSE : tlm::TLM_ADDRESS_ERROR_RESPONSE);
  }
  unsigned debug(tlm::tlm_generic_payload& payload) {
    std::memcpy(payload.get_data_ptr(), &words[payload.get_address()], 8);
    return payload.get_address() != unreadable ? payload.get_data_length() : 0;
  }
};

struct Bench : sc_core::sc_module {
  tlm_utils::simple_initiator_socket<Bench> SC_NAMED(client0);
  tlm_utils::simple_initiator_socket<Bench> SC_NAMED(client1);
  tlm_utils::simple_initiator_socket<Bench> SC_NAMED(bus);
  common::Simulation simulation{common::Ordering()};
  mmu::Mmu it;
  Memory out0{"out0"}, out1{"out1"}, tables{"tables"};

  explicit Bench(const mmu::MmuConfig& config = {16, kHit},
                 const sc_core::sc_module_name& name = "bench")
      : sc_module(name), it("mmu", simulation, config) {
    client0.bind(it.clients);
    client1.bind(it.clients);
    bus.bind(it.registers);
    it.out.bind(out0.socket);
    it.out.bind(out1.socket);
    it.walker.bind(tables.socket);
    tables.latency = kRead;
    tables.words[kRoot + 8 * 3] = kMiddle | abi::kEntryValid;
    tables.words[kMiddle + 8 * 4] = kLeaf | abi::kEntryValid;
    tables.words[kLeaf + 8 * 6] = kPhysicalPage | abi::kEntryValid | abi::kEntryWritable;
  }

  /// Runs `program` as an agent, with a root in kSpace.
  void run(const std::function<void()>& program) {
    simulation.steps.add_agent("client", [this, program] {
      CHECK(set(abi::kMmuRoot + 8 * kSpace, kRoot) == tlm::TLM_OK_RESPONSE);
      program();
    });
    sc_core::sc_start();
  }
  tlm::tlm_response_status set(std::uint64_t at, std::uint64_t value) {
    return access_register(tlm::TLM_WRITE_COMMAND, at, value);
  }
  tlm::tlm_response_status access_register(tlm::tlm_command command, std::uint64_t at,
                                           std::uint64_t& value) {
    auto access = simulation.transactions.lend(command, at, &value, sizeof value);
    sc_core::sc_time delay;
    bus->b_transport(access->payload, delay);
    return access->payload.get_response_status();
  }
  tlm::tlm_response_status access(tlm::tlm_command command, std::uint64_t address,
                                  std::uint32_t space = kSpace, std::size_t client = 0,
                                  common::Barrier barrier = common::Barrier::kNone) {
    std::uint64_t value = 0;
    auto one = simulation.transactions.lend(command, address, &value, sizeof value);
    one->attributes.address_space = space;
    one->attributes.barrier = barrier;
    const auto status = common::send(simulation.steps, client == 0 ? client0 : client1, one);
    CHECK(one->payload.get_address() == address);  // the caller's address comes back
    return status;
  }
  tlm::tlm_response_status read(std::uint64_t address, std::uint32_t space = kSpace) {
    return access(tlm::TLM_READ_COMMAND, address, space);
  }
  /// Time that a read takes.
  Time time_of(std::uint64_t address) {
    const Time before = simulation.steps.now();
    CHECK(read(address) == tlm::TLM_OK_RESPONSE);
    return simulation.steps.now() - before;
  }
};

}  // namespace

TEST_CASE("a virtual address is translated by three levels of tables", "[mmu]") {
  Bench bench;
  bench.run([&] {
    CHECK(bench.read(kVirtual + 0xFF8) == tlm::TLM_OK_RESPONSE);
    CHECK(bench.out0.accesses == std::vector<std::uint64_t>{kPhysicalPage + 0xFF8});
    CHECK(bench.tables.accesses ==
          std::vector<std::uint64_t>{kRoot + 8 * 3, kMiddle + 8 * 4, kLeaf + 8 * 6});
    CHECK(bench.access(tlm::TLM_WRITE_COMMAND, kVirtual, kSpace, 1) == tlm::TLM_OK_RESPONSE);
    CHECK(bench.out1.accesses == std::vector<std::uint64_t>{kPhysicalPage});
  });
}

TEST_CASE("a second access to a page finds it in the TLB", "[mmu]") {
  Bench bench;
  bench.run([&] {
    CHECK(bench.time_of(kVirtual) == kHit + 3 * kRead);
    CHECK(bench.time_of(kVirtual + 8) == kHit);
    CHECK(bench.it.misses() == 1);
  });
}

TEST_CASE("a page without an entry at some level is an address error", "[mmu]") {
  Bench bench;
  bench.run([&] {
    for (const std::uint64_t other : {1ULL << 30, 1ULL << 21, 1ULL << 12})
      CHECK(bench.read(kVirtual + other) == tlm::TLM_ADDRESS_ERROR_RESPONSE);
    CHECK(bench.out0.accesses.empty());
    // An entry that is not valid counts as none, whatever its address is.
    bench.tables.words[kLeaf + 8 * 6] = kPhysicalPage | abi::kEntryWritable;
    CHECK(bench.read(kVirtual) == tlm::TLM_ADDRESS_ERROR_RESPONSE);
  });
}

TEST_CASE("what no table translates is looked up again", "[mmu]") {
  Bench bench;
  bench.run([&] {
    bench.tables.words[kLeaf + 8 * 6] = 0;
    CHECK(bench.read(kVirtual) == tlm::TLM_ADDRESS_ERROR_RESPONSE);
    bench.tables.words[kLeaf + 8 * 6] = kPhysicalPage | abi::kEntryValid;
    CHECK(bench.read(kVirtual) == tlm::TLM_OK_RESPONSE);
    CHECK(bench.it.misses() == 2);
  });
}

TEST_CASE("a table that cannot be read translates nothing", "[mmu]") {
  Bench bench;
  bench.run([&] {
    bench.tables.unreadable = kMiddle + 8 * 4;
    CHECK(bench.read(kVirtual) == tlm::TLM_ADDRESS_ERROR_RESPONSE);
  });
}

TEST_CASE("an address space without a root translates nothing and reads no table", "[mmu]") {
  Bench bench;
  bench.run([&] {
    CHECK(bench.read(kVirtual, kSpace + 1) == tlm::TLM_ADDRESS_ERROR_RESPONSE);
    CHECK(bench.read(kVirtual, abi::kAddressSpaces) == tlm::TLM_ADDRESS_ERROR_RESPONSE);
    CHECK(bench.tables.accesses.empty());
  });
}

TEST_CASE("an address beyond the tables is an address error", "[mmu]") {
  Bench bench;
  bench.run([&] {
    const std::uint64_t beyond = 1ULL << abi::kVirtualAddressBits;
    CHECK(bench.read(beyond + kVirtual) == tlm::TLM_ADDRESS_ERROR_RESPONSE);
    CHECK(bench.tables.accesses.empty());
    CHECK(bench.read(beyond - 4096) == tlm::TLM_ADDRESS_ERROR_RESPONSE);
    CHECK(bench.tables.accesses == std::vector<std::uint64_t>{kRoot + 8 * 511});
  });
}

TEST_CASE("a write to a page for reading is a command error", "[mmu]") {
  Bench bench;
  bench.run([&] {
    bench.tables.words[kLeaf + 8 * 6] = kPhysicalPage | abi::kEntryValid;
    CHECK(bench.access(tlm::TLM_WRITE_COMMAND, kVirtual) == tlm::TLM_COMMAND_ERROR_RESPONSE);
    CHECK(bench.out0.accesses.empty());
    CHECK(bench.read(kVirtual) == tlm::TLM_OK_RESPONSE);
  });
}

TEST_CASE("physical addresses and barriers pass as they are", "[mmu]") {
  Bench bench;
  bench.run([&] {
    CHECK(bench.read(0x123000, common::kPhysical) == tlm::TLM_OK_RESPONSE);
    CHECK(bench.access(tlm::TLM_IGNORE_COMMAND, 0, kSpace, 0, common::Barrier::kSelf) ==
          tlm::TLM_OK_RESPONSE);
    CHECK(bench.out0.accesses == std::vector<std::uint64_t>{0x123000, 0});
    CHECK(bench.tables.accesses.empty());
    CHECK(bench.simulation.steps.now() == 0);
  });
}

TEST_CASE("an old translation stays until its address space is invalidated", "[mmu]") {
  Bench bench;
  bench.run([&] {
    CHECK(bench.read(kVirtual) == tlm::TLM_OK_RESPONSE);
    bench.tables.words[kLeaf + 8 * 6] = 0x99000 | abi::kEntryValid;
    bench.set(abi::kMmuInvalidate, kSpace + 1);
    CHECK(bench.read(kVirtual) == tlm::TLM_OK_RESPONSE);
    CHECK(bench.out0.accesses.back() == kPhysicalPage);
    bench.set(abi::kMmuInvalidate, kSpace);
    CHECK(bench.read(kVirtual) == tlm::TLM_OK_RESPONSE);
    CHECK(bench.out0.accesses.back() == 0x99000);
  });
}

TEST_CASE("the TLB keeps pages of several address spaces apart", "[mmu]") {
  Bench bench({1, kHit});  // all share its one entry
  bench.run([&] {
    bench.set(abi::kMmuRoot + 8 * 6, kRoot);
    bench.tables.words[kLeaf + 8 * 7] = 0x99000 | abi::kEntryValid;
    CHECK(bench.read(kVirtual) == tlm::TLM_OK_RESPONSE);
    CHECK(bench.read(kVirtual, 6) == tlm::TLM_OK_RESPONSE);
    CHECK(bench.read(kVirtual + 4096, 6) == tlm::TLM_OK_RESPONSE);
    CHECK(bench.out0.accesses.back() == 0x99000);
    CHECK(bench.it.misses() == 3);
  });
}

TEST_CASE("as many neighbouring pages as the TLB has entries stay in it", "[mmu]") {
  Bench bench({8, kHit});
  bench.run([&] {
    for (std::uint64_t page = 0; page < 8; ++page)
      bench.tables.words[kLeaf + 8 * page] = page << 12 | abi::kEntryValid;
    const std::uint64_t first = kVirtual & ~std::uint64_t{0x1FFFFF};
    for (int round = 0; round < 2; ++round)
      for (std::uint64_t page = 0; page < 8; ++page)
        CHECK(bench.read(first + page * 4096) == tlm::TLM_OK_RESPONSE);
    CHECK(bench.it.misses() == 8);
  });
}

TEST_CASE("the roots of the address spaces are registers and nothing else is", "[mmu]") {
  Bench bench;
  bench.run([&] {
    std::uint64_t value = 0;
    CHECK(bench.access_register(tlm::TLM_READ_COMMAND, abi::kMmuRoot + 8 * kSpace, value) ==
          tlm::TLM_OK_RESPONSE);
    CHECK(value == kRoot);
    CHECK(bench.set(abi::kMmuRoot, 0x20000) == tlm::TLM_OK_RESPONSE);
    CHECK(bench.access_register(tlm::TLM_READ_COMMAND, abi::kMmuRoot, value) ==
          tlm::TLM_OK_RESPONSE);
    CHECK(value == 0x20000);
    CHECK(bench.set(abi::kMmuRoot + 8 * (abi::kAddressSpaces - 1), 0) == tlm::TLM_OK_RESPONSE);
    for (const std::uint64_t none :
         {abi::kMmuRoot - 8, abi::kMmuRoot + 8 * std::uint64_t{abi::kAddressSpaces}})
      CHECK(bench.set(none, 1) == tlm::TLM_ADDRESS_ERROR_RESPONSE);
    CHECK(bench.access_register(tlm::TLM_READ_COMMAND, abi::kMmuInvalidate, value) ==
          tlm::TLM_ADDRESS_ERROR_RESPONSE);
  });
}

TEST_CASE("a debugger sees addresses translated without an access of its own", "[mmu]") {
  Bench bench;
  bench.run([&] {
    const auto translated = [&bench](std::uint64_t address, unsigned expected) {
      auto look = bench.simulation.transactions.lend(tlm::TLM_READ_COMMAND, address, nullptr, 0);
      look->attributes.address_space = kSpace;
      CHECK(bench.client0->transport_dbg(look->payload) == expected);
      return look->payload.get_address();
    };
    CHECK(translated(kVirtual + 0xFF8, 1) == kPhysicalPage + 0xFF8);
    CHECK(translated(kVirtual + 0x1000, 0) == kVirtual + 0x1000);
    CHECK(bench.tables.accesses.empty());
    CHECK(bench.it.misses() == 0);
    bench.tables.unreadable = kLeaf + 8 * 6;
    translated(kVirtual, 0);
  });
}

}  // namespace fenceline::test_mmu
