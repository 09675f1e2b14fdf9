#include "tb/user/submission_lock.h"

#include <stdexcept>

namespace fenceline::user {

using common::Footprint;
using common::Operation;
using common::Place;

SubmissionLock::SubmissionLock(os::Kernel& kernel, const common::Hashed& guarded, bool locks)
    : kernel_(kernel),
      guarded_(guarded),
      handed_over_(kernel.simulation().steps),
      id_(kernel.simulation().steps.new_place()),
      locks_(locks) {}

void SubmissionLock::share() {
  if (shared_) return;
  shared_ = true;
  kernel_.simulation().steps.add_state(*this);
}

void SubmissionLock::step(Operation operation) {
  const bool writes = operation != Operation::kRead;
  kernel_.cpu().take_step(operation, writes ? Footprint().writes(Place::kLock, id_)
                                            : Footprint().reads(Place::kLock, id_));
  kernel_.simulation().steps.touch(Place::kLock, id_, writes);
}

void SubmissionLock::acquire() {
  common::Steps& steps = kernel_.simulation().steps;
  const common::AgentId me = steps.current();
  if (!shared_) {
    if (open_++ != 0) throw std::logic_error("a second thread in a submission that is not shared");
    return;
  }
  if (!locks_) {
    ++open_;
    return;
  }
  os::Cpu& cpu = kernel_.cpu();
  cpu.core().before_atomic();
  step(Operation::kLock);
  const bool free = holder_ == 0;
  steps.observe(free ? 1 : 0);
  if (free) {
    holder_ = me;
  } else {
    waiting_.push_back(me);
    cpu.block_until(handed_over_, [&] {
      steps.touch(Place::kLock, id_, false);
      return holder_ == me;
    });
  }
  ++open_;
  cpu.load_barrier();
  steps.observe(guarded_.state_hash());
  cpu.compute(cpu.core().config().lock);
}

/// Releases by a plain store, which stays behind earlier stores. The thread that waits longest gets
/// the lock.
void SubmissionLock::release() {
  --open_;
  if (!shared_ || !locks_) return;
  kernel_.cpu().core().after_stores(id_, [this] {
    kernel_.simulation().steps.touch(Place::kLock, id_, true);
    holder_ = 0;
    if (waiting_.empty()) return;
    holder_ = waiting_.front();
    waiting_.pop_front();
    handed_over_.open();
  });
}

void SubmissionLock::race(Operation operation) {
  step(operation);
  kernel_.simulation().steps.observe(guarded_.state_hash());
}

std::uint64_t SubmissionLock::state_hash() const {
  common::Hasher hasher;
  hasher.add(guarded_.state_hash()).add(holder_);
  for (const common::AgentId agent : waiting_) hasher.add(agent);
  return hasher.value();
}

}  // namespace fenceline::user
