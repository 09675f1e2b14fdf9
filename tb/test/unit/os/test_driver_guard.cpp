// DriverGuard: agents in DDIs, and what the driver does there that it must not do.
#include <catch2/catch.hpp>
#include <stdexcept>

#include "tb/os/guard/driver_guard.h"
#include "tb/test/support/os/kernel_bench.h"

namespace fenceline::os::test_driver_guard {

namespace {

using event::GuardedCall;
using kmd_host::CallSite;
using support::KernelBench;
using Stay = DriverGuard::Stay;

constexpr Ddi kOuter = Ddi::DxgkDdiEscape;
constexpr Ddi kInner = Ddi::DxgkDdiPresent;

/// A guard for the first adapter, and what it has reported.
struct Bench {
  Bench(Kernel& of, KernelBench& on) : guard(of.cpu(), of.adapter(0).object()), machine(on) {
    on.events.all.clear();
  }
  std::vector<event::DriverMisuse> reports() const {
    return machine.events.of<event::DriverMisuse>();
  }
  bool only(Misuse misuse) const {
    return reports().size() == 1 && reports()[0].misuse == static_cast<std::uint64_t>(misuse);
  }
  std::string place(std::size_t number = 0) const {
    return machine.simulation().events.name(common::ObjectKind::kCallSite,
                                            reports().at(number).site);
  }
  /// The status of a call of the driver, and whether it was reported.
  bool reported(NTSTATUS status, Ddi ddi = kOuter) {
    machine.events.all.clear();
    const Stay stay(guard, ddi);
    CHECK(guard.run([&] { return status; }) == status);
    return only(Misuse::kStatusUndocumented) && reports()[0].number == static_cast<UINT>(status);
  }

  DriverGuard guard;
  KernelBench& machine;
};

void with_bench(const std::function<void(Bench&)>& body) {
  KernelBench machine;
  machine.run({[&](Kernel& kernel) {
    Bench bench(kernel, machine);
    body(bench);
  }});
}

int stop() { throw BugCheck(1, {}, "the machine stops"); }
int fail() { throw std::runtime_error("anything else"); }

}  // namespace

TEST_CASE("a guard knows how deep its agent is in the driver", "[driver]") {
  with_bench([](Bench& it) {
    CHECK(it.guard.depth() == 0);
    const Stay outer(it.guard, kOuter);
    CHECK(it.guard.depth() == 1);
    {
      const Stay inner(it.guard, kInner);
      CHECK(it.guard.depth() == 2);
      it.guard.report(Misuse::kLockLeft, kOuter);
    }
    CHECK(it.guard.depth() == 1);
    it.guard.report(Misuse::kLockLeft, kOuter);
    CHECK(it.place(0) == "DxgkDdiEscape (in DxgkDdiPresent)");
    CHECK(it.place(1) == "DxgkDdiEscape");
  });
}

TEST_CASE("a guard keeps the agents of two threads apart", "[driver]") {
  KernelBench machine;
  std::unique_ptr<Bench> it;
  bool looked = false;
  machine.run({[&](Kernel& kernel) {
                 it = std::make_unique<Bench>(kernel, machine);
                 const Stay stay(it->guard, kOuter);
                 it->guard.count(GuardedCall::kRegister);
                 while (!looked) kernel.cpu().sleep(common::kMicrosecond);
                 CHECK(it->guard.depth() == 1);
                 CHECK(it->guard.counts() == 1);
               },
               [&](Kernel& kernel) {
                 while (it == nullptr || machine.events.all.size() > 100'000)
                   kernel.cpu().sleep(common::kMicrosecond);
                 CHECK(it->guard.depth() == 0);
                 {
                   const Stay stay(it->guard, kInner);
                   CHECK(it->guard.depth() == 1);
                   CHECK(it->guard.counts() == 0);
                   looked = true;
                   kernel.cpu().sleep(10 * common::kMicrosecond);
                   CHECK(it->guard.depth() == 1);  // the other thread has left
                 }
                 CHECK(it->guard.depth() == 0);
               }});
}

TEST_CASE("calls of a driver are counted by kind and DDI up to a limit", "[driver]") {
  with_bench([](Bench& it) {
    it.guard.count(GuardedCall::kLock);  // in no DDI
    CHECK(it.guard.counts() == 0);
    const Stay outer(it.guard, kOuter);
    it.guard.count(GuardedCall::kRegister);
    it.guard.count(GuardedCall::kMemory);
    it.guard.count(GuardedCall::kMemory);
    {
      const Stay inner(it.guard, kInner);
      CHECK(it.guard.counts() == 0);
    }
    CHECK(it.guard.counts() == (1 | 2ULL << 2 * event::kGuardedCallBits));
    for (std::uint64_t i = 0; i < event::kMaxGuardedCalls + 1; ++i)
      it.guard.count(GuardedCall::kRegister);
    CHECK(it.guard.counts() == (event::kMaxGuardedCalls | 2ULL << 2 * event::kGuardedCallBits));
  });
}

TEST_CASE("a driver returns success or an error", "[driver]") {
  with_bench([](Bench& it) {
    CHECK_FALSE(it.reported(STATUS_SUCCESS));
    CHECK_FALSE(it.reported(STATUS_NO_MEMORY));
    CHECK(it.reported(STATUS_TIMEOUT));
    CHECK(it.reported(static_cast<NTSTATUS>(0x40000001)));  // information
    CHECK(it.reported(static_cast<NTSTATUS>(0x80000001)));  // a warning
    CHECK(it.reported(static_cast<NTSTATUS>(0xE0000001)));  // of a customer
    CHECK(it.reported(STATUS_PENDING));
    CHECK_FALSE(it.reported(STATUS_PENDING, Ddi::DxgkDdiSuspendContext));
    CHECK(it.reported(STATUS_TIMEOUT, Ddi::DxgkDdiSuspendContext));
  });
}

TEST_CASE("an exception of the driver ends its call with a status", "[driver]") {
  with_bench([](Bench& it) {
    const Stay stay(it.guard, kOuter);
    CHECK(it.guard.run([] { return static_cast<NTSTATUS>(fail()); }) == STATUS_UNSUCCESSFUL);
    CHECK(it.only(Misuse::kExceptionLeft));
    CHECK(it.place() == "DxgkDdiEscape");
    CHECK(it.guard.caught(fail, 7) == 7);
    CHECK(it.guard.caught([] { return 8; }, 7) == 8);
    CHECK(it.reports().size() == 2);
  });
}

TEST_CASE("an exception of the simulator passes through the driver", "[driver]") {
  with_bench([](Bench& it) {
    for (const auto thrown : {stop, fail}) {
      const Stay stay(it.guard, kOuter);
      CHECK_THROWS(it.guard.caught([&] { return it.guard.pass(thrown); }, 7));
    }
    CHECK_THROWS(it.guard.caught([&] { return it.guard.pass(fail); }, 7));  // in no DDI
    CHECK(it.reports().empty());
    const Stay next(it.guard, kOuter);
    CHECK(it.guard.caught([] { return 8; }, 7) == 8);  // it has passed
  });
}

TEST_CASE("a driver cannot keep the exception with which the machine stops", "[driver]") {
  with_bench([](Bench& it) {
    const auto keeps = [&](int (*thrown)()) {
      return [&it, thrown] {
        try {
          it.guard.pass(thrown);
        } catch (const std::exception&) {
          return 8;
        }
        return 9;
      };
    };
    const Stay stay(it.guard, kOuter);
    CHECK_THROWS_AS(it.guard.caught(keeps(stop), 7), BugCheck);
    CHECK(it.only(Misuse::kExceptionKept));
    const Stay next(it.guard, kOuter);
    CHECK(it.guard.caught(keeps(fail), 7) == 8);
    CHECK(it.reports().size() == 1);
    const auto keeps_both = [&] { return keeps(stop)() + keeps(fail)(); };
    CHECK_THROWS_AS(it.guard.caught(keeps_both, 7), BugCheck);
  });
}

TEST_CASE("a call of a driver that comes back without an exception passes", "[driver]") {
  with_bench([](Bench& it) {
    const Stay stay(it.guard, kOuter);
    CHECK(it.guard.pass([] { return 5; }) == 5);
    CHECK(it.guard.caught(fail, 7) == 7);  // this one is the driver's own
    CHECK(it.only(Misuse::kExceptionLeft));
  });
}

TEST_CASE("a report names the place in the source and the DDI", "[driver]") {
  with_bench([](Bench& it) {
    const CallSite site{"/some/where/driver.cpp", 12, "work"};
    it.guard.report(Misuse::kLockUnknown, site, 4);
    it.guard.report(Misuse::kLockUnknown, site, 5);
    const Stay stay(it.guard, kOuter);
    it.guard.report(Misuse::kLockHeld, {"driver.cpp", 12, "work"});
    const auto reports = it.reports();
    CHECK(it.place(0) == "driver.cpp:12 (work)");
    CHECK(reports[0].site == reports[1].site);
    CHECK(reports[0].number == 4);
    CHECK(reports[1].number == 5);
    CHECK(it.place(2) == "driver.cpp:12 (work, in DxgkDdiEscape)");
    CHECK(reports[2].misuse == static_cast<std::uint64_t>(Misuse::kLockHeld));
    CHECK(reports[2].adapter == it.machine.kernel().adapter(0).object());
  });
}

TEST_CASE("an entry that the driver leaves null is not implemented", "[driver]") {
  with_bench([](Bench& it) {
    CHECK(it.guard.report_missing(kInner) == STATUS_NOT_IMPLEMENTED);
    CHECK(it.only(Misuse::kEntryMissing));
    CHECK(it.place() == "DxgkDdiPresent");
  });
}

}  // namespace fenceline::os::test_driver_guard
