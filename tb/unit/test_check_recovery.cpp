// I87, I92, I104 to I107, I109, I112, I115, I116: buffers that nodes give up, what interrupts
// report first, resets of adapters, processes and queues that hang engines.
#include <algorithm>
#include <catch2/catch.hpp>

#include "kmd_stub/wddm/wddm.h"
#include "tb/check/event_script.h"
#include "tb/os/ddi_names.h"

namespace fenceline::check {

namespace {

using common::EventKind;
using common::RecoveryStage;
using os::Ddi;
using S = EventScript;
using Ids = std::vector<std::string>;

constexpr std::uint64_t kAdapter = 1, kEngine = 1, kContext = 3, kProcess = 7;

/// Buffers 1 and 2 of a context are given to a node with the ids 11 and 12.
S& given(S& s) {
  for (const std::uint64_t number : {1U, 2U}) {
    s.on(EventKind::kContextPacket, S::kUser, kContext, number, 0, kProcess << 8);
    s.on(EventKind::kContextGiven, S::kUser, kContext, number, 10 + number,
         kEngine | kAdapter << 48);
  }
  return s;
}
S& faulted(S& s, std::uint64_t id, std::uint64_t address = 0) {
  s.on(EventKind::kBufferBegin, S::kEngine, kAdapter, id, 0, kEngine);
  return s.on(EventKind::kBufferFaulted, S::kEngine, kAdapter, id, address, kEngine | 1 << 8);
}
S& told(S& s, std::uint64_t id, std::uint64_t address = 0) {
  return s.on(EventKind::kFaultTold, S::kIsr, kAdapter, id, address, kEngine);
}
S& ended(S& s) { return s.on(EventKind::kContextEnded, S::kUser, kContext); }
S& recovery(S& s, RecoveryStage stage, std::uint64_t id) {
  return s.on(EventKind::kRecovery, S::kUser, kAdapter, static_cast<std::uint64_t>(stage), id,
              kEngine);
}
bool has(const Ids& broken, const char* id) {
  return std::find(broken.begin(), broken.end(), id) != broken.end();
}
S& ddi(S& s, EventKind what, Ddi which, common::AgentId agent = S::kUser) {
  return s.on(what, agent, kAdapter, static_cast<std::uint64_t>(which));
}

}  // namespace

TEST_CASE("I87: a buffer is never done unless the node is at another one or hangs", "[check]") {
  S s;
  CHECK(given(s).quiescent().broken() == Ids{"I87"});
  S at_first;
  given(at_first).on(EventKind::kBufferBegin, S::kEngine, kAdapter, 11, 0, kEngine);
  CHECK(at_first.quiescent().broken().empty());
  S through;
  given(through).on(EventKind::kBufferBegin, S::kEngine, kAdapter, 11, 0, kEngine);
  through.on(EventKind::kBufferEnd, S::kEngine, kAdapter, 11, 0, kEngine);
  CHECK(through.quiescent().broken() == Ids{"I87"});
  S stopped;
  given(stopped).on(EventKind::kBufferBegin, S::kEngine, kAdapter, 11, 0, kEngine);
  stopped.on(EventKind::kBufferStopped, S::kEngine, kAdapter, 11, 0, kEngine);
  CHECK(stopped.quiescent().broken() == Ids{"I87"});
  const auto hangs = [](S& script, std::uint64_t engine) -> S& {
    return given(script).on(EventKind::kEngineFault, S::kEngine, 9, engine - 1, kAdapter);
  };
  S hung;
  CHECK(hangs(hung, kEngine).quiescent().broken().empty());
  S elsewhere;
  CHECK(hangs(elsewhere, kEngine + 1).quiescent().broken() == Ids{"I87"});
  S reset;
  hangs(reset, kEngine).on(EventKind::kHwEngineReset, S::kUser, kAdapter, 1, 0, kEngine);
  CHECK(reset.quiescent().broken() == Ids{"I87"});
}

TEST_CASE("I104: a fault that is told as it was and its device in error", "[check]") {
  S s;
  ended(told(faulted(given(s), 11, 0x5000), 11, 0x5000));
  // What stands behind it is done.
  s.on(EventKind::kBufferBegin, S::kEngine, kAdapter, 12, 0, kEngine);
  s.on(EventKind::kBufferEnd, S::kEngine, kAdapter, 12, 0, kEngine);
  CHECK(s.quiescent().broken().empty());
  CHECK(s.checked("I104") == 1);
}

TEST_CASE("I104: another buffer another address or nobody is told", "[check]") {
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
  faults.on(EventKind::kBufferBegin, S::kEngine, kAdapter, 12, 0, kEngine);
  faults.on(EventKind::kBufferEnd, S::kEngine, kAdapter, 12, 0, kEngine);
  CHECK(faults.quiescent().broken() == Ids{"I107"});
  S reset;
  recovery(given(reset), RecoveryStage::kEngineReset, 11);
  CHECK(ended(reset).broken().empty());
}

TEST_CASE("I107: somebody is left waiting for a fence of a device in error", "[check]") {
  constexpr std::uint64_t kKeepsValue = 4, kOnlyWaits = 1;
  const auto left = [](std::uint64_t created, std::uint64_t opened) {
    S s;
    s.on(EventKind::kFenceCreate, S::kUser, 5, 0, 1, created);
    s.on(EventKind::kFenceOpen, S::kUser, 5, kProcess, 1, opened);
    recovery(given(s), RecoveryStage::kTimeout, 1);
    recovery(s, RecoveryStage::kEngineReset, 11);
    s.wait(5, 1, 1);
    return has(ended(s).quiescent().broken(), "I107");
  };
  CHECK(left(0, 0));
  CHECK(!left(kKeepsValue, 0));
  CHECK(!left(0, kOnlyWaits));
}

TEST_CASE("I92: a fault told beside a timeout still has its device put in error", "[check]") {
  S s;
  told(faulted(given(s), 11), 11);
  s.on(EventKind::kPreemptCall, S::kUser, kAdapter, 1, 0, kEngine);
  recovery(s, RecoveryStage::kTimeout, 1);
  CHECK(ended(s).broken().empty());
  S spared;
  given(spared).on(EventKind::kPreemptCall, S::kUser, kAdapter, 1, 0, kEngine);
  recovery(spared, RecoveryStage::kTimeout, 1);
  CHECK(ended(spared).broken() == Ids{"I92"});
}

TEST_CASE("I92: a process whose memory went with a paging buffer is not spared", "[check]") {
  const auto lost = [](S& s) -> S& {
    return s.on(EventKind::kRecovery, S::kUser, kAdapter,
                static_cast<std::uint64_t>(RecoveryStage::kMemoryLost), kProcess);
  };
  S s;
  // The context has submitted nothing: the event says whose it is.
  lost(s).on(EventKind::kContextEnded, S::kUser, kContext, kProcess);
  CHECK(s.broken().empty());
  S kept;
  lost(given(kept));
  for (const std::uint64_t id : {11U, 12U}) {
    kept.on(EventKind::kBufferBegin, S::kEngine, kAdapter, id, 0, kEngine);
    kept.on(EventKind::kBufferEnd, S::kEngine, kAdapter, id, 0, kEngine);
  }
  CHECK(kept.quiescent().broken() == Ids{"I107"});
}

TEST_CASE("I89: what counts as complete behind a reset", "[check]") {
  const auto preempted = [](S& s, std::uint64_t last) -> S& {
    s.on(EventKind::kPreemptCall, S::kUser, kAdapter, 2, 0, kEngine);
    return s.on(EventKind::kPreempted, S::kDpc, kAdapter, 2, last, kEngine);
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
    return s.on(EventKind::kContextMemory, S::kUser, kContext, allocation, reached ? 1 : 0);
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
  leaves.on(EventKind::kContextGiven, S::kUser, kContext, 0, 10, kEngine | kAdapter << 48);
  CHECK(leaves.broken().empty());
}

TEST_CASE("I105: DMA buffers before the display in one interrupt", "[check]") {
  const auto report = [](S& s, DXGK_INTERRUPT_TYPE type) {
    s.on(EventKind::kInterruptType, S::kIsr, kAdapter, type);
  };
  S s;
  s.isr_begin();
  report(s, DXGK_INTERRUPT_DMA_COMPLETED);
  report(s, DXGK_INTERRUPT_CRTC_VSYNC);
  s.isr_end().isr_begin();
  report(s, DXGK_INTERRUPT_DMA_PREEMPTED);
  CHECK(s.broken().empty());
  report(s, DXGK_INTERRUPT_CRTC_VSYNC);
  report(s, DXGK_INTERRUPT_DMA_FAULTED);
  CHECK(s.broken() == Ids{"I105"});
}

TEST_CASE("I106: nobody else is in the driver while its adapter is reset", "[check]") {
  constexpr common::AgentId kOther = S::kCpu;
  S alone;
  ddi(ddi(alone, EventKind::kDdiCall, Ddi::kEscape, kOther), EventKind::kDdiReturn, Ddi::kEscape,
      kOther);
  ddi(alone, EventKind::kDdiCall, Ddi::kResetFromTimeout);
  ddi(alone, EventKind::kDdiCall, Ddi::kInterruptRoutine, S::kIsr);
  ddi(alone, EventKind::kDdiCall, Ddi::kDpcRoutine, S::kDpc);
  ddi(alone, EventKind::kDdiCall, Ddi::kUpdateMonitoredValues, S::kDpc);
  ddi(alone, EventKind::kDdiReturn, Ddi::kResetFromTimeout);
  CHECK(alone.broken().empty());
  S before;
  ddi(before, EventKind::kDdiCall, Ddi::kEscape, kOther);
  CHECK(ddi(before, EventKind::kDdiCall, Ddi::kResetFromTimeout).broken() == Ids{"I106"});
  S meanwhile;
  ddi(meanwhile, EventKind::kDdiCall, Ddi::kRestartFromTimeout);
  CHECK(ddi(meanwhile, EventKind::kDdiCall, Ddi::kEscape, kOther).broken() == Ids{"I106"});
}

TEST_CASE("I115: the engine of a hardware queue that hangs is reset", "[check]") {
  constexpr std::uint32_t kQueue = 5;
  const auto hangs = [](S& s) -> S& {
    s.on(EventKind::kQueueGuarded, S::kUser, kQueue, 1 | kAdapter << 32, kProcess, kEngine);
    return s.on(EventKind::kEngineFault, S::kEngine, kQueue, kEngine - 1);
  };
  S never;
  CHECK(hangs(never).quiescent().broken() == Ids{"I115"});
  S other;
  hangs(other).on(EventKind::kHwEngineReset, S::kUser, kAdapter, 1, 0, kEngine + 1);
  CHECK(other.quiescent().broken() == Ids{"I115"});
  S engine;
  hangs(engine).on(EventKind::kHwEngineReset, S::kUser, kAdapter, 1, 0, kEngine);
  CHECK(engine.quiescent().broken().empty());
  S adapter;
  recovery(hangs(adapter), RecoveryStage::kAdapterReset, 0);
  CHECK(adapter.quiescent().broken().empty());
  S unguarded;
  unguarded.on(EventKind::kEngineFault, S::kEngine, kQueue, kEngine - 1);
  CHECK(unguarded.quiescent().broken().empty());
}

TEST_CASE("I116: only the hardware queue that hung loses work", "[check]") {
  constexpr std::uint32_t kQueue = 5, kRing = 6;
  const auto drops = [](S& s) -> S& {
    s.on(EventKind::kQueueGuarded, S::kUser, kQueue, 1 | kAdapter << 32, kProcess, kEngine);
    return s.on(EventKind::kWorkDropped, S::kEngine, kQueue, kAdapter, 0, kEngine);
  };
  const auto drops_ring = [](S& s) -> S& {
    return s.on(EventKind::kWorkDropped, S::kEngine, kRing, kAdapter, 1, kEngine);
  };
  S untold;
  CHECK(drops(untold).quiescent().broken() == Ids{"I116"});
  S another;
  drops(another).on(EventKind::kContextLost, S::kUser, kAdapter, 2);
  CHECK(another.quiescent().broken() == Ids{"I116"});
  S told;
  drops(told).on(EventKind::kContextLost, S::kUser, kAdapter, 1);
  CHECK(told.quiescent().broken().empty());
  S ring;
  ddi(ring, EventKind::kDdiCall, Ddi::kResetHwEngine, S::kUser);
  CHECK(drops_ring(ring).broken() == Ids{"I116"});
  S node;
  ddi(node, EventKind::kDdiCall, Ddi::kResetEngine, S::kUser);
  CHECK(drops_ring(node).broken().empty());
}

TEST_CASE("I123: a device in error ends all its work", "[check]") {
  constexpr std::uint32_t kQueue = 5;
  const auto fails = [](S& s, std::uint64_t asked = 0) -> S& {
    s.on(EventKind::kContextPacket, S::kUser, kContext, 1, 0, kProcess << 8);
    s.on(EventKind::kQueueGuarded, S::kUser, kQueue, 1 | kAdapter << 32, kProcess, kEngine);
    s.on(EventKind::kContextLost, S::kUser, kAdapter, 9, 0, kProcess);
    return s.on(EventKind::kDeviceError, S::kUser, static_cast<std::uint32_t>(kProcess), kAdapter,
                asked);
  };
  const auto ends = [](S& s) -> S& {
    return s.on(EventKind::kContextEnded, S::kUser, kContext, kProcess);
  };
  const auto suspends = [](S& s) -> S& {
    return s.on(EventKind::kSuspendCall, S::kUser, kAdapter, 1, 1);
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
  ends(fails(lost)).on(EventKind::kContextLost, S::kUser, kAdapter, 1, 0, kProcess);
  CHECK(!has(lost.quiescent().broken(), "I123"));
  S resumed;
  suspends(ends(fails(resumed))).on(EventKind::kResumeCall, S::kUser, kAdapter, 1);
  CHECK(has(resumed.quiescent().broken(), "I123"));
  S asked;
  CHECK(!has(ends(fails(asked, 1)).quiescent().broken(), "I123"));
}

TEST_CASE("I124: a fence with NoSignalMaxValueOnTdr keeps its value", "[check]") {
  constexpr std::uint32_t kFence = 3;
  constexpr std::uint64_t kKeeps = 4, kAlways = 1;
  const auto signalled = [](S& s, std::uint64_t kind, std::uint64_t flags) -> S& {
    s.on(EventKind::kFenceCreate, S::kCpu, kFence, 0, kAdapter, kind);
    return s.on(EventKind::kCpuSignal, S::kCpu, kFence, 7, flags);
  };
  S kept;
  CHECK(has(signalled(kept, kKeeps, kAlways).broken(), "I124"));
  S by_user;
  CHECK(!has(signalled(by_user, kKeeps, 0).broken(), "I124"));
  S other;
  CHECK(!has(signalled(other, 0, kAlways).broken(), "I124"));
}

TEST_CASE("I109: whoever has hung engines too often gets no device and others do", "[check]") {
  constexpr std::uint64_t kLimit = 3, kWhile = 1000, kOtherProcess = 8;
  const auto hang = [](S& s, std::uint64_t number, std::uint64_t time) {
    const std::uint64_t id = 10 + number;
    s.on(EventKind::kContextPacket, S::kUser, kContext, number, 0, kProcess << 8);
    s.on(EventKind::kContextGiven, S::kUser, kContext, number, id, kEngine | kAdapter << 48);
    recovery(s, RecoveryStage::kTimeout, 1);
    s.time = time;
    recovery(s, RecoveryStage::kEngineReset, id);
  };
  const auto asks = [](S& s, std::uint64_t process, NTSTATUS status) -> S& {
    return s.on(EventKind::kDeviceCreated, S::kUser, static_cast<std::uint32_t>(process),
                static_cast<std::uint32_t>(status));
  };
  const auto hung = [&](S& s, std::uint64_t last) -> S& {
    s.on(EventKind::kRecoveryLimits, S::kUser, 0, kLimit, kWhile);
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

}  // namespace fenceline::check
