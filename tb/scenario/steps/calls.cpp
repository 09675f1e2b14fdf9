#include "tb/scenario/steps/calls.h"

#include "kmd_stub/wddm/names.h"
#include "tb/scenario/shapes/schema_visitor.h"
#include "tb/scenario/shapes/writer.h"

namespace fenceline::scenario {

WordCodec status_word() { return {fenceline::wddm::status_names()}; }

std::vector<std::string> feature_states() {
  return {"disabled", "enabled", "no_services", "not_configured", "unknown", "unsupported"};
}

void DestroyFenceCodec::read(const Node& node, DestroyFenceStep& out) const {
  if (node.is(JsonValue::Kind::kObject))
    ObjectCodec<DestroyFenceShape>{}.read(node, out);
  else
    name().read(node, out.fence);
}

Json DestroyFenceCodec::write(const DestroyFenceStep& step) const {
  if (!step.status) return step.fence;
  return ObjectCodec<DestroyFenceShape>{}.write(step);
}

Json DestroyFenceCodec::schema(SchemaDefinitions& definitions) const {
  return either(name().schema(definitions), ObjectCodec<DestroyFenceShape>{}.schema(definitions));
}

}  // namespace fenceline::scenario
