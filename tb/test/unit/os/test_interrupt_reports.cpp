// What interrupts report, and what they must not report.
#include <catch2/catch.hpp>

#include "tb/os/driver/interrupt_data.h"
#include "tb/os/driver/interrupt_reports.h"
#include "tb/test/support/os/os_machine.h"

namespace fenceline::os::test_interrupt_reports {

using support::OsMachine;
using Data = DXGKARGCB_NOTIFY_INTERRUPT_DATA;

namespace {

Data of_type(DXGK_INTERRUPT_TYPE type) {
  Data data{};
  data.InterruptType = type;
  return data;
}
Data completed(UINT node, UINT id) {
  Data data = of_type(DXGK_INTERRUPT_DMA_COMPLETED);
  data.DmaCompleted.NodeOrdinal = node;
  data.DmaCompleted.SubmissionFenceId = id;
  return data;
}
Data page_fault(DXGK_PAGE_FAULT_FLAGS flags) {
  Data data = of_type(DXGK_INTERRUPT_DMA_PAGE_FAULTED);
  data.DmaPageFaulted.FaultedFenceId = 3;
  data.DmaPageFaulted.PageFaultFlags = flags;
  return data;
}

struct Bench {
  bool run(const std::function<void()>& body) { return machine.run_thread(body); }
  /// What one interrupt reports.
  FenceNotification told(const Data& data) {
    reports.record(data);
    return reports.take();
  }
  /// First parameter of the bug check of an interrupt; 0: none.
  std::uint64_t stop_of(const Data& data) {
    try {
      reports.record(data);
    } catch (const BugCheck& stop) {
      CHECK(stop.code() == VIDEO_SCHEDULER_INTERNAL_ERROR);
      return stop.parameters().first;
    }
    return 0;
  }
  std::optional<Misuse> fault(const Data& data) {
    const auto found = find_fault(machine.adapter(), data);
    return found ? std::optional<Misuse>(found->misuse) : std::nullopt;
  }

  OsMachine machine;
  InterruptReports reports{machine.adapter()};
};

}  // namespace

TEST_CASE("reports are kept in order until they are taken") {
  Bench bench;
  CHECK(bench.run([&] {
    bench.reports.record(completed(0, 1));
    bench.reports.record(completed(1, 2));
    const FenceNotification told = bench.reports.take();
    REQUIRE(told.completions.size() == 2);
    CHECK(told.completions[1].node == 1);
    CHECK(told.completions[1].id == 2);
    CHECK_FALSE(told.completions[1].faulted);
    CHECK(bench.reports.take().completions.empty());
  }));
}

TEST_CASE("reports of an ignored node do not count") {
  Bench bench;
  CHECK(bench.run([&] {
    bench.reports.ignore(1, true);
    CHECK(bench.told(completed(1, 1)).completions.empty());
    CHECK(bench.told(completed(0, 1)).completions.size() == 1);
    Data preempted = of_type(DXGK_INTERRUPT_DMA_PREEMPTED);
    preempted.DmaPreempted.NodeOrdinal = 1;
    CHECK(bench.told(preempted).preemptions.empty());
    Data fault = of_type(DXGK_INTERRUPT_DMA_FAULTED);
    fault.DmaFaulted.NodeOrdinal = 1;
    CHECK(bench.told(fault).completions.empty());
    bench.reports.ignore(1, false);
    CHECK(bench.told(completed(1, 1)).completions.size() == 1);
    CHECK(bench.told(preempted).preemptions.size() == 1);
    CHECK(bench.told(fault).completions.size() == 1);
  }));
}

TEST_CASE("a silent node must not interrupt") {
  Bench bench;
  CHECK(bench.run([&] {
    bench.reports.silence(1, true);
    CHECK(bench.stop_of(completed(0, 1)) == 0);
    CHECK(bench.stop_of(completed(1, 1)) == fenceline::wddm::kSchedulerInterruptDuringReset);
    bench.reports.silence(1, false);
    CHECK(bench.stop_of(completed(1, 1)) == 0);
  }));
}

TEST_CASE("a hung engine is reported in two ways and no other state is a hang") {
  Bench bench;
  CHECK(bench.run([&] {
    Data timeout = of_type(DXGK_INTERRUPT_GPU_ENGINE_TIMEOUT);
    timeout.GpuEngineTimeout.NodeOrdinal = 2;
    CHECK(bench.told(timeout).timeouts == std::vector<UINT>{2});
    Data state = of_type(DXGK_INTERRUPT_GPU_ENGINE_STATE_CHANGE);
    state.EngineStateChange.NodeOrdinal = 1;
    state.EngineStateChange.NewState = DXGK_ENGINE_STATE_HUNG;
    CHECK(bench.told(state).timeouts == std::vector<UINT>{1});
    state.EngineStateChange.NewState = DXGK_ENGINE_STATE_ACTIVE;
    CHECK(bench.told(state).timeouts.empty());
  }));
}

TEST_CASE("a buffer that faulted is reported as given up") {
  Bench bench;
  CHECK(bench.run([&] {
    const auto told = bench.told(page_fault(DXGK_PAGE_FAULT_WRITE));
    REQUIRE(told.completions.size() == 1);
    CHECK(told.completions[0].faulted);
    CHECK(told.completions[0].id == 3);
  }));
}

TEST_CASE("a page fault that nobody can recover from stops the machine") {
  Bench bench;
  CHECK(bench.run([&] {
    CHECK(bench.stop_of(page_fault(DXGK_PAGE_FAULT_FATAL_HARDWARE_ERROR)) ==
          fenceline::wddm::kSchedulerFatalPageFault);
    CHECK(bench.stop_of(page_fault(DXGK_PAGE_FAULT_FENCE_INVALID)) ==
          fenceline::wddm::kSchedulerPageFaultFlags);
    CHECK(bench.stop_of(page_fault(DXGK_PAGE_FAULT_FENCE_INVALID |
                                   DXGK_PAGE_FAULT_ENGINE_RESET_REQUIRED)) == 0);
    CHECK(bench.stop_of(of_type(DXGK_INTERRUPT_HWQUEUE_PAGE_FAULTED)) ==
          fenceline::wddm::kSchedulerFatalPageFault);
  }));
}

TEST_CASE("a vertical sync of an adapter without a display stops the machine") {
  Bench bench;
  CHECK(bench.run([&] {
    CHECK(bench.stop_of(of_type(DXGK_INTERRUPT_CRTC_VSYNC)) ==
          fenceline::wddm::kSchedulerVsyncOnRenderAdapter);
  }));
}

TEST_CASE("a native fence interrupt without fences stands for all of them") {
  Bench bench;
  CHECK(bench.run([&] {
    Data data = of_type(DXGK_INTERRUPT_NATIVE_FENCE_SIGNALED);
    CHECK(bench.told(data).all);
    HANDLE fence = &bench;
    data.NativeFenceSignaled.pSignaledNativeFenceArray = &fence;
    CHECK(bench.told(data).all);
    data.NativeFenceSignaled.SignaledNativeFenceCount = 1;
    bench.machine.adapter().fence_of = [](HANDLE) -> std::uint32_t { return 1; };
    const auto named = bench.told(data);
    CHECK_FALSE(named.all);
    CHECK_FALSE(named.monitored);
    CHECK(named.fences == std::vector<HANDLE>{fence});
    data.Flags.Value = DXGKCB_NOTIFY_INTERRUPT_DATA_FLAGS::kEvaluateLegacyMonitoredFences;
    CHECK(bench.told(data).monitored);
    bench.machine.adapter().fence_of = [](HANDLE) -> std::uint32_t { return 0; };
    CHECK(bench.stop_of(data) == fenceline::wddm::kSchedulerDestroyedNativeFence);
  }));
}

TEST_CASE("monitored fences have an interrupt of their own") {
  Bench bench;
  CHECK(bench.run([&] {
    const auto told = bench.told(of_type(DXGK_INTERRUPT_MONITORED_FENCE_SIGNALED));
    CHECK(told.monitored);
    CHECK(told.only_monitored());
  }));
}

TEST_CASE("an interrupt of an unknown type node engine context or array is a misuse") {
  Bench bench;
  CHECK(bench.run([&] {
    CHECK_FALSE(bench.fault(completed(0, 1)));
    CHECK_FALSE(bench.fault(completed(3, 1)));
    CHECK(bench.fault(completed(4, 1)) == Misuse::kInterruptNode);
    Data engine = completed(0, 1);
    engine.DmaCompleted.EngineOrdinal = 1;
    CHECK(bench.fault(engine) == Misuse::kInterruptNode);
    CHECK(bench.fault(of_type(DXGK_INTERRUPT_DISPLAYONLY_VSYNC)) == Misuse::kInterruptType);
    CHECK_FALSE(bench.fault(of_type(DXGK_INTERRUPT_CRTC_VSYNC)));
    CHECK(bench.fault(of_type(DXGK_INTERRUPT_SUSPEND_CONTEXT_COMPLETED)) ==
          Misuse::kInterruptContext);
    Data fences = of_type(DXGK_INTERRUPT_NATIVE_FENCE_SIGNALED);
    CHECK_FALSE(bench.fault(fences));
    fences.NativeFenceSignaled.SignaledNativeFenceCount = 1;
    CHECK(bench.fault(fences) == Misuse::kInterruptArray);
  }));
}

}  // namespace fenceline::os::test_interrupt_reports
