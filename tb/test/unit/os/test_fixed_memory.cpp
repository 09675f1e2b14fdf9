// Memory that never moves: where its pages come from, and who is told of accesses to it.
#include "tb/os/vidmm/fixed_memory.h"
#include "tb/test/support/os/paging_bench.h"

namespace fenceline::os::test_fixed_memory {

namespace {

using common::Home;
using support::Caller;

constexpr std::uint64_t kBar = 1 << 20;
constexpr std::uint32_t kObject = 77;

template <typename Body>
void with_memory(Body body, std::uint64_t bar_bytes = 0) {
  support::run_in_kernel(
      [&](Kernel& kernel) {
        Caller caller(kernel);
        body(kernel.fixed_memory, caller);
      },
      support::managed_kernel(), support::small_platform(bar_bytes));
}
AdapterState& state_of(Caller& caller) { return caller.kernel.system.adapters[0]; }

/// The object that an access to this address is reported for; 0: none.
std::uint32_t watched(common::Watches& watches, std::uint64_t address) {
  const common::Watch* const watch = watches.find(address);
  return watch != nullptr ? watch->object : 0;
}

}  // namespace

TEST_CASE("fixed memory is taken from the memory that it is wanted in", "[memory][fixed]") {
  with_memory([](FixedMemory& memory, Caller& caller) {
    PagePool& vram = *state_of(caller).vram_pages;
    PagePool& system = caller.kernel.system.pages;
    const std::uint64_t vram_left = vram.left(), system_left = system.left();
    const Backing there = memory.allocate(caller.process, 2 * kPage, Home::kVram);
    CHECK(there.vram);
    CHECK(there.bytes == 2 * kPage);
    CHECK(vram.left() == vram_left - 2 * kPage);
    CHECK(system.left() == system_left);
    const Backing here = memory.allocate(caller.process, 100, Home::kSysmem);
    CHECK_FALSE(here.vram);
    CHECK(here.bytes == 100);
    CHECK(system.left() == system_left - kPage);
    CHECK(vram.left() == vram_left - 2 * kPage);
  });
}

TEST_CASE("a page that was given back is used again where its content does not matter",
          "[memory][fixed]") {
  with_memory([](FixedMemory& memory, Caller& caller) {
    for (const Home home : {Home::kVram, Home::kSysmem}) {
      const auto take = [&](std::uint64_t bytes, bool used) {
        return memory.allocate(caller.process, bytes, home, used).address;
      };
      const Backing page = memory.allocate(caller.process, kPage, home);
      memory.give_back(*state_of(caller).adapter, page);
      CHECK(take(kPage, false) != page.address);
      CHECK(take(2 * kPage, true) != page.address);
      CHECK(take(kPage, true) == page.address);
      CHECK(take(kPage, true) != page.address);
    }
  });
}

TEST_CASE("shared memory is known by its address for the GPU", "[memory][fixed]") {
  support::PagingBench bench;
  bench.with_kernel([&](Kernel& kernel) {
    Process& process = Caller(kernel).process;
    const Backing page = kernel.fixed_memory.allocate(process, kPage, Home::kSysmem);
    const D3DGPU_VIRTUAL_ADDRESS address = kernel.fixed_memory.share(process, page);
    REQUIRE(bench.operations.back().entries.size() == 1);
    CHECK((bench.operations.back().entries[0].Flags & DXGK_PTE::kReadOnly) == 0);
    const Backing* const known = process.fixed_memory(address);
    REQUIRE(known != nullptr);
    CHECK(known->address == page.address);
    CHECK(process.space->reserve(1) == address + kPage);
    CHECK(process.fixed_memory(address + kPage) == nullptr);
  });
}

TEST_CASE("fixed memory behind a window is mapped for kernel mode in D0", "[memory][fixed]") {
  with_memory(
      [](FixedMemory& memory, Caller& caller) {
        AdapterState& state = state_of(caller);
        REQUIRE(state.power->set(false) == STATUS_SUCCESS);
        memory.allocate(caller.process, kPage, Home::kSysmem);
        CHECK_FALSE(state.power->on());
        const Backing page = memory.allocate(caller.process, kPage, Home::kVram);
        CHECK(state.power->on());
        CHECK_NOTHROW(state.adapter->host_aperture()->kernel_offset(page.address));
      },
      kBar);
}

TEST_CASE("fixed memory that the CPU sees leaves the adapter in D3", "[memory][fixed]") {
  with_memory([](FixedMemory& memory, Caller& caller) {
    AdapterState& state = state_of(caller);
    REQUIRE(state.power->set(false) == STATUS_SUCCESS);
    memory.allocate(caller.process, kPage, Home::kVram);
    CHECK_FALSE(state.power->on());
  });
}

TEST_CASE("accesses to a part of fixed memory are watched in its memory", "[memory][fixed]") {
  with_memory([](FixedMemory& memory, Caller& caller) {
    AdapterState& state = state_of(caller);
    common::Watches& vram = state.adapter->gpu().vram().memory().watches();
    common::Watches& system = caller.kernel.platform().system_memory().memory().watches();
    for (const Home home : {Home::kVram, Home::kSysmem}) {
      common::Watches& its = home == Home::kVram ? vram : system;
      common::Watches& others = home == Home::kVram ? system : vram;
      const Backing page = memory.allocate(caller.process, kPage, home);
      const std::uint64_t at = page.gpu_physical() + 64;
      memory.watch(page, 64, 8, common::WatchKind::kLog, kObject, state);
      CHECK(watched(its, at) == kObject);
      CHECK(watched(its, at + 7) == kObject);
      CHECK(watched(its, at + 8) == 0);
      CHECK(watched(others, at) == 0);
      CHECK(its.find(at)->adapter == state.adapter->object());
      memory.unwatch(page, 64, *state.adapter);
      CHECK(watched(its, at) == 0);
    }
  });
}

}  // namespace fenceline::os::test_fixed_memory
