#include "tb/os/core/shared_data.h"

namespace fenceline::os {

void SharedData::begin() {
  cpu_.step(common::Operation::kTable, common::Footprint().reads(common::Place::kEvent, place_));
}

void SharedData::read() const {
  footprint(false);
  common::Steps& steps = cpu_.simulation().steps;
  if (steps.fine_steps()) steps.observe(trail_);
}

void SharedData::change() {
  footprint(true);
  common::Steps& steps = cpu_.simulation().steps;
  if (!steps.fine_steps()) return;
  steps.observe(trail_);
  steps.publish(trail_);
}

void SharedData::footprint(bool write) const {
  common::Steps& steps = cpu_.simulation().steps;
  if (always_ || steps.fine_steps()) steps.touch(common::Place::kEvent, place_, write);
}

}  // namespace fenceline::os
