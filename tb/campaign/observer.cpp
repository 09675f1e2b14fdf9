#include "tb/campaign/observer.h"

namespace fenceline::campaign {

using common::At;

namespace {

/// Others may see an effect of the step as soon as it has begun. (A signal has an event of its
/// own.)
bool acts_before_its_end(const scenario::Step& step) {
  const auto* const wait = std::get_if<scenario::WaitStep>(&step.what);
  return std::holds_alternative<scenario::SubmitStep>(step.what) ||
         std::holds_alternative<scenario::GpuWaitStep>(step.what) ||
         std::holds_alternative<scenario::GpuSignalStep>(step.what) ||
         std::holds_alternative<scenario::DestroyFenceStep>(step.what) ||
         std::holds_alternative<scenario::FailDeviceStep>(step.what) ||
         std::holds_alternative<scenario::ResetEngineStep>(step.what) ||
         (wait != nullptr && wait->event);
}

}  // namespace

void Observer::ready(run::ScenarioMachine& machine) {
  commands_.start(machine);
  for (const run::ScenarioMachine::Thread* thread : machine.threads()) {
    Thread& made = threads_[thread->agent];
    made.thread = thread;
    const std::string& program = thread->program->at.pointer;
    commands_.add_submitter(thread->agent, thread->program->queue ? program : thread->name);
    commands_.begin_step(thread->agent, program);
    if (!thread->program->queue) made.agent = progress_.add(Agent::Kind::kThread, thread->name);
  }
  machine.simulation().events.subscribe(*this, common::Handlers<Observer>::kinds());
}

Observer::Thread* Observer::thread_of(common::AgentId agent) {
  const auto found = threads_.find(agent);
  return found == threads_.end() ? nullptr : &found->second;
}

void Observer::on(const At<event::ThreadStep>& event) {
  Thread* const thread = thread_of(event.agent);
  if (thread == nullptr) return;
  const scenario::Step& step = *thread->thread->step;
  commands_.begin_step(event.agent, step.at.pointer);
  thread->steps.push_back({step.at.pointer, false, {}, std::nullopt, {}});
  thread->in_step = true;
  if (std::holds_alternative<scenario::RepeatStep>(step.what)) return end_step(*thread);
  if (acts_before_its_end(step)) progress_.reach(thread->agent, thread->steps.size());
}

void Observer::end_step(Thread& thread) {
  thread.in_step = false;
  progress_.reach(thread.agent, thread.steps.size());
  thread.steps.back().ended = true;
  thread.steps.back().over = progress_.counts();
}

void Observer::on(const At<event::ThreadStepEnd>& event) {
  Thread* const thread = thread_of(event.agent);
  if (thread == nullptr || !thread->in_step) return;  // the end of a loop
  end_step(*thread);
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
  if (thread != nullptr &&
      (runs<scenario::SignalStep>(*thread) || runs<scenario::SignalElsewhereStep>(*thread)))
    progress_.reach(thread->agent, thread->steps.size());
}

void Observer::on(const At<event::ThreadCommand>& event) {
  if (const Thread* const thread = thread_of(event.agent))
    commands_.begin_command(event, thread->thread->command->at.pointer);
}

void Observer::ended(run::ScenarioMachine& machine, const report::RunReport& report) {
  if (!report.began) return;  // the objects may not be there
  seen_.ending = report.ending;
  if (report.bug_check) seen_.bug_check = report.bug_check->name;
  seen_.waiting = report.waiting;
  seen_.violations = report.violations;
  seen_.fences = machine.objects.current_values_of_alive();
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
  commands_.hand_over(seen_.commands);
}

}  // namespace fenceline::campaign
