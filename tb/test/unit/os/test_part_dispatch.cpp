// Parts of buffers with patch locations on their way to the driver.
#include <catch2/catch.hpp>

#include "models/abi/packets.h"
#include "tb/test/support/os/context_bench.h"
#include "tb/test/support/os/fence_bench.h"

namespace fenceline::os::test_part_dispatch {

using support::ContextBench;
using support::stop_of;
using Location = D3DDDI_PATCHLOCATIONLIST;

namespace {

support::OsMachine::Config unaware() {
  support::OsMachine::Config config;
  config.options.driver_caps.emplace_back();
  config.options.driver_caps[0].scheduling &= ~DXGK_VIDSCHCAPS::kPreemptionAware;
  return config;
}

/// Two contexts, and a buffer of two parts. The first binds slot 0 to allocation 1, the second one
/// unbinds slot 1.
struct Bench : ContextBench {
  explicit Bench(const support::OsMachine::Config& config = {})
      : ContextBench(preempting(), config) {
    buffer->memory = {false, machine.kernel().system.pages.allocate(kPage), kPage};
    buffer->bytes = 100;
    buffer->locations = {
        {1, 0, 0, 0, 16, 0}, {0, Location::kNoSlot, 0, 0, 40, 40}, {0, 1, 0, 0, 56, 0}};
    allocations->resize(2);
    (*allocations)[1].hDeviceSpecificAllocation = this;
    (*allocations)[1].PhysicalAddress.QuadPart = 0x3000;
  }
  bool give_part(ContextQueue& context, bool second) {
    auto part = std::make_shared<PatchedPart>();
    part->buffer = buffer;
    part->allocations = allocations;
    part->range = second ? PartRange{40, 100, 1, 3} : PartRange{0, 40, 0, 1};
    part->last = second;
    ContextQueue::Packet packet;
    packet.part = std::move(part);
    return parts.dispatch.run_buffer(context, packet);
  }

  std::shared_ptr<PatchedBuffer> buffer = std::make_shared<PatchedBuffer>();
  std::shared_ptr<std::vector<DXGK_ALLOCATIONLIST>> allocations =
      std::make_shared<std::vector<DXGK_ALLOCATIONLIST>>();
};

/// Slots that the OS says to be bound when the second part is given.
std::vector<std::uint64_t> bindings(const support::OsMachine::Config& config) {
  Bench bench(config);
  std::vector<std::uint64_t> result;
  CHECK(bench.run([&] {
    const auto& bound = bench.machine.watch<event::PatchLocation>();
    CHECK(bench.give_part(bench.create(), true));
    for (const event::PatchLocation& one : bound) result.push_back(one.binding);
    const std::uint64_t base = bench.machine.adapter().vram_segment_base() + 0x3000;
    for (std::uint64_t& one : result)
      if (one == abi::bound_address(0, base)) one = 0;  // stands for allocation 1
  }));
  return result;
}

}  // namespace

TEST_CASE("a part is patched with its own locations and submitted with the same number") {
  Bench bench;
  CHECK(bench.run([&] {
    ContextQueue& context = bench.create(nullptr, 1);
    CHECK(bench.give_part(context, true));
    CHECK(bench.machine.submits.empty());
    REQUIRE(bench.machine.patches.size() == 1);
    const DXGKARG_PATCH& patch = bench.machine.patches[0];
    CHECK(patch.hContext == context.driver_handle);
    CHECK(patch.DmaBufferSize == 100);
    CHECK(patch.DmaBufferSubmissionStartOffset == 40);
    CHECK(patch.DmaBufferSubmissionEndOffset == 100);
    CHECK(patch.AllocationListSize == 2);
    CHECK(patch.PatchLocationListSize == 3);
    CHECK(patch.PatchLocationListSubmissionStart == 1);
    CHECK(patch.PatchLocationListSubmissionLength == 2);
    CHECK(patch.SubmissionFenceId == 1);
    REQUIRE(bench.machine.parts.size() == 1);
    const DXGKARG_SUBMITCOMMAND& part = bench.machine.parts[0];
    CHECK(part.SubmissionFenceId == 1);
    CHECK(part.NodeOrdinal == 1);
    CHECK(part.DmaBufferSubmissionStartOffset == 40);
    CHECK(part.DmaBufferPhysicalAddress.QuadPart == patch.DmaBufferPhysicalAddress.QuadPart);
    CHECK(bench.machine.cpu().irql() == PASSIVE_LEVEL);
  }));
}

TEST_CASE("a part of a preemption aware node relies on its own bindings alone") {
  CHECK(bindings({}) == std::vector<std::uint64_t>{abi::bound_address(1, 0)});
}

TEST_CASE("a part that stays with those before it relies on their bindings") {
  CHECK(bindings(unaware()) == std::vector<std::uint64_t>{0, abi::bound_address(1, 0)});
}

TEST_CASE("parts of a buffer follow each other on a node without preemption awareness") {
  Bench bench(unaware());
  CHECK(bench.run([&] {
    ContextQueue& context = bench.create();
    ContextQueue& other = bench.create();
    CHECK(bench.give_part(context, false));
    CHECK(bench.node().kept == &context);
    CHECK_FALSE(bench.give_part(other, false));
    context.lost = true;  // its next part will not come
    CHECK(bench.give_part(other, true));
    CHECK(bench.node().kept == nullptr);
  }));
}

TEST_CASE("another part of the kept context goes on and the last one frees the node") {
  Bench bench(unaware());
  CHECK(bench.run([&] {
    ContextQueue& context = bench.create();
    CHECK(bench.give_part(context, false));
    CHECK(bench.give_part(context, true));
    CHECK(bench.node().kept == nullptr);
  }));
}

TEST_CASE("a preemption aware node keeps no context between parts") {
  Bench bench;
  CHECK(bench.run([&] {
    CHECK(bench.give_part(bench.create(), false));
    CHECK(bench.node().kept == nullptr);
    CHECK(bench.give_part(bench.create(), false));
  }));
}

TEST_CASE("a driver that fails to patch stops the machine") {
  Bench bench;
  bench.machine.patch_status = STATUS_UNSUCCESSFUL;
  bench.run([&] {
    CHECK(stop_of([&] { bench.give_part(bench.create(), true); }) ==
          fenceline::wddm::kSchedulerPatchFailed);
    CHECK(bench.machine.parts.empty());
  });
}

TEST_CASE("a driver that fails to take a part stops the machine") {
  Bench bench;
  bench.machine.part_status = STATUS_INVALID_PARAMETER;
  bench.run([&] {
    CHECK(stop_of([&] { bench.give_part(bench.create(), true); }) ==
          fenceline::wddm::kSchedulerSubmitFailed);
  });
}

}  // namespace fenceline::os::test_part_dispatch
