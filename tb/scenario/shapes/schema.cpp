#include "tb/scenario/shapes/schema.h"

#include <utility>

#include "tb/scenario/scenario.h"
#include "tb/scenario/shapes/platform.h"
#include "tb/scenario/shapes/schema_visitor.h"
#include "tb/scenario/shapes/writer.h"

namespace fenceline::scenario {

Json either(Json first, Json second) {
  return {{"oneOf", Json::array({std::move(first), std::move(second)})}};
}

void add_property(Json& properties, const char* key, Json schema, const char* doc) {
  schema["description"] = doc;
  properties[key] = std::move(schema);
}

void SchemaVisitor::set_default(const char* key, Json value) {
  const bool structure = value.is_object() || (value.is_array() && !value.empty());
  if (!value.is_null() && !structure) properties_[key]["default"] = std::move(value);
}

Json SchemaVisitor::take() {
  Json schema{{"type", "object"}, {"additionalProperties", false}};
  schema["properties"] = std::move(properties_);
  if (!required_.empty()) schema["required"] = std::move(required_);
  return schema;
}

Json VerbSchemaVisitor::take() {
  return {{"type", "object"},
          {"additionalProperties", false},
          {"minProperties", 1},
          {"maxProperties", 1},
          {"properties", std::move(properties_)}};
}

std::string schema_text() {
  SchemaDefinitions definitions;
  ObjectCodec<Scenario>{}.schema(definitions);
  Json all = definitions.all();
  Json schema = std::move(all["scenario"]);
  all.erase("scenario");
  schema["$schema"] = "http://json-schema.org/draft-07/schema#";
  schema["title"] = "fenceline scenario";
  schema["definitions"] = std::move(all);
  return schema.dump(2) + "\n";
}

}  // namespace fenceline::scenario
