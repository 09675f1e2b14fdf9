#include "tb/check/scheduling.h"

#include "models/common/time.h"

namespace fenceline::check {

using common::Event;
using common::EventKind;
using common::Hasher;
using common::ObjectKind;
using common::QueueState;

namespace {
constexpr std::uint64_t kUnit = 100 * common::kNanosecond;
constexpr std::uint64_t kPending = 0x103;   // STATUS_PENDING
constexpr std::uint64_t kEngineShift = 56;  // of field c of kContextRank
constexpr std::uint64_t kGraceMask = (1ULL << kEngineShift) - 1;
}  // namespace

SchedulingChecks& SchedulingChecks::operator=(const SchedulingChecks& other) {
  contexts_ = other.contexts_;
  queues_ = other.queues_;
  logs_ = other.logs_;
  signaling_ = other.signaling_;
  band_grace_ = other.band_grace_;
  silent_ = other.silent_;
  return *this;
}

void SchedulingChecks::fail(Invariant invariant, std::uint64_t object, const std::string& message) {
  Reporter& report = world_.report;
  if (report.broken(invariant, static_cast<std::uint32_t>(object)))
    report.add(invariant, 0, message + " " + at_time(report.time()));
}

/// A context is known by its queues.
std::string SchedulingChecks::names(std::uint64_t context) const {
  std::string result;
  for (const auto& [object, queue] : queues_)
    if (queue.context == context)
      result += (result.empty() ? "" : ", ") + world_.report.name(ObjectKind::kQueue, object);
  return "the context of " + result;
}

SchedulingChecks::Queue* SchedulingChecks::find(std::uint64_t queue) {
  const auto it = queues_.find(queue);
  return it == queues_.end() ? nullptr : &it->second;
}

SchedulingChecks::Queue* SchedulingChecks::of_log(std::uint64_t log) {
  const auto it = logs_.find(log);
  return it == logs_.end() ? nullptr : find(it->second);
}

void SchedulingChecks::on_event(const Event& event) {
  switch (event.kind) {
    case EventKind::kQueueState:
      return changes_state(event);
    case EventKind::kPacketBegin:
      return begins(event);
    case EventKind::kSignalBegin:
      signaling_[event.agent] = event.c;
      return;
    case EventKind::kSignalEnd:
      signaling_.erase(event.agent);
      return;
    default:
      return follow_writes(event);
  }
}

/// Which writes of whose queues are under way.
void SchedulingChecks::follow_writes(const Event& event) {
  switch (event.kind) {
    case EventKind::kCurrentValueIssued: {
      const auto it = signaling_.find(event.agent);
      if (event.b == 0 || it == signaling_.end()) return;
      if (Queue* queue = find(it->second)) queue->values.insert({event.object, event.a});
      return;
    }
    case EventKind::kCurrentValueVisible:
      for (auto& [object, queue] : queues_) {
        const auto it = queue.values.find({event.object, event.a});
        if (it == queue.values.end()) continue;
        queue.values.erase(it);
        return;
      }
      return;
    case EventKind::kWorkIssued:
      if (Queue* queue = find(event.object)) queue->work.insert(event.a);
      return;
    case EventKind::kWorkVisible:
      if (Queue* queue = find(event.object); queue != nullptr && event.b == 0)
        queue->work.erase(event.a);
      return;
    case EventKind::kLogMade:
      logs_[event.object] = event.c;
      return;
    case EventKind::kLogEntryIssued:
    case EventKind::kLogHeaderIssued:
      if (Queue* queue = of_log(event.object)) ++queue->log_writes;
      return;
    case EventKind::kLogEntryVisible:
    case EventKind::kLogHeaderVisible:
      if (Queue* queue = of_log(event.object); queue != nullptr && queue->log_writes != 0)
        --queue->log_writes;
      return;
    default:
      return;
  }
}

void SchedulingChecks::on_queue(const Event& event) {
  queues_[event.object].context = event.a;
  contexts_[event.a].node = {event.b, event.c & (common::kRunsToItsEnd - 1)};
  if ((event.c & common::kRunsToItsEnd) != 0) contexts_[event.a].runs_to_its_end = true;
}

void SchedulingChecks::on_rank(const Event& event) {
  Context& context = contexts_[event.a];
  context.node = {event.object, event.c >> kEngineShift};
  context.band = event.b & 0xFF;
  context.level = event.b >> 8 & 0xFF;
  context.priority = event.b >> 16 & 0xFFFF;
  context.process = event.b >> 32;
  context.grace = (event.c & kGraceMask) * kUnit;
}

void SchedulingChecks::on_band_grace(const Event& event) {
  band_grace_[{event.object, event.a}] = event.b * kUnit;
}

void SchedulingChecks::on_suspend_call(const Event& event) {
  Context& context = contexts_[event.a];
  context.fence = event.b;
  context.asked = true;
}

void SchedulingChecks::on_suspend_return(const Event& event) {
  Context& context = contexts_[event.a];
  if (event.c != kPending && context.fence == event.b) context.asked = false;
}

/// Nothing of the context is under way, and the acknowledgement is that of the last call.
void SchedulingChecks::on_suspended(const Event& event) {
  if (event.c == 0) return;
  Context& context = contexts_[event.a];
  Reporter& report = world_.report;
  report.checked(Invariant::kSuspendFence);
  if (!context.asked || event.b != context.fence)
    fail(Invariant::kSuspendFence, event.object,
         names(event.a) + " is taken for suspended by the acknowledgement of fence " +
             text(event.b) + "; the fence of the last call is " + text(context.fence));
  context.asked = false;
  context.suspended = true;
  report.checked(Invariant::kSuspendedSilent);
  for (const auto& [object, queue] : queues_) {
    if (queue.context != event.a) continue;
    if (queue.runs) must_not(object, "runs");
    if (queue.has_writes()) must_not(object, "has writes under way");
  }
}

void SchedulingChecks::on_resume(const Event& event) {
  contexts_[event.a].asked = contexts_[event.a].suspended = false;
}

void SchedulingChecks::on_lost(const Event& event) {
  contexts_[event.a].asked = contexts_[event.a].suspended = false;
}

void SchedulingChecks::on_fetched(const Event& event) {
  const Queue* queue = find(event.object);
  if (queue == nullptr) return;
  world_.report.checked(Invariant::kSuspendedSilent);
  if (contexts_[queue->context].suspended) must_not(event.object, "reads packets");
}

void SchedulingChecks::must_not(std::uint64_t queue, const char* what) {
  fail(Invariant::kSuspendedSilent, queue,
       "queue " + world_.report.name(ObjectKind::kQueue, queue) + " " + what +
           ", although the suspension of its context is acknowledged");
}

std::uint64_t SchedulingChecks::grace(const Context& ready, const Context& runs) const {
  if (ready.band == runs.band) return ready.grace;
  const auto it = band_grace_.find({runs.node.first, runs.band});
  return it == band_grace_.end() ? 0 : it->second;
}

/// The packet that a front end has at hand when a higher context becomes ready may still begin.
void SchedulingChecks::begins(const Event& event) {
  const Queue* runs = find(event.object);
  if (runs == nullptr) return;
  const Context& lower = contexts_[runs->context];
  Reporter& report = world_.report;
  report.checked(Invariant::kSuspendedSilent);
  if (lower.suspended) must_not(event.object, "begins a packet");
  for (auto& [object, queue] : queues_) {
    const Context& higher = contexts_[queue.context];
    if (!queue.ready || higher.node != lower.node || !higher.above(lower)) continue;
    if (lower.runs_to_its_end) continue;
    report.checked(Invariant::kBandOrder);
    if (event.time < queue.since + grace(higher, lower) || ++queue.passed_over < 2) continue;
    fail(Invariant::kBandOrder, object,
         "queue " + report.name(ObjectKind::kQueue, event.object) + " runs packets, although " +
             report.name(ObjectKind::kQueue, object) + " of higher priority is ready since " +
             text(queue.since) + " ps");
  }
}

void SchedulingChecks::changes_state(const Event& event) {
  Queue* queue = find(event.object);
  if (queue == nullptr) return;
  const auto state = static_cast<QueueState>(event.a);
  queue->runs = state == QueueState::kRunning;
  queue->ready = state == QueueState::kReady;
  queue->since = event.time;
  queue->passed_over = 0;
  if (queue->runs && contexts_[queue->context].suspended) must_not(event.object, "runs");
}

void SchedulingChecks::on_engine_reset(const Event& event) {
  const NodeKey node{event.object, event.c};
  if (event.a != 0 && event.b == 0)
    silent_.insert(node);
  else
    silent_.erase(node);
}

void SchedulingChecks::on_engine_notify(const Event& event) {
  Reporter& report = world_.report;
  report.checked(Invariant::kResetSilent);
  if (silent_.count({event.object, event.c}) == 0) return;
  fail(Invariant::kResetSilent, event.object,
       "engine " + text(event.c - 1) + " of " + report.name(ObjectKind::kAdapter, event.object) +
           " has interrupted between its reset and its resumption");
}

void SchedulingChecks::finish_quiescent() {
  for (const auto& [number, context] : contexts_)
    if (context.asked)
      fail(
          Invariant::kSuspendFence, context.node.first,
          "suspension " + text(context.fence) + " of " + names(number) + " was never acknowledged");
}

void SchedulingChecks::add_to(Canonical& hash) const {
  if (contexts_.empty()) return;
  std::uint64_t sum = 0;
  for (const auto& [number, context] : contexts_)
    sum += Hasher()
               .add(number)
               .add(context.fence << 2 | (context.asked ? 2U : 0U) | (context.suspended ? 1U : 0U))
               .add(context.band << 24 | context.level << 16 | context.priority)
               .value();
  for (const auto& [object, queue] : queues_) {
    Hasher hasher;
    hasher.add(object)
        .add(queue.log_writes)
        .add(std::uint64_t{queue.passed_over} << 2 | (queue.runs ? 2U : 0U) |
             (queue.ready ? 1U : 0U));
    hasher.add(queue.work.size());
    for (const auto& [fence, value] : queue.values) hasher.add(fence).add(value);
    sum += hasher.value();
  }
  for (const auto& [agent, queue] : signaling_) sum += Hasher().add(agent).add(queue).value();
  for (const NodeKey& node : silent_) sum += Hasher().add(node.first << 8 | node.second).value();
  hash.add(sum);
}

}  // namespace fenceline::check
