#include "tb/scenario/checks/checks.h"
#include "tb/scenario/text/diagnostics.h"

namespace fenceline::scenario {

namespace {

using Operation = std::tuple<std::string, std::string, std::uint32_t>;

Operation key(const OperationRef& ref) { return {ref.agent, ref.op, ref.nth}; }

/// Finds "process/fence", or a fence name that is unique among the processes.
void require_fence(const std::string& name, const std::string& pointer, const Names& names,
                   const Places& places) {
  if (name.find('/') != std::string::npos) {
    const auto [process, fence] = split_path(name);
    places.find(pointer, "fence", fence,
                places.find(pointer, "process", process, names.processes).second.fences,
                "process " + in_quotes(process));
    return;
  }
  std::set<std::string> known;
  std::vector<std::string> owners;
  for (const auto& [process, own] : names.processes) {
    for (const auto& [fence, unused] : own.fences) known.insert(fence);
    if (own.fences.count(name) != 0) owners.push_back(fence_path(process, name));
  }
  if (owners.empty()) places.fail_unknown(pointer, "fence", name, names_in(known));
  if (owners.size() > 1) {
    places.fail(pointer, "several processes have a fence " + in_quotes(name), one_of(owners));
  }
}

void check_invariants(const Expectations& expect, const Places& places) {
  std::set<std::string> seen;
  const auto check = [&](const std::vector<std::string>& ids, const std::string& list) {
    for (std::size_t i = 0; i < ids.size(); ++i) {
      if (!seen.insert(ids[i]).second) {
        places.fail("/expect/" + list + "/" + std::to_string(i), ids[i] + " is named twice");
      }
    }
  };
  check(expect.violations, "violations");
  check(expect.may_violate, "may_violate");
}

/// Throws if the holds from `operation` form a cycle: none of these operations could ever happen.
void require_no_cycle(const std::map<Operation, std::vector<Operation>>& waits_for,
                      const Hold& hold, const Places& places) {
  std::set<Operation> seen;
  std::vector<Operation> open{key(hold.until)};
  while (!open.empty()) {
    const Operation operation = open.back();
    open.pop_back();
    if (operation == key(hold.operation)) {
      places.fail(hold.at.pointer, "the holds wait for each other in a circle");
    }
    if (!seen.insert(operation).second) continue;
    const auto next = waits_for.find(operation);
    if (next != waits_for.end()) open.insert(open.end(), next->second.begin(), next->second.end());
  }
}

}  // namespace

void check_holds(const Scenario& scenario, const Places& places) {
  std::map<Operation, std::vector<Operation>> waits_for;
  for (const Hold& hold : scenario.holds) {
    waits_for[key(hold.operation)].push_back(key(hold.until));
    require_no_cycle(waits_for, hold, places);
  }
}

namespace {
void check_starts(const Scenario& scenario, const Places& places) {
  for (const StartExpectation& start : scenario.expect.adapter_start)
    places.find(start.at.pointer, "adapter", start.adapter, scenario.platform.gpus);
  if (scenario.expect.bug_check && scenario.expect.outcome != Outcome::kBugCheck)
    places.fail(scenario.expect.bug_check->at.pointer, "the run is not expected to end so", {},
                "give \"outcome\" the value \"bug_check\"");
}
}  // namespace

void check_expectations(const Scenario& scenario, const Places& places, const Names& names) {
  const Expectations& expect = scenario.expect;
  check_starts(scenario, places);
  check_invariants(expect, places);
  std::set<std::string> fences;
  for (const FinalFence& fence : expect.fences) {
    require_fence(fence.fence, fence.at.pointer + "/fence", names, places);
    if (!fences.insert(fence.fence).second) {
      places.fail(fence.at.pointer + "/fence",
                  "fence " + in_quotes(fence.fence) + " is named twice");
    }
    if (!fence.current_value && !fence.monitored_value) {
      places.fail(fence.at.pointer, "nothing is expected of the fence",
                  "\"current_value\", \"monitored_value\" or both");
    }
  }
  for (const MarkExpectation& mark : expect.marks) {
    places.find(mark.at.pointer + "/mark", "mark", mark.label, names.marks);
    require_fence(mark.fence, mark.at.pointer + "/fence", names, places);
  }
}

}  // namespace fenceline::scenario
