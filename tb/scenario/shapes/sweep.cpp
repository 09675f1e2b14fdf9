#include "tb/scenario/shapes/sweep.h"

#include "tb/scenario/shapes/schema_visitor.h"
#include "tb/scenario/sweep_values.h"
#include "tb/scenario/text/json_tree.h"

namespace fenceline::scenario {

namespace {

constexpr const char* kRangeEndPattern =
    "^(0|[1-9][0-9]*)(\\.[0-9]+)?(ps|ns|us|ms|s|B|KiB|MiB|GiB|MB/s|GB/s|TB/s|Hz|kHz|MHz|GHz)$";

bool is_json_pointer(std::string_view text) {
  if (text.size() < 2 || text[0] != '/') return false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '~') continue;
    if (i + 1 == text.size() || (text[i + 1] != '0' && text[i + 1] != '1')) return false;
  }
  return true;
}

}  // namespace

void JsonTextCodec::read(const Node& node, std::string& out) const {
  out = json_of(node.value());
  if (!can_be_kept(out)) node.fail("a number is larger than any that can be kept");
}

Json JsonTextCodec::write(const std::string& value) const { return json_tree<Json>(value); }
Json JsonTextCodec::schema(SchemaDefinitions&) const { return Json::object(); }

void RangeEndCodec::read(const Node& node, std::string& out) const {
  if (node.is(JsonValue::Kind::kNumber)) {
    std::uint64_t number = 0;
    IntegerCodec{}.read(node, number);
    out = std::to_string(number);
    return;
  }
  const std::string expected = "a whole number, or a text such as \"250ns\", \"4KiB\"";
  node.string(expected);
  out = json_of(node.value());
  Variation alone;
  alone.from = alone.to = out;
  try {
    const VariedValues unused(alone);
  } catch (const SweepProblem& problem) {
    node.fail(problem.what(), expected);
  }
}

Json RangeEndCodec::write(const std::string& value) const { return json_tree<Json>(value); }

Json RangeEndCodec::schema(SchemaDefinitions&) const {
  return either({{"type", "integer"}, {"minimum", 0}, {"maximum", kMaxNumber}},
                {{"type", "string"}, {"pattern", kRangeEndPattern}});
}

PatternCodec json_pointer() {
  return {"a JSON pointer such as \"/platform/host/cores\"", "^/([^~]|~[01])+$", is_json_pointer};
}

}  // namespace fenceline::scenario
