#include "tb/generate/constraints.h"

#include <fstream>
#include <sstream>

#include "tb/generate/constraints_shape.h"
#include "tb/generate/rules.h"
#include "tb/scenario/profiles.h"
#include "tb/scenario/shapes/schema_visitor.h"
#include "tb/scenario/shapes/writer.h"
#include "tb/scenario/text/diagnostics.h"
#include "tb/scenario/text/json_document.h"

namespace fenceline::generate {

namespace {

Weights even_weights(const char* profiles) {
  Weights weights;
  for (const std::string& name : scenario::profile_names(profiles)) weights[name] = 10;
  return weights;
}

std::string text_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  if (!file || !text) throw scenario::ScenarioError({path, 0, 0, {}, "cannot be read", {}, {}});
  return text.str();
}

}  // namespace

void SpanCodec::read(const Node& node, Span& out) const {
  if (node.is(scenario::JsonValue::Kind::kObject)) {
    scenario::ObjectCodec<SpanEnds>{}.read(node, out);
    if (out.min > out.max) node.fail("min is greater than max");
    if (out.min < least || out.max > most)
      node.fail("the range is too wide",
                "from " + std::to_string(least) + " to " + std::to_string(most));
  } else {
    IntegerCodec{least, most}.read(node, out.min);
    out.max = out.min;
  }
}

Json SpanCodec::write(const Span& span) const {
  if (span.min == span.max) return span.min;
  return {{"min", span.min}, {"max", span.max}};
}

Json SpanCodec::schema(SchemaDefinitions& definitions) const {
  return scenario::either(IntegerCodec{least, most}.schema(definitions),
                          scenario::ObjectCodec<SpanEnds>{}.schema(definitions));
}

void WeightsCodec::read(const Node& node, Weights& out) const {
  node.object();
  scenario::reject_unknown_keys(node, words);
  for (std::size_t i = 0; i < node.value().children.size(); ++i)
    percent().read(node.child(i), out[node.value().children[i].key]);
}

Json WeightsCodec::write(const Weights& weights) const { return weights; }

Json WeightsCodec::schema(SchemaDefinitions& definitions) const {
  Json properties = Json::object();
  for (const std::string& word : words) properties[word] = percent().schema(definitions);
  return {{"type", "object"}, {"additionalProperties", false}, {"properties", properties}};
}

Constraints::Constraints()
    : gpus(even_weights("gpus")),
      hosts(even_weights("hosts")),
      steps(step_weights()),
      commands(command_weights()) {
  gpus["litmus"] = 60;
}

Constraints constraints_of(std::string_view text, const std::string& name) {
  const scenario::JsonValue document = scenario::parse_json(text, name);
  const scenario::Source source{name};
  Constraints constraints;
  scenario::ObjectCodec<ConstraintsShape>{}.read(Node(document, source), constraints);
  return constraints;
}

Constraints load_constraints(const std::string& path) {
  return constraints_of(text_of(path), path);
}

std::string constraints_schema() {
  SchemaDefinitions definitions;
  scenario::ObjectCodec<ConstraintsShape>{}.schema(definitions);
  Json all = definitions.all();
  Json schema = all["constraints"];
  all.erase("constraints");
  schema["$schema"] = "http://json-schema.org/draft-07/schema#";
  schema["title"] = "fenceline constraints";
  schema["definitions"] = std::move(all);
  return schema.dump(2) + "\n";
}

}  // namespace fenceline::generate
