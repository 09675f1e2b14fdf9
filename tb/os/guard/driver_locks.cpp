#include "tb/os/guard/driver_locks.h"

#include <algorithm>
#include <optional>
#include <utility>

namespace fenceline::os {

DriverLocks::Id DriverLocks::create(const common::Hashed* content) {
  locks_.push_back({std::make_unique<SpinLock>(cpu_.simulation().steps, content), 0});
  return static_cast<Id>(locks_.size() - 1);
}

void DriverLocks::set_content(const common::Hashed* content) {
  for (Lock& lock : locks_) lock.lock->content = content;
}

void DriverLocks::acquire(Id id, const kmd_host::CallSite& site) {
  if (id >= locks_.size()) return guard_.report(Misuse::kLockUnknown, site, id);
  const common::AgentId agent = cpu_.simulation().steps.current();
  const std::uint32_t depth = guard_.depth();
  const bool mine = std::any_of(held_.begin(), held_.end(), [&](const Held& held) {
    return held.agent == agent && held.id == id && !held.refused;
  });
  const KIRQL irql = cpu_.irql();
  if (mine || irql > DISPATCH_LEVEL) {
    guard_.report(mine ? Misuse::kLockHeld : Misuse::kLockIrql, site, mine ? id : irql);
    return held_.push_back({agent, id, depth, true, site});
  }
  const KIRQL old = cpu_.acquire(*locks_[id].lock, DISPATCH_LEVEL);
  locks_[id].old = old;
  held_.push_back({agent, id, depth, false, site});
}

void DriverLocks::release(Id id, const kmd_host::CallSite& site) {
  if (id >= locks_.size()) return guard_.report(Misuse::kLockUnknown, site, id);
  const common::AgentId agent = cpu_.simulation().steps.current();
  // The last acquisition of this lock by the caller, and the first lock that it took since.
  std::optional<std::size_t> found;
  std::optional<std::size_t> later;
  for (std::size_t i = held_.size(); i-- > 0 && !found;) {
    if (held_[i].agent != agent) continue;
    if (held_[i].id == id)
      found = i;
    else if (!held_[i].refused)
      later = i;
  }
  if (!found) return guard_.report(Misuse::kLockNotHeld, site, id);
  if (later && !held_[*found].refused) {
    // The other lock keeps the core at DISPATCH_LEVEL and restores what this one would have.
    guard_.report(Misuse::kLockOrder, site, id);
    std::swap(locks_[id].old, locks_[held_[*later].id].old);
  }
  settle(*found);
}

void DriverLocks::settle(std::size_t index) {
  const Held held = held_[index];
  held_.erase(held_.begin() + static_cast<std::ptrdiff_t>(index));
  if (!held.refused) cpu_.release(*locks_[held.id].lock, locks_[held.id].old);
}

void DriverLocks::leave() {
  if (held_.empty()) return;
  const common::AgentId agent = cpu_.simulation().steps.current();
  const std::uint32_t depth = guard_.depth();
  for (std::size_t i = held_.size(); i-- > 0;) {
    const Held held = held_[i];
    if (held.agent != agent || held.depth < depth) continue;
    if (!held.refused) guard_.report(Misuse::kLockLeft, held.site, held.id);
    settle(i);
  }
}

}  // namespace fenceline::os
