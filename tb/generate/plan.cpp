#include "tb/generate/plan.h"

#include <algorithm>
#include <stdexcept>

#include "tb/generate/aftermath.h"
#include "tb/generate/errors.h"
#include "tb/generate/negotiation.h"
#include "tb/generate/rules.h"
#include "tb/generate/world.h"

namespace fenceline::generate {

namespace {

constexpr std::uint64_t kAttempts = 40;      ///< for each step or command that a plan has to have
constexpr std::uint64_t kMoreSteps = 6;      ///< of a thread, for a feature with own steps
constexpr std::uint64_t kPacketBytes = 112;  ///< the longest packet, with its log entry
constexpr std::uint64_t kSmallestRing = 4096;
constexpr std::uint64_t kMostCounted = 12;  ///< packets of a command, among those of the scenario
/// A context has 8 buffers. A thread that needs one more waits, and work that comes later in the
/// plan would have to make room.
constexpr std::size_t kMaxBuffers = 6;

/// @tparam Object scenario::Queue or scenario::Context
template <class Object>
Agent agent_of(Agent::Kind kind, std::size_t process, const Object& object,
               engine::EngineKind engine_kind) {
  Agent agent;
  agent.kind = kind;
  agent.process = process;
  agent.name = object.name;
  agent.engine = object.engine;
  agent.engine_kind = engine_kind;
  return agent;
}

}  // namespace

Plan::Plan(const Constraints& constraints, Draw& draw, scenario::Scenario& scenario)
    : constraints_(constraints), draw_(draw), scenario_(scenario) {
  driver_signals_ =
      draw.occurs(constraints.features.cpu_events) && have_cpu_events(scenario.platform);
}

bool Plan::occurs(WordsOf feature, AgentId thread) const {
  const std::size_t process = agents_[thread].process;
  switch (feature) {
    case WordsOf::kEvents:
      return driver_signals_;
    case WordsOf::kErrors:
      return !errors_.processes.empty() && !errors_.planned;
    case WordsOf::kPower:
      return sleeps(process);
    case WordsOf::kDisplay:
      return std::any_of(displays_.begin(), displays_.end(),
                         [thread](const DisplayPlan& it) { return it.thread == thread; });
    case WordsOf::kMemory:
      return std::any_of(memories_.begin(), memories_.end(), [process](const MemoryPlan& memory) {
        return memory.managed && memory.process == process;
      });
    case WordsOf::kAny:
      break;
  }
  return true;
}

bool Plan::sleeps(std::size_t process) const {
  return sleepers_.count(adapter_of(scenario_, process).name) != 0;
}

std::size_t Plan::add_fence(FencePlan fence) {
  for (const auto& [process, handle] : fence.names) fence.opened.insert(process);
  fences_.push_back(std::move(fence));
  return fences_.size() - 1;
}

AgentId Plan::add(Agent agent) {
  agents_.push_back(std::move(agent));
  return agents_.size() - 1;
}

scenario::Program& Plan::add_program(Agent& agent) {
  agent.program = scenario_.programs.size();
  scenario::Program& program = scenario_.programs.emplace_back();
  program.name = agent.name;
  if (scenario_.processes.size() > 1) program.process = scenario_.processes[agent.process].name;
  return program;
}

AgentId Plan::add_thread(std::size_t process) {
  Agent agent;
  agent.process = process;
  agent.name = "t" + std::to_string(agents_.size());
  add_program(agent);
  return add(std::move(agent));
}

AgentId Plan::add_queue(std::size_t process, const scenario::Queue& queue,
                        engine::EngineKind kind) {
  Agent agent = agent_of(Agent::Kind::kQueue, process, queue, kind);
  if (queue.progress_fence) {
    FencePlan progress;
    progress.names[process] = {queue.name + ".progress", false};
    progress.signalled_by_os = true;
    agent.progress = add_fence(std::move(progress));
  }
  return add(std::move(agent));
}

AgentId Plan::add_context(std::size_t process, const scenario::Context& context,
                          engine::EngineKind kind) {
  Agent agent = agent_of(Agent::Kind::kContext, process, context, kind);
  agent.patched = context.patched;
  return add(std::move(agent));
}

void Plan::add_queue_program(AgentId queue) {
  std::vector<std::size_t> fences;
  for (const std::size_t fence : native_fences(queue))
    if (!fences_[fence].traced && !fences_[fence].signalled_by_os && fences_[fence].last.index == 0)
      fences.push_back(fence);
  if (fences.empty()) return;
  Agent start;
  start.kind = Agent::Kind::kStart;
  start.process = agents_[queue].process;
  start.name = agents_[queue].name;
  start.speaker = queue;
  add_program(start).queue = start.name;
  const AgentId id = add(std::move(start));
  act(id);
  const Span& size = constraints_.sizes.submission;
  agents_[queue].open =
      Agent::Submission{id, std::nullopt, draw_.between(size.min, size.max), Clock()};
  submitted(queue, id);
  const std::size_t fence = draw_.one_of(fences);
  fences_[fence].kept = true;
  signal(queue, fence);
}

bool Plan::may_be_given_up(const FencePlan& fence) const {
  return std::any_of(fence.opened.begin(), fence.opened.end(),
                     [this](std::size_t process) { return errors_.hit(process); });
}

bool Plan::can_use(AgentId id, const FencePlan& fence, Use use) const {
  const Agent& agent = agents_[id];
  const auto found = fence.names.find(agent.process);
  if (found == fence.names.end()) return false;
  if ((use == Use::kSignal && !found->second.may_signal) ||
      (use == Use::kWait && !found->second.may_wait))
    return false;
  if (agent.kind == Agent::Kind::kThread) return !fence.traced;
  if (agent.patched) return found->second.monitored;
  return agent.kind != Agent::Kind::kQueue || !found->second.monitored;
}

std::vector<std::size_t> Plan::usable_fences(AgentId id, Use use) const {
  std::vector<std::size_t> usable;
  for (std::size_t fence = 0; fence < fences_.size(); ++fence)
    if (can_use(id, fences_[fence], use)) usable.push_back(fence);
  return usable;
}

std::vector<std::size_t> Plan::native_fences(AgentId id) const {
  std::vector<std::size_t> native;
  for (const std::size_t fence : usable_fences(id))
    if (!monitored(id, fence)) native.push_back(fence);
  return native;
}

std::vector<AgentId> Plan::agents_of(std::size_t process, Agent::Kind kind) const {
  std::vector<AgentId> found;
  for (AgentId id = 0; id < agents_.size(); ++id)
    if (agents_[id].kind == kind && agents_[id].process == process) found.push_back(id);
  return found;
}

std::vector<AgentId> Plan::threads_of(std::size_t process) const {
  return agents_of(process, Agent::Kind::kThread);
}

std::vector<AgentId> Plan::queues_of(std::size_t process) const {
  return agents_of(process, Agent::Kind::kQueue);
}

std::vector<AgentId> Plan::contexts_of(std::size_t process) const {
  return agents_of(process, Agent::Kind::kContext);
}

const std::string& Plan::name_of(AgentId id, std::size_t fence) const {
  return fences_[fence].names.at(agents_[id].process).name;
}

bool Plan::monitored(AgentId id, std::size_t fence) const {
  return fences_[fence].names.at(agents_[id].process).monitored;
}

Event Plan::step(AgentId thread, scenario::Steps steps) {
  Agent& agent = agents_[thread];
  scenario::Steps& all = scenario_.programs[agent.program].steps;
  left_.steps -= std::min<std::uint64_t>(left_.steps, steps.size());
  const bool drains = std::any_of(steps.begin(), steps.end(), [](const scenario::Step& one) {
    return std::holds_alternative<scenario::DelayStep>(one.what) ||
           std::holds_alternative<scenario::SubmitStep>(one.what);
  });
  const bool needs_device = std::any_of(steps.begin(), steps.end(), [](const auto& one) {
    return generate::in_error(one) == InError::kNever;
  });
  for (scenario::Step& one : steps) all.push_back(std::move(one));
  const Event event = act(thread);
  if (needs_device) agents_[thread].device_call = event;
  if (drains) note_drained(thread);
  return event;
}

Event Plan::act(AgentId id) {
  const Event event{id, ++agents_[id].acts};
  agents_[id].known.learn(event);
  agents_[id].needs.learn(event);
  return event;
}

scenario::Commands& Plan::target(AgentId queue) {
  const Agent::Submission& open = *agents_[queue].open;
  scenario::Program& program = scenario_.programs[agents_[open.submitter].program];
  if (!open.step) return program.commands;
  return std::get<scenario::SubmitStep>(program.steps[*open.step].what).commands;
}

Event Plan::add(AgentId queue, scenario::Command command, std::uint64_t rounds) {
  Agent& agent = agents_[queue];
  agent.waits = agent.waits || std::holds_alternative<scenario::WaitCommand>(command.what);
  target(queue).push_back(std::move(command));
  agent.packets += rounds;
  left_.commands -= std::min({left_.commands, rounds, kMostCounted});
  if (agent.open->room > 0) --agent.open->room;
  return act(queue);
}

std::optional<AgentId> Plan::submitter(AgentId queue, const Event& needs) {
  const Agent& agent = agents_[queue];
  std::vector<AgentId> threads = threads_of(agent.process);
  if (threads.empty()) return std::nullopt;
  std::rotate(threads.begin(),
              threads.begin() + static_cast<std::ptrdiff_t>(draw_.below(threads.size())),
              threads.end());
  // The thread of the last submission needs no wait: it comes first mostly.
  if (agents_[agent.submitted.agent].process == agent.process && draw_.chance(70))
    for (AgentId& thread : threads)
      if (thread == agent.submitted.agent) std::swap(thread, threads.front());
  for (const AgentId thread : threads)
    if (order(thread, agent.submitted) && order(thread, needs) &&
        order_by_signals(thread, room(queue)))
      return thread;
  return std::nullopt;
}

void Plan::submitted(AgentId queue, AgentId thread) {
  Agent& agent = agents_[queue];
  if (!agents_[thread].known.knows(agent.submitted))
    throw std::logic_error(agents_[thread].name + " submits in no order with another thread");
  agent.submitted = {thread, agents_[thread].acts};
  agent.known.learn(agents_[thread].known);
  agent.needs.learn(agents_[thread].needs);
  ++agent.packets;
}

Event Plan::room(AgentId queue) const {
  const std::vector<std::uint64_t>& buffers = agents_[queue].buffers;
  if (buffers.size() < kMaxBuffers) return {};
  return {queue, buffers[buffers.size() - kMaxBuffers]};
}

bool Plan::take_turn(AgentId thread, AgentId context) {
  return order(thread, agents_[context].submitted) && order(thread, room(context));
}

/// The OS waits for monitored fences and signals some: a buffer ends there.
void Plan::note_buffer(AgentId queue, std::size_t fence) {
  if (agents_[queue].kind == Agent::Kind::kContext && monitored(queue, fence))
    agents_[queue].buffers.push_back(agents_[queue].acts);
}

bool Plan::open(AgentId queue, const Event& needs) {
  if (const auto& open = agents_[queue].open;
      open && open->room > 0 && open->begun.knows(needs) && open->begun.knows(room(queue)))
    return true;
  close(queue);
  const std::optional<AgentId> thread = submitter(queue, needs);
  if (thread) open_by(queue, *thread);
  return thread.has_value();
}

void Plan::open_by(AgentId queue, AgentId thread) {
  scenario::SubmitStep submit;
  Agent& agent = agents_[queue];
  address(agent, submit);
  step(thread, std::move(submit));
  const std::size_t index = scenario_.programs[agents_[thread].program].steps.size() - 1;
  if (agent.kind == Agent::Kind::kContext) agent.buffers.push_back(agent.acts);
  const Span& size = constraints_.sizes.submission;
  agent.open =
      Agent::Submission{thread, index, draw_.between(size.min, size.max), agents_[thread].known};
  submitted(queue, thread);
}

void Plan::close(AgentId queue) {
  Agent& agent = agents_[queue];
  if (!agent.open) return;
  const bool empty = target(queue).empty();
  agent.open.reset();
  if (!agent.progress || empty) return;
  FencePlan& fence = fences_[*agent.progress];
  fence.signals.push_back({++fence.value, agent.known, agent.needs});
}

void Plan::act_once() {
  const bool thread = draw_.between(1, left_.commands + left_.steps) <= left_.steps;
  std::vector<AgentId> ids;
  for (AgentId id = 0; id < agents_.size(); ++id)
    if (agents_[id].kind != Agent::Kind::kStart &&
        thread == (agents_[id].kind == Agent::Kind::kThread) &&
        (thread || !in_error(agents_[id].process)))
      ids.push_back(id);
  if (ids.empty()) return;
  const AgentId id = draw_.one_of(ids);
  if (thread)
    plan_step(*this, id);
  else
    plan_command(*this, id);
}

void Plan::fill() {
  const Sizes& sizes = constraints_.sizes;
  left_.commands = draw_.between(sizes.commands.min, sizes.commands.max);
  left_.steps = draw_.between(sizes.steps.min, sizes.steps.max);
  for (const WordsOf feature : kFeaturesWithSteps)
    for (AgentId id = 0; id < agents_.size(); ++id)
      if (agents_[id].kind == Agent::Kind::kThread && occurs(feature, id))
        left_.steps += draw_.between(1, kMoreSteps);
  const std::uint64_t attempts = kAttempts * (left_.commands + left_.steps);
  for (std::uint64_t i = 0; i < attempts && left_.commands + left_.steps > 0; ++i) act_once();
  if (!errors_.processes.empty() && !errors_.planned) plan_last_error(*this);
  if (errors_.planned) plan_lost_poll(*this);
  for (AgentId id = 0; id < agents_.size(); ++id) close(id);
  drop_empty_parts();
  size_rings();
}

/// Submissions for which no command was found, and programs without steps and commands.
void Plan::drop_empty_parts() {
  const auto is_empty = [](const scenario::Step& step) {
    const auto* submit = std::get_if<scenario::SubmitStep>(&step.what);
    return submit != nullptr && submit->commands.empty();
  };
  auto& programs = scenario_.programs;
  for (scenario::Program& program : programs) {
    auto& steps = program.steps;
    steps.erase(std::remove_if(steps.begin(), steps.end(), is_empty), steps.end());
  }
  programs.erase(std::remove_if(programs.begin(), programs.end(),
                                [](const scenario::Program& program) {
                                  return program.steps.empty() && program.commands.empty();
                                }),
                 programs.end());
}

bool Plan::makes_room(AgentId queue) const {
  const Agent& agent = agents_[queue];
  if (agent.waits || scenario_.platform.system.context_scheduling.enabled) return false;
  return std::none_of(agents_.begin(), agents_.end(), [&](const Agent& other) {
    const bool keeps_engine = other.kind == Agent::Kind::kContext && other.engine == agent.engine;
    return keeps_engine || other.speaker == queue;
  });
}

/// A ring has room for all packets of its queue that may be there at once: a submission never waits
/// for room, which work that comes later in the plan would have to make. Only a queue that makes
/// room by itself may have too small a ring. A ring that wraps has twice that, because its read
/// pointer is written now and then.
void Plan::size_rings() {
  for (AgentId id = 0; id < agents_.size(); ++id) {
    const Agent& agent = agents_[id];
    if (agent.kind != Agent::Kind::kQueue) continue;
    for (scenario::Queue& queue : scenario_.processes[agent.process].queues) {
      if (queue.name != agent.name) continue;
      queue.ring_bytes = kSmallestRing;
      if (makes_room(id)) continue;
      const std::uint64_t bytes = agent.packets * kPacketBytes * (agent.wraps ? 2 : 1);
      while (queue.ring_bytes < bytes) queue.ring_bytes *= 2;
      if (!agent.wraps && draw_.chance(50))
        queue.ring_bytes = std::max(queue.ring_bytes, scenario::Queue{}.ring_bytes);
    }
  }
}

}  // namespace fenceline::generate
