#include "tb/os/contexts/context_scheduler.h"

#include <algorithm>

#include "models/abi/mutant.h"

namespace fenceline::os {

using common::Operation;
using Packet = ContextQueue::Packet;

void ContextScheduler::run() {
  table.cpu.run_thread(Operation::kIdle, 0);
  if (table.preemption.enabled)
    table.cpu.simulation().emit(event::RecoveryLimits{0, table.preemption.tdr_limit_count,
                                                      table.preemption.tdr_limit_time});
  for (;;) {
    table.cpu.simulation().steps.forget_at(0);
    common::Time limit = 0;
    if (policy.next_deadline(limit)) {
      const bool exploring = table.cpu.simulation().steps.exploring();
      const bool fired = !table.cpu.block(
          table.work, &limit, exploring ? common::Fires::kAnyTime : common::Fires::kLast);
      table.timer_fired = exploring && fired;
    } else {
      table.cpu.block(table.work, nullptr);
    }
    table.work.clear();
    bool more = true;
    while (more) {
      more = false;
      for (const auto& context : table.contexts) more = dispatch.run_leave(*context) || more;
      more = go_on(policy.by_rank(), more) || more;
      if (!more) more = lost_work.end_faulted() || watch_nodes();
    }
  }
}

/// Does all possible work of each context; false if there was none.
bool ContextScheduler::go_on(const std::vector<ContextQueue*>& contexts, bool more) {
  for (std::size_t i = 0; i < contexts.size(); ++i) {
    // Between two contexts the thread's only state is the list of contexts left.
    common::Hasher place;
    place.add(more ? 1 : 2);
    for (std::size_t left = i; left < contexts.size(); ++left) place.add(contexts[left]->object);
    table.cpu.simulation().steps.forget_at(place.value());
    more = go_on(*contexts[i]) || more;
  }
  return more;
}

/// Does all possible work of one context; false if there was none.
bool ContextScheduler::go_on(ContextQueue& context) {
  bool some = waits.clear_passed(context);
  while (end_lists(context)) some = true;
  if (drop_packets(context)) some = true;
  while (run_head(context)) some = true;
  return some;
}

/// The device is in error: drops all packets. Only this thread removes packets, so none disappears
/// while in use. A dropped wait leaves the list of its fence.
bool ContextScheduler::drop_packets(ContextQueue& context) {
  // Dropped packets only come back with a preemption, and then this function is called again.
  const bool any =
      !context.preempted.empty() || !context.packets.empty() || !context.passed.empty();
  if (!context.ended || !any) return false;
  std::deque<Packet> dropped;
  {
    LockScope lock(table.cpu, table.lock, DISPATCH_LEVEL);
    for (auto* list : {&context.preempted, &context.packets, &context.passed}) {
      std::move(list->begin(), list->end(), std::back_inserter(dropped));
      list->clear();
    }
  }
  for (Packet& packet : dropped) {
    waits.give_up(packet);
    if (table.on_listed && !packet.listed.empty())
      table.on_listed(context.adapter, packet.listed, ListedWork::kDropped);
  }
  return true;
}

/// The next packet of the queue; null if there is none. Preempted buffers come before all others.
Packet* ContextScheduler::head_of(ContextQueue& context) {
  LockScope lock(table.cpu, table.lock, DISPATCH_LEVEL);
  Packet* const packet = context.packets.empty() ? nullptr : &context.packets.front();
  if (context.preempted.empty()) return packet;
  const bool passes = packet != nullptr && packet->kind == Packet::Kind::kSignal &&
                      abi::mutant(abi::Mutant::kSignalPassesPreempted);
  return passes ? packet : &context.preempted.front();
}

/// Runs the packet at the head of the queue; false if it must wait. Only this thread removes
/// packets, so the head stays while the lock is free.
bool ContextScheduler::run_head(ContextQueue& context) {
  Packet* const head = head_of(context);
  if (head == nullptr) return false;
  // Only this thread preempts buffers, so the head stays the head.
  const bool again = !context.preempted.empty() && head == &context.preempted.front();
  bool done = false;
  bool keep = false;
  switch (head->kind) {
    case Packet::Kind::kBuffer:
      done = dispatch.run_buffer(context, *head);
      break;
    case Packet::Kind::kWait:
      done = waits.run_wait(context, *head->wait);
      keep = !done && !ordering_.hold_gpu_waits;
      break;
    case Packet::Kind::kSignal:
      done = waits.run_signal(context, *head);
      break;
  }
  if (!done && !keep) return false;
  LockScope lock(table.cpu, table.lock, DISPATCH_LEVEL);
  if (keep) context.passed.push_back(std::move(context.packets.front()));
  (again ? context.preempted : context.packets).pop_front();
  return true;
}

/// Reports the allocation lists of completed buffers; false if there are none.
bool ContextScheduler::end_lists(ContextQueue& context) {
  if (!table.on_listed) return false;
  std::vector<Allocation*> listed;
  {
    LockScope lock(table.cpu, table.lock, DISPATCH_LEVEL);
    if (context.lists_done == 0) return false;
    --context.lists_done;
    listed = std::move(context.lists.front());
    context.lists.pop_front();
  }
  if (!listed.empty()) table.on_listed(context.adapter, listed, ListedWork::kEnds);
  return true;
}

/// Requests due preemptions and recovers nodes that did not acknowledge one. True if contexts may
/// be able to continue.
bool ContextScheduler::watch_nodes() {
  if (!table.preemption.enabled) return false;
  bool changed = false;
  for (const auto& node : table.nodes) {
    // Between two nodes the thread's only state is the identity of the next node.
    const std::uint64_t which = std::uint64_t{node->adapter->object()} << 32 | node->node;
    table.cpu.simulation().steps.forget_at(common::hash_values(changed ? 3 : 4, which));
    bool due = false;
    bool late = false;
    {
      LockScope lock(table.cpu, table.lock, DISPATCH_LEVEL);
      due = policy.should_preempt(*node);
      const common::Time now = table.cpu.simulation().steps.simulated();
      const bool exploring = table.cpu.simulation().steps.exploring();
      const bool asked = node->preempting || policy.not_asked(*node);
      late = table.preemption.detects_timeouts && asked &&
             (exploring ? table.timer_fired && !table.recovered
                        : now - node->since >= table.preemption.tdr_delay);
    }
    if (due || late) table.pause();
    if (due && !table.preemption.preempts_first &&
        table.cpu.simulation().steps.simulated() - node->since >= table.preemption.tdr_delay)
      late = true;
    else if (due)
      returns.preempt(*node);
    if (late) recovery.recover(*node);
    changed = changed || late;
  }
  return changed;
}

}  // namespace fenceline::os
