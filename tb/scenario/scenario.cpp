#include "tb/scenario/scenario.h"

#include <nlohmann/json.hpp>

namespace fenceline::scenario {

void VersionCodec::read(const Node& node, const Scenario&) const {
  std::uint64_t version = 0;
  IntegerCodec{kSchemaVersion, kSchemaVersion}.read(node, version);
}

Json VersionCodec::write(const Scenario&) const { return kSchemaVersion; }
Json VersionCodec::schema(SchemaDefinitions&) const { return {{"const", kSchemaVersion}}; }

void IgnoredTextCodec::read(const Node& node, const Scenario&) const { node.string(); }
Json IgnoredTextCodec::write(const Scenario&) const { return nullptr; }
Json IgnoredTextCodec::schema(SchemaDefinitions&) const { return {{"type", "string"}}; }

Scenario::Scenario() = default;
Scenario::Scenario(const Scenario&) = default;
Scenario::Scenario(Scenario&&) noexcept = default;
Scenario& Scenario::operator=(const Scenario&) = default;
Scenario& Scenario::operator=(Scenario&&) noexcept = default;
Scenario::~Scenario() = default;

}  // namespace fenceline::scenario
