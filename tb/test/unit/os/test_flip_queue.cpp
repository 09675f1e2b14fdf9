// Flips of one video present source, in the order of their presents.
#include <catch2/catch.hpp>
#include <functional>
#include <set>

#include "tb/os/vidsch/flip_queue.h"
#include "tb/test/support/os/os_machine.h"

namespace fenceline::os::test_flip_queue {

using common::kMillisecond;
using support::OsMachine;

namespace {

using Flags = DXGK_SETVIDPNSOURCEADDRESS_FLAGS;
using Primaries = std::vector<LONGLONG>;

OsMachine::Config with_display(bool mmio) {
  OsMachine::Config config;
  config.platform.gpus[0].display.refresh_period = 16 * kMillisecond;
  config.options.driver_caps.emplace_back();
  config.options.driver_caps[0].flip_on_vsync_mmio = mmio;
  return config;
}

struct Bench {
  explicit Bench(bool mmio = true, bool waits_for_drawing = true)
      : machine(with_display(mmio)), flips(machine.cpu(), machine.adapter(), waits_for_drawing) {}

  /// Presents without a limit.
  void present(std::uint64_t primary, bool immediate = false) {
    flips.present(context, primary, immediate, 100);
  }
  /// The primaries that the driver was given.
  Primaries shown() const {
    Primaries result;
    for (const auto& args : machine.shown) result.push_back(args.PrimaryAddress.QuadPart);
    return result;
  }

  OsMachine machine;
  FlipQueue flips;
  ContextQueue context{machine.steps(), machine.adapter()};
};

}  // namespace

TEST_CASE("a flip is given to the hardware when its image is drawn") {
  Bench bench;
  CHECK(bench.machine.run_thread([&] {
    bench.context.submitted = 2;
    bench.context.completed = 1;
    bench.present(0x1000);
    CHECK(bench.shown().empty());
    bench.context.submitted = 3;  // later work does not count
    bench.context.completed = 2;
    bench.flips.progress();
    CHECK(bench.shown() == Primaries{0x1000});
    bench.flips.progress();  // once
    CHECK(bench.shown() == Primaries{0x1000});
  }));
}

TEST_CASE("a flip says whether it waits for the vertical sync") {
  Bench bench;
  CHECK(bench.machine.run_thread([&] {
    bench.present(0x1000, true);
    bench.flips.synced(0x1000);
    bench.present(0x2000, false);
    REQUIRE(bench.machine.shown.size() == 2);
    CHECK(bench.machine.shown[0].Flags.Value == Flags::kFlipImmediate);
    CHECK(bench.machine.shown[1].Flags.Value == Flags::kFlipOnNextVSync);
    CHECK(bench.machine.shown[0].PrimarySegment == kVramSegment);
  }));
}

TEST_CASE("the hardware gets the next flip when the one before is shown") {
  Bench bench;
  CHECK(bench.machine.run_thread([&] {
    const auto& done = bench.machine.watch<event::FlipDone>();
    bench.present(0x1000);
    bench.present(0x2000);
    CHECK(bench.shown() == Primaries{0x1000});
    bench.flips.synced(0x2000);  // another image
    CHECK(bench.shown() == Primaries{0x1000});
    bench.flips.synced(0x1000);
    CHECK(bench.shown() == Primaries{0x1000, 0x2000});
    CHECK(done.size() == 1);
    bench.flips.synced(0x2000);
    CHECK(done.size() == 2);
    bench.flips.synced(0x2000);  // nothing is pending
    CHECK(done.size() == 2);
  }));
}

TEST_CASE("a flip that the hardware does not have yet is not done by a vertical sync") {
  Bench bench;
  CHECK(bench.machine.run_thread([&] {
    const auto& done = bench.machine.watch<event::FlipDone>();
    bench.context.submitted = 1;
    bench.present(0x1000);
    bench.flips.synced(0x1000);
    CHECK(done.empty());
  }));
}

TEST_CASE("a present blocks while more flips than its limit are not done") {
  Bench bench;
  common::Time returned = 0;
  bench.machine.add("vsync", [&] {
    bench.machine.sleep(kMillisecond);
    bench.flips.synced(0x1000);
  });
  CHECK(bench.machine.run_thread([&] {
    bench.flips.present(bench.context, 0x1000, false, 1);
    CHECK(bench.machine.steps().simulated() < kMillisecond);
    bench.flips.present(bench.context, 0x2000, false, 1);
    returned = bench.machine.steps().simulated();
  }));
  CHECK(returned >= kMillisecond);
}

TEST_CASE("a present that blocks goes on when flips end with their context") {
  Bench bench;
  bench.context.submitted = 1;
  bench.machine.add("reset", [&] {
    bench.machine.sleep(kMillisecond);
    bench.context.ended = true;
    bench.flips.progress();
  });
  CHECK(bench.machine.run_thread([&] {
    bench.flips.present(bench.context, 0x1000, false, 0);
    CHECK(bench.machine.steps().simulated() >= kMillisecond);
    CHECK(bench.shown().empty());
  }));
}

TEST_CASE("an image of a device in error is not shown unless the hardware has it") {
  Bench bench;
  ContextQueue other(bench.machine.steps(), bench.machine.adapter());
  CHECK(bench.machine.run_thread([&] {
    const auto& done = bench.machine.watch<event::FlipDone>();
    bench.present(0x1000);
    bench.present(0x2000);
    bench.flips.present(other, 0x3000, false, 100);
    bench.context.ended = true;
    bench.flips.progress();
    bench.flips.synced(0x1000);
    CHECK(done.size() == 1);
    CHECK(bench.shown() == Primaries{0x1000, 0x3000});
  }));
}

TEST_CASE("an image whose drawing is lost is not shown") {
  Bench bench;
  bench.context.submitted = 1;
  CHECK(bench.machine.run_thread([&] {
    bench.present(0x1000);
    bench.context.completed = 1;  // a buffer that faulted counts as complete
    bench.context.lost = true;
    bench.flips.progress();
    CHECK(bench.shown().empty());
    CHECK_FALSE(bench.flips.busy());
  }));
}

TEST_CASE("the hardware gets its flip again after a reset of the adapter") {
  Bench bench;
  CHECK(bench.machine.run_thread([&] {
    bench.flips.show_again();  // there is none
    bench.present(0x1000);
    bench.present(0x2000);
    bench.flips.show_again();
    CHECK(bench.shown() == Primaries{0x1000, 0x1000});
    bench.flips.synced(0x1000);
    bench.flips.synced(0x2000);
    bench.flips.show_again();
    CHECK(bench.shown() == Primaries{0x1000, 0x1000, 0x2000});
    CHECK_FALSE(bench.flips.busy());
  }));
}

TEST_CASE("the address of a flip in a DMA buffer is set after a reset of the adapter") {
  Bench bench(false);
  CHECK(bench.machine.run_thread([&] {
    bench.present(0x1000);
    CHECK(bench.shown().empty());
    bench.flips.show_again();
    CHECK(bench.shown() == Primaries{0x1000});
    bench.flips.synced(0x1000);
    CHECK_FALSE(bench.flips.busy());
  }));
}

TEST_CASE("a flip that is not drawn is not given after a reset of the adapter") {
  Bench bench;
  CHECK(bench.machine.run_thread([&] {
    bench.context.submitted = 1;
    bench.present(0x1000);
    bench.flips.show_again();
    CHECK(bench.shown().empty());
  }));
}

/// The primaries that the driver gets. `other` runs in another agent during its first call.
Primaries shown_beside(Bench& bench, const std::function<void()>& other) {
  bench.machine.on_show = [&bench] { bench.machine.steps().elapse(2 * kMillisecond); };
  bench.machine.add("other", [&] {
    bench.machine.sleep(kMillisecond);
    other();
    CHECK(bench.flips.busy());
    CHECK(bench.shown() == Primaries{0x1000});
  });
  CHECK(bench.machine.run_thread([&] {
    bench.present(0x1000);
    bench.present(0x2000);
  }));
  return bench.shown();
}

// The sync may be of the image before, if both have the same address.
TEST_CASE("a vertical sync comes while the driver is given a flip") {
  Bench bench;
  CHECK(shown_beside(bench, [&] { bench.flips.synced(0x1000); }) == Primaries{0x1000, 0x2000});
}

TEST_CASE("the adapter is reset while the driver is given a flip") {
  Bench bench;
  const Primaries twice{0x1000, 0x1000};
  CHECK(shown_beside(bench, [&] { bench.flips.show_again(); }) == twice);
}

TEST_CASE("flips do not wait for their images where that rule is removed") {
  Bench bench(true, false);
  CHECK(bench.machine.run_thread([&] {
    bench.context.submitted = 1;
    bench.present(0x1000);
    CHECK(bench.shown() == Primaries{0x1000});
  }));
}

TEST_CASE("a flip in a DMA buffer is given when that is complete and the driver is not called") {
  Bench bench(false, false);
  CHECK(bench.machine.run_thread([&] {
    const auto& calls = bench.machine.watch<event::FlipCall>();
    bench.context.submitted = 1;
    bench.present(0x1000);
    CHECK(calls.empty());
    bench.context.completed = 1;
    bench.flips.progress();
    REQUIRE(calls.size() == 1);
    CHECK(calls[0].buffered);
    CHECK(bench.shown().empty());
  }));
}

TEST_CASE("a flip by MMIO is in no DMA buffer") {
  Bench bench;
  CHECK(bench.machine.run_thread([&] {
    const auto& calls = bench.machine.watch<event::FlipCall>();
    bench.present(0x1000);
    bench.present(0x2000);
    REQUIRE(calls.size() == 1);
    CHECK_FALSE(calls[0].buffered);
    CHECK(calls[0].present == 1);
  }));
}

TEST_CASE("a driver that refuses a flip stops the machine") {
  Bench bench;
  bench.machine.show_status = STATUS_UNSUCCESSFUL;
  bench.machine.run_thread([&] {
    try {
      bench.present(0x1000);
      FAIL("it goes on");
    } catch (const BugCheck& stop) {
      CHECK(stop.code() == VIDEO_SCHEDULER_INTERNAL_ERROR);
      CHECK(stop.parameters().first == fenceline::wddm::kSchedulerSetVidPnFailed);
      CHECK(stop.parameters().second == static_cast<std::uint32_t>(STATUS_UNSUCCESSFUL));
    }
  });
}

TEST_CASE("the state of the flips tells kinds and stages apart") {
  Bench bench;
  std::set<std::uint64_t> states;
  CHECK(bench.machine.run_thread([&] {
    for (const bool immediate : {false, true})
      for (const bool given : {false, true}) {
        FlipQueue flips(bench.machine.cpu(), bench.machine.adapter(), true);
        bench.context.submitted = 1;
        bench.context.completed = given ? 1 : 0;
        flips.present(bench.context, 0x1000, immediate, 100);
        states.insert(flips.state_hash());
      }
  }));
  CHECK(states.size() == 4);
}

}  // namespace fenceline::os::test_flip_queue
