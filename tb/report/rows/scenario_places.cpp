#include "tb/report/rows/scenario_places.h"

#include <variant>

namespace fenceline::report {

ScenarioPlaces::ScenarioPlaces(const scenario::Scenario& scenario) {
  for (const scenario::Process& process : scenario.processes) add(process);
  for (const scenario::Program& program : scenario.programs) {
    add(program.at, program.queue ? std::string() : program.name);
    add(program.steps);
    add(program.commands);
  }
  for (const scenario::Fault& fault : scenario.faults) add(fault.location);
}

void ScenarioPlaces::add(const scenario::Location& at, const std::string& object) {
  list.push_back({at.line, at.column, object});
  numbers_[&at] = static_cast<std::uint32_t>(list.size());
}

void ScenarioPlaces::add(const scenario::Process& process) {
  add(process.at);
  for (const auto& it : process.fences) add(it.at, it.name);
  for (const auto& it : process.queues) add(it.at, it.name);
  for (const auto& it : process.contexts) add(it.at, it.name);
  for (const auto& it : process.allocations) add(it.at, it.name);
}

void ScenarioPlaces::add(const scenario::Steps& steps) {
  for (const scenario::Step& step : steps) {
    add(step.at);
    if (const auto* submit = std::get_if<scenario::SubmitStep>(&step.what)) add(submit->commands);
    if (const auto* repeat = std::get_if<scenario::RepeatStep>(&step.what)) add(repeat->body);
  }
}

void ScenarioPlaces::add(const scenario::Commands& commands) {
  for (const scenario::Command& command : commands) {
    add(command.at);
    if (const auto* repeat = std::get_if<scenario::RepeatCommands>(&command.what))
      add(repeat->body);
  }
}

}  // namespace fenceline::report
