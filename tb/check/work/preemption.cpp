#include "tb/check/work/preemption.h"

#include <algorithm>

#include "kmd_stub/wddm/adapter_caps.h"

namespace fenceline::check {

using common::At;
using common::ObjectKind;
using event::RecoveryStage;

std::string PreemptionChecks::buffer(std::uint64_t context, std::uint64_t number) const {
  return "buffer " + text(number) + " of context " +
         world_.report.name(ObjectKind::kQueue, context);
}

/// In the Windows 7 model, the OS asks for no preemption.
void PreemptionChecks::on(const At<event::AdapterStarted>& event) {
  constexpr std::uint64_t kPreemptionAware = DXGK_VIDSCHCAPS::kPreemptionAware;
  if ((event.caps & kPreemptionAware) == 0) unaware_.insert(event.adapter);
}

void PreemptionChecks::on(const At<event::ContextPacket>& event) {
  Context& context = contexts_[event.context];
  context.packets[event.buffer];
  context.paging = event.paging;
  context.process = event.process;
}

void PreemptionChecks::on(const At<event::ContextGiven>& event) {
  Node& node = nodes_[{event.adapter, event.engine}];
  // A buffer that is given again is the same one.
  node.held.erase(std::remove_if(node.held.begin(), node.held.end(),
                                 [&](const Held& held) {
                                   return held.returned && held.context == event.context &&
                                          held.number == event.buffer;
                                 }),
                  node.held.end());
  node.held.push_back({event.submission, event.context, event.buffer, false});
  node.given[event.submission] = {event.context, event.buffer};
  node.last_given = event.submission;
  if (event.buffer == 0) return;  // a context switch: no user buffer
  Context& context = contexts_[event.context];
  judge_memory(event.context, event.buffer);
  Packet& packet = context.packets[event.buffer];
  const bool again = packet.given;
  const std::uint64_t before = packet.id;
  packet.id = event.submission;
  packet.given = true;
  if (!again) return;
  Reporter& report = world_.report;
  report.checked(Invariant::kResubmission);
  const bool same = before == event.submission;
  if (context.paging != same)
    fail(Invariant::kResubmission, event.context,
         "the OS gave " + buffer(event.context, event.buffer) + " again " +
             (same ? "with the fence id " : "with another fence id, ") + text(event.submission) +
             (context.paging ? ", although it is a paging buffer of id " + text(before)
                             : ", although it is no paging buffer"));
  if (context.paging)
    node.returned_paging.erase(before);
  else if (!node.returned_paging.empty())
    fail(Invariant::kResubmission, event.context,
         "the OS gave " + buffer(event.context, event.buffer) +
             " again before the paging buffer of id " + text(*node.returned_paging.begin()));
}

void PreemptionChecks::on(const At<event::ContextMemory>& event) {
  std::set<std::uint64_t>& away = contexts_[event.context].away;
  if (event.mapped)
    away.erase(event.allocation);
  else
    away.insert(event.allocation);
}

void PreemptionChecks::judge_memory(std::uint64_t context, std::uint64_t number) {
  world_.report.checked(Invariant::kContextMemory);
  if (!contexts_[context].away.empty())
    fail(Invariant::kContextMemory, context,
         "the OS gave " + buffer(context, number) +
             " to the driver, and the GPU does not reach memory that it needs of its context");
}

PreemptionChecks::Packet* PreemptionChecks::find(const NodeKey& key, std::uint64_t submission) {
  Node& node = nodes_[key];
  const auto it = node.given.find(submission);
  if (it == node.given.end() || it->second.second == 0) return nullptr;
  Context& context = contexts_[it->second.first];
  const auto packet = context.packets.find(it->second.second);
  return context.ended || packet == context.packets.end() ? nullptr : &packet->second;
}

void PreemptionChecks::on(const At<event::BufferBegin>& event) {
  nodes_[node_key(event)].running = event.submission;
  Packet* packet = find(node_key(event), event.submission);
  if (packet == nullptr) return;
  Reporter& report = world_.report;
  report.checked(Invariant::kPreemptedWork);
  const auto [context, number] = nodes_[node_key(event)].given[event.submission];
  if (packet->place != event.where)
    fail(Invariant::kPreemptedWork, context,
         buffer(context, number) + (event.where == 0
                                        ? " began anew, although it was stopped in its middle"
                                        : " went on at another place than where it was stopped"));
  if (number != contexts_[context].done + 1)
    fail(Invariant::kPreemptedWork, context,
         buffer(context, number) + " runs, although the last one that is done is " +
             text(contexts_[context].done));
  packet->runs = true;
}

void PreemptionChecks::end(const NodeKey& key, std::uint64_t submission) {
  Node& node = nodes_[key];
  node.completed = submission;
  node.running = 0;
  Packet* packet = find(key, submission);
  if (packet == nullptr) return;
  const auto [context, number] = node.given[submission];
  Context& of = contexts_[context];
  of.done = number;
  of.packets.erase(number);
}

/// Nodes run buffers in the order in which they got them: one report is about the buffer and about
/// all before it.
void PreemptionChecks::complete_through(Node& node, std::uint64_t id) {
  const auto it = std::find_if(node.held.begin(), node.held.end(),
                               [id](const Held& held) { return held.id == id; });
  if (it != node.held.end()) node.held.erase(node.held.begin(), it + 1);
}

/// The OS knows that the buffer is complete: no reset can end it any more.
void PreemptionChecks::on(const At<event::BufferComplete>& event) {
  Node& node = nodes_[node_key(event)];
  complete_through(node, event.submission);
  node.given.erase(event.submission);
}

void PreemptionChecks::on(const At<event::BufferStopped>& event) {
  nodes_[node_key(event)].running = 0;
  Packet* packet = find(node_key(event), event.submission);
  if (packet == nullptr) return;
  packet->runs = false;
  packet->place = event.where;
}

void PreemptionChecks::on(const At<event::ContextSaved>& event) {
  saved_[{event.adapter, event.space, event.address}] = event.state;
}

void PreemptionChecks::on(const At<event::ContextRestored>& event) {
  Reporter& report = world_.report;
  report.checked(Invariant::kContextState);
  const auto it = saved_.find({event.adapter, event.space, event.address});
  const std::uint64_t wanted = it == saved_.end() ? 0 : it->second;
  if (event.state == wanted) return;
  fail(Invariant::kContextState, event.adapter,
       "engine " + text(event.engine - 1) + " of " +
           report.name(ObjectKind::kAdapter, event.adapter) +
           " took up a context whose state is not what was saved of it");
}

void PreemptionChecks::on(const At<event::PreemptCall>& event) {
  Node& node = nodes_[node_key(event)];
  node.preemption = event.preemption;
  world_.report.checked(Invariant::kAnswered);
  node.asked = true;
}

void PreemptionChecks::on(const At<event::Preempted>& event) {
  Node& node = nodes_[node_key(event)];
  node.asked = false;
  Reporter& report = world_.report;
  report.checked(Invariant::kLastCompleted);
  if (event.completed != node.completed)
    fail(Invariant::kLastCompleted, event.adapter,
         "preemption " + text(event.preemption) + " was reported with LastCompletedFenceId " +
             text(event.completed) + "; the last buffer that engine " + text(event.engine - 1) +
             " has completed is " + text(node.completed));
  node.held.clear();  // the rest returns to its contexts
  node.returned_paging.clear();
  for (const auto& [id, packet] : node.given)
    if (contexts_[packet.first].paging && contexts_[packet.first].packets.count(packet.second) != 0)
      node.returned_paging.insert(id);
}

void PreemptionChecks::on(const At<event::Recovery>& event) {
  Node& node = nodes_[node_key(event)];
  Reporter& report = world_.report;
  const RecoveryStage stage = event.stage;
  if (stage == RecoveryStage::kTimeout) {
    report.checked(Invariant::kPreemptFirst);
    node.timed_out = node.asked;
    forget_lost();
    if (!node.asked && unaware_.count(event.adapter) == 0)
      fail(Invariant::kPreemptFirst, event.adapter,
           "engine " + text(event.engine - 1) + " of " +
               report.name(ObjectKind::kAdapter, event.adapter) +
               " is taken for hung, and no preemption was asked for");
  }
  if (stage == RecoveryStage::kEngineReset || stage == RecoveryStage::kAdapterReset) {
    if (stage == RecoveryStage::kAdapterReset)
      lose_all(node);
    else
      lose_through(node, event.id);
    node.hung = false;
    node.running = 0;
    node.faults.clear();  // their devices are among the lost
    // From now on this id counts as the last completed one.
    node.completed = stage == RecoveryStage::kEngineReset ? event.id : node.last_given;
  }
  if (stage == RecoveryStage::kEngineReset) count_hang(event);
  if (stage == RecoveryStage::kAdapterReset) lose_paging(node);
  if (stage == RecoveryStage::kMemoryLost) return lose_memory(event.id);
  if (stage == RecoveryStage::kRefused) {
    const auto given = node.given.find(event.id);
    if (given == node.given.end()) return;
    const auto [context, number] = given->second;
    lose(context);
    contexts_[context].done = number;
    contexts_[context].packets.erase(number);
    node.given.erase(given);
    node.held.erase(std::remove_if(node.held.begin(), node.held.end(),
                                   [&](const Held& held) { return held.id == event.id; }),
                    node.held.end());
    return;
  }
  if (stage != RecoveryStage::kDependent) node.asked = false;
}

void PreemptionChecks::count_hang(const At<event::Recovery>& reset) {
  const Node& node = nodes_[node_key(reset)];
  const auto given = node.given.find(reset.id);
  if (given == node.given.end()) return;
  const Context& context = contexts_[given->second.first];
  if (!context.paging) blocked_.on_hang(context.process, reset.time);
}

/// A reset may put a device in error that has lost work. Forgets devices that are in error by now.
void PreemptionChecks::forget_lost() {
  for (auto it = lost_.begin(); it != lost_.end();)
    it = failing_.count(*it) == 0 ? lost_.erase(it) : std::next(it);
}

/// Paging buffers ended by an adapter reset are not submitted again.
void PreemptionChecks::lose_paging(Node& node) {
  for (const auto& [id, packet] : node.given) {
    Context& context = contexts_[packet.first];
    if (!context.paging || context.packets.erase(packet.second) == 0) continue;
    context.done = std::max(context.done, packet.second);
  }
  node.returned_paging.clear();
}

/// The device of the process must be put in error if it has contexts.
void PreemptionChecks::lose_memory(std::uint64_t process) {
  lost_.insert(process);
  for (const auto& [object, context] : contexts_)
    if (context.process == process && !context.paging && !context.ended) failing_.insert(process);
}

/// A reset of the engine ends the buffers up to this one. Those behind it return to their contexts,
/// unless a reset of the adapter follows.
void PreemptionChecks::lose_through(Node& node, std::uint64_t id) {
  const auto last = std::find_if(node.held.begin(), node.held.end(),
                                 [id](const Held& held) { return held.id == id; });
  if (last != node.held.end()) {
    for (auto it = node.held.begin(); it <= last; ++it) lose_held(*it);
    node.held.erase(node.held.begin(), last + 1);
  }
  for (Held& held : node.held) held.returned = true;
}

void PreemptionChecks::lose_all(Node& node) {
  for (const Held& held : node.held) lose_held(held);
  node.held.clear();
}

void PreemptionChecks::lose_held(const Held& held) {
  // Of a context switch too: the state that the node was to save is lost.
  if (held.returned)
    lost_.insert(contexts_[held.context].process);
  else
    lose(held.context);
}

/// The device of the context must be put in error.
void PreemptionChecks::lose(std::uint64_t context) {
  const Context& of = contexts_[context];
  if (of.paging) return;  // the system device is never put in error
  lost_.insert(of.process);
  if (!of.ended) failing_.insert(of.process);
}

void PreemptionChecks::on(const At<event::BufferFaulted>& event) {
  Node& node = nodes_[node_key(event)];
  node.completed = event.submission;
  node.running = 0;
  node.faults.emplace_back(event.submission, event.address);
  world_.report.checked(Invariant::kFaultReport);
  const auto given = node.given.find(event.submission);
  if (given == node.given.end()) return;
  lose(given->second.first);
  end(node_key(event), event.submission);  // it is not submitted again
}

void PreemptionChecks::on(const At<event::FaultTold>& event) {
  Node& node = nodes_[node_key(event)];
  const auto told = std::make_pair(event.submission, event.address);
  if (!node.faults.empty() && node.faults.front() == told) {
    node.faults.pop_front();
    complete_through(node, event.submission);
    node.given.erase(event.submission);
    return;
  }
  const std::string really = node.faults.empty()
                                 ? "it has given none up"
                                 : "it has given buffer " + text(node.faults.front().first) +
                                       " up, at address " + text(node.faults.front().second);
  fail(Invariant::kFaultReport, event.adapter,
       "engine " + text(event.engine - 1) + " of " +
           world_.report.name(ObjectKind::kAdapter, event.adapter) +
           " is said to have given buffer " + text(event.submission) + " up, at address " +
           text(event.address) + "; " + really);
  if (!node.faults.empty()) node.faults.pop_front();
}

void PreemptionChecks::on(const At<event::EngineFault>& event) {
  const auto node = nodes_.find({event.adapter, event.engine + 1});
  if (node != nodes_.end()) node->second.hung = true;
}

void PreemptionChecks::on(const At<event::HwEngineReset>& event) {
  const auto node = nodes_.find(node_key(event));
  if (node != nodes_.end()) node->second.hung = false;
}

void PreemptionChecks::on(const At<event::FenceOpen>& event) {
  if (!event.no_signal && kept_.count(event.fence) == 0)
    ++opened_[{event.process, event.fence}].times;
}

void PreemptionChecks::on(const At<event::FenceClose>& event) {
  const auto it = opened_.find({event.process, event.fence});
  if (it == opened_.end() || --it->second.times != 0) return;
  Opened& opened = it->second;
  opened.by_queues = event.has_queues;
  opened.submitted.clear();
  for (const auto& [object, context] : contexts_)
    if (context.process == event.process && !context.packets.empty())
      opened.submitted[object] = context.packets.rbegin()->first;
}

/// True if work that the process submitted while the fence was open may be unfinished.
bool PreemptionChecks::may_signal(const Opened& opened) const {
  if (opened.times != 0 || opened.by_queues) return true;
  return std::any_of(opened.submitted.begin(), opened.submitted.end(), [this](const auto& last) {
    return contexts_.at(last.first).done < last.second;
  });
}

void PreemptionChecks::on(const At<event::DeviceError>& event) {
  errors_.insert(event.process);
  for (auto it = opened_.begin(); it != opened_.end();) {
    const bool lost = it->first.first != event.process || may_signal(it->second);
    it = lost ? std::next(it) : opened_.erase(it);
  }
  if (event.asked) other_reasons_.insert(event.process);
}

void PreemptionChecks::forget(std::uint32_t fence) {
  kept_.erase(fence);
  for (auto it = opened_.begin(); it != opened_.end();)
    it = it->first.second == fence ? opened_.erase(it) : std::next(it);
}

void PreemptionChecks::on(const At<event::ContextEnded>& event) {
  Context& context = contexts_[event.context];
  if (event.process != 0) context.process = event.process;
  failing_.erase(context.process);
  Reporter& report = world_.report;
  report.checked(Invariant::kSpared);
  if (lost_.count(context.process) == 0 && other_reasons_.count(context.process) == 0)
    fail(Invariant::kSpared, event.context,
         "the device of context " + report.name(ObjectKind::kQueue, event.context) +
             " is in error, although no buffer of its process was lost");
  context.ended = true;
}

}  // namespace fenceline::check
