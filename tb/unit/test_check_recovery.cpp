// I104 to I107, I109, I115, I116: buffers that nodes give up, what interrupts report first, resets of adapters,
// processes and queues that hang engines.
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
  for (const bool narrow : {false, true}) {
    S s;
    s.create(5);
    if (narrow) s.on(EventKind::kFenceKind, S::kUser, 5, 1, 32);
    s.on(EventKind::kFenceOpen, S::kUser, 5, kProcess, 1);
    recovery(given(s), RecoveryStage::kTimeout, 1);
    recovery(s, RecoveryStage::kEngineReset, 11);
    s.wait(5, 1, 1);
    const Ids broken = ended(s).quiescent().broken();
    CHECK(has(broken, "I107") == !narrow);
  }
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
