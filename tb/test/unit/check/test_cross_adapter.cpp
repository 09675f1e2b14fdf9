// I23, I60, and I10 of fences that several adapters share.
#include <algorithm>
#include <catch2/catch.hpp>

#include "tb/test/support/event_script.h"

namespace fenceline::check::test_cross_adapter {

namespace {

using event::PeerScan;
using S = EventScript;
using Ids = std::vector<std::string>;

constexpr std::uint64_t kNotificationOnly = 2;

/// Fence 1 of adapters 1 and 2, native on both.
S& shared(S& s, bool rings = false) {
  s.create();
  for (const std::uint32_t adapter : {1U, 2U})
    s.on(S::kCpu, event::CrossAdapterFence{1, rings, adapter});
  return s;
}
S& tell(S& s, std::uint32_t adapter) {
  return s.on(S::kDpc, event::CpuSignal{1, 1, kNotificationOnly, adapter});
}
S& ring(S& s, std::uint32_t adapter, PeerScan what) {
  return s.on(S::kCmp, event::PeerDoorbell{adapter, what, what == PeerScan::kFence ? 1 : 0, 0});
}
/// The GPU of adapter 1 signals 1.
S& signal(S& s, bool told) {
  s.begin(1, 1, 1).issue(1, 1, 1).visible(1, 1).shadow_read(1, told ? 0 : UINT64_MAX);
  return s.decide(1, 1, 1, told).end(1, 1, 1);
}

/// Of these two; scripts without interrupts break others.
Ids broken(S& s) {
  Ids result;
  for (const std::string& id : s.broken())
    if (id == "I23" || id == "I60") result.push_back(id);
  return result;
}

}  // namespace

TEST_CASE("I23: a signal is passed on to the other adapter", "[check]") {
  S s;
  signal(shared(s), true);
  tell(s, 2).quiescent();
  CHECK(broken(s).empty());
  CHECK(s.checked("I23") > 0);
}

TEST_CASE("I23: a signal is passed on to no adapter or to its own", "[check]") {
  S nobody;
  signal(shared(nobody), true).quiescent();
  CHECK(broken(nobody) == Ids{"I23"});
  S own;
  signal(shared(own), true);
  tell(own, 1).quiescent();
  CHECK(broken(own) == Ids{"I23"});
}

/// Driver and GPU store the same value. The store of the driver is not the one of the GPU.
TEST_CASE("I23: a signal is passed on that the CPU overtakes with its value", "[check]") {
  S s;
  shared(s).begin(1, 1, 1).issue(1, 1, 1);
  s.on(S::kCpu, event::CpuSignal{1, 1, 0, 2}).visible(1, 1, S::kCpu);
  tell(s, 1).visible(1, 1).shadow_read(1, 0).decide(1, 1, 1, true).end(1, 1, 1);
  tell(s, 2).quiescent();
  CHECK(broken(s).empty());
}

TEST_CASE("I23: a notification before the value is visible does not count", "[check]") {
  S s;
  shared(s).begin(1, 1, 1).issue(1, 1, 1).shadow_read(1, 0).decide(1, 1, 1, true);
  tell(s, 2).visible(1, 1).end(1, 1, 1).quiescent();
  CHECK(broken(s) == Ids{"I23"});
}

TEST_CASE("I23: a notification counts from the moment at which the value is visible", "[check]") {
  S early;
  shared(early).begin(1, 1, 1).issue(1, 1, 1).visible(1, 1);
  tell(early, 2).shadow_read(1, 0).decide(1, 1, 1, true).end(1, 1, 1).quiescent();
  CHECK(broken(early).empty());
  // A GPU without native fences compares nothing.
  S legacy;
  shared(legacy).begin(1, 1, 1).issue(1, 1, 1).visible(1, 1);
  tell(tell(legacy, 2), 1).end(1, 1, 1).quiescent();
  CHECK(broken(legacy).empty());
  S one;
  shared(one).begin(1, 1, 1).issue(1, 1, 1).visible(1, 1);
  tell(one, 2).end(1, 1, 1).quiescent();
  CHECK(broken(one) == Ids{"I23"});
}

TEST_CASE("I23: a signal that does not interrupt", "[check]") {
  S s;
  signal(shared(s), false);
  tell(s, 2);
  CHECK(broken(s) == Ids{"I23"});
}

TEST_CASE("I23: a value that falls to 0 before the CMP reads it is owed to nobody", "[check]") {
  const auto falls = [](S& s) -> S& {
    shared(s).begin(1, 2, 1).issue(1, 2, 1).visible(1, 2).shadow_read(1, 0).decide(1, 2, 1, true);
    s.end(1, 2, 1).begin(1, 0, 2).issue(1, 0, 2).visible(1, 0).shadow_read(1, 0);
    return s.decide(1, 0, 2, false).end(1, 0, 2);
  };
  S read;
  falls(read).cmp_decide(1, 0, 0, event::Decider::kSignalNotice, false).quiescent();
  CHECK(broken(read).empty());
  S lost;  // the CMP has not looked: the notification is lost
  falls(lost).quiescent();
  CHECK(broken(lost) == Ids{"I23"});
  S raised;
  falls(raised).cmp_decide(1, 2, 0, event::Decider::kSignalNotice, true).quiescent();
  CHECK(broken(raised) == Ids{"I23"});
}

TEST_CASE("I23: MonitoredValue other than 0", "[check]") {
  S s;
  shared(s).monitored(1, 5, 2);
  CHECK(broken(s) == Ids{"I23"});
}

TEST_CASE("I23: a signal by the CPU is owed to all but the adapter whose driver stored it",
          "[check]") {
  S s;
  shared(s).on(S::kCpu, event::CpuSignal{1, 1, 0, 1}).visible(1, 1, S::kCpu);
  tell(s, 2).quiescent();
  CHECK(broken(s).empty());
  S os;
  shared(os).on(S::kCpu, event::CpuSignal{1, 1, 0, 0}).visible(1, 1, S::kCpu);
  tell(os, 2).quiescent();
  CHECK(broken(os) == Ids{"I23"});
}

TEST_CASE("I23: a GPU without native fences owes notifications to all adapters", "[check]") {
  S s;
  shared(s).begin(1, 1, 1).issue(1, 1, 1).visible(1, 1).end(1, 1, 1);
  tell(s, 2).quiescent();
  CHECK(broken(s) == Ids{"I23"});
  S both;
  shared(both).begin(1, 1, 1).issue(1, 1, 1).visible(1, 1).end(1, 1, 1);
  tell(tell(both, 1), 2).quiescent();
  CHECK(broken(both).empty());
}

TEST_CASE("I23: a call that stores a later value tells its own adapter", "[check]") {
  S stored;
  signal(shared(stored), true);
  stored.on(S::kCpu, event::CpuSignal{1, 7, 0, 2}).quiescent();
  CHECK(broken(stored).empty());
  S elsewhere;
  signal(shared(elsewhere), true);
  elsewhere.on(S::kCpu, event::CpuSignal{1, 7, 0, 1}).quiescent();
  CHECK(broken(elsewhere) == Ids{"I23"});
}

TEST_CASE("I23: a signal of 0 is owed to nobody", "[check]") {
  S s;
  shared(s).begin(1, 0, 1).issue(1, 0, 1).visible(1, 0).shadow_read(1, 0);
  s.decide(1, 0, 1, false).end(1, 0, 1).quiescent();
  CHECK(broken(s).empty());
}

TEST_CASE("I60: a doorbell that names the fence or none pays", "[check]") {
  for (const PeerScan what : {PeerScan::kAll, PeerScan::kFence, PeerScan::kQueues}) {
    S s;
    signal(shared(s, true), false);
    ring(s, 2, what).quiescent();
    CHECK(broken(s).empty());
    CHECK(s.checked("I60") > 0);
  }
}

TEST_CASE("I60: no doorbell or one elsewhere or one before the value", "[check]") {
  S none;
  signal(shared(none, true), false).quiescent();
  CHECK(broken(none) == Ids{"I60"});
  S own;
  signal(shared(own, true), false);
  ring(own, 1, PeerScan::kAll).quiescent();
  CHECK(broken(own) == Ids{"I60"});
  S early;
  shared(early, true).begin(1, 1, 1).issue(1, 1, 1).shadow_read(1, UINT64_MAX);
  early.decide(1, 1, 1, false);
  ring(early, 2, PeerScan::kFence).visible(1, 1).end(1, 1, 1).quiescent();
  CHECK(broken(early) == Ids{"I60"});
}

TEST_CASE("I60: an adapter in D3 is owed nothing until it is in D0 again", "[check]") {
  const auto power = [](S& s, std::uint64_t state) {
    s.on(S::kCpu, event::AdapterPower{2, state, 0, false});
  };
  S before;
  power(shared(before, true), 3);
  signal(before, false).quiescent();
  CHECK(broken(before).empty());
  S after;
  signal(shared(after, true), false);
  power(after, 3);
  after.quiescent();
  CHECK(broken(after).empty());
  S again;
  power(shared(again, true), 3);
  power(again, 0);
  signal(again, false).quiescent();
  CHECK(broken(again) == Ids{"I60"});
}

TEST_CASE("a fence of one adapter owes no notification", "[check]") {
  S s;
  s.create().signal(1, 1, 1, UINT64_MAX).quiescent();
  CHECK(s.checked("I23") == 0);
  CHECK(s.checked("I60") == 0);
  CHECK(broken(s).empty());
}

TEST_CASE("I10: a MonitoredValue counts on adapters where a process has the fence", "[check]") {
  const auto left_at = [](bool closed) {
    S s;
    shared(s, true);
    for (const std::uint32_t adapter : {1U, 2U}) {
      s.on(S::kCpu, event::FenceOpen{1, adapter, adapter});
      s.on(S::kCpu, event::UpdateMonitoredCall{1, 5, adapter, adapter});
      s.on(S::kCpu, event::MonitoredValueVisible{1, adapter == 1 ? UINT64_MAX : 5, adapter});
    }
    if (closed) s.on(S::kCpu, event::FenceClose{1, 2, 2, false});
    s.quiescent();
    const Ids broken = s.broken();
    return std::count(broken.begin(), broken.end(), "I10");
  };
  CHECK(left_at(false) == 1);
  CHECK(left_at(true) == 0);
}

}  // namespace fenceline::check::test_cross_adapter
