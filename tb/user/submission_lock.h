#pragma once

#include <deque>

#include "tb/os/kernel.h"

namespace fenceline::user {

/// The critical section of a queue or context in the user-mode driver. A thread holds it from the
/// first command that it records to the return of the call that hands them over, also while it
/// waits for room in the ring. Threads get it in the order in which they asked for it.
///
/// A writer that one thread alone uses has nothing to lock: acquire and release are no steps then
/// and take no time, as on a device that is created for a single thread.
/// Source: A-630.
class SubmissionLock : public common::Hashed {
 public:
  /// @param guarded what the threads share.
  /// @param locks umd.submission_lock
  SubmissionLock(os::Kernel& kernel, const common::Hashed& guarded, bool locks);

  /// Several threads are going to use the writer. Before the first of them does.
  void share();
  /// Throws std::logic_error where a second thread comes and `share` was not called.
  void acquire();
  void release();
  /// Some thread is between the two.
  bool open() const { return open_ != 0; }

  /// The current agent is about to read, or to change, what the threads share. Without
  /// umd.submission_lock the others can come between the two.
  void before_read() {
    if (shared_ && !locks_) race(common::Operation::kRead);
  }
  void before_write() {
    if (shared_ && !locks_) race(common::Operation::kWrite);
  }

  std::uint64_t state_hash() const override;

 private:
  void race(common::Operation operation);
  void step(common::Operation operation);

  os::Kernel& kernel_;
  const common::Hashed& guarded_;
  common::Gate handed_over_;
  const std::uint64_t id_;  ///< place of footprints
  const bool locks_;        ///< umd.submission_lock
  bool shared_ = false;
  std::uint32_t open_ = 0;  ///< above 1 only without umd.submission_lock
  common::AgentId holder_ = 0;
  std::deque<common::AgentId> waiting_;  ///< oldest first
};

}  // namespace fenceline::user
