#include "tb/os/driver/driver_door.h"

#include <stdexcept>

namespace fenceline::os {

bool DriverDoor::come_in() {
  if (!counts_threads()) return false;
  common::Steps& steps = cpu_.simulation().steps;
  const common::AgentId agent = steps.current();
  if (agent == deferred_ || agent == resetter_) return false;
  const std::uint64_t place = emptied_.id;
  steps.touch(common::Place::kEvent, place, true);
  if (closed_ && cpu_.irql() != PASSIVE_LEVEL)
    throw std::logic_error("an agent at raised IRQL stands at the door of a driver that is reset");
  // The thread that resets may have lost its core to this one.
  while (closed_)
    cpu_.block_until(opened_, [this, &steps, place] {
      steps.touch(common::Place::kEvent, place, false);
      return !closed_;
    });
  steps.touch(common::Place::kEvent, place, true);
  ++inside_;
  return true;
}

void DriverDoor::leave() {
  cpu_.simulation().steps.touch(common::Place::kEvent, emptied_.id, true);
  if (--inside_ == 0) emptied_.set();
}

std::uint32_t DriverDoor::close() {
  common::Steps& steps = cpu_.simulation().steps;
  resetter_ = steps.current();
  if (!counts_threads() || !options_.preemption.exclusive_reset) return 0;
  const common::Time until = steps.simulated() + options_.preemption.tdr_ddi_delay;
  for (;;) {
    emptied_.clear();
    if (inside_ == 0) break;
    const common::Time now = steps.simulated();
    const common::Time left = until > now ? until - now : 1;
    if (!cpu_.block(emptied_, &left, common::Fires::kLast)) return inside_;
  }
  closed_ = true;
  return 0;
}

void DriverDoor::open() {
  cpu_.simulation().steps.touch(common::Place::kEvent, emptied_.id, true);
  closed_ = false;
  opened_.open();
}

}  // namespace fenceline::os
