#pragma once

#include <deque>

#include "tb/os/kernel.h"

namespace fenceline::user {

/// Critical section of a queue or context in the user-mode driver. A thread holds it from the first
/// recorded command to the return of the submission, also while it waits for room in the ring.
/// Threads get it in order of request.
///
/// A writer of a single thread needs no lock: acquire and release are then no steps and take no
/// time, like on a device created for a single thread. Source: A-630.
class SubmissionLock : public common::Hashed {
 public:
  /// @param guarded state that the threads share. @param locks switch umd.submission_lock
  SubmissionLock(os::Kernel& kernel, const common::Hashed& guarded, bool locks);

  /// Call this before the first of several threads uses the writer.
  void share();
  /// Throws std::logic_error for a second thread without a call of `share`.
  void acquire();
  void release();
  /// True if a thread is between acquire and release.
  bool open() const { return open_ != 0; }

  /// Call before the current agent reads or changes shared state. Without umd.submission_lock other
  /// threads may come in between.
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
  const std::uint64_t id_;  ///< footprint place
  const bool locks_;        ///< umd.submission_lock
  bool shared_ = false;
  std::uint32_t open_ = 0;  ///< above 1 only without umd.submission_lock
  common::AgentId holder_ = 0;
  std::deque<common::AgentId> waiting_;  ///< oldest first
};

}  // namespace fenceline::user
