#include "tb/scenario/effective.h"

#include "tb/scenario/shapes/platform.h"
#include "tb/scenario/shapes/writer.h"

namespace fenceline::scenario {

std::string effective_document(const Scenario& scenario) {
  return ObjectCodec<Scenario>{}.write(scenario).dump(2) + "\n";
}

}  // namespace fenceline::scenario
