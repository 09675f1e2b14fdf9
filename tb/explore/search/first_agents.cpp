#include "tb/explore/search/first_agents.h"

#include <algorithm>
#include <utility>

namespace fenceline::explore {

namespace {

/// Adapter and engine of the queue that a program is for.
std::pair<std::string, std::string> engine_of(const scenario::Scenario& scenario,
                                              const scenario::Program& program) {
  for (const scenario::Process& process : scenario.processes) {
    if (!program.process.empty() && process.name != program.process) continue;
    for (const scenario::Queue& queue : process.queues)
      if (queue.name == program.name)
        return {process.adapter.empty() ? scenario.platform.gpus.front().name : process.adapter,
                queue.engine};
  }
  return {};
}

}  // namespace

std::vector<std::string> first_agents(const scenario::Scenario& scenario) {
  if (scenario.platform.host.memory_model != host::MemoryModel::kStrong) return {};
  std::vector<std::string> names;
  std::vector<std::pair<std::string, std::string>> engines;
  for (const scenario::Program& program : scenario.programs) {
    if (!program.queue) continue;
    engines.push_back(engine_of(scenario, program));
    if (program.count > 1) return {};
    names.push_back(program.name + ".submit");
  }
  std::sort(engines.begin(), engines.end());
  if (std::adjacent_find(engines.begin(), engines.end()) != engines.end()) return {};
  for (const auto& gpu : scenario.platform.gpus) names.push_back(gpu.name + ".pcie.down");
  return names;
}

}  // namespace fenceline::explore
