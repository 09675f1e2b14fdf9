#include "kmd_stub/wddm/names.h"
#include "tb/scenario/shapes/schema_visitor.h"
#include "tb/scenario/shapes/writer.h"
#include "tb/scenario/steps/program.h"

namespace fenceline::scenario {

namespace {

const ListCodec<WordCodec>& memories() {
  static const ListCodec<WordCodec> codec = list(WordCodec{{"sysmem", "vram"}}, 0, 2);
  return codec;
}

}  // namespace

WordCodec status_word() { return {fenceline::wddm::status_names()}; }

std::vector<std::string> feature_states() {
  return {"disabled", "enabled", "no_services", "not_configured", "unknown", "unsupported"};
}

Json CounterCodec::write(const std::string& value) const {
  return value.empty() ? Json() : Json(value);
}

Json CounterCodec::schema(SchemaDefinitions& definitions) const {
  return name().schema(definitions);
}

void DestroyFenceCodec::read(const Node& node, DestroyFenceStep& out) const {
  if (node.is(JsonValue::Kind::kObject))
    ObjectCodec<DestroyFenceStep>{}.read(node, out);
  else
    name().read(node, out.fence);
}

Json DestroyFenceCodec::write(const DestroyFenceStep& step) const {
  if (!step.status) return step.fence;
  return ObjectCodec<DestroyFenceStep>{}.write(step);
}

Json DestroyFenceCodec::schema(SchemaDefinitions& definitions) const {
  return either(name().schema(definitions), ObjectCodec<DestroyFenceStep>{}.schema(definitions));
}

void SegmentsCodec::read(const Node& node, std::uint32_t& out) const {
  std::vector<std::string> words;
  memories().read(node, words);
  out = 0;
  for (const std::string& word : words)
    out |= word == "vram" ? kmd_host::kVramSegmentBit : kmd_host::kApertureSegmentBit;
}

Json SegmentsCodec::write(std::uint32_t value) const {
  Json array = Json::array();
  if ((value & kmd_host::kVramSegmentBit) != 0) array.push_back("vram");
  if ((value & kmd_host::kApertureSegmentBit) != 0) array.push_back("sysmem");
  return array;
}

Json SegmentsCodec::schema(SchemaDefinitions& definitions) const {
  return memories().schema(definitions);
}

}  // namespace fenceline::scenario
