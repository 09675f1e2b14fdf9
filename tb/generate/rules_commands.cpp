// Rules of commands.
#include "tb/generate/rules.h"
#include "tb/generate/sharing.h"
#include "tb/generate/world.h"

namespace fenceline::generate {

namespace {

constexpr std::uint64_t kMaxRounds = 6;  ///< of a repeat
/// Rounds of a repeat that mostly write more than a small ring holds.
constexpr std::uint64_t kFillsRing = 100;

/// A fence that the queue may wait for now, and a value that it has by then.
bool wait_for_some_fence(Plan& plan, AgentId id) {
  std::vector<std::size_t> fences;
  for (const std::size_t fence : plan.usable_fences(id, Plan::Use::kWait))
    if (!plan.fences()[fence].signals.empty()) fences.push_back(fence);
  if (fences.empty()) return false;
  const std::size_t fence = plan.draw().one_of(fences);
  return plan.wait_for(id, fence, plan.draw().one_of(plan.fences()[fence].signals).value);
}

/// Hardware queues use memory that moves only if the OS can suspend them, and patched contexts use
/// what stays in VRAM.
bool can_use_memory(const Plan& plan, const Agent& agent, const MemoryPlan& memory) {
  if (memory.process != agent.process) return false;
  if (agent.patched) return memory.in_vram;
  return !memory.managed || agent.kind == Agent::Kind::kContext ||
         plan.scenario().platform.system.context_scheduling.enabled;
}

std::vector<std::size_t> memories_of(Plan& plan, AgentId queue) {
  std::vector<std::size_t> found;
  for (std::size_t i = 0; i < plan.memories().size(); ++i)
    if (can_use_memory(plan, plan.agent(queue), plan.memories()[i])) found.push_back(i);
  return found;
}

std::optional<std::size_t> some_memory(Plan& plan, AgentId queue, bool writes) {
  const std::vector<std::size_t> all = memories_of(plan, queue);
  if (all.empty()) return std::nullopt;
  const std::size_t memory = plan.draw().one_of(all);
  if (!plan.access(queue, memory, writes)) return std::nullopt;
  return memory;
}

/// Memory traffic of a dispatch or draw.
template <class C>
std::optional<std::size_t> draw_traffic(Plan& plan, AgentId queue, C& command) {
  if (!plan.draw().chance(40)) return std::nullopt;
  const bool writes = plan.draw().chance(50);
  const std::optional<std::size_t> memory = some_memory(plan, queue, writes);
  if (!memory) return std::nullopt;
  const std::uint64_t bytes = 64 * plan.draw().between(1, plan.memories()[*memory].bytes / 64);
  (writes ? command.write_bytes : command.read_bytes) = bytes;
  command.write_through = writes && plan.draw().chance(50);
  command.allocation = plan.memories()[*memory].name;
  return memory;
}

/// Each signal ends a buffer, and a context has few.
bool signalled_by_os(const Plan& plan, AgentId queue, std::size_t fence) {
  const Agent& agent = plan.agent(queue);
  if (agent.kind != Agent::Kind::kContext || !plan.monitored(queue, fence)) return false;
  return agent.patched || !plan.fence(fence).names.at(agent.process).gpu_access ||
         adapter_of(plan.scenario(), agent.process).iommu;
}

template <class C>
bool add_work(Plan& plan, AgentId queue, C command) {
  const std::optional<std::size_t> memory = draw_traffic(plan, queue, command);
  if (!plan.open(queue)) return false;
  const bool writes = command.write_bytes != 0;
  const Event event = plan.command(queue, std::move(command));
  if (memory) plan.note_access(*memory, writes, event);
  return true;
}

std::vector<AgentId> threads_that_wait(Plan& plan, std::size_t fence) {
  std::vector<AgentId> threads;
  for (AgentId id = 0; id < plan.agents().size(); ++id)
    if (plan.agent(id).kind == Agent::Kind::kThread &&
        plan.can_use(id, plan.fences()[fence], Plan::Use::kWait))
      threads.push_back(id);
  return threads;
}

/// The queue, or another one of its engine, signals the fence again: the notices of both signals
/// may meet. At times one thread waits for each of the two values.
void plan_relay(Plan& plan, AgentId queue, std::size_t fence) {
  const auto of_engine = [&plan](AgentId id) {
    const Agent& agent = plan.agent(id);
    return agent.engine + "@" + adapter_of(plan.scenario(), agent.process).name;
  };
  std::vector<AgentId> next{queue};
  for (AgentId id = 0; id < plan.agents().size(); ++id)
    if (id != queue && plan.agent(id).kind == Agent::Kind::kQueue &&
        of_engine(id) == of_engine(queue) &&
        plan.can_use(id, plan.fences()[fence], Plan::Use::kSignal))
      next.push_back(id);
  const std::uint64_t first = plan.fences()[fence].value;
  if (!plan.signal(plan.draw().one_of(next), fence) || plan.draw().chance(50)) return;
  std::vector<AgentId> threads = threads_that_wait(plan, fence);
  for (const std::uint64_t value : {first, plan.fences()[fence].value}) {
    if (threads.empty()) return;
    const std::size_t index = plan.draw().below(threads.size());
    plan.wait_for(threads[index], fence, value);
    threads.erase(threads.begin() + static_cast<std::ptrdiff_t>(index));
  }
}

/// A thread answers the last signal of the fence, and the queue waits for the answer, mostly in the
/// same submission: nothing else tells the thread of the signal.
void plan_answer(Plan& plan, AgentId queue, std::size_t fence) {
  const std::vector<AgentId> threads = threads_that_wait(plan, fence);
  if (threads.empty()) return;
  const AgentId thread = plan.draw().one_of(threads);
  if (!plan.wait_for(thread, fence, plan.fences()[fence].value)) return;
  std::vector<std::size_t> answers;
  for (const std::size_t other : plan.usable_fences(thread, Plan::Use::kSignal))
    if (other != fence && plan.can_use(queue, plan.fences()[other], Plan::Use::kWait))
      answers.push_back(other);
  if (answers.empty()) return;
  const std::size_t answer = plan.draw().one_of(answers);
  if (plan.signal(thread, answer)) plan.wait_for(queue, answer, plan.fences()[answer].value);
}

}  // namespace

bool Rule<scenario::SignalCommand>::plan(Plan& plan, AgentId queue) {
  const std::vector<std::size_t> fences = plan.usable_fences(queue, Plan::Use::kSignal);
  if (fences.empty()) return false;
  const std::size_t fence = plan.draw().one_of(fences);
  if (!plan.signal(queue, fence)) return false;
  const Features& features = plan.constraints().features;
  if (plan.agent(queue).kind == Agent::Kind::kQueue && plan.draw().chance(features.relays))
    plan_relay(plan, queue, fence);
  if (plan.draw().chance(features.answers)) plan_answer(plan, queue, fence);
  return true;
}

bool Rule<scenario::WaitCommand>::plan(Plan& plan, AgentId queue) {
  return wait_for_some_fence(plan, queue);
}

bool Rule<scenario::WriteCommand>::plan(Plan& plan, AgentId queue) {
  const std::optional<std::size_t> memory = some_memory(plan, queue, true);
  if (!memory) return false;
  const MemoryPlan& target = plan.memories()[*memory];
  scenario::WriteCommand command;
  command.allocation = target.name;
  command.offset = drawn_offset(plan.draw(), target.bytes);
  command.value = scenario::Expression{plan.stamp()};
  plan.note_access(*memory, true, plan.command(queue, std::move(command)));
  return true;
}

bool Rule<scenario::CopyCommand>::plan(Plan& plan, AgentId queue) {
  const std::optional<std::size_t> source = some_memory(plan, queue, false);
  const std::optional<std::size_t> target = some_memory(plan, queue, true);
  if (!source || !target || *source == *target || !plan.access(queue, *source, false)) return false;
  const MemoryPlan& from = plan.memories()[*source];
  const MemoryPlan& to = plan.memories()[*target];
  const std::uint64_t most = std::min(from.bytes, to.bytes);
  std::uint64_t bytes = drawn_offset(plan.draw(), most) + 8;
  if (plan.draw().chance(10)) bytes -= plan.draw().between(1, 7);
  scenario::CopyCommand command{from.name, to.name, bytes};
  const Event event = plan.command(queue, std::move(command));
  plan.note_access(*source, false, event);
  plan.note_access(*target, true, event);
  return true;
}

bool Rule<scenario::DispatchCommand>::plan(Plan& plan, AgentId queue) {
  if (plan.agent(queue).engine_kind == engine::EngineKind::kCopy) return false;
  Draw& draw = plan.draw();
  scenario::DispatchCommand command;
  command.duration = draw_work_time(plan);
  command.groups = static_cast<std::uint32_t>(draw.chance(50) ? 1 : draw.between(2, 8));
  if (draw.chance(25)) {  // a shape that fits every chip
    command.threads = 32U << draw.below(3);
    command.registers = static_cast<std::uint32_t>(draw.between(0, 32));
    command.shared_bytes = static_cast<std::uint32_t>(1024 * draw.between(0, 8));
    command.variation = static_cast<std::uint32_t>(draw.between(0, 50));
    if (draw.chance(50)) command.distribution = abi::GroupTimes::kUniform;
  }
  return add_work(plan, queue, std::move(command));
}

bool Rule<scenario::DrawCommand>::plan(Plan& plan, AgentId queue) {
  if (plan.agent(queue).engine_kind != engine::EngineKind::kGraphics) return false;
  Draw& draw = plan.draw();
  scenario::DrawCommand command;
  command.duration = draw_work_time(plan);
  command.primitives = static_cast<std::uint32_t>(draw.chance(50) ? 1 : draw.between(2, 8));
  if (draw.chance(25)) {
    command.triangles = command.primitives * draw.between(1, 16);
    command.pixels = draw.between(0, 4096);
    command.registers = static_cast<std::uint32_t>(draw.between(0, 32));
    command.duration = 0;
  }
  return add_work(plan, queue, std::move(command));
}

bool Rule<scenario::BarrierCommand>::plan(Plan& plan, AgentId queue) {
  if (!plan.open(queue)) return false;
  plan.command(queue, scenario::BarrierCommand{});
  plan.note_barrier(queue);
  return true;
}

bool Rule<scenario::FlushCommand>::plan(Plan& plan, AgentId queue) {
  if (!plan.open(queue)) return false;
  plan.command(queue, scenario::FlushCommand{});
  plan.note_barrier(queue);
  return true;
}

bool Rule<scenario::SplitCommand>::plan(Plan& plan, AgentId queue) {
  if (!plan.agent(queue).patched || !plan.open(queue)) return false;
  plan.command(queue, scenario::SplitCommand{});
  return true;
}

/// A loop that signals rising values of one fence.
bool Rule<scenario::RepeatCommands>::plan(Plan& plan, AgentId queue) {
  const std::vector<std::size_t> fences = plan.usable_fences(queue, Plan::Use::kSignal);
  if (fences.empty()) return false;
  const std::size_t fence = plan.draw().one_of(fences);
  if (signalled_by_os(plan, queue, fence) || !plan.prepare_signal(queue, fence)) return false;
  const bool fills = plan.agent(queue).kind == Agent::Kind::kQueue &&
                     plan.draw().chance(plan.makes_room(queue) ? 30 : 10);
  const Plan::Values values =
      plan.next_values(fence, fills ? plan.draw().between(kFillsRing, 2 * kFillsRing)
                                    : plan.draw().between(2, kMaxRounds));
  scenario::RepeatCommands repeat;
  repeat.count = scenario::Expression{values.count};
  repeat.counter = "i";
  if (plan.draw().chance(50)) repeat.body.push_back({scenario::BarrierCommand{}, {}});
  repeat.body.push_back(
      {scenario::SignalCommand{{plan.name_of(queue, fence), values.expression()}}, {}});
  const std::uint64_t commands = values.count * repeat.body.size();
  const Clock before = plan.agent(queue).known;
  plan.add(queue, {std::move(repeat), {}}, commands);
  plan.note_signals(queue, fence, values, before);
  return true;
}

}  // namespace fenceline::generate
