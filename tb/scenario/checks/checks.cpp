#include "tb/scenario/checks/checks.h"

#include "tb/scenario/text/diagnostics.h"
#include "tb/scenario/text/units.h"

namespace fenceline::scenario {

namespace {

using Kind = JsonValue::Kind;

/// The child with an escaped reference token; null if there is none.
const JsonValue* find_child(const JsonValue& value, const std::string& token) {
  if (value.kind == Kind::kArray) {
    const bool digits = token.find_first_not_of("0123456789") == std::string::npos;
    const std::size_t index = digits ? std::stoul(token) : value.children.size();
    return index < value.children.size() ? &value.children[index].value : nullptr;
  }
  for (const JsonMember& child : value.children) {
    if (pointer_token(child.key) == token) return &child.value;
  }
  return nullptr;
}

void check_c_states(const Scenario& scenario, const Places& places) {
  const auto& states = scenario.platform.host.c_states;
  const std::string pointer = "/platform/host/c_states";
  require_unique(places, states, "C-state", pointer);
  for (std::size_t i = 1; i < states.size(); ++i) {
    if (states[i].exit_latency >= states[i - 1].exit_latency &&
        states[i].target_residency >= states[i - 1].target_residency) {
      continue;
    }
    places.fail(pointer + "/" + std::to_string(i),
                "C-state \"" + states[i].name + "\" is shallower than the one before it",
                "the shallowest first");
  }
}

void check_displays(const Scenario& scenario, const Places& places) {
  const auto& gpus = scenario.platform.gpus;
  for (std::size_t i = 0; i < gpus.size(); ++i) {
    const display::DisplayConfig& display = gpus[i].display;
    if (!gpus[i].has_display() || display.blanking < display.refresh_period) continue;
    places.fail("/platform/adapters/" + std::to_string(i) + "/display/blanking",
                format_duration(display.blanking) + " is out of range",
                "less than the period, " + format_duration(display.refresh_period),
                "the rest is for the lines of the image");
  }
}

void check_bars(const Scenario& scenario, const Places& places) {
  const auto& gpus = scenario.platform.gpus;
  for (std::size_t i = 0; i < gpus.size(); ++i) {
    const pcie::VramBarConfig& bar = gpus[i].vram_bar;
    if (bar.largest_bytes == 0 || bar.largest_bytes >= bar.bytes) continue;
    places.fail("/platform/adapters/" + std::to_string(i) + "/vram_bar/largest",
                format_size(bar.largest_bytes) + " is less than the BAR has",
                "at least " + format_size(bar.bytes), "0B: it cannot be resized");
  }
}

void check_drivers(const Scenario& scenario, const Places& places) {
  std::set<std::string> seen;
  for (const Driver& driver : scenario.platform.drivers) {
    const std::string pointer = driver.at.pointer + "/adapter";
    places.find(pointer, "adapter", driver.adapter, scenario.platform.gpus);
    if (!seen.insert(driver.adapter).second)
      places.fail(pointer, "a second driver for adapter " + in_quotes(driver.adapter));
  }
}

void check_engine(const ProcessNames& names, const std::string& engine, const std::string& pointer,
                  const Places& places) {
  places.find(pointer + "/engine", "engine", engine, names.adapter->engines,
              "adapter " + in_quotes(names.adapter->name));
}

/// Makes the progress fence of a queue usable like any other fence.
void add_progress_fence(ProcessNames& names, const Queue& queue, const std::string& pointer,
                        const Places& places) {
  static const Fence kProgressFence;
  if (!queue.progress_fence) return;
  if (!names.fences.emplace(queue.name + ".progress", &kProgressFence).second)
    places.fail(pointer + "/progress_fence",
                "the process has a fence " + in_quotes(queue.name + ".progress") + " of its own");
}

void check_queues(ProcessNames& names, const std::string& pointer, const Places& places) {
  const auto& queues = names.process->queues;
  require_unique(places, queues, "queue", pointer + "/queues");
  for (std::size_t i = 0; i < queues.size(); ++i) {
    const std::string at = pointer + "/queues/" + std::to_string(i);
    if (!queues[i].status || *queues[i].status == "STATUS_SUCCESS")
      names.queues.emplace(queues[i].name, &queues[i]);
    add_progress_fence(names, queues[i], at, places);
    check_engine(names, queues[i].engine, at, places);
  }
}

void check_contexts(ProcessNames& names, const std::string& pointer, const Places& places) {
  const auto& contexts = names.process->contexts;
  require_unique(places, contexts, "context", pointer + "/contexts");
  for (std::size_t i = 0; i < contexts.size(); ++i) {
    const std::string at = pointer + "/contexts/" + std::to_string(i);
    if (names.queues.count(contexts[i].name) != 0)
      places.fail(at + "/name",
                  "a queue of the process is called " + in_quotes(contexts[i].name) + " too");
    check_engine(names, contexts[i].engine, at, places);
    Queue& queue = names.contexts[contexts[i].name];
    queue.name = contexts[i].name;
    queue.engine = contexts[i].engine;
    if (contexts[i].patched) names.patched.insert(contexts[i].name);
  }
}

/// Hardware queues and native fences need a GPU that supports them.
void check_native(const ProcessNames& names, const std::string& pointer, const Places& places) {
  if (names.adapter->native_fences) return;
  if (!names.process->queues.empty())
    places.fail(
        pointer + "/queues/0",
        "adapter " + in_quotes(names.adapter->name) + " has no hardware queues for user mode", {},
        "it has no native fences: give the process contexts");
  for (const Fence& fence : names.process->fences)
    if (!fence.monitored && !fence.open && !fence.status)
      places.fail(fence.at.pointer,
                  "adapter " + in_quotes(names.adapter->name) + " has no native fences", {},
                  "give it \"monitored\": true");
}

void check_allocations(const Scenario& scenario, ProcessNames& names, const std::string& pointer,
                       const Places& places) {
  const auto& allocations = names.process->allocations;
  require_unique(places, allocations, "allocation", pointer + "/allocations");
  for (std::size_t i = 0; i < allocations.size(); ++i) {
    names.allocations.emplace(allocations[i].name, &allocations[i]);
    if (allocations[i].segments != 0) continue;  // the memory manager decides whether it fits
    const bool vram = allocations[i].home == common::Home::kVram;
    const std::uint64_t room =
        vram ? names.adapter->vram.size_bytes : scenario.platform.system_memory.size_bytes;
    if (allocations[i].bytes > room) {
      places.fail(pointer + "/allocations/" + std::to_string(i) + "/size",
                  "the allocation does not fit " + std::string(vram ? "VRAM" : "system memory"));
    }
  }
}

}  // namespace

std::pair<Position, bool> Places::position(const std::string& pointer) const {
  const JsonValue* value = &document_.value();
  std::size_t start = 1;
  while (start <= pointer.size()) {
    std::size_t end = pointer.find('/', start);
    if (end == std::string::npos) end = pointer.size();
    const JsonValue* child = find_child(*value, pointer.substr(start, end - start));
    if (child == nullptr) return {value->at, false};
    value = child;
    start = end + 1;
  }
  return {value->at, true};
}

void Places::fail(const std::string& pointer, std::string message, std::string expected,
                  std::string hint) const {
  const Position at = position(pointer).first;
  if (at.line == 0 && hint.empty()) hint = "the value was given by --set";
  throw ScenarioError({document_.source().path, at.line, at.column, pointer, std::move(message),
                       std::move(expected), std::move(hint)});
}

void Places::fail_unknown(const std::string& pointer, const std::string& what,
                          const std::string& name, const std::vector<std::string>& known,
                          const std::string& owner) const {
  const std::string message =
      (owner.empty() ? "there is no " : owner + " has no ") + what + " " + in_quotes(name);
  if (known.empty()) fail(pointer, message + ", nor any other");
  fail(pointer, message, one_of(known), did_you_mean(name, known));
}

void check_platform(const Scenario& scenario, const Places& places) {
  check_c_states(scenario, places);
  const auto& gpus = scenario.platform.gpus;
  require_unique(places, gpus, "adapter", "/platform/adapters");
  for (std::size_t i = 0; i < gpus.size(); ++i) {
    require_unique(places, gpus[i].engines, "engine",
                   "/platform/adapters/" + std::to_string(i) + "/engines");
  }
  check_displays(scenario, places);
  check_bars(scenario, places);
  check_drivers(scenario, places);
}

Names check_processes(const Scenario& scenario, const Places& places) {
  require_unique(places, scenario.processes, "process", "/processes");
  Names names;
  for (std::size_t i = 0; i < scenario.processes.size(); ++i) {
    const Process& process = scenario.processes[i];
    const std::string pointer = "/processes/" + std::to_string(i);
    ProcessNames& own = names.processes[process.name];
    own.process = &process;
    own.adapter =
        &places.find(pointer + "/adapter", "adapter", process.adapter, scenario.platform.gpus);
    require_unique(places, process.fences, "fence", pointer + "/fences");
    for (const Fence& fence : process.fences) own.fences.emplace(fence.name, &fence);
    check_queues(own, pointer, places);
    own.schedules = scenario.platform.system.context_scheduling.enabled;
    check_hardware_contexts(own, pointer, places);
    check_contexts(own, pointer, places);
    check_native(own, pointer, places);
    check_allocations(scenario, own, pointer, places);
  }
  return names;
}

void check_scenario(const Scenario& scenario, const Node& document) {
  const Places places(document);
  check_platform(scenario, places);
  Names names = check_processes(scenario, places);
  check_programs(scenario, places, names);
  check_broadcasts(scenario, places, names);
  check_opened_fences(names, places);
  check_faults(scenario, places, names);
  check_holds(scenario, places);
  check_expectations(scenario, places, names);
  check_sweep(scenario, places);
}

}  // namespace fenceline::scenario
