// How a plan orders accesses to allocations.
#include <algorithm>

#include "tb/generate/plan.h"

namespace fenceline::generate {

std::uint64_t drawn_offset(Draw& draw, std::uint64_t bytes) {
  constexpr std::uint64_t kFirst = 4;
  const std::uint64_t words = bytes / 8;
  return 8 * draw.below(draw.chance(50) ? std::min(kFirst, words) : words);
}

bool Plan::moves_memory(AgentId id) const {
  if (scenario_.platform.system.video_memory != 0) return true;  // state of contexts moves too
  const std::string& adapter = scenario_.processes[agents_[id].process].adapter;
  return std::any_of(memories_.begin(), memories_.end(), [&](const MemoryPlan& memory) {
    return memory.managed && scenario_.processes[memory.process].adapter == adapter;
  });
}

/// A step of the thread makes its stores visible to all.
void Plan::note_drained(AgentId thread) {
  for (MemoryPlan& memory : memories_) {
    if (memory.settled || memory.written.agent != thread) continue;
    memory.settled = true;
    memory.written = {thread, agents_[thread].acts};
  }
}

/// Stores may stay in the core until their thread sleeps or submits work.
void Plan::settle(std::size_t memory, AgentId reader) {
  const MemoryPlan& plan = memories_[memory];
  const AgentId writer = plan.written.agent;
  if (plan.settled || writer == reader || agents_[writer].kind != Agent::Kind::kThread) return;
  const bool submits = agents_[reader].kind != Agent::Kind::kThread &&
                       agents_[reader].process == agents_[writer].process && draw_.chance(60);
  if (submits) close(reader);
  if (submits && order(writer, agents_[reader].submitted))
    open_by(reader, writer);
  else
    step(writer, scenario::DelayStep{draw_.between(1, 20) * 100 * common::kNanosecond});
}

bool Plan::access(AgentId queue, std::size_t memory, bool writes) {
  const MemoryPlan before = memories_[memory];
  if (!before.resident || before.gone || before.mapped) return false;
  settle(memory, queue);
  const MemoryPlan plan = memories_[memory];
  if (!order(queue, plan.written) || (writes && !order(queue, plan.read)) ||
      !open(queue, plan.residency))
    return false;
  if (plan.settled || plan.written.agent != queue || writes) return true;
  if (draw_.chance(50))
    command(queue, scenario::BarrierCommand{});
  else
    command(queue, scenario::FlushCommand{});
  note_barrier(queue);
  return open(queue, plan.residency);
}

bool Plan::access_by_cpu(AgentId thread, std::size_t memory, bool writes) {
  settle(memory, thread);
  const MemoryPlan plan = memories_[memory];
  return order(thread, plan.written) && (!writes || order(thread, plan.read));
}

void Plan::note_barrier(AgentId queue) {
  for (MemoryPlan& memory : memories_)
    if (memory.written.agent == queue) memory.settled = true;
}

void Plan::note_access(std::size_t memory, bool writes, const Event& event) {
  MemoryPlan& plan = memories_[memory];
  if (!writes) return plan.read.learn(event);
  plan.written = event;
  plan.read = Clock();
  plan.settled = false;
}

}  // namespace fenceline::generate
