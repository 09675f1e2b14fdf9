#include <catch2/catch.hpp>

#include "tb/os/guard/driver_misuse.h"
#include "tb/test/support/event_script.h"

namespace fenceline::check::test_misuse {

using os::Misuse;
using Ids = std::vector<std::string>;
using S = EventScript;

namespace {

/// Has the driver of the first adapter do that at a call site.
S& misuse(S& s, Misuse what, std::uint32_t site, std::uint64_t number = 0) {
  return s.on(S::kCpu, event::DriverMisuse{1, static_cast<std::uint64_t>(what), site, number});
}

}  // namespace

TEST_CASE("I130 to I135: a misuse breaks the invariant of its rule", "[check]") {
  const std::pair<Misuse, const char*> rules[] = {
      {Misuse::kRegisterUnaligned, "I130"}, {Misuse::kAddressNull, "I131"},
      {Misuse::kMemoryIrql, "I132"},        {Misuse::kLockLeft, "I133"},
      {Misuse::kInterruptNode, "I134"},     {Misuse::kExceptionLeft, "I135"}};
  for (const auto& [what, invariant] : rules) {
    S s;
    misuse(s, what, 1).stopped();
    CHECK(s.broken() == Ids{invariant});
  }
}

TEST_CASE("a misuse is told with its number and once for each place", "[check]") {
  S s;
  s.stream.add_object(common::ObjectKind::kCallSite, "driver.cpp:7 (start)");
  s.stream.add_object(common::ObjectKind::kCallSite, "driver.cpp:9 (start)");
  misuse(s, Misuse::kRegisterUnknown, 1, 0x68);
  misuse(s, Misuse::kRegisterUnknown, 1, 0x68);
  misuse(s, Misuse::kRegisterUnknown, 2, 0x70).stopped();
  REQUIRE(s.checkers.violations().size() == 2);
  CHECK(s.checkers.violations()[0].message.find("names register offset 0x68, where the device has "
                                                "no register: 'driver.cpp:7 (start)'") !=
        std::string::npos);
  CHECK(s.checkers.violations()[1].message.find("driver.cpp:9") != std::string::npos);
}

TEST_CASE("calls that were looked at count when their DDI returns", "[check]") {
  S s;
  const std::uint64_t calls = 3 | 2ULL << event::kGuardedCallBits;
  s.on(S::kCpu, event::DdiReturn{1, 0, 0, calls}).stopped();
  const auto checked = [&](Invariant invariant) {
    return s.checkers.exercised()[static_cast<std::size_t>(invariant)].checked;
  };
  CHECK(checked(Invariant::kRegisters) == 3);
  CHECK(checked(Invariant::kKernelAddress) == 2);
  CHECK(checked(Invariant::kSpinLock) == 0);
  CHECK(checked(Invariant::kDdiReturn) == 1);
}

}  // namespace fenceline::check::test_misuse
