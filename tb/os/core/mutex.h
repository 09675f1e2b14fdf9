#pragma once

#include "tb/os/core/cpu.h"

namespace fenceline::os {

/// A mutex for PASSIVE_LEVEL: a waiting thread frees its core, and the holder may call drivers.
/// Source: WDK, KMUTEX.
class Mutex : public common::Hashed {
 public:
  /// @param guarded the protected state
  Mutex(Cpu& cpu, const common::Hashed& guarded)
      : cpu_(cpu),
        guarded_(guarded),
        free_(cpu.simulation().steps),
        id_(cpu.simulation().steps.new_place()) {
    cpu.simulation().steps.add_state(*this);
  }

  void acquire() {
    common::Steps& steps = cpu_.simulation().steps;
    const common::AgentId me = steps.current();
    for (;;) {
      cpu_.drain_stores();
      cpu_.take_step(common::Operation::kLock,
                     common::Footprint().writes(common::Place::kLock, id_));
      steps.touch(common::Place::kLock, id_, true);
      steps.observe(holder_);
      if (holder_ == 0) break;
      free_.clear();
      cpu_.block(free_, nullptr);
    }
    holder_ = me;
    steps.observe(guarded_.state_hash());
    cpu_.compute(cpu_.core().config().lock);
  }
  void release() {
    cpu_.drain_stores();
    cpu_.simulation().steps.touch(common::Place::kLock, id_, true);
    holder_ = 0;
    free_.set();
  }
  /// True if the current agent holds it.
  bool mine() const { return holder_ == cpu_.simulation().steps.current(); }

  std::uint64_t state_hash() const override {
    return common::hash_values(guarded_.state_hash(),
                               std::uint64_t{holder_} << 1 | (free_.signaled ? 1U : 0U));
  }

 private:
  Cpu& cpu_;
  const common::Hashed& guarded_;
  KernelEvent free_;
  const std::uint64_t id_;  ///< place for footprints
  common::AgentId holder_ = 0;
};

/// Holds a mutex within its scope, unless the current agent holds it already.
class MutexScope {
 public:
  explicit MutexScope(Mutex& mutex) : mutex_(mutex.mine() ? nullptr : &mutex) {
    if (mutex_ != nullptr) mutex_->acquire();
  }
  ~MutexScope() {
    if (mutex_ != nullptr) mutex_->release();
  }
  MutexScope(const MutexScope&) = delete;
  MutexScope& operator=(const MutexScope&) = delete;

 private:
  Mutex* const mutex_;
};

}  // namespace fenceline::os
