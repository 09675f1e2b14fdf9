// I87, I92, I104 to I107, I109, I112, I123, I124: buffers that nodes give up, what interrupts
// report first, resets of adapters, and processes that hang engines.
#include <algorithm>
#include <catch2/catch.hpp>

#include "kmd_stub/wddm/wddm.h"
#include "tb/os/driver/ddi_names.h"
#include "tb/test/support/event_script.h"

namespace fenceline::check::test_recovery {

namespace {

using event::RecoveryStage;
using os::Ddi;
using S = EventScript;
using Ids = std::vector<std::string>;

constexpr std::uint32_t kAdapter = 1, kEngine = 1, kContext = 3, kProcess = 7;

/// Buffers 1 and 2 of a context are given to a node with this id and the next one.
S& given(S& s, std::uint64_t first = 11) {
  for (const std::uint64_t number : {1U, 2U}) {
    s.on(S::kUser, event::ContextPacket{kContext, number, 0, false, kProcess});
    s.on(S::kUser, event::ContextGiven{kContext, number, first + number - 1, kEngine, 0, kAdapter});
  }
  return s;
}
S& faulted(S& s, std::uint64_t id, std::uint64_t address = 0) {
  s.on(S::kEngine, event::BufferBegin{kAdapter, id, 0, kEngine});
  return s.on(S::kEngine, event::BufferFaulted{kAdapter, id, address, kEngine, 1});
}
S& told(S& s, std::uint64_t id, std::uint64_t address = 0) {
  return s.on(S::kIsr, event::FaultTold{kAdapter, id, address, kEngine, 0});
}
S& ended(S& s) { return s.on(S::kUser, event::ContextEnded{kContext, 0}); }
S& recovery(S& s, RecoveryStage stage, std::uint64_t id) {
  return s.on(S::kUser, event::Recovery{kAdapter, stage, id, kEngine});
}
bool has(const Ids& broken, const char* id) {
  return std::find(broken.begin(), broken.end(), id) != broken.end();
}
S& call(S& s, Ddi ddi, common::AgentId agent = S::kUser) {
  return s.on(agent, event::DdiCall{kAdapter, static_cast<std::uint64_t>(ddi), 0});
}
S& call_returns(S& s, Ddi ddi, common::AgentId agent = S::kUser) {
  return s.on(agent, event::DdiReturn{kAdapter, static_cast<std::uint64_t>(ddi), 0, 0});
}

}  // namespace

TEST_CASE("I87: a buffer is never done unless the node is at another one or hangs", "[check]") {
  S s;
  CHECK(given(s).quiescent().broken() == Ids{"I87"});
  S at_first;
  given(at_first).on(S::kEngine, event::BufferBegin{kAdapter, 11, 0, kEngine});
  CHECK(at_first.quiescent().broken().empty());
  S through;
  given(through).on(S::kEngine, event::BufferBegin{kAdapter, 11, 0, kEngine});
  through.on(S::kEngine, event::BufferEnd{kAdapter, 11, kEngine});
  CHECK(through.quiescent().broken() == Ids{"I87"});
  S stopped;
  given(stopped).on(S::kEngine, event::BufferBegin{kAdapter, 11, 0, kEngine});
  stopped.on(S::kEngine, event::BufferStopped{kAdapter, 11, 0, kEngine});
  CHECK(stopped.quiescent().broken() == Ids{"I87"});
  const auto hangs = [](S& script, std::uint64_t engine) -> S& {
    return given(script).on(S::kEngine, event::EngineFault{9, engine - 1, kAdapter});
  };
  S hung;
  CHECK(hangs(hung, kEngine).quiescent().broken().empty());
  S elsewhere;
  CHECK(hangs(elsewhere, kEngine + 1).quiescent().broken() == Ids{"I87"});
  S reset;
  hangs(reset, kEngine).on(S::kUser, event::HwEngineReset{kAdapter, true, 0, kEngine});
  CHECK(reset.quiescent().broken() == Ids{"I87"});
}

TEST_CASE("I104: a fault that is reported correctly and its device in error", "[check]") {
  S s;
  ended(told(faulted(given(s), 11, 0x5000), 11, 0x5000));
  // What stands behind it is done.
  s.on(S::kEngine, event::BufferBegin{kAdapter, 12, 0, kEngine});
  s.on(S::kEngine, event::BufferEnd{kAdapter, 12, kEngine});
  CHECK(s.quiescent().broken().empty());
  CHECK(s.checked("I104") == 1);
}

TEST_CASE("I104: a fault reported with another buffer or address or not at all", "[check]") {
  S other;
  CHECK(ended(told(faulted(given(other), 11), 12)).broken() == Ids{"I104"});
  S address;
  CHECK(ended(told(faulted(given(address), 11, 0x5000), 11, 0x6000)).broken() == Ids{"I104"});
  S nobody;
  CHECK(ended(faulted(given(nobody), 11)).quiescent().broken() == Ids{"I104"});
  S nothing;
  CHECK(told(given(nothing), 11).broken() == Ids{"I104"});
}

TEST_CASE("I107: the device of a lost buffer has to be in error", "[check]") {
  S faults;
  told(faulted(given(faults), 11), 11);
  faults.on(S::kEngine, event::BufferBegin{kAdapter, 12, 0, kEngine});
  faults.on(S::kEngine, event::BufferEnd{kAdapter, 12, kEngine});
  CHECK(faults.quiescent().broken() == Ids{"I107"});
  S reset;
  recovery(given(reset), RecoveryStage::kEngineReset, 11);
  CHECK(ended(reset).broken().empty());
}

TEST_CASE("I107: a reset loses what the OS takes for unfinished", "[check]") {
  const auto runs = [](S& s, std::uint64_t first) -> S& {
    for (const std::uint64_t id : {first, first + 1}) {
      s.on(S::kEngine, event::BufferBegin{kAdapter, id, 0, kEngine});
      s.on(S::kEngine, event::BufferEnd{kAdapter, id, kEngine});
    }
    return s;
  };
  const auto returned = [](S& s) -> S& {
    s.on(S::kUser, event::PreemptCall{kAdapter, 2, kEngine});
    return s.on(S::kDpc, event::Preempted{kAdapter, 2, 0, kEngine});
  };
  S unknown;
  CHECK(recovery(runs(given(unknown), 11), RecoveryStage::kAdapterReset, 0).quiescent().broken() ==
        Ids{"I107"});
  S known;  // one report for both
  runs(given(known), 11).on(S::kIsr, event::BufferComplete{kAdapter, 12, kEngine});
  CHECK(recovery(known, RecoveryStage::kAdapterReset, 0).quiescent().broken().empty());
  S first;
  runs(given(first), 11).on(S::kIsr, event::BufferComplete{kAdapter, 11, kEngine});
  CHECK(recovery(first, RecoveryStage::kAdapterReset, 0).quiescent().broken() == Ids{"I107"});
  S away;  // in its context when the adapter is reset
  recovery(returned(given(away)), RecoveryStage::kAdapterReset, 0);
  CHECK(runs(given(away, 13), 13).quiescent().broken().empty());
  S again;
  given(returned(given(again)), 13);
  CHECK(recovery(runs(again, 13), RecoveryStage::kAdapterReset, 0).quiescent().broken() ==
        Ids{"I107"});
}

TEST_CASE("I92: a reset of the engine may become one of the adapter", "[check]") {
  constexpr std::uint32_t kOther = 4;
  const auto behind = [](S& s) -> S& {
    given(s).on(S::kUser, event::ContextPacket{kOther, 1, 0, false, kProcess + 1});
    s.on(S::kUser, event::ContextGiven{kOther, 1, 13, kEngine, 0, kAdapter});
    ended(recovery(s, RecoveryStage::kEngineReset, 12));
    return s;
  };
  S engine;
  CHECK(behind(engine).on(S::kUser, event::ContextEnded{kOther, 0}).broken() == Ids{"I92"});
  S adapter;
  recovery(behind(adapter), RecoveryStage::kAdapterReset, 0);
  CHECK(adapter.on(S::kUser, event::ContextEnded{kOther, 0}).broken().empty());
}

TEST_CASE("I92: a switch from a context that a reset ends loses its state", "[check]") {
  const auto left = [](S& s) -> S& {
    s.on(S::kUser, event::ContextPacket{kContext, 1, 0, false, kProcess});
    s.on(S::kUser, event::ContextGiven{kContext, 0, 11, kEngine, 0, kAdapter});
    s.on(S::kUser, event::PreemptCall{kAdapter, 1, kEngine});
    recovery(s, RecoveryStage::kTimeout, 1);
    return recovery(s, RecoveryStage::kEngineReset, 11);
  };
  S s;
  CHECK(ended(left(s)).broken().empty());
  S spared;
  CHECK(left(spared).quiescent().broken() == Ids{"I107"});
}

TEST_CASE("I107: a waiter is left for a fence of a device in error", "[check]") {
  constexpr std::uint64_t kKeepsValue = 4;
  const auto left = [](std::uint64_t created, bool no_signal) {
    S s;
    s.on(S::kUser, event::FenceCreate{5, 0, 1, created});
    s.on(S::kUser, event::FenceOpen{5, kProcess, 1, no_signal});
    recovery(given(s), RecoveryStage::kTimeout, 1);
    recovery(s, RecoveryStage::kEngineReset, 11);
    s.wait(5, 1, 1);
    return has(ended(s).quiescent().broken(), "I107");
  };
  CHECK(left(0, false));
  CHECK(!left(kKeepsValue, false));
  CHECK(!left(0, true));
}

TEST_CASE("I92: a fault told beside a timeout still has its device put in error", "[check]") {
  S s;
  told(faulted(given(s), 11), 11);
  s.on(S::kUser, event::PreemptCall{kAdapter, 1, kEngine});
  recovery(s, RecoveryStage::kTimeout, 1);
  CHECK(ended(s).broken().empty());
  S spared;
  given(spared).on(S::kUser, event::PreemptCall{kAdapter, 1, kEngine});
  recovery(spared, RecoveryStage::kTimeout, 1);
  CHECK(ended(spared).broken() == Ids{"I92"});
}

TEST_CASE("I92: a process whose memory went with a paging buffer is not spared", "[check]") {
  const auto lost = [](S& s) -> S& {
    return s.on(S::kUser, event::Recovery{kAdapter, RecoveryStage::kMemoryLost, kProcess});
  };
  S s;
  // The context has submitted nothing: the event says whose it is.
  lost(s).on(S::kUser, event::ContextEnded{kContext, kProcess});
  CHECK(s.broken().empty());
  S kept;
  lost(given(kept));
  for (const std::uint64_t id : {11U, 12U}) {
    kept.on(S::kEngine, event::BufferBegin{kAdapter, id, 0, kEngine});
    kept.on(S::kEngine, event::BufferEnd{kAdapter, id, kEngine});
  }
  CHECK(kept.quiescent().broken() == Ids{"I107"});
}

TEST_CASE("I89: what counts as complete behind a reset", "[check]") {
  const auto preempted = [](S& s, std::uint64_t last) -> S& {
    s.on(S::kUser, event::PreemptCall{kAdapter, 2, kEngine});
    return s.on(S::kDpc, event::Preempted{kAdapter, 2, last, kEngine});
  };
  S engine;
  CHECK(preempted(ended(recovery(given(engine), RecoveryStage::kEngineReset, 11)), 11)
            .broken()
            .empty());
  S too_much;
  recovery(given(too_much), RecoveryStage::kEngineReset, 11);
  CHECK(preempted(ended(too_much), 12).broken() == Ids{"I89"});
  S adapter;
  recovery(given(adapter), RecoveryStage::kAdapterReset, 0);
  CHECK(preempted(ended(adapter), 12).broken().empty());
}

TEST_CASE("I112: a buffer is given when the memory of its context is in reach", "[check]") {
  const auto moved = [](S& s, std::uint64_t allocation, bool reached) -> S& {
    return s.on(S::kUser, event::ContextMemory{kContext, allocation, reached});
  };
  S back;
  given(moved(moved(back, 4, false), 4, true));
  CHECK(back.broken().empty());
  CHECK(back.checked("I112") == 2);
  S away;
  CHECK(given(moved(away, 4, false)).broken() == Ids{"I112"});
  S another;
  moved(moved(moved(another, 4, false), 5, false), 4, true);
  CHECK(given(another).broken() == Ids{"I112"});
  S leaves;
  moved(leaves, 4, false);
  leaves.on(S::kUser, event::ContextGiven{kContext, 0, 10, kEngine, 0, kAdapter});
  CHECK(leaves.broken().empty());
}

TEST_CASE("I105: DMA buffers before the display in one interrupt", "[check]") {
  const auto report = [](S& s, DXGK_INTERRUPT_TYPE type) {
    s.on(S::kIsr, event::InterruptType{kAdapter, type, 0});
  };
  S s;
  s.isr_begin();
  report(s, DXGK_INTERRUPT_DMA_COMPLETED);
  report(s, DXGK_INTERRUPT_CRTC_VSYNC);
  s.isr_end();
  report(s, DXGK_INTERRUPT_DMA_PREEMPTED);  // by a DDI
  s.isr_begin();
  report(s, DXGK_INTERRUPT_DMA_PREEMPTED);
  CHECK(s.broken().empty());
  report(s, DXGK_INTERRUPT_CRTC_VSYNC);
  report(s, DXGK_INTERRUPT_DMA_FAULTED);
  CHECK(s.broken() == Ids{"I105"});
}

TEST_CASE("I106: no other thread is in the driver while its adapter is reset", "[check]") {
  constexpr common::AgentId kOther = S::kCpu;
  S alone;
  call_returns(call(alone, Ddi::DxgkDdiEscape, kOther), Ddi::DxgkDdiEscape, kOther);
  call(alone, Ddi::DxgkDdiResetFromTimeout);
  call(alone, Ddi::DxgkDdiInterruptRoutine, S::kIsr);
  call(alone, Ddi::DxgkDdiDpcRoutine, S::kDpc);
  call(alone, Ddi::DxgkDdiUpdateMonitoredValues, S::kDpc);
  call_returns(alone, Ddi::DxgkDdiResetFromTimeout);
  CHECK(alone.broken().empty());
  S before;
  call(before, Ddi::DxgkDdiEscape, kOther);
  CHECK(call(before, Ddi::DxgkDdiResetFromTimeout).broken() == Ids{"I106"});
  S meanwhile;
  call(meanwhile, Ddi::DxgkDdiRestartFromTimeout);
  CHECK(call(meanwhile, Ddi::DxgkDdiEscape, kOther).broken() == Ids{"I106"});
}

TEST_CASE("I123: contexts of a later device are not ended unless it fails too", "[check]") {
  constexpr std::uint32_t kLater = 77;
  const auto renewed = [&](S& s, std::uint64_t status) -> S& {
    s.on(S::kUser, event::DeviceError{kProcess, kAdapter, true});
    s.on(S::kUser, event::DeviceCreated{kProcess, status});
    return s.on(S::kUser, event::ContextPacket{kLater, 1, 0, false, kProcess});
  };
  S works;
  CHECK(!has(renewed(works, 0).quiescent().broken(), "I123"));
  S refused;
  CHECK(has(renewed(refused, STATUS_NO_MEMORY).quiescent().broken(), "I123"));
  S again;
  renewed(again, 0).on(S::kUser, event::DeviceError{kProcess, kAdapter, true});
  CHECK(has(again.quiescent().broken(), "I123"));
}

TEST_CASE("I123: a device in error ends all its work", "[check]") {
  constexpr std::uint32_t kQueue = 5;
  const auto fails = [](S& s, bool asked = false) -> S& {
    s.on(S::kUser, event::ContextPacket{kContext, 1, 0, false, kProcess});
    s.on(S::kUser, event::QueueGuarded{kQueue, 1, kAdapter, kProcess, kEngine});
    s.on(S::kUser, event::ContextLost{kAdapter, 9, 0, kProcess});
    return s.on(S::kUser, event::DeviceError{kProcess, kAdapter, asked});
  };
  const auto ends = [](S& s) -> S& {
    return s.on(S::kUser, event::ContextEnded{kContext, kProcess});
  };
  const auto suspends = [](S& s) -> S& {
    return s.on(S::kUser, event::SuspendCall{kAdapter, 1, 1});
  };
  S neither;
  CHECK(has(fails(neither).quiescent().broken(), "I123"));
  S context;
  CHECK(has(ends(fails(context)).quiescent().broken(), "I123"));
  S hardware;
  CHECK(has(suspends(fails(hardware)).quiescent().broken(), "I123"));
  S both;
  CHECK(!has(suspends(ends(fails(both))).quiescent().broken(), "I123"));
  S lost;
  ends(fails(lost)).on(S::kUser, event::ContextLost{kAdapter, 1, 0, kProcess});
  CHECK(!has(lost.quiescent().broken(), "I123"));
  S resumed;
  suspends(ends(fails(resumed))).on(S::kUser, event::ResumeCall{kAdapter, 1});
  CHECK(has(resumed.quiescent().broken(), "I123"));
  S asked;
  CHECK(!has(ends(fails(asked, true)).quiescent().broken(), "I123"));
}

TEST_CASE("I124: a fence with NoSignalMaxValueOnTdr keeps its value", "[check]") {
  constexpr std::uint32_t kFence = 3;
  constexpr std::uint64_t kKeeps = 4, kAlways = 1;
  const auto signalled = [](S& s, std::uint64_t kind, std::uint64_t flags) -> S& {
    s.on(S::kCpu, event::FenceCreate{kFence, 0, kAdapter, kind});
    return s.on(S::kCpu, event::CpuSignal{kFence, 7, flags});
  };
  S kept;
  CHECK(has(signalled(kept, kKeeps, kAlways).broken(), "I124"));
  S by_user;
  CHECK(!has(signalled(by_user, kKeeps, 0).broken(), "I124"));
  S other;
  CHECK(!has(signalled(other, 0, kAlways).broken(), "I124"));
}

TEST_CASE("I109: a process that has hung engines too often gets no device and others do",
          "[check]") {
  constexpr std::uint64_t kLimit = 3, kWhile = 1000, kOtherProcess = 8;
  const auto hang = [](S& s, std::uint64_t number, std::uint64_t time) {
    const std::uint64_t id = 10 + number;
    s.on(S::kUser, event::ContextPacket{kContext, number, 0, false, kProcess});
    s.on(S::kUser, event::ContextGiven{kContext, number, id, kEngine, 0, kAdapter});
    recovery(s, RecoveryStage::kTimeout, 1);
    s.time = time;
    recovery(s, RecoveryStage::kEngineReset, id);
  };
  const auto asks = [](S& s, std::uint64_t process, NTSTATUS status) -> S& {
    return s.on(S::kUser, event::DeviceCreated{static_cast<std::uint32_t>(process),
                                               static_cast<std::uint32_t>(status)});
  };
  const auto hung = [&](S& s, std::uint64_t last) -> S& {
    s.on(S::kUser, event::RecoveryLimits{0, kLimit, kWhile});
    hang(s, 1, 100);
    hang(s, 2, 200);
    hang(s, 3, last);
    return s;
  };
  S kept;
  asks(asks(hung(kept, 500), kProcess, STATUS_DEVICE_REMOVED), kOtherProcess, STATUS_SUCCESS);
  CHECK(kept.checked("I109") == 2);
  CHECK(!has(kept.broken(), "I109"));
  S given_one;
  CHECK(has(asks(hung(given_one, 500), kProcess, STATUS_SUCCESS).broken(), "I109"));
  S innocent;
  CHECK(has(asks(hung(innocent, 500), kOtherProcess, STATUS_DEVICE_REMOVED).broken(), "I109"));
  S long_ago;
  CHECK(has(asks(hung(long_ago, 5000), kProcess, STATUS_DEVICE_REMOVED).broken(), "I109"));
}

}  // namespace fenceline::check::test_recovery
