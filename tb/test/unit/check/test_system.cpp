// I40 to I46: adapters, storage, protection, batches, mappings and progress fences.
#include <catch2/catch.hpp>

#include "kmd_stub/wddm/wddm.h"
#include "models/abi/page_table.h"
#include "tb/test/support/event_script.h"

namespace fenceline::check::test_system {

namespace {

using S = EventScript;
using Ids = std::vector<std::string>;
using Caps = DXGK_VIDSCHCAPS;
using Result = DXGK_ISFEATUREENABLED_RESULT;

S& answer(S& s, std::uint64_t result = Result::kEnabled, bool user_mode = false) {
  return s.on(S::kCpu, event::FeatureAnswer{1, DXGK_FEATURE_NATIVE_FENCE, result, 0, user_mode});
}
S& table(S& s, NTSTATUS status = STATUS_SUCCESS) {
  return s.on(S::kCpu, event::FeatureTable{1, DXGK_FEATURE_NATIVE_FENCE,
                                           static_cast<std::uint32_t>(status)});
}
S& started(S& s, UINT caps = Caps::kNativeGpuFence, std::uint64_t distance = 8) {
  return s.on(S::kCpu, event::AdapterStarted{1, caps, true, distance});
}

constexpr std::uint64_t kSystem = abi::kSystemMemoryBit;
constexpr std::uint64_t kAnywhere = event::kStorageCurrentLocal | event::kStorageCurrentSystem |
                                    event::kStorageMonitoredLocal | event::kStorageMonitoredSystem;
S& stored(S& s, std::uint32_t f, std::uint64_t current, std::uint64_t monitored,
          std::uint64_t flags = kAnywhere) {
  return s.create(f).on(S::kCpu, event::FenceStorage{f, current, monitored, flags, 0U});
}
S& touched(S& s, event::UserTarget target, bool allowed) {
  return s.on(S::kUser, event::UserAccess{1, target, allowed});
}

}  // namespace

TEST_CASE("I40: a driver that asks in order may advertise", "[check]") {
  S s;
  started(table(answer(s))).create();
  CHECK(s.checkers.violations().empty());
  CHECK(s.checked("I40") == 2);
}

TEST_CASE("I40: advertised without an answer or with another one or without the table", "[check]") {
  S never;
  CHECK(started(never).broken() == Ids{"I40"});
  S disabled;
  CHECK(started(table(answer(disabled, Result::kKnownFeature))).broken() == Ids{"I40"});
  S user_asked;
  CHECK(started(table(answer(user_asked, Result::kEnabled, true))).broken() == Ids{"I40"});
  S refused;
  CHECK(started(table(answer(refused), STATUS_UNSUCCESSFUL)).broken() == Ids{"I40"});
}

TEST_CASE("I40: a fence is made on an adapter that does not advertise", "[check]") {
  S s;
  started(table(answer(s)), 0);
  CHECK(s.checkers.violations().empty());
  CHECK(s.create().broken() == Ids{"I40"});
}

TEST_CASE("I41: caps that contradict each other", "[check]") {
  for (const UINT caps : {Caps::kPreemptionAware, Caps::kCancelCommandAware,
                          Caps::kMultiEngineAware | Caps::kNoDmaPatching,
                          Caps::kOptimizedNativeFenceSignaledInterrupt,
                          Caps::kNativeGpuFence | Caps::kNo64BitAtomics}) {
    INFO(caps);
    S s;
    CHECK(started(table(answer(s)), caps).broken() == Ids{"I41"});
  }
  S odd;
  CHECK(started(table(answer(odd)), Caps::kNativeGpuFence, 12).broken() == Ids{"I41"});
  S good;
  started(table(answer(good)), Caps::kMultiEngineAware | Caps::kPreemptionAware |
                                   Caps::kNoDmaPatching | Caps::kCancelCommandAware);
  CHECK(good.checkers.violations().empty());
}

TEST_CASE("I42: values at the distance of the driver on pages of one kind", "[check]") {
  S s;
  started(table(answer(s)), Caps::kNativeGpuFence, 64);
  stored(stored(s, 1, 0x1000, 0x2000), 2, 0x1008, 0x2040);
  stored(s, 3, kSystem | 0x1000, 0x3000, kAnywhere | event::kStorageShared);
  CHECK(s.checkers.violations().empty());
  CHECK(s.checked("I42") == 3);
}

TEST_CASE("I42: values too close or of both kinds or beside a shared fence", "[check]") {
  const auto after_one = [](S& s) -> S& {
    started(table(answer(s)), Caps::kNativeGpuFence, 64);
    return stored(s, 1, 0x1000, 0x2000);
  };
  S close;
  CHECK(stored(after_one(close), 2, 0x1008, 0x2008).broken() == Ids{"I42"});
  S overlap;
  CHECK(stored(after_one(overlap), 2, 0x1004, 0x2040).broken() == Ids{"I42"});
  S mixed;
  CHECK(stored(after_one(mixed), 2, 0x2040, 0x3000).broken() == Ids{"I42"});
  S shared;
  stored(after_one(shared), 2, kSystem | 0x1000, 0x2040, kAnywhere | event::kStorageShared);
  CHECK(shared.broken() == Ids{"I42"});
}

TEST_CASE("I42: values in memory that the driver or the rule for shared ones rules out",
          "[check]") {
  S current;
  stored(current, 1, 0x1000, 0x2000, kAnywhere & ~event::kStorageCurrentLocal);
  CHECK(current.broken() == Ids{"I42"});
  S monitored;
  stored(monitored, 1, 0x1000, kSystem | 0x2000, kAnywhere & ~event::kStorageMonitoredSystem);
  CHECK(monitored.broken() == Ids{"I42"});
  S shared;
  CHECK(stored(shared, 1, 0x1000, 0x2000, kAnywhere | event::kStorageShared).broken() ==
        Ids{"I42"});
}

TEST_CASE("I42: another fence may have a page once it is free and not before", "[check]") {
  const auto free = [](S& s, std::uint64_t address, bool last) -> S& {
    return s.on(S::kCpu, event::FenceStorageFree{1, address, 1, last});
  };
  const auto again = [](S& s) -> S& {
    return stored(s, 2, kSystem | 0x1000, kSystem | 0x2000, kAnywhere | event::kStorageShared);
  };
  S early;
  stored(started(table(answer(early))), 1, kSystem | 0x1000, kSystem | 0x2000,
         kAnywhere | event::kStorageShared);
  CHECK(again(early).broken() == Ids{"I42"});
  S in_time;
  stored(started(table(answer(in_time))), 1, kSystem | 0x1000, kSystem | 0x2000,
         kAnywhere | event::kStorageShared);
  free(free(in_time, kSystem | 0x2000, false), kSystem | 0x1000, true);
  CHECK(again(in_time).broken().empty());
}

TEST_CASE("I43: user mode writes CurrentValue or reaches MonitoredValue", "[check]") {
  using event::UserTarget;
  S s;
  touched(touched(s, UserTarget::kReadCurrent, true), UserTarget::kWriteCurrent, false);
  CHECK(s.checkers.violations().empty());
  CHECK(s.checked("I43") == 2);
  for (const auto target :
       {UserTarget::kWriteCurrent, UserTarget::kReadMonitored, UserTarget::kWriteMonitored}) {
    S reached;
    CHECK(touched(reached, target, true).broken() == Ids{"I43"});
  }
}

TEST_CASE("I44: a value of a bad batch arrives", "[check]") {
  S s;
  s.create().on(S::kCpu, event::BatchBad{1, 5, 0});
  CHECK(s.checkers.violations().empty());
  s.on(S::kCpu, event::CurrentValueVisible{1, 5, 0});
  CHECK(s.broken() == Ids{"I44"});
}

TEST_CASE("I45: the CMP finds no translation", "[check]") {
  S s;
  CHECK(s.on(S::kCmp, event::GpuFault{1, 0x5000, 0, 3, false}).broken() == Ids{"I45"});
}

TEST_CASE("I45: the CMP finds no translation for a log", "[check]") {
  S s;
  s.on(S::kCmp, event::GpuFault{1, 0x5000, 0, 3, true});
  CHECK(s.broken() == Ids{"I45"});
  CHECK(s.checkers.violations().front().message.find("a log of queue slot 3") != std::string::npos);
}

TEST_CASE("I120: user mode reaches a log", "[check]") {
  for (const bool written : {false, true}) {
    S refused;
    refused.on(S::kUser, event::UserLogAccess{1, written, false, 1});
    CHECK(refused.checkers.violations().empty());
    CHECK(refused.checked("I120") == 1);
    S reached;
    reached.on(S::kUser, event::UserLogAccess{1, written, true, 1});
    CHECK(reached.broken() == Ids{"I120"});
  }
}

TEST_CASE("I46: a progress fence is for its queue and grows", "[check]") {
  S s;
  s.create().on(S::kCpu, event::ProgressFence{1, 1});
  s.begin(1, 1, 1).begin(1, 2, 2);
  CHECK(s.checkers.violations().empty());
  CHECK(s.checked("I46") == 2);
  CHECK(s.begin(1, 2, 3).broken() == Ids{"I46"});
  S other;
  other.create().on(S::kCpu, event::ProgressFence{1, 1});
  CHECK(other.begin(1, 1, 1, S::kEngine2).broken() == Ids{"I46"});
}

}  // namespace fenceline::check::test_system
