// D3DKMTRender: buffers that the driver writes, in parts for one context or several.
#include <catch2/catch.hpp>

#include "tb/os/calls/render_calls.h"
#include "tb/test/support/os/kernel_bench.h"
#include "tb/test/support/os/scripted_driver.h"

namespace fenceline::os::test_render_calls {

namespace {

using support::KernelBench;
using support::ScriptedDriver;
using Location = D3DDDI_PATCHLOCATIONLIST;

constexpr Ddi kRender = Ddi::DxgkDdiRender;

Location bind(UINT slot, UINT allocation) { return {allocation, slot, 0, 0, 8, 0}; }
Location split(UINT offset) { return {0, Location::kNoSlot, 0, 0, offset, offset}; }

/// A recording for contexts whose buffers stay in the OS, and a driver that answers as it is told.
struct Bench {
  Bench(Kernel& of, KernelBench& on) : kernel(of), machine(on) {
    ScriptedDriver::replace<kRender>([this](HANDLE context, DXGKARG_RENDER* args) {
      got_context = context;
      got = *args;
      got_list.assign(args->pAllocationList, args->pAllocationList + args->AllocationListSize);
      std::copy(answer.begin(), answer.end(), args->pPatchLocationListOut);
      args->pDmaBuffer = static_cast<BYTE*>(args->pDmaBuffer) + bytes;
      args->pPatchLocationListOut += static_cast<std::ptrdiff_t>(answer.size()) + beyond;
      if (on_render) on_render();
      return status;
    });
    request.commands = {1, 2, 3};
    add();
  }
  /// Adds a target with a process and a context of its own.
  void add() {
    Process& process = kernel.devices.create_process("app", 0);
    D3DKMT_CREATECONTEXT args{};
    args.hDevice = process.device();
    args.NodeOrdinal = 1;
    REQUIRE(kernel.contexts.D3DKMTCreateContext(process, args) == STATUS_SUCCESS);
    request.targets.push_back({&process, args.hContext, {}});
    context(request.targets.size() - 1).holds = 1;
  }
  ContextQueue& context(std::size_t target = 0) {
    return *request.targets[target].process->context(request.targets[target].context);
  }
  NTSTATUS render() { return kernel.renders.D3DKMTRender(request); }
  std::size_t queued(std::size_t target = 0) { return context(target).packets.size(); }
  const PatchedPart& part(std::size_t number, std::size_t target = 0) {
    return *context(target).packets.at(number).part;
  }

  Kernel& kernel;
  KernelBench& machine;
  RenderRequest request;
  HANDLE got_context = nullptr;
  DXGKARG_RENDER got{};
  std::vector<DXGK_ALLOCATIONLIST> got_list;
  // Answer of the driver.
  std::int64_t bytes = 128;
  std::vector<Location> answer;
  std::ptrdiff_t beyond = 0;
  NTSTATUS status = STATUS_SUCCESS;
  std::function<void()> on_render;
};

void with_bench(const std::function<void(Bench&)>& body,
                const KernelOptions& options = support::managed_kernel()) {
  KernelBench machine(options, support::small_platform(), &ScriptedDriver::entry);
  machine.run({[&](Kernel& kernel) {
    Bench bench(kernel, machine);
    body(bench);
    for (std::size_t i = 0; i < bench.request.targets.size(); ++i) bench.context(i).packets.clear();
  }});
}

/// The thread that has the second context of a broadcast while the first one has no room.
common::AgentId sender_of_second(const std::vector<Location>& splits) {
  KernelBench machine(support::managed_kernel(), support::small_platform(), &ScriptedDriver::entry);
  std::unique_ptr<Bench> it;
  common::AgentId sender = 0;
  machine.run({[&](Kernel& kernel) {
                 auto made = std::make_unique<Bench>(kernel, machine);
                 made->add();
                 made->answer = splits;
                 made->context(0).buffers = ContextSubmission::kMaxQueued;
                 it = std::move(made);
                 CHECK(it->render() == STATUS_SUCCESS);
                 it->context(0).packets.clear();
                 it->context(1).packets.clear();
               },
               [&](Kernel& kernel) {
                 while (it == nullptr) kernel.cpu().sleep(common::kMicrosecond);
                 kernel.cpu().sleep(common::kMillisecond);
                 sender = it->context(1).sender;
                 it->context(0).buffers = 0;
                 it->context(0).room.set();
               }});
  return sender;
}

/// A slot that the first of two parts leaves bound.
void answer_leak(Bench& it) {
  it.request.targets[0].allocations = {{false, 0x4000, 4096}};
  it.answer = {bind(3, 1), split(64)};
}

}  // namespace

TEST_CASE("a recording that no context can take does not reach the driver", "[calls]") {
  with_bench([](Bench& it) {
    it.request.commands.clear();
    CHECK(it.render() == STATUS_INVALID_PARAMETER);
    it.request.commands = {1};
    std::vector<RenderRequest::Target> none;
    none.swap(it.request.targets);
    CHECK(it.render() == STATUS_INVALID_PARAMETER);
    none.swap(it.request.targets);
    it.add();
    ++it.request.targets[1].context;
    CHECK(it.render() == STATUS_INVALID_HANDLE);
    --it.request.targets[1].context;
    it.context(1).ended = true;
    CHECK(it.render() == STATUS_DEVICE_REMOVED);
    it.context(1).ended = false;
    it.request.targets[1].allocations.emplace_back();
    CHECK(it.render() == STATUS_INVALID_PARAMETER);
    it.request.targets[1].allocations.clear();
    CHECK(it.got.pCommand == nullptr);
    CHECK(it.render() == STATUS_SUCCESS);
  });
}

TEST_CASE("a recording wakes the adapter", "[calls]") {
  with_bench([](Bench& it) {
    AdapterPower& power = *it.kernel.system.adapters[0].power;
    REQUIRE(power.set(false) == STATUS_SUCCESS);
    CHECK(it.render() == STATUS_SUCCESS);
    CHECK(power.on());
  });
}

TEST_CASE("the driver gets the commands with allocations and patch locations", "[calls]") {
  with_bench([](Bench& it) {
    const std::uint64_t base = it.kernel.adapter(0).vram_segment_base();
    it.request.locations = {split(1)};
    it.request.targets[0].allocations = {{true, base + 0x3000, 4096}, {false, 0x4000, 4096}};
    CHECK(it.render() == STATUS_SUCCESS);
    CHECK(it.got_context == it.context().driver_handle);
    CHECK(it.got.pCommand == it.request.commands.data());
    CHECK(it.got.CommandLength == 3);
    CHECK(it.got.DmaSize == 64 * 1024);
    CHECK(it.got.pPatchLocationListIn == it.request.locations.data());
    CHECK(it.got.PatchLocationListInSize == 1);
    CHECK(it.got.PatchLocationListOutSize == 512);
    REQUIRE(it.got_list.size() == 3);
    CHECK(it.got_list[0].hDeviceSpecificAllocation == nullptr);
    CHECK(it.got_list[1].segment() == kVramSegment);
    CHECK(it.got_list[1].PhysicalAddress.QuadPart == 0x3000);
    CHECK(it.got_list[2].segment() == 0);
    CHECK(it.got_list[2].PhysicalAddress.QuadPart == 0x4000);
    CHECK(it.got_list[2].hDeviceSpecificAllocation == to_kernel_address(0x4000));
    CHECK((it.got_list[2].Value & DXGK_ALLOCATIONLIST::kWriteOperation) != 0);
  });
}

TEST_CASE("a driver without the entry renders nothing", "[calls]") {
  ScriptedDriver::change_table = [](auto& table) { table.DxgkDdiRender = nullptr; };
  with_bench([](Bench& it) {
    CHECK(it.render() == STATUS_NOT_SUPPORTED);
    CHECK(it.queued() == 0);
  });
}

TEST_CASE("a recording that the driver refuses is not queued", "[calls]") {
  with_bench([](Bench& it) {
    it.status = STATUS_NO_MEMORY;
    CHECK(it.render() == STATUS_NO_MEMORY);
    CHECK(it.queued() == 0);
    CHECK(it.machine.events.of<event::DriverMisuse>().empty());
  });
}

TEST_CASE("a driver that answers outside of what it was given renders nothing", "[calls]") {
  with_bench([](Bench& it) {
    constexpr std::int64_t kBytes = 64 * 1024;
    for (const std::int64_t outside : {std::int64_t{-1}, kBytes + 1}) {
      it.bytes = outside;
      CHECK(it.render() == STATUS_UNSUCCESSFUL);
    }
    it.bytes = kBytes;
    for (const std::ptrdiff_t outside : {-1, 513}) {
      it.beyond = outside;
      CHECK(it.render() == STATUS_UNSUCCESSFUL);
    }
    CHECK(it.machine.events.of<event::DriverMisuse>().size() == 4);
    CHECK(it.queued() == 0);
    it.beyond = 512;  // all of them
    CHECK(it.render() == STATUS_SUCCESS);
    CHECK(it.part(0).buffer->locations.size() == 512);
    CHECK(it.part(0).buffer->bytes == kBytes);
  });
}

TEST_CASE("a buffer is queued in parts and the last one ends it", "[calls]") {
  with_bench([](Bench& it) {
    it.answer = {split(40), split(64)};
    CHECK(it.render() == STATUS_SUCCESS);
    REQUIRE(it.queued() == 3);
    CHECK(it.part(0).range.end == 40);
    CHECK(it.part(1).range.start == 40);
    CHECK(it.part(2).range.end == 128);
    CHECK_FALSE(it.part(0).last);
    CHECK_FALSE(it.part(1).last);
    CHECK(it.part(2).last);
    CHECK(it.part(0).buffer->broadcast == 0);
    CHECK(it.part(0).buffer->locations.size() == 2);
  });
}

TEST_CASE("a buffer whose parts need more memory than there may be is refused", "[calls]") {
  KernelOptions options = support::managed_kernel();
  options.adapter.system.preemption.part_memory = 4096;
  with_bench(
      [](Bench& it) {
        it.request.targets[0].allocations = {{false, 0x4000, 8192}};
        it.answer = {bind(0, 1)};
        CHECK(it.render() == STATUS_GRAPHICS_NO_VIDEO_MEMORY);
        CHECK(it.queued() == 0);
        it.request.targets[0].allocations = {{false, 0x4000, 4096}};
        CHECK(it.render() == STATUS_SUCCESS);
        CHECK(it.queued() == 1);
      },
      options);
}

TEST_CASE("each context of a broadcast gets all parts with allocations of its own", "[calls]") {
  with_bench([](Bench& it) {
    it.add();
    it.request.targets[0].allocations = {{false, 0x4000, 4096}};
    it.request.targets[1].allocations = {{false, 0x8000, 4096}};
    it.answer = {split(64)};
    CHECK(it.render() == STATUS_SUCCESS);
    for (std::size_t target = 0; target < 2; ++target) {
      REQUIRE(it.queued(target) == 2);
      const auto& list = *it.part(0, target).allocations;
      REQUIRE(list.size() == 2);
      CHECK(list[1].PhysicalAddress.QuadPart == (target == 0 ? 0x4000 : 0x8000));
      CHECK(it.part(0, target).buffer->broadcast == 1);
      CHECK(it.context(target).sender == 0);
    }
    CHECK(it.part(0).buffer == it.part(0, 1).buffer);
    CHECK(it.render() == STATUS_SUCCESS);
    CHECK(it.part(2).buffer->broadcast == 2);
  });
}

TEST_CASE("a broadcast goes on to others where one device fails meanwhile", "[calls]") {
  with_bench([](Bench& it) {
    it.add();
    it.on_render = [&] { it.context(0).ended = true; };
    CHECK(it.render() == STATUS_DEVICE_REMOVED);
    CHECK(it.queued(0) == 0);
    CHECK(it.queued(1) == 1);
    it.context(0).ended = false;
    it.on_render = [&] { it.context(1).ended = true; };
    CHECK(it.render() == STATUS_DEVICE_REMOVED);
    CHECK(it.queued(0) == 1);
    it.context(1).ended = false;
  });
}

TEST_CASE("a broadcast in parts has all its contexts before the first part", "[calls]") {
  CHECK(sender_of_second({split(64)}) != 0);
}

TEST_CASE("a broadcast in one part takes its contexts one by one", "[calls]") {
  CHECK(sender_of_second({}) == 0);
}

TEST_CASE("a part that leaves a slot bound stops the machine", "[calls]") {
  with_bench([](Bench& it) {
    answer_leak(it);
    CHECK_THROWS_AS(it.render(), BugCheck);
    CHECK(it.queued() == 0);
  });
}

TEST_CASE("an OS that does not look for bound slots queues the parts", "[calls]") {
  KernelOptions options = support::managed_kernel();
  options.adapter.system.preemption.finds_leaks = false;
  with_bench(
      [](Bench& it) {
        answer_leak(it);
        CHECK(it.render() == STATUS_SUCCESS);
        CHECK(it.queued() == 2);
      },
      options);
}

TEST_CASE("parts that are never preempted may rely on each other", "[calls]") {
  KernelOptions options = support::managed_kernel();
  options.driver_caps.emplace_back();
  options.driver_caps[0].scheduling = DXGK_VIDSCHCAPS::kMultiEngineAware;
  with_bench(
      [](Bench& it) {
        answer_leak(it);
        CHECK(it.render() == STATUS_SUCCESS);
        CHECK(it.queued() == 2);
      },
      options);
}

}  // namespace fenceline::os::test_render_calls
