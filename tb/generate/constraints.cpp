#include "tb/generate/constraints.h"

#include <algorithm>
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

/// Small enough for a complete search: one process, one GPU, little work.
Constraints small_preset() {
  Constraints small;
  small.sizes = {{1, 1}, {1, 1}, {1, 2}, {1, 2}, {0, 0}, {1, 2}, {0, 1}, {2, 6}, {1, 2}, {1, 3}};
  small.features = {};
  small.switches = SwitchMode::kDefaults;
  small.features.answers = small.features.relays = small.features.large_values = 0;
  small.features.platform_values = small.features.drivers = 0;
  small.features.preemption = small.features.context_scheduling = 0;
  small.features.faults = small.features.mistakes = small.features.memory = 0;
  small.features.cpu_events = small.features.doorbells = small.features.device_errors = 0;
  small.features.holds = small.features.patched_contexts = small.features.submissions_aside = 0;
  small.features.power = small.features.display = small.features.negotiation = 0;
  small.features.guests = small.features.iommu = small.features.reused_addresses = 0;
  small.features.progress_fences = small.features.monitored_fences = 0;
  for (auto& [profile, weight] : small.gpus) weight = profile == "litmus" ? 1 : 0;
  for (auto& [verb, weight] : small.steps)
    if (verb != "wait" && verb != "signal" && verb != "submit") weight = 0;
  for (auto& [verb, weight] : small.commands)
    if (verb == "repeat" || verb == "draw" || verb == "dispatch" || verb == "bad_packet")
      weight = 0;
  return small;
}

/// A thread and the work of a queue, which race: most searches of it are complete, and many have
/// thousands of states.
Constraints search_preset() {
  Constraints search = small_preset();
  Sizes& sizes = search.sizes;
  sizes.threads = sizes.fences = sizes.steps = {1, 1};
  sizes.commands = sizes.submission = {1, 2};
  search.features.queue_programs = 100;
  search.features.shared_fences = search.features.cross_adapter_fences = 0;
  search.features.traced_fences = search.features.thread_cores = 0;
  search.features.fence_flags = 10;
  search.features.fence_homes = 20;
  search.features.logs = 10;
  search.features.relays = 10;
  search.switches = SwitchMode::kMostlyDefaults;
  search.gpus["litmus"] = 90;
  search.gpus["litmus_legacy"] = 10;
  search.steps["wait"] = search.commands["signal"] = 100;
  search.steps["signal"] = search.steps["submit"] = 20;
  search.steps["poll"] = search.steps["wait_event"] = search.steps["destroy_fence"] = 10;
  return search;
}

/// Few commands among much of everything else: mechanisms meet, and a scenario has little work.
Constraints dense_preset() {
  Constraints dense;
  dense.sizes = {{1, 2}, {1, 2}, {2, 4}, {1, 2}, {1, 2}, {2, 3}, {1, 2}, {6, 16}, {8, 18}, {1, 4}};
  Features& features = dense.features;
  features.preemption = features.memory = features.drivers = 60;
  features.context_scheduling = features.doorbells = features.power = features.short_logs = 50;
  features.device_errors = 30;
  features.platform_values = 30;
  features.display = features.races = 25;
  features.faults = 20;
  return dense;
}

/// Dense ones whose operations are held for a time: orders that timing and chance rarely make. More
/// depends on logs, memory and power, and fences do not last long.
Constraints held_preset() {
  Constraints held = dense_preset();
  held.features.holds = held.features.logs = 100;
  held.features.released_by_logs = 40;
  held.features.races = 15;
  held.features.reused_addresses = 70;
  held.features.memory = held.features.power = 75;
  held.steps["destroy_fence"] = 60;
  return held;
}

/// Large scenarios whose outcome depends on the order of events.
Constraints racy_preset() {
  Constraints racy;
  racy.features.races = 100;
  return racy;
}

/// Dense ones with a device in error, for which there is work afterwards.
Constraints errors_preset() {
  Constraints errors = dense_preset();
  errors.sizes.adapters = {1, 1};
  errors.features.device_errors = 100;
  errors.features.after_errors = 80;
  errors.features.large_values = 40;
  errors.features.weak_hosts = 25;
  errors.features.early_checks = 30;
  errors.features.fences_of_32_bits = errors.features.small_bars = 50;
  errors.steps["set_power"] = 50;
  return errors;
}

struct Preset {
  std::string_view name;
  Constraints (*make)();
};
constexpr Preset kPresets[] = {{"small", small_preset},  {"default", [] { return Constraints(); }},
                               {"dense", dense_preset},  {"held", held_preset},
                               {"racy", racy_preset},    {"errors", errors_preset},
                               {"search", search_preset}};

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

std::vector<std::string> preset_names() {
  std::vector<std::string> names;
  for (const Preset& one : kPresets) names.emplace_back(one.name);
  return names;
}

Constraints preset(const std::string& name) {
  const auto* const known = std::find_if(std::begin(kPresets), std::end(kPresets),
                                         [&](const Preset& one) { return one.name == name; });
  return known->make();
}

}  // namespace fenceline::generate
