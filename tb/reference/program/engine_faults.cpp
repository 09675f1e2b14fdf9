#include "tb/reference/program/engine_faults.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "models/abi/mutant.h"

namespace fenceline::reference {

using nlohmann::json;

namespace {

bool is_of_engine(const json& fault) {
  return fault.at("fault") == "engine_hang" || fault.at("fault") == "engine_fault";
}

std::string adapter_of(const json& scenario, const json& fault) {
  return fault.value("adapter", scenario.at("platform").at("adapters").at(0).value("name", ""));
}

/// Users of an engine.
struct Users {
  bool queues = false;
  bool contexts = false;
  bool unwatched = false;  ///< queues that may run for any time
  bool managed = false;    ///< memory of the adapter moves
};

Users users_of(const json& scenario, const std::string& adapter, const std::string& engine) {
  Users users;
  const auto uses = [&](const json& it) { return it.at("engine") == engine; };
  for (const json& process : scenario.at("processes")) {
    if (process.at("adapter") != adapter) continue;
    const json& contexts = process.at("contexts");
    users.contexts = users.contexts || std::any_of(contexts.begin(), contexts.end(), uses);
    for (const json& queue : process.at("queues")) {
      if (!uses(queue)) continue;
      users.queues = true;
      users.unwatched = users.unwatched || !queue.at("gpu_timeout");
    }
    for (const json& allocation : process.at("allocations"))
      users.managed = users.managed || allocation.contains("segments");
  }
  return users;
}

/// Paging buffers of the model run on a node with a copy engine, or on the first node. On the safe
/// side all of these count.
bool runs_paging(const json& adapter, const std::string& engine) {
  return adapter.at("engines").at(0).at("name") == engine ||
         engine_named(adapter, engine).at("kind") == "copy";
}

/// The device watches hardware queues. The operating system watches its own contexts; what is found
/// where both have work is left open.
bool finds_hangs(const json& os, const Users& users) {
  if (users.contexts && users.queues) return false;
  const json& preemption = os.at("preemption");
  const json& watches = users.contexts ? preemption : os.at("context_scheduling");
  return preemption.at("detects_timeouts") && watches.at("enabled") && !users.unwatched;
}

/// The adapter is reset instead of one engine. @param alone what its driver needs to reset one
bool resets_adapter(const json& scenario, const std::string& adapter,
                    bool (*alone)(const json& driver)) {
  const json& drivers = scenario.at("platform").at("drivers");
  return adapter_named(scenario, adapter).at("preemption").at("resets_together") ||
         std::any_of(drivers.begin(), drivers.end(), [&](const json& driver) {
           return driver.at("adapter") == adapter && !alone(driver);
         });
}

/// The reset of a node with a buffer that hangs.
bool node_resets_adapter(const json& scenario, const std::string& adapter) {
  return resets_adapter(scenario, adapter, [](const json& driver) {
    return driver.at("per_engine_tdr") && driver.at("engine_reset") == "works";
  });
}

}  // namespace

const json& adapter_named(const json& scenario, const std::string& name) {
  const json& adapters = scenario.at("platform").at("adapters");
  return *std::find_if(adapters.begin(), adapters.end(),
                       [&](const json& it) { return it.at("name") == name; });
}

const json& engine_named(const json& adapter, const std::string& name) {
  const json& engines = adapter.at("engines");
  return *std::find_if(engines.begin(), engines.end(),
                       [&](const json& it) { return it.at("name") == name; });
}

bool resets_adapter(const json& scenario, const std::string& adapter) {
  return resets_adapter(scenario, adapter,
                        [](const json& driver) { return driver.at("hw_engine_reset") == "works"; });
}

std::vector<EngineFault> engine_faults(const json& scenario, const std::string& mark) {
  std::vector<EngineFault> found;
  if (abi::mutant(abi::Mutant::kFaultHitsNobody)) return found;
  for (const json& fault : scenario.at("faults")) {
    if (!is_of_engine(fault) || fault.value("after", "") != mark) continue;
    const std::string adapter = adapter_of(scenario, fault);
    const std::string engine = fault.value("engine", "");
    const bool hangs = fault.at("fault") == "engine_hang";
    const bool whole = hangs && (users_of(scenario, adapter, engine).contexts
                                     ? node_resets_adapter(scenario, adapter)
                                     : resets_adapter(scenario, adapter));
    std::string place = adapter;
    place.append("/").append(engine);
    found.push_back({std::move(place), hangs, whole});
  }
  return found;
}

std::string unjudged_fault(const json& scenario, const json& fault) {
  const std::string kind = fault.at("fault");
  if (!is_of_engine(fault) || !fault.contains("after") || !fault.contains("engine"))
    return "the fault " + kind;
  const std::string adapter = adapter_of(scenario, fault);
  const std::string engine = fault.at("engine");
  const Users users = users_of(scenario, adapter, engine);
  if (users.managed && runs_paging(adapter_named(scenario, adapter), engine))
    return "the fault " + kind + " beside paging buffers";
  if (kind == "engine_fault")
    return users.queues ? "the fault of an engine with hardware queues" : "";
  if (!finds_hangs(scenario.at("platform").at("os"), users)) return "a hang that nobody finds";
  return "";
}

}  // namespace fenceline::reference
