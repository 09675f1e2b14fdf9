#include <algorithm>
#include <initializer_list>
#include <string_view>

#include "tb/generate/constraints_shape.h"

namespace fenceline::generate {

namespace {

/// Sets all features to 0.
struct Never {
  template <class Codec>
  void field(const char* /*name*/, std::uint32_t& feature, const Codec& /*codec*/,
             const char* /*doc*/) {
    feature = 0;
  }
};

/// One adapter, little work, and no feature.
Constraints plain_preset() {
  Constraints plain;
  Never never;
  FeaturesShape::fields(never, plain.features);
  plain.sizes = {{1, 1}, {1, 2}, {2, 4}, {1, 2}, {0, 1}, {2, 3}, {0, 1}, {10, 24}, {8, 20}, {1, 4}};
  return plain;
}

/// Small enough for a complete search: one process, one GPU, little work.
Constraints small_preset() {
  Constraints small = plain_preset();
  small.sizes = {{1, 1}, {1, 1}, {1, 2}, {1, 2}, {0, 0}, {1, 2}, {0, 1}, {2, 6}, {1, 2}, {1, 3}};
  const Features usual;
  Features& features = small.features;
  features.shared_fences = usual.shared_fences;
  features.cross_adapter_fences = usual.cross_adapter_fences;
  features.traced_fences = usual.traced_fences;
  features.fence_flags = usual.fence_flags;
  features.fence_homes = usual.fence_homes;
  features.initial_values = usual.initial_values;
  features.logs = usual.logs;
  features.short_logs = usual.short_logs;
  features.queue_programs = usual.queue_programs;
  features.thread_cores = usual.thread_cores;
  features.released_by_logs = usual.released_by_logs;
  small.switches = SwitchMode::kDefaults;
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

/// A few kinds of work, much of each: no feature, and waits and submissions only.
Constraints narrow_preset() {
  Constraints narrow = plain_preset();
  for (auto* weights : {&narrow.steps, &narrow.commands})
    for (auto& [verb, weight] : *weights) weight = 0;
  narrow.steps["wait"] = narrow.steps["submit"] = narrow.commands["signal"] = 100;
  return narrow;
}

/// Many waits and signals of few fences, in logs that are soon full: the OS reads them while they
/// are written.
Constraints logs_preset() {
  Constraints logs = narrow_preset();
  Features& features = logs.features;
  features.logs = features.short_logs = 100;
  features.released_by_logs = features.weak_hosts = features.drivers = 50;
  features.holds = features.queue_programs = 40;
  features.races = features.initial_values = features.preemption = 20;
  logs.sizes.threads = {3, 5};
  logs.sizes.contexts = logs.sizes.allocations = {0, 0};
  logs.sizes.commands = {20, 40};
  logs.sizes.submission = {6, 12};
  logs.commands["wait"] = 40;
  return logs;
}

/// Buffers of several contexts while their adapter is reset.
Constraints resets_preset() {
  Constraints resets = narrow_preset();
  Features& features = resets.features;
  features.context_scheduling = features.device_errors = 100;
  features.after_errors = features.preemption = 50;
  features.holds = features.monitored_fences = 30;
  features.drivers = features.logs = features.stale_caches = 20;
  resets.sizes.queues = {1, 1};
  resets.sizes.contexts = {2, 4};
  resets.sizes.submission = {1, 3};
  resets.steps["wait"] = 30;
  resets.steps["signal"] = 5;
  resets.commands["signal"] = 30;
  resets.commands["barrier"] = 50;
  resets.commands["write"] = 20;
  resets.commands["dispatch"] = 5;
  return resets;
}

/// Memory that the CPU reaches through windows only, and adapters that go to D3.
Constraints memory_preset() {
  Constraints memory = plain_preset();
  Features& features = memory.features;
  features.memory = features.power = features.small_bars = 100;
  features.drivers = 60;
  features.reused_addresses = 50;
  features.preemption = 40;
  features.logs = features.stale_caches = 20;
  features.platform_values = features.races = 10;
  memory.sizes.threads = {2, 3};
  memory.sizes.queues = {0, 1};
  memory.sizes.contexts = {1, 2};
  memory.sizes.allocations = {2, 4};
  memory.sizes.commands = {5, 12};
  memory.sizes.steps = {10, 24};
  for (const char* const verb : {"set_power", "lock", "load", "store"}) memory.steps[verb] = 60;
  memory.steps["unlock"] = 20;
  memory.commands["copy"] = memory.commands["write"] = 60;
  return memory;
}

/// Events of user mode that drivers signal while they are destroyed.
Constraints events_preset() {
  Constraints events = narrow_preset();
  Features& features = events.features;
  features.cpu_events = features.races = 100;
  features.monitored_fences = 30;
  features.stale_caches = 20;
  events.sizes.processes = {1, 1};
  events.sizes.steps = {12, 24};
  events.sizes.commands = {8, 20};
  events.sizes.queues = events.sizes.allocations = {0, 1};
  events.sizes.contexts = events.sizes.fences = events.sizes.submission = {1, 2};
  for (const char* const verb : {"create_cpu_event", "use_cpu_event", "destroy_fence"})
    events.steps[verb] = 60;
  events.steps["wait"] = events.steps["wait_event"] = 10;
  events.commands["barrier"] = 100;
  events.commands["signal"] = 10;
  return events;
}

/// Dense ones whose programs heed neither order nor rules.
Constraints careless_preset() {
  Constraints careless = dense_preset();
  careless.sizes.adapters = {1, 1};
  Features& features = careless.features;
  features.races = features.strays = 100;
  features.monitored_fences = 50;
  features.fence_flags = features.refused_submissions = 40;
  features.mistakes = 15;
  careless.steps["destroy_fence"] = 60;
  return careless;
}

struct Preset {
  std::string_view name;
  Constraints (*make)();
};
constexpr Preset kPresets[] = {
    {"small", small_preset},       {"default", [] { return Constraints(); }},
    {"dense", dense_preset},       {"held", held_preset},
    {"racy", racy_preset},         {"errors", errors_preset},
    {"logs", logs_preset},         {"resets", resets_preset},
    {"memory", memory_preset},     {"events", events_preset},
    {"careless", careless_preset}, {"search", search_preset}};

}  // namespace

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
