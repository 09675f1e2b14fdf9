// I94: what is on the screen.
#include <catch2/catch.hpp>

#include "tb/test/support/event_script.h"

namespace fenceline::check::test_display {

namespace {

using S = EventScript;
using Ids = std::vector<std::string>;

constexpr std::uint64_t kFirst = 0x10000, kSecond = 0x20000;

S& present(S& s, std::uint64_t number, std::uint64_t address) {
  return s.on(S::kUser, event::Present{1, number, address, 1});
}
S& flip(S& s, std::uint64_t address, bool in_frame = false) {
  return s.on(S::kEngine, event::FlipEffective{1, address, in_frame, 1});
}
S& top(S& s, std::uint64_t address, std::uint64_t word) {
  return s.on(S::kEngine, event::ScanTop{1, address, word, 1});
}
S& bottom(S& s, std::uint64_t address, std::uint64_t word) {
  return s.on(S::kEngine, event::ScanBottom{1, address, word, 1});
}
S& shown(S& s, std::uint64_t number, std::uint64_t address) {
  present(s, number, address);
  flip(s, address);
  return bottom(top(s, address, number), address, number);
}
S& done(S& s, std::uint64_t number, std::uint64_t address) {
  return s.on(S::kDpc, event::FlipDone{1, number, address});
}

}  // namespace

TEST_CASE("I94: whole images in their order", "[check]") {
  S s;
  done(shown(s, 1, kFirst), 1, kFirst);
  done(shown(s, 2, kSecond), 2, kSecond);
  CHECK(s.quiescent().broken().empty());
  CHECK(s.checked("I94") == 4);
}

TEST_CASE("I94: a flip in the middle of a frame", "[check]") {
  S s;
  present(present(shown(s, 1, kFirst), 2, kSecond), 3, kFirst);
  CHECK(flip(top(s, kFirst, 1), kSecond, true).broken() == Ids{"I94"});
}

TEST_CASE("I94: a frame of two images and one that is being drawn", "[check]") {
  S torn;
  top(shown(torn, 1, kFirst), kFirst, 1);
  CHECK(bottom(torn, kSecond, 1).broken() == Ids{"I94"});
  S unfinished;
  present(unfinished, 1, kFirst);
  flip(unfinished, kFirst);
  CHECK(bottom(top(unfinished, kFirst, 2), kFirst, 1).broken() == Ids{"I94"});
}

TEST_CASE("I94: flips out of order and images that nobody has presented", "[check]") {
  S passed;
  CHECK(flip(present(present(passed, 1, kFirst), 2, kSecond), kSecond).broken() == Ids{"I94"});
  S unknown;
  CHECK(flip(unknown, kFirst).broken() == Ids{"I94"});
  S back;
  shown(back, 2, kFirst);
  CHECK(shown(back, 1, kSecond).broken() == Ids{"I94"});
}

TEST_CASE("I94: the OS takes an image for shown that is not", "[check]") {
  S s;
  CHECK(done(present(shown(s, 1, kFirst), 2, kSecond), 2, kSecond).broken() == Ids{"I94"});
}

TEST_CASE("I94: a present that is never shown unless its device is lost", "[check]") {
  S s;
  present(shown(s, 1, kFirst), 2, kSecond);
  CHECK(s.quiescent().broken() == Ids{"I94"});
  S lost;
  present(shown(lost, 1, kFirst), 2, kSecond).on(S::kCpu, event::ContextEnded{1, 0});
  const Ids broken = lost.quiescent().broken();
  CHECK(std::find(broken.begin(), broken.end(), "I94") == broken.end());
}

TEST_CASE("I94: an image that is shown again after a reset of the adapter", "[check]") {
  S s;
  shown(present(s, 1, kFirst), 2, kSecond);  // the first one is not shown yet
  CHECK(s.broken() == Ids{"I94"});
  S again;
  shown(again, 1, kFirst);
  present(present(again, 2, kSecond), 3, kFirst);
  flip(flip(again, kFirst), kFirst, true);  // not the third one: the second is not shown yet
  flip(again, kSecond);
  flip(again, kFirst);
  CHECK(again.quiescent().broken().empty());
}

TEST_CASE("I94: an image behind one of a device in error has the address of the current one",
          "[check]") {
  S s;
  shown(s, 1, kFirst);
  s.on(S::kUser, event::Present{1, 2, kSecond, 2});
  present(s, 3, kFirst);
  s.on(S::kDpc, event::ContextEnded{2, 1});
  const Ids broken = flip(s, kFirst).quiescent().broken();
  CHECK(std::find(broken.begin(), broken.end(), "I94") == broken.end());
}

}  // namespace fenceline::check::test_display
