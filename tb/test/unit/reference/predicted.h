#pragma once

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>
#include <string>

#include "tb/reference/predict.h"
#include "tb/scenario/effective.h"
#include "tb/scenario/loader.h"

namespace fenceline::reference {

/// Prediction for a scenario of these members, as JSON text without the outer braces.
inline Outcome predicted(const std::string& members) {
  const scenario::Scenario scenario = scenario::load_text(
      R"({"schema_version": 1, "name": "it", "expect": {}, )" + members + "}", "it.json");
  return predict(nlohmann::json::parse(scenario::effective_document(scenario)));
}

/// The same for a process `app` with native fences F, G and H, a monitored fence M, hardware queues
/// q0 and q1, contexts c0 and c1 of one engine and d0 of another, and allocations A and B.
inline Outcome predicted_app(const std::string& programs) {
  return predicted(R"("processes": [{"name": "app",
      "fences": [{"name": "F"}, {"name": "G"}, {"name": "H"}, {"name": "M", "monitored": true}],
      "queues": [{"name": "q0", "engine": "compute0", "progress_fence": true},
                 {"name": "q1", "engine": "compute1"}],
      "contexts": [{"name": "c0", "engine": "gfx0"}, {"name": "c1", "engine": "gfx0"},
                   {"name": "d0", "engine": "copy0"}],
      "allocations": [{"name": "A", "home": "sysmem"}, {"name": "B"}]}],
      "programs": [)" +
                   programs + "]");
}

/// A thread with these steps.
inline std::string thread(const std::string& name, const std::string& steps) {
  return R"({"thread": ")" + name + R"(", "steps": [)" + steps + "]}";
}

/// The same for a thread of a process among several.
inline std::string thread_of(const std::string& process, const std::string& name,
                             const std::string& steps) {
  return R"({"process": ")" + process + R"(", "thread": ")" + name + R"(", "steps": [)" + steps +
         "]}";
}

/// The step or command `verb` for a fence and a value.
inline std::string point(const std::string& verb, const std::string& fence,
                         const std::string& value) {
  return "{\"" + verb + R"(": {"fence": ")" + fence + R"(", "value": )" + value + "}}";
}

/// A submission to a hardware queue.
inline std::string submit(const std::string& queue, const std::string& commands) {
  return R"({"submit": {"queue": ")" + queue + R"(", "commands": [)" + commands + "]}}";
}

/// A submission to a context.
inline std::string submit_to_context(const std::string& context, const std::string& commands) {
  return R"({"submit": {"context": ")" + context + R"(", "commands": [)" + commands + "]}}";
}

/// The reason why nothing is said about the scenario; empty: something is.
inline std::string reason(const Outcome& outcome) {
  const auto found = outcome.silent.find("");
  return found == outcome.silent.end() ? "" : found->second;
}

using Values = std::set<std::uint64_t>;

}  // namespace fenceline::reference
