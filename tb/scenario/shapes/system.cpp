#include "tb/scenario/shapes/system.h"

#include "tb/scenario/shapes/schema_visitor.h"
#include "tb/scenario/shapes/writer.h"

namespace fenceline::scenario {

namespace {
const ListCodec<WordCodec>& memories() {
  static const ListCodec<WordCodec> codec = list(WordCodec{{"sysmem", "vram"}}, 0, 2);
  return codec;
}
}  // namespace

std::vector<std::string> scheduling_cap_names() {
  std::vector<std::string> names;
  names.reserve(kSchedulingCaps.size());
  for (const SchedulingCap& cap : kSchedulingCaps) names.emplace_back(cap.name);
  return names;
}

std::uint32_t scheduling_bits(const std::vector<std::string>& names) {
  std::uint32_t bits = 0;
  for (const std::string& name : names)
    for (const SchedulingCap& cap : kSchedulingCaps)
      if (name == cap.name) bits |= cap.bit;
  return bits;
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
