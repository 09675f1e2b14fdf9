#include <algorithm>
#include <catch2/catch.hpp>

#include "kmd_stub/wddm/wddm.h"
#include "models/abi/registers.h"
#include "tb/os/driver/ddi_names.h"
#include "tb/test/support/event_script.h"

namespace fenceline::check_tests::test_notices {

using fenceline::check::EventScript;
using fenceline::os::Ddi;
using Ids = std::vector<std::string>;

namespace event = fenceline::event;

namespace {

constexpr auto kSignalDdi = static_cast<std::uint64_t>(Ddi::DxgkDdiUpdateCurrentValuesFromCpu);
constexpr std::uint64_t kBothKinds =
    DXGKCB_NOTIFY_INTERRUPT_DATA_FLAGS::kEvaluateLegacyMonitoredFences;

/// The OS has the driver store `told`, which stores `stored`.
Ids signalled(std::uint64_t told, std::uint64_t stored) {
  EventScript s;
  s.create().on(EventScript::kCpu, event::CpuSignal{1, told, 0});
  s.on(EventScript::kCpu, event::DdiCall{1, kSignalDdi, 0});
  s.on(EventScript::kCpu, event::CurrentValueStored{1, stored, 1});
  s.on(EventScript::kCpu, event::DdiReturn{1, kSignalDdi, 0, 0}).stopped();
  return s.broken();
}

/// An adapter whose interrupts name queues; its ISR reads two entries and names `named`.
Ids queues_named(const std::vector<std::uint32_t>& named) {
  EventScript s;
  s.on(EventScript::kCpu,
       event::AdapterStarted{1, DXGK_VIDSCHCAPS::kOptimizedNativeFenceSignaledInterrupt, false, 0});
  s.on(EventScript::kCmp, event::InterruptRaised{1, 0, 1, 1U, false});
  s.on(EventScript::kCmp, event::InterruptRaised{1, 0, 1, 2U, false});
  s.isr_begin().on(EventScript::kIsr, event::IsrAcknowledge{1, 2});
  for (const std::uint32_t queue : named) s.on(EventScript::kIsr, event::NotifyQueue{queue, 1});
  s.isr_end().stopped();
  return s.broken();
}

bool names(const Ids& ids, const std::string& id) {
  return std::find(ids.begin(), ids.end(), id) != ids.end();
}

}  // namespace

TEST_CASE("a driver stores the MonitoredValue that it was given", "[check]") {
  EventScript right;
  right.create().call(1, 4, 1).on(EventScript::kCpu, event::MonitoredValueStored{1, 4, 1});
  CHECK(right.ret(1, 4, 1).stopped().broken().empty());
  EventScript wrong;
  wrong.create().call(1, 4, 1).on(EventScript::kCpu, event::MonitoredValueStored{1, 0, 1});
  CHECK(wrong.ret(1, 4, 1).stopped().broken() == Ids{"I34"});
}

TEST_CASE("the CMP interrupts only for a value above MonitoredValue", "[check]") {
  EventScript s;
  s.create().shadow(1, 4);
  s.cmp_decide(1, 4, 4, fenceline::event::Decider::kSignalNotice, true).stopped();
  CHECK(names(s.broken(), "I34"));
}

TEST_CASE("a driver stores a signal of the CPU and stores it whole", "[check]") {
  CHECK(signalled(0x100000005, 0x100000005).empty());
  CHECK(signalled(0x100000005, 5) == Ids{"I35"});
  EventScript none;
  none.create().on(EventScript::kCpu, event::CpuSignal{1, 5, 0});
  none.on(EventScript::kCpu, event::DdiCall{1, kSignalDdi, 0});
  none.on(EventScript::kCpu, event::DdiReturn{1, kSignalDdi, 0, 0}).stopped();
  CHECK(none.broken() == Ids{"I35"});
}

TEST_CASE("a progress fence never falls", "[check]") {
  EventScript s;
  s.create().on(EventScript::kCpu, event::ProgressFence{1, 1});
  s.visible(1, 2, EventScript::kCpu).visible(1, 0, EventScript::kCpu).stopped();
  CHECK(s.broken() == Ids{"I36"});
}

TEST_CASE("a write of a monitored fence is told to the OS", "[check]") {
  const auto script = [](std::uint64_t named, std::uint64_t flags) {
    EventScript s;
    s.on(EventScript::kEngine, event::MonitoredFenceTold{1, 0});
    s.on(EventScript::kIsr, event::NotifyCall{1, 19, named, flags}).quiescent();
    return s.broken();
  };
  CHECK(script(0, kBothKinds).empty());
  CHECK(script(0, 0) == Ids{"I37"});
  CHECK(script(1, kBothKinds) == Ids{"I37"});
  EventScript unread;  // its message is lost
  unread.on(EventScript::kEngine, event::MonitoredFenceTold{1, 0});
  unread.on(EventScript::kCmp, event::InterruptRaised{1, 0, 0, 0U, true});
  CHECK(unread.quiescent().broken().empty());
  EventScript own;
  own.on(EventScript::kEngine, event::MonitoredFenceTold{1, 0});
  own.on(EventScript::kIsr, event::InterruptType{1, DXGK_INTERRUPT_MONITORED_FENCE_SIGNALED, 0});
  CHECK(own.quiescent().broken().empty());
}

TEST_CASE("the reset of an adapter drops what it has not told", "[check]") {
  const auto script = [](event::RecoveryStage stage) {
    EventScript s;
    s.on(EventScript::kEngine, event::MonitoredFenceTold{1, 0});
    s.on(EventScript::kCpu, event::Recovery{1, stage});
    return s.quiescent().broken();
  };
  CHECK(script(event::RecoveryStage::kAdapterReset).empty());
  CHECK(script(event::RecoveryStage::kEngineReset) == Ids{"I37"});
}

TEST_CASE("a write of a monitored fence is told by the interrupt routine that reads its entry",
          "[check]") {
  constexpr auto kWritten =
      static_cast<std::uint64_t>(fenceline::abi::InterruptCause::kFenceWritten);
  const auto script = [](bool told, bool one_cause) {
    EventScript s;
    s.on(EventScript::kEngine, event::MonitoredFenceTold{1, 0});
    if (one_cause)
      s.on(EventScript::kCmp, event::InterruptRaised{1, 0, 0, 0U, true});
    else
      s.on(EventScript::kCmp, event::EngineInterrupt{1, kWritten, 0, 0});
    s.isr_begin().on(EventScript::kIsr, event::IsrAcknowledge{1, 1});
    if (told && one_cause) s.on(EventScript::kIsr, event::NotifyCall{1, 19, 0, kBothKinds});
    if (told && !one_cause)
      s.on(EventScript::kIsr, event::InterruptType{1, DXGK_INTERRUPT_MONITORED_FENCE_SIGNALED, 0});
    s.isr_end();
    return s.broken();  // before the run has ended
  };
  for (const bool one_cause : {false, true}) {
    CHECK(script(true, one_cause).empty());
    CHECK(script(false, one_cause) == Ids{"I37"});
  }
}

TEST_CASE("an interrupt routine names each queue that its entries name", "[check]") {
  CHECK_FALSE(names(queues_named({1, 2}), "I38"));
  CHECK(names(queues_named({1}), "I38"));
}

TEST_CASE("a call of the driver that reads entries names their queues as an interrupt does",
          "[check]") {
  for (const bool told : {true, false}) {
    EventScript s;
    s.on(EventScript::kCpu,
         event::AdapterStarted{1, DXGK_VIDSCHCAPS::kOptimizedNativeFenceSignaledInterrupt, false,
                               0});
    s.on(EventScript::kCmp, event::InterruptRaised{1, 0, 1, 1U, false});
    s.on(EventScript::kCpu, event::IsrAcknowledge{1, 1});
    if (told) s.on(EventScript::kCpu, event::NotifyQueue{1, 1});
    s.isr_begin().isr_end().stopped();
    CHECK(names(s.broken(), "I38") == !told);
  }
}

TEST_CASE("a value that has gone before the wait began releases nobody", "[check]") {
  EventScript s;
  s.create().signal(1, 5, 1, UINT64_MAX).signal(1, 1, 2, UINT64_MAX);
  s.wait(1, 4, 1).release(1, 4, 1).done(1, 4, 1).stopped();
  CHECK(s.broken() == Ids{"I4"});
  EventScript passed;
  passed.create().wait(1, 4, 1).signal(1, 5, 1, UINT64_MAX).signal(1, 1, 2, UINT64_MAX);
  passed.release(1, 4, 1).done(1, 4, 1).stopped();
  CHECK(passed.broken().empty());
}

}  // namespace fenceline::check_tests::test_notices
