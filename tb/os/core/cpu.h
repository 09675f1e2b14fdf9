#pragma once

#include <cstdint>
#include <vector>

#include "kmd_stub/wddm/base.h"
#include "models/common/simulation.h"
#include "models/host/core.h"

namespace fenceline::os {

/// A spin lock. Held across steps: others at the same core spin at the lock's IRQL.
struct SpinLock : common::Hashed {
  /// @param guarded what the lock protects, if that has a hash. Otherwise, and while that is null,
  /// what its holders knew stands for the content.
  explicit SpinLock(common::Steps& all, const common::Hashed* guarded = nullptr)
      : steps(all), released(all), id(all.new_place()), content(guarded) {
    steps.add_state(*this);
  }
  std::uint64_t state_hash() const override {
    return common::Hasher()
        .add(content != nullptr ? content->state_hash() : trail)
        .add(held ? 1 : 0)
        .value();
  }

  common::Steps& steps;
  bool held = false;
  common::Gate released;
  std::uint64_t id;  ///< place of footprints
  const common::Hashed* content;
  std::uint64_t trail = 0;
};

/// An event object (KEVENT): set once, stays set.
struct KernelEvent {
  explicit KernelEvent(common::Steps& all) : steps(all), changed(all), id(all.new_place()) {}
  common::Steps& steps;
  bool signaled = false;
  common::Gate changed;
  std::uint64_t id;  ///< place of footprints

  void set() {
    steps.touch(common::Place::kEvent, id, true);
    signaled = true;
    changed.open();
  }
  void clear() {
    steps.touch(common::Place::kEvent, id, true);
    signaled = false;
  }
  bool is_set() const {
    steps.touch(common::Place::kEvent, id, false);
    return signaled;
  }
};

/// The operating system's view of the cores: which agent runs on which, and at what IRQL.
/// IRQLs are the levels of host::Core.
class Cpu {
 public:
  Cpu(common::Simulation& simulation, std::vector<host::Core*> cores)
      : simulation_(simulation), cores_(std::move(cores)) {}

  /// `agent` runs on that core from now on.
  void place(common::AgentId agent, std::uint32_t core);
  /// Core of the current agent. @pre it has been placed.
  host::Core& core() { return *cores_[placed_[simulation_.steps.current()]]; }
  host::Core& core(std::uint32_t number) { return *cores_[number]; }
  std::size_t core_count() const { return cores_.size(); }

  KIRQL irql() { return core().level_of(simulation_.steps.current()); }

  /// In fine steps (common::Grain), the current agent's next action is a step, taken when
  /// the agent may run. Otherwise nothing happens.
  void step(common::Operation operation, const common::Footprint& footprint);
  /// Raises to `irql`, spins until the lock is free, takes it; returns the IRQL before. In the
  /// finest steps the level is raised when the lock is taken, so that an interrupt of the core may
  /// come at any step before.
  KIRQL acquire(SpinLock& lock, KIRQL irql);
  void release(SpinLock& lock, KIRQL old);
  /// In fine steps, a step where an interrupt of the core may come first.
  KIRQL raise(KIRQL irql);
  void lower(KIRQL irql) { core().lower(irql); }

  /// Computes for `duration` on the current core.
  void compute(common::Time duration) { core().compute(duration); }
  /// A thread starts on its core; and gives it up.
  void run_thread(common::Operation operation, common::Time latency) {
    core().enter(PASSIVE_LEVEL, operation, latency);
  }
  void stop_thread() {
    core().wait_for_combined(event::CombiningDrain::kThread);
    core().leave();
  }
  /// As a full barrier does: the core's stores are visible on return.
  void drain_stores() { core().drain_stores(); }
  void load_barrier() { core().load_barrier(); }
  /// What has been stored through write-combined mappings is sent before anything that comes later.
  void store_fence() { core().store_fence(); }
  /// Gives up the core until the event is set (or `limit` has passed), then takes it again.
  /// @return false on time-out.
  bool block(KernelEvent& event, const common::Time* limit,
             common::Fires fires = common::Fires::kAnyTime);
  /// Gives up the core until `ready()` holds, then takes it again. Whoever makes it hold opens the
  /// gate.
  template <typename Ready>
  void block_until(common::Gate& gate, Ready&& ready) {
    host::Core& here = core();
    here.drain_stores();
    here.leave();
    simulation_.steps.wait_until(gate, ready);
    here.enter(PASSIVE_LEVEL, common::Operation::kResume, here.config().thread_wake);
  }

  common::Simulation& simulation() { return simulation_; }

 private:
  common::Simulation& simulation_;
  std::vector<host::Core*> cores_;
  std::vector<std::uint32_t> placed_;  ///< by agent
};

/// Holds a spin lock while in scope.
class LockScope {
 public:
  LockScope(Cpu& cpu, SpinLock& lock, KIRQL irql)
      : cpu_(cpu), lock_(lock), old_(cpu.acquire(lock, irql)) {}
  ~LockScope() { cpu_.release(lock_, old_); }
  LockScope(const LockScope&) = delete;
  LockScope& operator=(const LockScope&) = delete;

 private:
  Cpu& cpu_;
  SpinLock& lock_;
  KIRQL old_;
};

}  // namespace fenceline::os
