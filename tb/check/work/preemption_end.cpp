// The end of a run: preemptions without an answer, lost buffers, and waits for fences of a device
// in error.
#include "tb/check/work/preemption.h"

namespace fenceline::check {

using common::Hasher;
using common::ObjectKind;

/// Each buffer that was given up or lost must have put its device in error, and no waiter is left.
void PreemptionChecks::finish_lost() {
  for (const auto& [key, node] : nodes_)
    for (const auto& [id, address] : node.faults)
      fail(Invariant::kFaultReport, key.first,
           "engine " + text(key.second - 1) + " of " +
               world_.report.name(ObjectKind::kAdapter, key.first) + " has given buffer " +
               text(id) + " up, and the OS was never told");
  for (const std::uint64_t process : failing_)
    fail(Invariant::kLostWork, process,
         "a buffer of process " + world_.report.name(ObjectKind::kProcess, process) +
             " was lost, and its device is not in error");
  std::set<std::uint64_t> in_error = errors_;
  for (const auto& [object, context] : contexts_)
    if (context.ended) in_error.insert(context.process);
  for (const auto& [key, opened] : opened_) {
    const auto [process, fence] = key;
    if (in_error.count(process) == 0) continue;
    world_.report.checked(Invariant::kLostWork);
    const auto number = static_cast<std::uint32_t>(fence);
    if (waiters_.waited_for(number, world_.report.seq()))
      fail(Invariant::kLostWork, process,
           "somebody waits for " + world_.report.fence(fence) + ", and the device of process " +
               world_.report.name(ObjectKind::kProcess, process) + " is in error");
  }
}

void PreemptionChecks::finish_quiescent() {
  finish_lost();
  for (const auto& [key, node] : nodes_)
    if (node.asked)
      fail(Invariant::kAnswered, key.first,
           "preemption " + text(node.preemption) + " of engine " + text(key.second - 1) + " of " +
               world_.report.name(ObjectKind::kAdapter, key.first) + " was never acknowledged");
  // A buffer is not lost if it is behind a running buffer or behind a hang.
  std::set<std::pair<std::uint64_t, std::uint64_t>> behind;
  for (const auto& [key, node] : nodes_)
    if (node.running != 0 || node.hung)
      for (const auto& [id, packet] : node.given) behind.insert(packet);
  for (const auto& [object, context] : contexts_) {
    if (context.ended) continue;
    for (const auto& [number, packet] : context.packets) {
      if (!packet.given || packet.runs || behind.count({object, number}) != 0) continue;
      fail(Invariant::kPreemptedWork, object,
           buffer(object, number) + " was given to the driver and never done");
      break;
    }
  }
}

void PreemptionChecks::add_to(Canonical& hash) const {
  if (nodes_.empty()) return;
  std::uint64_t sum = 0;
  for (const auto& [object, context] : contexts_) {
    Hasher hasher;
    hasher.add(object).add(context.ended ? 1 : 0);
    for (const std::uint64_t away : context.away) hasher.add(away);
    for (const auto& [number, packet] : context.packets)
      hasher.add(number - context.done)
          .add(packet.id)
          .add(packet.place)
          .add((packet.given ? 1U : 0U) | (packet.runs ? 2U : 0U));
    sum += hasher.value();
  }
  hash.add(sum);
  for (const auto& [key, node] : nodes_) {
    hash.add(key.first << 8 | key.second)
        .add(node.completed)
        .add(node.last_given)
        .add(node.running << 1 | (node.hung ? 1U : 0U))
        .add(node.preemption << 1 | (node.asked ? 1U : 0U));
    for (const Held& held : node.held) hash.add(held.id << 1 | (held.returned ? 1U : 0U));
    for (const std::uint64_t id : node.returned_paging) hash.add(id);
    for (const auto& [id, address] : node.faults) hash.add(id);
  }
  for (const std::uint64_t process : failing_) hash.add(process);
  for (const auto& [place, value] : saved_) hash.add(std::get<2>(place)).add(value);
}

}  // namespace fenceline::check
