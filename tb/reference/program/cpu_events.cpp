// CPU events: which objects there are, and steps for them.
#include <algorithm>
#include <nlohmann/json.hpp>
#include <string_view>

#include "models/abi/mutant.h"
#include "tb/reference/program/objects.h"
#include "tb/reference/program/steps.h"

namespace fenceline::reference {

using nlohmann::json;

namespace {

constexpr const char* kSuccess = "STATUS_SUCCESS";

/// A step of a program, with the process and whether it may run more than once.
struct StepOf {
  std::string process;
  const json* step = nullptr;
  bool repeated = false;
};

void collect(const std::string& process, const json& steps, bool repeated,
             std::vector<StepOf>& all) {
  for (const json& step : steps) {
    all.push_back({process, &step, repeated});
    if (step.contains("repeat")) collect(process, step.at("repeat").at("steps"), true, all);
  }
}

std::vector<StepOf> steps_of(const json& scenario) {
  std::vector<StepOf> all;
  for (const json& program : scenario.at("programs"))
    if (program.contains("steps"))
      collect(program.at("process"), program.at("steps"), program.value("count", 1) > 1, all);
  return all;
}

/// The event that a step has set in the end.
std::optional<std::string> event_of(const json& step) {
  const json& value = step.begin().value();
  const std::string& verb = step.begin().key();
  if (verb == "create_cpu_event" || verb == "pass_handle" ||
      (verb == "wait" && value.contains("event")))
    return value.at("event").get<std::string>();
  return std::nullopt;
}

}  // namespace

/// An event that several objects set, or that is used again, may be set by either.
void Objects::declare_cpu_events() {
  const std::vector<StepOf> all = steps_of(scenario_);
  std::map<Name, std::size_t> setters;
  std::map<Name, std::size_t> uses;
  for (const StepOf& it : all) {
    if (const auto event = event_of(*it.step)) ++setters[{it.process, *event}];
    if (!it.step->contains("create_cpu_event")) continue;
    const json& value = it.step->at("create_cpu_event");
    const Name name{it.process, value.at("name")};
    CpuEvent made;
    made.event = event({it.process, value.at("event")});
    if (!cpu_events_.emplace(name, static_cast<Id>(program_.cpu_events.size())).second ||
        it.repeated)
      odd_cpu_events_ = "several CPU events of one name";
    program_.cpu_events.push_back(std::move(made));
  }
  if (cpu_events_.empty()) return;
  for (const StepOf& it : all) {
    if (const auto event = event_of(*it.step); event && setters[{it.process, *event}] > 1)
      odd_cpu_events_ = "an event that several steps set";
    if (!it.step->contains("use_cpu_event")) continue;
    const json& value = it.step->at("use_cpu_event");
    if (++uses[{it.process, value.at("name")}] > 1 || it.repeated)
      odd_cpu_events_ = "a CPU event with several uses";
    if (value.at("use") == "buffer_completed") watch_buffers(it.process, value);
  }
}

void Objects::watch_buffers(const std::string& process, const json& use) {
  const auto found = cpu_event({process, use.at("name")});
  if (!found || !use.contains("engine")) return;
  CpuEvent& event = program_.cpu_events[*found];
  event.of_buffers = true;
  set_by_buffers_[adapter_of(process).at("name").get<std::string>() + "/" +
                  use.at("engine").get<std::string>()]
      .push_back(event.event);
}

/// Assumption A-241: an escape of a secured guest does not arrive.
const char* Objects::status_of_handles(const std::string& process) const {
  for (const json& it : scenario_.at("processes")) {
    if (it.at("name") != process || !it.contains("kind")) continue;
    if (it.at("kind") == "guest" && !abi::mutant(abi::Mutant::kGuestHasHandles))
      return "STATUS_INVALID_HANDLE";
    if (it.at("kind") != "secured_guest") continue;
    return abi::mutant(abi::Mutant::kEscapeArrives) ? "STATUS_INVALID_HANDLE"
                                                    : "STATUS_ACCESS_DENIED";
  }
  return kSuccess;
}

std::optional<Id> Objects::cpu_event(const Name& name) const {
  const auto found = cpu_events_.find(name);
  return found == cpu_events_.end() ? std::nullopt : std::optional(found->second);
}

const std::vector<Id>& Objects::set_by_buffers(const std::string& node) const {
  static const std::vector<Id> kNone;
  const auto found = set_by_buffers_.find(node);
  return found == set_by_buffers_.end() ? kNone : found->second;
}

bool ThreadSteps::add_event_step(const std::string& verb, const json& value, Op& op) {
  if (verb == "create_cpu_event") {
    op.statuses = {"STATUS_SUCCESS"};
    if (!unrolling_.objects.has_cpu_events(process_))
      unrolling_.be_silent("", "CPU events before WDDM 3.0");
    const Ref step = put(std::move(op));
    unrolling_.program()
        .cpu_events[*unrolling_.objects.cpu_event({process_, value.at("name")})]
        .creates.push_back(step);
  } else if (verb == "use_cpu_event") {
    add_use(value, std::move(op));
  } else if (verb == "pass_handle") {
    const char* const status = unrolling_.objects.status_of_handles(process_);
    op.statuses = {status};
    if (status == std::string_view(kSuccess))
      op.signals = {{unrolling_.objects.event({process_, value.at("event")}), 1}};
    put(std::move(op));
  } else {
    return false;
  }
  return true;
}

/// The driver signals in the call itself, or when a buffer of the engine is complete: assumption
/// Then the event is not set before.
void ThreadSteps::add_use(const json& value, Op op) {
  const auto found = unrolling_.objects.cpu_event({process_, value.at("name")});
  const bool of_buffers = value.at("use") == "buffer_completed";
  if (!found || (of_buffers && !value.contains("engine"))) {
    unrolling_.be_silent("", "uses of CPU events that may be refused");
    put(std::move(op));
    return;
  }
  CpuEvent& event = unrolling_.program().cpu_events[*found];
  op.statuses = {"STATUS_SUCCESS"};
  if (value.at("use") == "now" && !abi::mutant(abi::Mutant::kUseSetsNothing))
    op.signals = {{event.event, 1}};
  if (of_buffers) op.signals = {{event.event, 0}};
  const Ref step = put(std::move(op));
  event.uses.push_back(step);
  if (of_buffers && !abi::mutant(abi::Mutant::kOtherBuffersSilent))
    add_other_buffers(step, event.event);
}

/// The buffer may be one that was complete before, but not reported, or one of the OS.
void ThreadSteps::add_other_buffers(Ref use, Id event) {
  const Id doubt = unrolling_.objects.event({"", "doubt"});
  unrolling_.program().fence_of({doubt, 0}).unclear = true;
  Op op;
  op.origin = use;
  op.waits = {{doubt, 1}};
  op.signals = {{event, 1}};
  Lane helper;
  helper.kind = Lane::Kind::kHelper;
  unrolling_.add(unrolling_.add_lane(std::move(helper)), std::move(op));
}

/// True for a call with a CPU event in place of a fence, which is refused: assumption A-233.
bool ThreadSteps::names_cpu_event(const json& value) const {
  const json& list = value.contains("fences") ? value.at("fences") : json::array({value});
  return std::any_of(list.begin(), list.end(), [this](const json& it) {
    return unrolling_.objects.cpu_event({process_, it.at("fence")}).has_value();
  });
}

void ThreadSteps::add_refused(const json& value, Op op) {
  if (value.contains("fences") && value.at("fences").size() > 1)
    unrolling_.be_silent("", "CPU events among fences");
  const json& point = value.contains("fences") ? value.at("fences")[0] : value;
  const auto found = unrolling_.objects.cpu_event({process_, point.at("fence")});
  op.statuses = {abi::mutant(abi::Mutant::kCpuEventIsNoHandle) ? "STATUS_INVALID_HANDLE"
                                                               : "STATUS_INVALID_PARAMETER"};
  unrolling_.program().cpu_events[*found].uses.push_back(put(std::move(op)));
}

}  // namespace fenceline::reference
