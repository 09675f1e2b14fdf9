#include "tb/campaign/observer.h"

namespace fenceline::campaign {

using common::At;

void Observer::ready(run::ScenarioMachine& machine) {
  for (const run::ScenarioMachine::Thread* thread : machine.threads()) {
    Thread& made = threads_[thread->agent];
    made.thread = thread;
    if (!thread->program->queue) made.agent = progress_.add(Agent::Kind::kThread, thread->name);
  }
  commands_.start(machine);
  machine.simulation().events.subscribe(*this, common::Handlers<Observer>::kinds());
}

Observer::Thread* Observer::thread_of(common::AgentId agent) {
  const auto found = threads_.find(agent);
  return found == threads_.end() ? nullptr : &found->second;
}

void Observer::on(const At<event::ThreadStep>& event) {
  commands_.end_recording(event.agent);
  Thread* const thread = thread_of(event.agent);
  if (thread == nullptr) return;
  const scenario::Step& step = *thread->thread->step;
  if (std::holds_alternative<scenario::RepeatStep>(step.what)) return;
  thread->in_step = true;
  thread->steps.push_back({step.at.pointer, false, {}, std::nullopt, {}});
}

void Observer::on(const At<event::ThreadStepEnd>& event) {
  Thread* const thread = thread_of(event.agent);
  if (thread == nullptr || !thread->in_step) return;  // the end of a loop
  thread->in_step = false;
  progress_.reach(thread->agent, thread->steps.size());
  thread->steps.back().ended = true;
  thread->steps.back().over = progress_.counts();
}

void Observer::on(const At<event::CallStatus>& event) {
  Thread* const thread = thread_of(event.agent);
  if (thread != nullptr && thread->in_step)
    thread->steps.back().statuses.push_back(static_cast<NTSTATUS>(event.status));
}

void Observer::on(const At<event::CpuLoad>& event) {
  Thread* const thread = thread_of(event.agent);
  if (thread != nullptr && runs<scenario::LoadStep>(*thread))
    thread->steps.back().loaded = event.value;
}

/// From here on the value can be seen.
void Observer::on(const At<event::CpuSignal>& event) {
  Thread* const thread = thread_of(event.agent);
  if (thread != nullptr && runs<scenario::SignalStep>(*thread))
    progress_.reach(thread->agent, thread->steps.size());
}

void Observer::on(const At<event::ThreadCommand>& event) {
  if (const Thread* const thread = thread_of(event.agent))
    commands_.begin_command(event, thread->thread->command->at.pointer);
}

void Observer::ended(run::ScenarioMachine& machine, const report::RunReport& report) {
  seen_.ending = report.ending;
  if (report.bug_check) seen_.bug_check = report.bug_check->name;
  seen_.waiting = report.waiting;
  seen_.violations = report.violations;
  seen_.fences = machine.objects.current_values();
  for (const auto& [name, offsets] : wanted_) {
    const std::size_t slash = name.find('/');
    for (const std::uint64_t offset : offsets)
      if (const auto word =
              machine.objects.word(name.substr(0, slash), name.substr(slash + 1), offset))
        seen_.words[name][offset] = *word;
  }
  seen_.agents = progress_.agents();
  for (auto& [agent, thread] : threads_)
    if (!thread.thread->program->queue)
      seen_.threads[thread.thread->name] = std::move(thread.steps);
  commands_.finish(seen_.commands);
}

}  // namespace fenceline::campaign
