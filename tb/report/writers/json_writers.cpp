#include "tb/report/writers/json_writers.h"

#include <algorithm>
#include <fmt/format.h>
#include <limits>
#include <nlohmann/json.hpp>

#include "tb/scenario/brief.h"
#include "tb/scenario/text/json_tree.h"

namespace fenceline::report {

using Json = nlohmann::ordered_json;

namespace {

std::string text_of(const Json& json) {
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

/// Common first fields of every file.
Json head(const RunReport& report) {
  Json json;
  json["format"] = kFormatVersion;
  json["program"] = "fenceline";
  json["version"] = report.version;
  return json;
}

const char* policy_of(const RunReport& report) {
  return report.scenario == nullptr ? "timing" : policy_name(report.scenario->policy);
}

Json violations(const RunReport& report) {
  Json list = Json::array();
  for (const check::Violation& it : report.violations) {
    list.push_back({{"invariant", it.invariant},
                    {"name", it.name},
                    {"message", it.message},
                    {"time_ps", it.time},
                    {"event", it.event},
                    {"fence", it.fence}});
  }
  return list;
}

Json expectations(const RunReport& report) {
  Json list = Json::array();
  for (const Expected& it : report.expected) {
    list.push_back(
        {{"pointer", it.pointer}, {"expected", it.text}, {"found", it.found}, {"holds", it.holds}});
  }
  return list;
}

Json faults(const RunReport& report) {
  Json list = Json::array();
  for (const FaultSeen& it : report.faults)
    list.push_back(
        {{"text", it.text}, {"time_ps", it.time}, {"pointer", it.pointer}, {"line", it.line}});
  return list;
}

Json fences(const RunReport& report) {
  Json list = Json::array();
  for (const FinalFence& it : report.fences) {
    Json fence{{"name", it.name}, {"current_value", it.current_value}};
    if (it.monitored_value == std::numeric_limits<std::uint64_t>::max()) {
      fence["monitored_value"] = "none";  // as scenarios write it
    } else {
      fence["monitored_value"] = it.monitored_value;
    }
    list.push_back(std::move(fence));
  }
  return list;
}

Json stop(const StopReport& it) {
  Json parameters = Json::array();
  for (const std::uint64_t parameter : it.parameters)
    parameters.push_back(fmt::format("{:#x}", parameter));
  return {{"code", fmt::format("{:#x}", it.code)},
          {"name", it.name},
          {"parameters", std::move(parameters)},
          {"explanation", it.explanation}};
}

Json adapters(const RunReport& report) {
  Json list = Json::array();
  for (const AdapterStart& it : report.adapters) {
    Json adapter{{"name", it.adapter}, {"start", it.how}, {"native_gpu_fence", it.native_fences}};
    if (!it.explanation.empty()) adapter["explanation"] = it.explanation;
    list.push_back(std::move(adapter));
  }
  return list;
}

Json exercised(const RunReport& report) {
  Json list = Json::array();
  for (const check::Exercise& it : report.exercised) {
    list.push_back({{"invariant", it.invariant},
                    {"name", it.name},
                    {"checked", it.checked},
                    {"broken", it.broken}});
  }
  return list;
}

Json races(const RunReport& report) {
  Json list = Json::array();
  for (const Race& it : report.races) {
    list.push_back({{"first", it.first},
                    {"second", it.second},
                    {"first_won", it.first_won},
                    {"second_won", it.second_won}});
  }
  return list;
}

}  // namespace

std::string StopReport::text() const {
  return fmt::format("{:#010x} ({:#x}, {:#x}, {:#x}, {:#x}) {}: {}", code, parameters[0],
                     parameters[1], parameters[2], parameters[3], name, explanation);
}

const char* ending_name(Ending ending) {
  switch (ending) {
    case Ending::kCompleted:
      return "completed";
    case Ending::kHang:
      return "hang";
    case Ending::kStopped:
      return "stopped";
    case Ending::kBugCheck:
      return "bug_check";
    case Ending::kLivelock:
      return "livelock";
    case Ending::kStepLimit:
      return "step_limit";
    case Ending::kCrash:
      return "crash";
    case Ending::kEndlessLoop:
      return "endless_loop";
  }
  return "unknown";
}

const char* policy_name(scenario::PolicyKind policy) {
  return abi::word_of(scenario::kPolicies, policy);
}

Json effective_document(const RunReport& report) {
  if (report.scenario == nullptr || report.scenario->effective_json.empty()) return Json::object();
  Json json = scenario::json_tree<Json>(report.scenario->effective_json, false);
  if (json.contains("seed")) json["seed"] = report.seed;
  return json;
}

Json shown_configuration(const RunReport& report) {
  Json json = Json::object();
  if (!report.kmd.empty()) json["kmd"] = report.kmd;
  json.update(effective_document(report));
  return json;
}

Json changed_defaults(const RunReport& report) {
  Json changed = Json::object();
  if (!report.kmd.empty()) changed["/kmd"] = nullptr;
  const Json effective = effective_document(report);
  if (!effective.empty()) changed.update(scenario::changed_defaults(effective.dump()));
  return changed;
}

std::string config_json(const RunReport& report) {
  Json json = head(report);
  json["seed"] = report.seed;
  json["policy"] = policy_of(report);
  if (!report.kmd.empty()) json["kmd"] = report.kmd;
  json["scenario"] = effective_document(report);
  return text_of(json);
}

Json result_document(const RunReport& report) {
  Json json = head(report);
  const scenario::Scenario* scenario = report.scenario;
  json["scenario"] = scenario == nullptr ? "" : scenario->name;
  json["title"] = scenario == nullptr ? "" : scenario->title;
  json["covers"] = scenario == nullptr ? std::vector<std::string>{} : scenario->covers;
  json["seed"] = report.seed;
  json["policy"] = policy_of(report);
  json["verdict"] = report.verdict;
  json["exit_code"] = report.exit_code;
  json["ending"] = ending_name(report.ending);
  json["end_time_ps"] = report.end_time;
  json["events"] = report.event_count;
  json["reasons"] = report.reasons;
  json["waiting"] = report.waiting;
  json["faults"] = faults(report);
  json["adapters"] = adapters(report);
  if (report.bug_check) json["bug_check"] = stop(*report.bug_check);
  json["violations"] = violations(report);
  json["expectations"] = expectations(report);
  json["fences"] = fences(report);
  json["exercised"] = exercised(report);
  const bool random = scenario != nullptr && scenario->policy == scenario::PolicyKind::kRandom;
  if (random) json["races"] = races(report);
  return json;
}

std::string result_json(const RunReport& report) { return text_of(result_document(report)); }

Json stats_document(const RunReport& report) {
  Json json = head(report);
  json["end_time_ps"] = report.end_time;
  Json counters = Json::object();
  for (const Counter& it : report.counters) {
    counters[it.name] = {{"value", it.value}, {"unit", it.unit}, {"meaning", it.meaning}};
  }
  Json latencies = Json::object();
  for (const Latency& it : report.latencies) {
    latencies[it.name] = {{"unit", "ps"},  {"meaning", it.meaning}, {"count", it.count},
                          {"min", it.min}, {"mean", it.mean},       {"p50", it.p50},
                          {"p99", it.p99}, {"max", it.max}};
  }
  json["counters"] = std::move(counters);
  json["latencies"] = std::move(latencies);
  return json;
}

std::string stats_json(const RunReport& report) { return text_of(stats_document(report)); }

std::string repro_json(const RunReport& report) {
  Json json = head(report);
  json["seed"] = report.seed;
  json["policy"] = policy_of(report);
  json["verdict"] = report.verdict;
  json["reasons"] = report.reasons;
  json["invariants"] = Json::array();
  for (const check::Violation& it : report.violations) json["invariants"].push_back(it.invariant);
  Json holds = Json::array();
  const auto ref = [](const scenario::OperationRef& it) {
    return Json{{"agent", it.agent}, {"op", it.op}, {"nth", it.nth}};
  };
  if (report.scenario != nullptr) {
    for (const scenario::Hold& hold : report.scenario->holds) {
      Json entry = ref(hold.operation);
      entry["until"] = ref(hold.until);
      holds.push_back(std::move(entry));
    }
  }
  json["holds"] = std::move(holds);
  json["choices"] = Json::array();
  for (const Choice& it : report.choices) {
    json["choices"].push_back(
        {{"agent", it.agent}, {"op", it.op}, {"state", fmt::format("{:016x}", it.state_hash)}});
  }
  json["scenario"] = effective_document(report);
  return text_of(json);
}

std::string host_json(const RunReport& report, const HostTiming& timing) {
  Json json = head(report);
  json["note"] = "wall-clock figures: the only file of the folder that differs from run to run";
  json["seconds"] = timing.seconds;
  json["write_seconds"] = timing.write_seconds;
  json["events_per_second"] =
      timing.seconds > 0 ? static_cast<double>(report.event_count) / timing.seconds : 0.0;
  json["peak_memory_bytes"] = timing.peak_memory_bytes;
  return text_of(json);
}

std::vector<std::string> other_reasons(const RunReport& report) {
  std::vector<std::string> told;
  for (const check::Violation& it : report.violations) told.push_back(it.message);
  for (const Expected& it : report.expected) told.push_back(reason(it));
  std::vector<std::string> others;
  for (const std::string& it : report.reasons)
    if (std::find(told.begin(), told.end(), it) == told.end()) others.push_back(it);
  return others;
}

std::string error_json(const std::string& scenario, const std::string& error, int exit_code) {
  return text_of({{"format", kFormatVersion},
                  {"program", "fenceline"},
                  {"scenario", scenario},
                  {"verdict", "error"},
                  {"exit_code", exit_code},
                  {"error", error}});
}

}  // namespace fenceline::report
