#include "tb/scenario/ordering_names.h"

namespace fenceline::scenario {

std::vector<std::string> ordering_names() {
  KeyVisitor keys;
  const common::Ordering ordering;
  OrderingShape::fields(keys, ordering);
  return keys.keys;
}

}  // namespace fenceline::scenario
