// I109, I115, I116: hardware queues that hang engines, and what the OS is told of them.
#include <algorithm>
#include <catch2/catch.hpp>

#include "kmd_stub/wddm/wddm.h"
#include "tb/os/driver/ddi_names.h"
#include "tb/test/support/event_script.h"

namespace fenceline::check::test_engine_hangs {

namespace {

using event::RecoveryStage;
using S = EventScript;
using Ids = std::vector<std::string>;

constexpr std::uint32_t kAdapter = 1, kEngine = 1, kQueue = 5, kRing = 6, kProcess = 1;
constexpr std::uint64_t kContext = 1;
constexpr std::uint64_t kReset = static_cast<std::uint64_t>(os::Ddi::DxgkDdiResetHwEngine);

S& guarded(S& s) {
  s.on(S::kUser, event::RecoveryLimits{{}, 1, 1'000'000});
  return s.on(S::kUser, event::QueueGuarded{kQueue, kContext, kAdapter, kProcess, kEngine});
}
S& hangs(S& s) { return guarded(s).on(S::kEngine, event::EngineFault{kQueue, kEngine - 1, 0}); }
S& loses(S& s, std::uint64_t context, std::uint64_t flags) {
  return s.on(S::kUser, event::ContextLost{kAdapter, context, flags, 0});
}
bool has(const Ids& broken, const char* id) {
  return std::find(broken.begin(), broken.end(), id) != broken.end();
}
/// Process 1 gets a device.
bool is_blocked(S& s) {
  return has(s.on(S::kUser, event::DeviceCreated{kProcess, STATUS_SUCCESS}).broken(), "I109");
}

}  // namespace

TEST_CASE("I109: a context that is lost to its own hang counts against its process", "[check]") {
  S never;
  CHECK_FALSE(is_blocked(guarded(never)));
  S once;
  CHECK(is_blocked(loses(guarded(once), kContext, 0)));
  CHECK(once.checkers.violations().back().fence == 0);
  CHECK(once.checkers.violations().back().message.find("got a device") != std::string::npos);
}

TEST_CASE("I109: a context that is lost to the hang of another one does not count", "[check]") {
  S s;
  CHECK_FALSE(
      is_blocked(loses(guarded(s), kContext, DXGK_INVALIDATEHWCONTEXTFLAGS::kCollateralDamage)));
}

TEST_CASE("I109: a context that is not known counts against nobody", "[check]") {
  S s;
  CHECK_FALSE(is_blocked(loses(guarded(s), kContext + 1, 0)));
}

TEST_CASE("I115: of recoveries only the resets end a hang", "[check]") {
  for (const auto stage : {RecoveryStage::kTimeout, RecoveryStage::kRestart}) {
    S s;
    hangs(s).on(S::kUser, event::Recovery{kAdapter, stage, 0, kEngine});
    CHECK(has(s.quiescent().broken(), "I115"));
  }
  S engine;
  hangs(engine).on(S::kUser, event::Recovery{kAdapter, RecoveryStage::kEngineReset, 0, kEngine});
  CHECK(engine.quiescent().broken().empty());
}

TEST_CASE("I115: an engine that goes on or whose reset failed still hangs", "[check]") {
  for (const bool reset : {false, true}) {
    S s;
    hangs(s).on(S::kUser, event::HwEngineReset{kAdapter, reset, reset ? 1U : 0U, kEngine});
    CHECK(s.quiescent().broken() == Ids{"I115"});
    CHECK(s.checkers.violations().back().fence == 0);
  }
}

TEST_CASE("I116: behind the reset of a hardware queue the ring may lose its work", "[check]") {
  S s;
  s.on(S::kUser, event::DdiCall{kAdapter, kReset, 0});
  s.on(S::kUser, event::DdiReturn{kAdapter, kReset, 0, 0});
  s.on(S::kEngine, event::WorkDropped{kRing, kAdapter, true, kEngine});
  CHECK(s.broken().empty());
  S other;  // the return of another call ends nothing
  other.on(S::kUser, event::DdiCall{kAdapter, kReset, 0});
  other.on(S::kUser, event::DdiReturn{kAdapter, kReset + 1, 0, 0});
  other.on(S::kEngine, event::WorkDropped{kRing, kAdapter, true, kEngine});
  CHECK(other.broken() == Ids{"I116"});
}

TEST_CASE("I116: a queue that nobody guards may lose its work", "[check]") {
  S s;
  s.on(S::kEngine, event::WorkDropped{kQueue, kAdapter, false, kEngine});
  CHECK(s.quiescent().broken().empty());
  CHECK(s.checked("I116") == 0);
}

TEST_CASE("I115: the engine of a hardware queue that hangs is reset", "[check]") {
  S never;
  CHECK(hangs(never).quiescent().broken() == Ids{"I115"});
  S other;
  hangs(other).on(S::kUser, event::HwEngineReset{kAdapter, true, 0, kEngine + 1});
  CHECK(other.quiescent().broken() == Ids{"I115"});
  S engine;
  hangs(engine).on(S::kUser, event::HwEngineReset{kAdapter, true, 0, kEngine});
  CHECK(engine.quiescent().broken().empty());
  S adapter;
  hangs(adapter).on(S::kUser, event::Recovery{kAdapter, RecoveryStage::kAdapterReset, 0, kEngine});
  CHECK(adapter.quiescent().broken().empty());
  S unguarded;
  unguarded.on(S::kEngine, event::EngineFault{kQueue, kEngine - 1, 0});
  CHECK(unguarded.quiescent().broken().empty());
}

TEST_CASE("I116: only the hardware queue that hung loses work", "[check]") {
  const auto drops = [](S& s) -> S& {
    return guarded(s).on(S::kEngine, event::WorkDropped{kQueue, kAdapter, false, kEngine});
  };
  const auto drops_ring = [](S& s) -> S& {
    return s.on(S::kEngine, event::WorkDropped{kRing, kAdapter, true, kEngine});
  };
  S untold;
  CHECK(drops(untold).quiescent().broken() == Ids{"I116"});
  S another;
  drops(another).on(S::kUser, event::ContextLost{kAdapter, 2, 0, 0});
  CHECK(another.quiescent().broken() == Ids{"I116"});
  S told;
  drops(told).on(S::kUser, event::ContextLost{kAdapter, 1, 0, 0});
  CHECK(told.quiescent().broken().empty());
  S ring;
  ring.on(S::kUser, event::DdiCall{kAdapter, kReset, 0});
  CHECK(drops_ring(ring).broken() == Ids{"I116"});
  S node;
  constexpr auto kOther = static_cast<std::uint64_t>(os::Ddi::DxgkDdiResetEngine);
  node.on(S::kUser, event::DdiCall{kAdapter, kOther, 0});
  CHECK(drops_ring(node).broken().empty());
}

}  // namespace fenceline::check::test_engine_hangs
