#include "tb/run/machine/submitters.h"

#include <set>

namespace fenceline::run {

namespace {

/// What one thread submits to, by "process/name".
struct Targets {
  std::set<std::string> queues;
  std::set<std::string> contexts;
};

void add_steps(const scenario::Process& process, const scenario::Steps& steps, Targets& to) {
  const auto queue = [&](const std::string& name) { to.queues.insert(process.name + "/" + name); };
  const auto context = [&](const std::string& name) {
    to.contexts.insert(process.name + "/" + name);
  };
  const auto of_point = [&](const scenario::GpuPointStep& step) {
    if (step.context) context(*step.context);
    if (step.queue) queue(*step.queue);
  };
  for (const scenario::Step& step : steps) {
    if (const auto* submit = std::get_if<scenario::SubmitStep>(&step.what)) {
      if (submit->context)
        context(*submit->context);
      else
        queue(submit->queue);
    } else if (const auto* logs = std::get_if<scenario::SetLogBuffersStep>(&step.what)) {
      queue(logs->queue);
    } else if (const auto* connect = std::get_if<scenario::ConnectDoorbellStep>(&step.what)) {
      queue(connect->queue);
    } else if (const auto* wait = std::get_if<scenario::GpuWaitStep>(&step.what)) {
      of_point(*wait);
    } else if (const auto* signal = std::get_if<scenario::GpuSignalStep>(&step.what)) {
      of_point(*signal);
    } else if (std::holds_alternative<scenario::MemoryStressStep>(step.what)) {
      for (const scenario::Context& any : process.contexts) context(any.name);
    } else if (const auto* repeat = std::get_if<scenario::RepeatStep>(&step.what)) {
      add_steps(process, repeat->body, to);
    }
  }
}

}  // namespace

Submitters::Submitters(const scenario::Scenario& scenario) {
  for (const scenario::Program& program : scenario.programs)
    for (const scenario::Process& process : scenario.processes) {
      if (!program.process.empty() && program.process != process.name) continue;
      Targets targets;
      if (program.queue) targets.queues.insert(process.name + "/" + *program.queue);
      add_steps(process, program.steps, targets);
      for (const std::string& name : targets.queues) queues_[name] += program.count;
      for (const std::string& name : targets.contexts) contexts_[name] += program.count;
    }
}

}  // namespace fenceline::run
