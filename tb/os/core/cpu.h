#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "kmd_stub/wddm/base.h"
#include "models/common/simulation.h"
#include "models/host/core.h"

namespace fenceline::os {

/// A spin lock. It may be held across steps: other agents of the core spin at the lock's IRQL.
struct SpinLock : common::Hashed {
  /// @param guarded the protected state, if it can be hashed; otherwise, and while it is null, the
  /// knowledge of the lock's holders stands for the content
  explicit SpinLock(common::Steps& all, const common::Hashed* guarded = nullptr)
      : steps(all), released(all), id(all.new_place()), content(guarded) {
    steps.add_state(*this);
  }
  std::uint64_t state_hash() const override {
    return common::hash_values(content != nullptr ? content->state_hash() : trail, held ? 1 : 0);
  }

  common::Steps& steps;
  bool held = false;
  common::Gate released;
  std::uint64_t id;  ///< place for footprints
  const common::Hashed* content;
  std::uint64_t trail = 0;
};

/// An event object (KEVENT): once set, it stays set.
struct KernelEvent {
  explicit KernelEvent(common::Steps& all) : steps(all), changed(all), id(all.new_place()) {}
  common::Steps& steps;
  bool signaled = false;
  common::Gate changed;
  std::uint64_t id;  ///< place for footprints

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

/// The operating system's view of the cores: the core of each agent, and IRQLs as in host::Core.
class Cpu {
 public:
  Cpu(common::Simulation& simulation, std::vector<host::Core*> cores)
      : simulation_(simulation), cores_(std::move(cores)) {}

  /// Runs `agent` on that core from now on.
  void place(common::AgentId agent, std::uint32_t core);
  /// Core of the current agent. @pre the agent is placed
  host::Core& core() { return *cores_[placed_[simulation_.steps.current()]]; }
  host::Core& core(std::uint32_t number) { return *cores_[number]; }
  std::size_t core_count() const { return cores_.size(); }

  KIRQL irql() { return core().level_of(simulation_.steps.current()); }

  /// In fine steps (common::Grain), makes the current agent's next action a step of its own.
  /// Otherwise does nothing.
  void step(common::Operation operation, const common::Footprint& footprint);
  /// Makes the current agent's next action a step, taken when the agent may run on its core.
  void take_step(common::Operation operation, const common::Footprint& footprint);
  /// Raises to `irql`, spins until the lock is free, and takes it; returns the old IRQL. In the
  /// finest steps the IRQL is raised together with taking the lock, so that an interrupt of the
  /// core may come at any step before.
  KIRQL acquire(SpinLock& lock, KIRQL irql);
  void release(SpinLock& lock, KIRQL old);
  /// In fine steps, also a step at which an interrupt of the core may come first.
  KIRQL raise(KIRQL irql);
  void lower(KIRQL irql) { core().lower(irql); }

  void compute(common::Time duration) { core().compute(duration); }
  /// Loads 64 bits from a bus address.
  std::uint64_t load(std::uint64_t bus);
  /// Stores 64 bits to a bus address. The time of the instruction is the caller's.
  void store(std::uint64_t bus, std::uint64_t value);
  /// Stores a block of memory, line by line.
  void store_lines(std::uint64_t bus, const void* data, std::uint64_t bytes);
  /// Enters and leaves a thread on its core.
  void run_thread(common::Operation operation, common::Time latency) {
    core().enter(PASSIVE_LEVEL, operation, latency);
  }
  void stop_thread() {
    core().wait_for_combined(event::CombiningDrain::kThread);
    core().leave();
  }
  /// The thread leaves its core for that time.
  void sleep(common::Time duration) {
    stop_thread();
    simulation_.steps.elapse(duration);
    run_thread(common::Operation::kResume, core().config().thread_wake);
  }
  /// Pause between two reads of a loop that waits for memory. While exploring, the thread's time
  /// slice ends here: it shares its core with the threads for which it waits.
  void pause(common::Time duration);
  /// While exploring: the thread's time slice ends, and it continues after `ready()` holds. False:
  /// the limit came first.
  template <typename Ready>
  bool yield_until(Ready&& ready, const std::optional<common::Time>& limit = {}) {
    host::Core& here = core();
    const bool competes = !here.is_free(simulation_.steps.current());
    if (competes) here.leave();
    common::Gate never(simulation_.steps);  // conditions are looked at before each choice
    bool in_time = true;
    if (limit)
      in_time = simulation_.steps.wait_until_for(never, ready, *limit);
    else
      simulation_.steps.wait_until(never, ready);
    if (competes) here.enter(PASSIVE_LEVEL, common::Operation::kResume, 0);
    return in_time;
  }
  /// A full barrier: the core's stores are visible on return.
  void drain_stores() { core().drain_stores(); }
  void load_barrier() { core().load_barrier(); }
  /// Sends write-combined stores before any later store.
  void store_fence() { core().store_fence(); }
  /// Blocks until the event is set or `limit` has passed; the core is free meanwhile.
  /// @return false on time-out.
  bool block(KernelEvent& event, const common::Time* limit,
             common::Fires fires = common::Fires::kAnyTime);
  /// Blocks until `ready()` holds; the core is free meanwhile. A change that makes it hold must
  /// open the gate.
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
