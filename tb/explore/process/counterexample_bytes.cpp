#include "tb/explore/process/counterexample_bytes.h"

#include "tb/explore/search/search_fields.h"

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
  archive(line.step, line.agent, line.operation, line.text, line.held);
}

template <class Archive>
void serialize(Archive& archive, Counterexample& it) {
  archive(it.violation, it.execution, it.steps, it.holds, it.eager, it.timed, it.timed_holds,
          it.replays, it.inevitable, it.why, it.story, it.prevented_by, it.mechanisms,
          it.not_prevented, it.trace);
}

std::string bytes_of(const Counterexample& found) { return to_bytes(found); }

Counterexample counterexample_of(const std::string& bytes) {
  Counterexample found;
  from_bytes(bytes, found);
  return found;
}

}  // namespace fenceline::explore
