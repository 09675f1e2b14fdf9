// Spin locks of a driver: who may take and release them, and what a DDI may leave.
#include <catch2/catch.hpp>

#include "tb/os/guard/driver_locks.h"
#include "tb/test/support/os/kernel_bench.h"

namespace fenceline::os::test_driver_locks {

namespace {

using support::KernelBench;
using Stay = DriverGuard::Stay;

constexpr Ddi kDdi = Ddi::DxgkDdiEscape;

/// Two locks of a driver, and what was reported of their use.
struct Bench {
  Bench(Kernel& of, KernelBench& on)
      : cpu(of.cpu()), machine(on), guard(cpu, of.adapter(0).object()), locks(cpu, guard) {
    first = locks.create(nullptr);
    second = locks.create(nullptr);
    on.events.all.clear();
  }
  void acquire(DriverLocks::Id id) { locks.acquire(id, {"a.cpp", 1, "a"}); }
  void release(DriverLocks::Id id) { locks.release(id, {"r.cpp", 2, "r"}); }
  /// The misuse reported since the last look; kCount: none.
  Misuse misuse(std::uint64_t number) {
    const auto all = machine.events.of<event::DriverMisuse>();
    machine.events.all.clear();
    if (all.empty()) return Misuse::kCount;
    CHECK(all.size() == 1);
    CHECK(all[0].number == number);
    return static_cast<Misuse>(all[0].misuse);
  }
  bool quiet() { return misuse(0) == Misuse::kCount; }

  Cpu& cpu;
  KernelBench& machine;
  DriverGuard guard;
  DriverLocks locks;
  DriverLocks::Id first = 0, second = 0;
};

void with_bench(const std::function<void(Bench&)>& body) {
  KernelBench machine;
  machine.run({[&](Kernel& kernel) {
    Bench bench(kernel, machine);
    body(bench);
    CHECK(kernel.cpu().irql() == PASSIVE_LEVEL);
  }});
}

}  // namespace

TEST_CASE("a lock of a driver raises the level while it is held", "[driver]") {
  with_bench([](Bench& it) {
    it.acquire(it.first);
    CHECK(it.cpu.irql() == DISPATCH_LEVEL);
    it.acquire(it.second);
    it.release(it.second);
    CHECK(it.cpu.irql() == DISPATCH_LEVEL);
    it.release(it.first);
    CHECK(it.cpu.irql() == PASSIVE_LEVEL);
    CHECK(it.quiet());
  });
}

TEST_CASE("a lock that the driver has not created is neither taken nor released", "[driver]") {
  with_bench([](Bench& it) {
    it.acquire(it.second + 1);
    CHECK(it.misuse(it.second + 1) == Misuse::kLockUnknown);
    CHECK(it.cpu.irql() == PASSIVE_LEVEL);
    it.release(it.second + 1);
    CHECK(it.misuse(it.second + 1) == Misuse::kLockUnknown);
  });
}

TEST_CASE("a lock that is taken twice is held until the second release", "[driver]") {
  with_bench([](Bench& it) {
    it.acquire(it.second);
    it.acquire(it.second);
    CHECK(it.misuse(it.second) == Misuse::kLockHeld);
    it.release(it.second);
    CHECK(it.cpu.irql() == DISPATCH_LEVEL);
    it.release(it.second);
    CHECK(it.cpu.irql() == PASSIVE_LEVEL);
    CHECK(it.quiet());
    it.release(it.second);
    CHECK(it.misuse(it.second) == Misuse::kLockNotHeld);
  });
}

TEST_CASE("a lock is taken again after its release", "[driver]") {
  with_bench([](Bench& it) {
    for (int i = 0; i < 2; ++i) {
      it.acquire(it.first);
      it.release(it.first);
    }
    CHECK(it.quiet());
  });
}

TEST_CASE("a lock is taken up to DISPATCH_LEVEL", "[driver]") {
  with_bench([](Bench& it) {
    const KIRQL passive = it.cpu.raise(DISPATCH_LEVEL);
    it.acquire(it.first);
    it.release(it.first);
    CHECK(it.quiet());
    CHECK(it.cpu.irql() == DISPATCH_LEVEL);
    const KIRQL dispatch = it.cpu.raise(DEVICE_LEVEL);
    it.acquire(it.first);
    CHECK(it.misuse(DEVICE_LEVEL) == Misuse::kLockIrql);
    it.release(it.first);  // the driver does not know that it has none
    CHECK(it.quiet());
    CHECK(it.cpu.irql() == DEVICE_LEVEL);
    it.cpu.lower(dispatch);
    it.cpu.lower(passive);
  });
}

TEST_CASE("a lock that was refused can be taken", "[driver]") {
  with_bench([](Bench& it) {
    const KIRQL old = it.cpu.raise(DEVICE_LEVEL);
    it.acquire(it.first);
    CHECK(it.misuse(DEVICE_LEVEL) == Misuse::kLockIrql);
    it.cpu.lower(old);
    it.acquire(it.first);
    CHECK(it.cpu.irql() == DISPATCH_LEVEL);
    it.release(it.first);
    it.release(it.first);
    CHECK(it.quiet());
  });
}

TEST_CASE("a lock that is released too early leaves the level to the later one", "[driver]") {
  with_bench([](Bench& it) {
    it.acquire(it.first);
    it.acquire(it.second);
    it.release(it.first);
    CHECK(it.misuse(it.first) == Misuse::kLockOrder);
    CHECK(it.cpu.irql() == DISPATCH_LEVEL);
    it.release(it.second);
    CHECK(it.cpu.irql() == PASSIVE_LEVEL);
    CHECK(it.quiet());
  });
}

TEST_CASE("a lock that was refused is not a later one", "[driver]") {
  with_bench([](Bench& it) {
    it.acquire(it.first);
    const KIRQL dispatch = it.cpu.raise(DEVICE_LEVEL);
    it.acquire(it.second);
    CHECK(it.misuse(DEVICE_LEVEL) == Misuse::kLockIrql);
    it.cpu.lower(dispatch);
    it.release(it.first);
    CHECK(it.quiet());
    it.release(it.second);
    CHECK(it.quiet());
  });
}

TEST_CASE("a refused acquisition is released in any order", "[driver]") {
  with_bench([](Bench& it) {
    it.acquire(it.first);
    it.acquire(it.first);
    CHECK(it.misuse(it.first) == Misuse::kLockHeld);
    it.acquire(it.second);
    it.release(it.first);  // the refused one
    CHECK(it.quiet());
    it.release(it.second);
    it.release(it.first);
    CHECK(it.quiet());
  });
}

TEST_CASE("a lock is released by its holder only", "[driver]") {
  KernelBench machine;
  std::unique_ptr<Bench> it;
  bool tried = false;
  machine.run({[&](Kernel& kernel) {
                 it = std::make_unique<Bench>(kernel, machine);
                 it->acquire(it->first);
                 while (!tried) kernel.cpu().compute(common::kMicrosecond);
                 it->locks.leave();
                 CHECK(it->cpu.irql() == PASSIVE_LEVEL);
               },
               [&](Kernel& kernel) {
                 while (it == nullptr) kernel.cpu().sleep(common::kMicrosecond);
                 kernel.cpu().sleep(common::kMicrosecond);
                 machine.events.all.clear();
                 it->release(it->first);
                 CHECK(it->misuse(it->first) == Misuse::kLockNotHeld);
                 it->locks.leave();  // it is not this one's
                 CHECK(it->quiet());
                 it->acquire(it->second);
                 it->release(it->second);
                 CHECK(it->quiet());
                 tried = true;
                 it->acquire(it->first);  // the other thread has to lose it first
                 it->release(it->first);
                 CHECK(it->misuse(it->first) == Misuse::kLockLeft);
               }});
}

TEST_CASE("a DDI that leaves a lock locked has it unlocked", "[driver]") {
  with_bench([](Bench& it) {
    {
      const Stay outer(it.guard, kDdi);
      it.acquire(it.first);
      {
        const Stay inner(it.guard, kDdi);
        it.acquire(it.second);
        it.locks.leave();
        CHECK(it.misuse(it.second) == Misuse::kLockLeft);
      }
      CHECK(it.cpu.irql() == DISPATCH_LEVEL);  // the lock of the outer DDI stays
      it.locks.leave();
    }
    const auto left = it.machine.events.of<event::DriverMisuse>();
    REQUIRE(left.size() == 1);
    CHECK(it.machine.simulation().events.name(common::ObjectKind::kCallSite, left[0].site) ==
          "a.cpp:1 (a, in DxgkDdiEscape)");
    CHECK(it.misuse(it.first) == Misuse::kLockLeft);
    it.locks.leave();
    CHECK(it.quiet());
  });
}

TEST_CASE("a DDI that leaves a refused lock was reported once", "[driver]") {
  with_bench([](Bench& it) {
    const Stay stay(it.guard, kDdi);
    const KIRQL old = it.cpu.raise(DEVICE_LEVEL);
    it.acquire(it.first);
    it.cpu.lower(old);
    CHECK(it.misuse(DEVICE_LEVEL) == Misuse::kLockIrql);
    it.locks.leave();
    CHECK(it.quiet());
    it.release(it.first);
    CHECK(it.misuse(it.first) == Misuse::kLockNotHeld);
  });
}

}  // namespace fenceline::os::test_driver_locks
