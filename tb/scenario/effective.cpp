#include "tb/scenario/effective.h"

#include "tb/scenario/shapes/scenario.h"
#include "tb/scenario/shapes/writer.h"

namespace fenceline::scenario {

std::string effective_document(const Scenario& scenario) {
  return ObjectCodec<ScenarioShape>{}.write(scenario).dump(2) + "\n";
}

}  // namespace fenceline::scenario
