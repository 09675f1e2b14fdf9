#include "tb/report/rows/causes.h"

#include "models/common/event_handlers.h"

namespace fenceline::report {

using common::At;
using common::ObjectKind;

Causes::Causes(const scenario::Scenario& scenario, const Names& names)
    : places_(scenario), given_(names) {
  add_threads(scenario, names);
  for (const scenario::Fault& fault : scenario.faults)
    faults_.push_back(places_.number(fault.location));
}

/// Threads are objects in the order of the programs: see run::ScenarioMachine.
void Causes::add_threads(const scenario::Scenario& scenario, const Names& names) {
  std::uint32_t thread = 1;
  for (const scenario::Program& program : scenario.programs)
    for (std::uint32_t index = 0; index < program.count; ++index, ++thread) {
      if (thread > names.count(ObjectKind::kThread)) return;
      Runner& runner = runners_[thread];
      runner.program = &program;
      runner.step = places_.number(program.at);
      if (!program.counter.empty()) runner.counters[program.counter] = index;
      runner.steps = StepWalk(program.steps, runner.counters);
      runner.commands = CommandWalk(program.commands, runner.counters);
    }
}

std::uint32_t Causes::take(const common::Event& event) {
  const Runner* const by = runner(event.agent);
  place_ = by == nullptr ? 0 : by->step;
  common::Handlers<Causes>::hand(*this, event);
  return place_;
}

Causes::Runner* Causes::runner(common::AgentId agent) {
  const auto found = agents_.find(agent);
  return found == agents_.end() ? nullptr : found->second;
}

// --- threads

/// A thread emits its first state itself. A state lasts longer than a step.
void Causes::on(const At<event::ThreadState>& event) {
  const auto found = runners_.find(event.thread);
  if (found != runners_.end() && event.state == event::ThreadStateKind::kRunning)
    agents_.emplace(event.agent, &found->second);
  place_ = 0;
}

void Causes::on(const At<event::ThreadStep>& event) {
  Runner* const by = runner(event.agent);
  const scenario::Step* const step = by == nullptr ? nullptr : by->steps.next();
  if (step == nullptr) return;
  by->step = place_ = places_.number(step->at);
  by->command = 0;
  if (const auto* submit = std::get_if<scenario::SubmitStep>(&step->what))
    by->commands = CommandWalk(submit->commands, by->counters);
}

void Causes::on(const At<event::ThreadStepEnd>& event) {
  Runner* const by = runner(event.agent);
  if (by == nullptr) return;
  by->step = places_.number(by->program->at);
  by->command = 0;
}

void Causes::on(const At<event::ThreadCommand>& event) {
  Runner* const by = runner(event.agent);
  if (by == nullptr) return;
  const scenario::Command* command = by->commands.next();
  while (command != nullptr && std::holds_alternative<scenario::RepeatCommands>(command->what))
    command = by->commands.next();
  if (command != nullptr) by->command = place_ = places_.number(command->at);
}

// --- queues

void Causes::on(const At<event::CommandRecorded>& event) {
  const Runner* const by = runner(event.agent);
  const std::uint32_t place = by == nullptr ? 0 : by->command != 0 ? by->command : by->step;
  if (event.end == 0)
    recorded_[event.queue].push_back(place);
  else
    rings_[event.queue].push_back({event.end, place});
}

void Causes::on(const At<event::CommandDone>& event) {
  if (event.queue != 0) return pass(event.queue, event.end);
  Buffer* const buffer =
      running(given_.engine(static_cast<std::uint32_t>(event.adapter), event.engine));
  if (buffer != nullptr) ++buffer->next;
}

void Causes::on(const At<event::CommandsDropped>& event) { pass(event.queue, event.end); }

void Causes::pass(std::uint32_t queue, std::uint64_t end) {
  std::deque<Recorded>& ring = rings_[queue];
  while (!ring.empty() && ring.front().end <= end) ring.pop_front();
}

std::uint32_t Causes::of_queue(std::uint32_t queue) const {
  const auto ring = rings_.find(queue);
  return ring == rings_.end() || ring->second.empty() ? place_ : ring->second.front().place;
}

// --- contexts

void Causes::on(const At<event::ContextPacket>& event) {
  buffers_[{event.context, event.buffer}] = {place_, std::move(recorded_[event.context]), 0};
  recorded_[event.context].clear();
}

Causes::Buffer* Causes::running(std::uint32_t engine) {
  const auto on = on_engine_.find(engine);
  if (on == on_engine_.end()) return nullptr;
  const auto found = buffers_.find({on->second.context, on->second.number});
  return found == buffers_.end() ? nullptr : &found->second;
}

void Causes::on(const At<event::BufferBegin>& event) {
  const std::uint32_t engine = given_.engine(event.adapter, event.engine);
  const GivenBuffers::Buffer* const given = given_.find(engine, event.submission);
  if (given == nullptr) return;
  on_engine_[engine] = *given;
  if (const Buffer* const buffer = running(engine)) place_ = buffer->step;
}

/// A packet of a node's own queue belongs to the buffer that runs.
void Causes::on(const At<event::PacketBegin>& event) {
  place_ = of_queue(event.queue);
  if (place_ != 0) return;
  if (const Buffer* const buffer = running(event.engine)) place_ = buffer->place();
}

}  // namespace fenceline::report
