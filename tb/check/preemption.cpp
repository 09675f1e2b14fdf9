#include "tb/check/preemption.h"

#include <algorithm>

#include "kmd_stub/wddm/adapter_caps.h"

namespace fenceline::check {

using common::Event;
using common::ObjectKind;
using common::RecoveryStage;

PreemptionChecks& PreemptionChecks::operator=(const PreemptionChecks& other) {
  contexts_ = other.contexts_;
  nodes_ = other.nodes_;
  saved_ = other.saved_;
  unaware_ = other.unaware_;
  lost_ = other.lost_;
  failing_ = other.failing_;
  opened_ = other.opened_;
  kept_ = other.kept_;
  errors_ = other.errors_;
  other_reasons_ = other.other_reasons_;
  return *this;
}

void PreemptionChecks::fail(Invariant invariant, std::uint64_t object, const std::string& message) {
  Reporter& report = world_.report;
  if (report.broken(invariant, static_cast<std::uint32_t>(object)))
    report.add(invariant, 0, message + " " + at_time(report.time()));
}

std::string PreemptionChecks::buffer(std::uint64_t context, std::uint64_t number) const {
  return "buffer " + text(number) + " of context " +
         world_.report.name(ObjectKind::kQueue, context);
}

/// Windows 7's model: the OS does not ask for preemptions.
void PreemptionChecks::on_started(const Event& event) {
  constexpr std::uint64_t kPreemptionAware = DXGK_VIDSCHCAPS::kPreemptionAware;
  if ((event.a & kPreemptionAware) == 0) unaware_.insert(event.object);
}

void PreemptionChecks::on_packet(const Event& event) {
  Context& context = contexts_[event.object];
  context.packets[event.a];
  context.paging = (event.c & 1) != 0;
  context.process = event.c >> 8;
}

void PreemptionChecks::on_given(const Event& event) {
  const std::uint64_t engine = event.c & 0xFF;
  const std::uint64_t adapter = event.c >> 48;
  Node& node = nodes_[{adapter, engine}];
  node.given[event.b] = {event.object, event.a};
  node.last_given = event.b;
  if (event.a == 0) return;  // a context switch: nothing of a user's
  Context& context = contexts_[event.object];
  judge_memory(event.object, event.a);
  Packet& packet = context.packets[event.a];
  const bool again = packet.given;
  const std::uint64_t before = packet.id;
  packet.id = event.b;
  packet.given = true;
  if (!again) return;
  Reporter& report = world_.report;
  report.checked(Invariant::kResubmission);
  const bool same = before == event.b;
  if (context.paging != same)
    fail(Invariant::kResubmission, event.object,
         "the OS gave " + buffer(event.object, event.a) + " again " +
             (same ? "with the fence id " : "with another fence id, ") + text(event.b) +
             (context.paging ? ", although it is a paging buffer of id " + text(before)
                             : ", although it is no paging buffer"));
  if (context.paging)
    node.returned_paging.erase(before);
  else if (!node.returned_paging.empty())
    fail(Invariant::kResubmission, event.object,
         "the OS gave " + buffer(event.object, event.a) + " again before the paging buffer of id " +
             text(*node.returned_paging.begin()));
}

void PreemptionChecks::on_memory(const Event& event) {
  std::set<std::uint64_t>& away = contexts_[event.object].away;
  if (event.b != 0)
    away.erase(event.a);
  else
    away.insert(event.a);
}

void PreemptionChecks::judge_memory(std::uint64_t context, std::uint64_t number) {
  world_.report.checked(Invariant::kContextMemory);
  if (!contexts_[context].away.empty())
    fail(Invariant::kContextMemory, context,
         "the OS gave " + buffer(context, number) +
             " to the driver, and the GPU does not reach memory that it needs of its context");
}

PreemptionChecks::Packet* PreemptionChecks::find(const Event& event) {
  Node& node = nodes_[node_key(event)];
  const auto it = node.given.find(event.a);
  if (it == node.given.end() || it->second.second == 0) return nullptr;
  Context& context = contexts_[it->second.first];
  const auto packet = context.packets.find(it->second.second);
  return context.ended || packet == context.packets.end() ? nullptr : &packet->second;
}

void PreemptionChecks::on_begin(const Event& event) {
  nodes_[node_key(event)].running = event.a;
  Packet* packet = find(event);
  if (packet == nullptr) return;
  Reporter& report = world_.report;
  report.checked(Invariant::kPreemptedWork);
  const auto [context, number] = nodes_[node_key(event)].given[event.a];
  if (packet->place != event.b)
    fail(Invariant::kPreemptedWork, context,
         buffer(context, number) + (event.b == 0
                                        ? " began anew, although it was stopped in its middle"
                                        : " went on at another place than where it was stopped"));
  if (number != contexts_[context].done + 1)
    fail(Invariant::kPreemptedWork, context,
         buffer(context, number) + " runs, although the last one that is done is " +
             text(contexts_[context].done));
  packet->runs = true;
}

void PreemptionChecks::on_end(const Event& event) {
  Node& node = nodes_[node_key(event)];
  node.completed = event.a;
  node.running = 0;
  Packet* packet = find(event);
  if (packet == nullptr) return;
  const auto [context, number] = node.given[event.a];
  Context& of = contexts_[context];
  of.done = number;
  of.packets.erase(number);
}

/// The OS knows that it is complete: no reset can end it any more.
void PreemptionChecks::on_told(const Event& event) {
  nodes_[{event.object, event.b}].given.erase(event.a);
}

void PreemptionChecks::on_stopped(const Event& event) {
  nodes_[node_key(event)].running = 0;
  Packet* packet = find(event);
  if (packet == nullptr) return;
  packet->runs = false;
  packet->place = event.b;
}

void PreemptionChecks::on_saved(const Event& event) { saved_[{event.object, event.a}] = event.b; }

void PreemptionChecks::on_restored(const Event& event) {
  Reporter& report = world_.report;
  report.checked(Invariant::kContextState);
  const auto it = saved_.find({event.object, event.a});
  const std::uint64_t wanted = it == saved_.end() ? 0 : it->second;
  if (event.b == wanted) return;
  fail(Invariant::kContextState, event.object,
       "engine " + text((event.c & 0xFF) - 1) + " of " +
           report.name(ObjectKind::kAdapter, event.object) +
           " took up a context whose state is not what was saved of it");
}

void PreemptionChecks::on_call(const Event& event) {
  Node& node = nodes_[node_key(event)];
  node.preemption = event.a;
  world_.report.checked(Invariant::kAnswered);
  node.asked = true;
}

void PreemptionChecks::on_preempted(const Event& event) {
  Node& node = nodes_[node_key(event)];
  node.asked = false;
  Reporter& report = world_.report;
  report.checked(Invariant::kLastCompleted);
  if (event.b != node.completed)
    fail(Invariant::kLastCompleted, event.object,
         "preemption " + text(event.a) + " was reported with LastCompletedFenceId " +
             text(event.b) + "; the last buffer that engine " + text((event.c & 0xFF) - 1) +
             " has completed is " + text(node.completed));
  node.returned_paging.clear();
  for (const auto& [id, packet] : node.given)
    if (contexts_[packet.first].paging && contexts_[packet.first].packets.count(packet.second) != 0)
      node.returned_paging.insert(id);
}

void PreemptionChecks::on_recovery(const Event& event) {
  Node& node = nodes_[node_key(event)];
  Reporter& report = world_.report;
  const auto stage = static_cast<RecoveryStage>(event.a);
  if (stage == RecoveryStage::kTimeout) {
    report.checked(Invariant::kPreemptFirst);
    node.timed_out = node.asked;
    forget_lost();
    if (!node.asked && unaware_.count(event.object) == 0)
      fail(Invariant::kPreemptFirst, event.object,
           "engine " + text((event.c & 0xFF) - 1) + " of " +
               report.name(ObjectKind::kAdapter, event.object) +
               " is taken for hung, and no preemption was asked for");
  }
  if (stage == RecoveryStage::kEngineReset || stage == RecoveryStage::kAdapterReset) {
    for (const auto& [id, packet] : node.given)
      if (packet.second != 0 && (stage == RecoveryStage::kAdapterReset || id == event.b))
        lose(packet.first);
    node.hung = false;
    node.running = 0;
    node.faults.clear();  // whoever had those is among the lost
    // From now on that counts as the last one that is complete.
    node.completed = stage == RecoveryStage::kEngineReset ? event.b : node.last_given;
  }
  if (stage == RecoveryStage::kEngineReset) count_hang(event);
  if (stage == RecoveryStage::kAdapterReset) lose_paging(node);
  if (stage == RecoveryStage::kMemoryLost) return lose_memory(event.b);
  if (stage == RecoveryStage::kRefused) {
    const auto given = node.given.find(event.b);
    if (given == node.given.end()) return;
    const auto [context, number] = given->second;
    lose(context);
    contexts_[context].done = number;
    contexts_[context].packets.erase(number);
    node.given.erase(given);
    return;
  }
  if (stage != RecoveryStage::kDependent) node.asked = false;
}

void PreemptionChecks::count_hang(const Event& reset) {
  const Node& node = nodes_[node_key(reset)];
  const auto given = node.given.find(reset.b);
  if (given == node.given.end()) return;
  const Context& context = contexts_[given->second.first];
  if (!context.paging && given->second.second != 0) blocked_.on_hang(context.process, reset.time);
}

/// A reset may put a device in error that has lost something, until that has happened.
void PreemptionChecks::forget_lost() {
  for (auto it = lost_.begin(); it != lost_.end();)
    it = failing_.count(*it) == 0 ? lost_.erase(it) : std::next(it);
}

/// Paging buffers that the reset of an adapter has ended do not come back.
void PreemptionChecks::lose_paging(Node& node) {
  for (const auto& [id, packet] : node.given) {
    Context& context = contexts_[packet.first];
    if (!context.paging || context.packets.erase(packet.second) == 0) continue;
    context.done = std::max(context.done, packet.second);
  }
  node.returned_paging.clear();
}

/// Its device has to be put in error, if it has contexts.
void PreemptionChecks::lose_memory(std::uint64_t process) {
  lost_.insert(process);
  for (const auto& [object, context] : contexts_)
    if (context.process == process && !context.paging && !context.ended) failing_.insert(process);
}

/// The device of the context has to be put in error.
void PreemptionChecks::lose(std::uint64_t context) {
  const Context& of = contexts_[context];
  if (of.paging) return;  // the system device is not
  lost_.insert(of.process);
  if (!of.ended) failing_.insert(of.process);
}

void PreemptionChecks::on_faulted(const Event& event) {
  Node& node = nodes_[node_key(event)];
  node.completed = event.a;
  node.running = 0;
  node.faults.emplace_back(event.a, event.b);
  world_.report.checked(Invariant::kFaultReport);
  const auto given = node.given.find(event.a);
  if (given == node.given.end()) return;
  lose(given->second.first);
  on_end(event);  // it does not come again
}

void PreemptionChecks::on_fault_told(const Event& event) {
  Node& node = nodes_[node_key(event)];
  const auto told = std::make_pair(event.a, event.b);
  if (!node.faults.empty() && node.faults.front() == told) {
    node.faults.pop_front();
    node.given.erase(event.a);
    return;
  }
  const std::string really = node.faults.empty()
                                 ? "it has given none up"
                                 : "it has given buffer " + text(node.faults.front().first) +
                                       " up, at address " + text(node.faults.front().second);
  fail(Invariant::kFaultReport, event.object,
       "engine " + text((event.c & 0xFF) - 1) + " of " +
           world_.report.name(ObjectKind::kAdapter, event.object) +
           " is said to have given buffer " + text(event.a) + " up, at address " + text(event.b) +
           "; " + really);
  if (!node.faults.empty()) node.faults.pop_front();
}

void PreemptionChecks::on_hang(const Event& event) {
  const auto node = nodes_.find({event.b, event.a + 1});
  if (node != nodes_.end()) node->second.hung = true;
}

void PreemptionChecks::on_engine_reset(const Event& event) {
  const auto node = nodes_.find(node_key(event));
  if (node != nodes_.end()) node->second.hung = false;
}

void PreemptionChecks::on_fence_create(const Event& event) {
  constexpr std::uint64_t kKeepsValue = 4;
  if ((event.c & kKeepsValue) != 0) kept_.insert(event.object);
}

void PreemptionChecks::on_fence_open(const Event& event) {
  if (event.c == 0 && kept_.count(event.object) == 0) ++opened_[{event.a, event.object}].times;
}

void PreemptionChecks::on_fence_close(const Event& event) {
  const auto it = opened_.find({event.a, event.object});
  if (it == opened_.end() || --it->second.times != 0) return;
  Opened& opened = it->second;
  opened.by_queues = event.c != 0;
  opened.submitted.clear();
  for (const auto& [object, context] : contexts_)
    if (context.process == event.a && !context.packets.empty())
      opened.submitted[object] = context.packets.rbegin()->first;
}

/// Something that the process has submitted while it had the fence open may not be done.
bool PreemptionChecks::may_signal(const Opened& opened) const {
  if (opened.times != 0 || opened.by_queues) return true;
  return std::any_of(opened.submitted.begin(), opened.submitted.end(), [this](const auto& last) {
    return contexts_.at(last.first).done < last.second;
  });
}

void PreemptionChecks::on_device_error(const Event& event) {
  errors_.insert(event.object);
  for (auto it = opened_.begin(); it != opened_.end();) {
    const bool lost = it->first.first != event.object || may_signal(it->second);
    it = lost ? std::next(it) : opened_.erase(it);
  }
  if (event.b != 0) other_reasons_.insert(event.object);
}

void PreemptionChecks::on_hardware_lost(const Event& event) { other_reasons_.insert(event.c); }

void PreemptionChecks::forget(std::uint64_t fence) {
  kept_.erase(fence);
  for (auto it = opened_.begin(); it != opened_.end();)
    it = it->first.second == fence ? opened_.erase(it) : std::next(it);
}

void PreemptionChecks::on_ended(const Event& event) {
  Context& context = contexts_[event.object];
  if (event.a != 0) context.process = event.a;
  failing_.erase(context.process);
  Reporter& report = world_.report;
  report.checked(Invariant::kSpared);
  if (lost_.count(context.process) == 0 && other_reasons_.count(context.process) == 0)
    fail(Invariant::kSpared, event.object,
         "the device of context " + report.name(ObjectKind::kQueue, event.object) +
             " is in error, although no buffer of its process was lost");
  context.ended = true;
}

}  // namespace fenceline::check
