// I40 to I46: adapters, storage, protection, batches, mappings and progress fences.
#include <catch2/catch.hpp>

#include "kmd_stub/wddm/wddm.h"
#include "models/abi/page_table.h"
#include "tb/check/event_script.h"

namespace fenceline::check {

namespace {

using common::EventKind;
using S = EventScript;
using Ids = std::vector<std::string>;
using Caps = DXGK_VIDSCHCAPS;
using Result = DXGK_ISFEATUREENABLED_RESULT;

S& answer(S& s, std::uint64_t bits = Result::kEnabled, std::uint64_t who = 0) {
  return s.on(EventKind::kFeatureAnswer, S::kCpu, 1, DXGK_FEATURE_NATIVE_FENCE, bits, who);
}
S& table(S& s, NTSTATUS status = STATUS_SUCCESS) {
  return s.on(EventKind::kFeatureTable, S::kCpu, 1, DXGK_FEATURE_NATIVE_FENCE,
              static_cast<std::uint32_t>(status));
}
S& started(S& s, UINT caps = Caps::kNativeGpuFence, std::uint64_t distance = 8) {
  return s.on(EventKind::kAdapterStarted, S::kCpu, 1, caps, 1, distance);
}

constexpr std::uint64_t kSystem = abi::kSystemMemoryBit;
constexpr std::uint64_t kAnywhere = common::kStorageCurrentLocal | common::kStorageCurrentSystem |
                                    common::kStorageMonitoredLocal |
                                    common::kStorageMonitoredSystem;
S& stored(S& s, std::uint32_t f, std::uint64_t current, std::uint64_t monitored,
          std::uint64_t flags = kAnywhere) {
  return s.create(f).on(EventKind::kFenceStorage, S::kCpu, f, current, monitored, flags);
}
S& touched(S& s, common::UserTarget target, bool allowed) {
  return s.on(EventKind::kUserAccess, S::kUser, 1, static_cast<std::uint64_t>(target),
              allowed ? 1 : 0);
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
  CHECK(started(table(answer(user_asked, Result::kEnabled, 1))).broken() == Ids{"I40"});
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
  stored(s, 3, kSystem | 0x1000, 0x3000, kAnywhere | common::kStorageShared);
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
  stored(after_one(shared), 2, kSystem | 0x1000, 0x2040, kAnywhere | common::kStorageShared);
  CHECK(shared.broken() == Ids{"I42"});
}

TEST_CASE("I42: values in memory that the driver or the rule for shared ones rules out",
          "[check]") {
  S current;
  stored(current, 1, 0x1000, 0x2000, kAnywhere & ~common::kStorageCurrentLocal);
  CHECK(current.broken() == Ids{"I42"});
  S monitored;
  stored(monitored, 1, 0x1000, kSystem | 0x2000, kAnywhere & ~common::kStorageMonitoredSystem);
  CHECK(monitored.broken() == Ids{"I42"});
  S shared;
  CHECK(stored(shared, 1, 0x1000, 0x2000, kAnywhere | common::kStorageShared).broken() ==
        Ids{"I42"});
}

TEST_CASE("I42: another fence may have a page once it is free and not before", "[check]") {
  const auto free = [](S& s, std::uint64_t address, std::uint64_t last) -> S& {
    return s.on(EventKind::kFenceStorageFree, S::kCpu, 1, address, 1, last);
  };
  const auto again = [](S& s) -> S& {
    return stored(s, 2, kSystem | 0x1000, kSystem | 0x2000, kAnywhere | common::kStorageShared);
  };
  S early;
  stored(started(table(answer(early))), 1, kSystem | 0x1000, kSystem | 0x2000,
         kAnywhere | common::kStorageShared);
  CHECK(again(early).broken() == Ids{"I42"});
  S in_time;
  stored(started(table(answer(in_time))), 1, kSystem | 0x1000, kSystem | 0x2000,
         kAnywhere | common::kStorageShared);
  free(free(in_time, kSystem | 0x2000, 0), kSystem | 0x1000, 1);
  CHECK(again(in_time).broken().empty());
}

TEST_CASE("I43: user mode writes CurrentValue or reaches MonitoredValue", "[check]") {
  using common::UserTarget;
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
  s.create().on(EventKind::kBatchBad, S::kCpu, 1, 5);
  CHECK(s.checkers.violations().empty());
  s.on(EventKind::kCurrentValueVisible, S::kCpu, 1, 5);
  CHECK(s.broken() == Ids{"I44"});
}

TEST_CASE("I45: the CMP finds no translation", "[check]") {
  S s;
  CHECK(s.on(EventKind::kGpuFault, S::kCmp, 1, 0x5000, 0, 3).broken() == Ids{"I45"});
}

TEST_CASE("I45: the CMP finds no translation for a log", "[check]") {
  S s;
  s.on(EventKind::kGpuFault, S::kCmp, 1, 0x5000, 0, common::kLogOfQueue | 3);
  CHECK(s.broken() == Ids{"I45"});
  CHECK(s.checkers.violations().front().message.find("a log of queue slot 3") != std::string::npos);
}

TEST_CASE("I120: user mode reaches a log", "[check]") {
  for (const std::uint64_t written : {0U, 1U}) {
    S refused;
    refused.on(EventKind::kUserLogAccess, S::kUser, 1, written, 0, 1);
    CHECK(refused.checkers.violations().empty());
    CHECK(refused.checked("I120") == 1);
    S reached;
    reached.on(EventKind::kUserLogAccess, S::kUser, 1, written, 1, 1);
    CHECK(reached.broken() == Ids{"I120"});
  }
}

TEST_CASE("I46: a progress fence is for its queue and grows", "[check]") {
  S s;
  s.create().on(EventKind::kProgressFence, S::kCpu, 1, 1);
  s.begin(1, 1, 1).begin(1, 2, 2);
  CHECK(s.checkers.violations().empty());
  CHECK(s.checked("I46") == 2);
  CHECK(s.begin(1, 2, 3).broken() == Ids{"I46"});
  S other;
  other.create().on(EventKind::kProgressFence, S::kCpu, 1, 1);
  CHECK(other.begin(1, 1, 1, S::kEngine2).broken() == Ids{"I46"});
}

}  // namespace fenceline::check
