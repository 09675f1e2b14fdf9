#include "tb/scenario/shapes/hold.h"

#include "models/common/steps/operations.h"

namespace fenceline::scenario {

std::vector<std::string> operation_names() {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < common::kOperationCount; ++i) {
    names.emplace_back(common::operation_name(static_cast<common::Operation>(i)));
  }
  return names;
}

}  // namespace fenceline::scenario
