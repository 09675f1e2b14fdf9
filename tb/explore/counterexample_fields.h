#pragma once

#include "tb/explore/explore.h"
#include "tb/explore/search/search_fields.h"

// Counterexamples as bytes: see tb/explore/search/bytes.h.

namespace fenceline::scenario {

template <class Archive>
void serialize(Archive& archive, OperationRef& it) {
  archive(it.agent, it.op, it.nth);
}

template <class Archive>
void serialize(Archive& archive, Hold& hold) {
  archive(hold.operation, hold.until);
}

}  // namespace fenceline::scenario

namespace fenceline::explore {

template <class Archive>
void serialize(Archive& archive, StoryLine& line) {
  archive(line.step, line.agent, line.operation, line.text, line.held, line.decides);
}

template <class Archive>
void serialize(Archive& archive, OrderedSteps& steps) {
  archive(steps.first, steps.second);
}

template <class Archive>
void serialize(Archive& archive, Counterexample& it) {
  archive(it.violation, it.execution, it.steps, it.holds, it.held, it.eager, it.timed,
          it.timed_holds, it.replays, it.inevitable, it.decisive, it.why, it.story, it.at_end,
          it.prevented_by, it.mechanisms, it.not_prevented, it.trace, it.told);
}

}  // namespace fenceline::explore
