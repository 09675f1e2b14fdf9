#include "tb/check/work/scheduling.h"

#include <algorithm>

#include "models/common/steps/time.h"

namespace fenceline::check {

using common::At;
using common::hash_values;
using common::Hasher;
using common::ObjectKind;
using event::QueueStateKind;

namespace {
constexpr std::uint64_t kUnit = 100 * common::kNanosecond;
constexpr std::uint64_t kPending = 0x103;  // STATUS_PENDING
}  // namespace

/// Messages name a context by its queues.
std::string SchedulingChecks::names(std::uint64_t context) const {
  std::string result;
  for (const auto& [object, queue] : queues_)
    if (queue.context == context)
      result += (result.empty() ? "" : ", ") + world_.report.name(ObjectKind::kQueue, object);
  return "the context of " + result;
}

bool SchedulingChecks::Context::above(const Context& other) const {
  const auto is_above = [&](const Rank& one, const Rank& two) {
    if (one.band != two.band) return one.band > two.band;
    if (one.level != two.level) return one.level > two.level;
    return process == other.process && one.priority > two.priority;
  };
  return std::all_of(ranks.begin(), ranks.end(), [&](const Rank& one) {
    return std::all_of(other.ranks.begin(), other.ranks.end(),
                       [&](const Rank& two) { return is_above(one, two); });
  });
}

bool SchedulingChecks::has_queue(std::uint64_t context) const {
  return std::any_of(queues_.begin(), queues_.end(),
                     [context](const auto& entry) { return entry.second.context == context; });
}

SchedulingChecks::Queue* SchedulingChecks::find(std::uint64_t queue) {
  const auto it = queues_.find(queue);
  return it == queues_.end() ? nullptr : &it->second;
}

SchedulingChecks::Queue* SchedulingChecks::of_log(std::uint64_t log) {
  const auto it = logs_.find(log);
  return it == logs_.end() ? nullptr : find(it->second);
}

void SchedulingChecks::on(const At<event::CurrentValueIssued>& event) {
  const auto it = signaling_.find(event.agent);
  if (it == signaling_.end()) return;
  if (Queue* queue = find(it->second)) queue->values.insert({event.fence, event.value});
}

void SchedulingChecks::on(const At<event::CurrentValueVisible>& event) {
  const Signal* const signal = world_.signals.find(event.signal);
  Queue* const queue = signal != nullptr ? find(signal->queue) : nullptr;
  if (queue == nullptr) return;
  const auto it = queue->values.find({event.fence, signal->value});
  if (it != queue->values.end()) queue->values.erase(it);
}

void SchedulingChecks::on(const At<event::WorkVisible>& event) {
  if (Queue* queue = find(event.queue); queue != nullptr && !event.on_link)
    queue->work.erase(event.write);
}

void SchedulingChecks::log_issued(std::uint64_t log) {
  if (Queue* queue = of_log(log)) ++queue->log_writes;
}

void SchedulingChecks::log_visible(std::uint64_t log) {
  if (Queue* queue = of_log(log); queue != nullptr && queue->log_writes != 0) --queue->log_writes;
}

void SchedulingChecks::on(const At<event::ScheduledQueue>& event) {
  queues_[event.queue].context = event.context;
  contexts_[event.context].node = {event.adapter, event.engine};
  if (event.runs_to_its_end) contexts_[event.context].runs_to_its_end = true;
}

void SchedulingChecks::on(const At<event::ContextRank>& event) {
  Context& context = contexts_[event.context];
  context.node = {event.adapter, event.engine};
  const Rank rank{event.band, event.level, event.in_process, event.grace * kUnit};
  if (!has_queue(event.context) || context.early == rank) context.ranks.clear();
  context.early.reset();
  context.ranks.push_back(rank);
  context.process = event.process;
}

/// Register writes arrive in the order of the calls. All contexts of the node are compared anew.
void SchedulingChecks::on(const At<event::ContextRankTaken>& event) {
  const Queue* queue = find(event.queue);
  if (queue == nullptr) return;
  Context& context = contexts_[queue->context];
  const Rank taken{event.band, event.level, event.in_process, 0};
  const auto told = std::find(context.ranks.begin(), context.ranks.end(), taken);
  if (told == context.ranks.end())
    context.early = taken;
  else
    context.ranks.erase(context.ranks.begin(), told);
  for (auto& [object, waiting] : queues_) {
    if (contexts_[waiting.context].node != context.node) continue;
    waiting.since = event.time;
    waiting.passed_over = 0;
  }
}

void SchedulingChecks::on(const At<event::BandGrace>& event) {
  band_grace_[{event.adapter, event.band}] = event.grace * kUnit;
}

void SchedulingChecks::on(const At<event::SuspendCall>& event) {
  Context& context = contexts_[event.context];
  context.fence = event.fence;
  context.asked = true;
}

void SchedulingChecks::on(const At<event::SuspendReturn>& event) {
  Context& context = contexts_[event.context];
  if (event.status != kPending && context.fence == event.fence) context.asked = false;
}

/// No work of the context may be in flight, and the acknowledgement must belong to the last call.
void SchedulingChecks::on(const At<event::ContextSuspended>& event) {
  if (!event.counts) return;
  Context& context = contexts_[event.context];
  Reporter& report = world_.report;
  report.checked(Invariant::kSuspendFence);
  if (!context.asked || event.fence != context.fence)
    fail(Invariant::kSuspendFence, event.adapter,
         names(event.context) + " is taken for suspended by the acknowledgement of fence " +
             text(event.fence) + "; the fence of the last call is " + text(context.fence));
  context.asked = false;
  context.suspended = true;
  report.checked(Invariant::kSuspendedSilent);
  for (const auto& [object, queue] : queues_) {
    if (queue.context != event.context) continue;
    if (queue.runs) must_not(object, "runs");
    if (queue.has_writes()) must_not(object, "has writes under way");
  }
}

void SchedulingChecks::on(const At<event::RingFetched>& event) {
  const Queue* queue = find(event.queue);
  if (queue == nullptr) return;
  world_.report.checked(Invariant::kSuspendedSilent);
  if (contexts_[queue->context].suspended) must_not(event.queue, "reads packets");
}

void SchedulingChecks::must_not(std::uint64_t queue, const char* what) {
  fail(Invariant::kSuspendedSilent, queue,
       "queue " + world_.report.name(ObjectKind::kQueue, queue) + " " + what +
           ", although the suspension of its context is acknowledged");
}

std::uint64_t SchedulingChecks::grace(const Context& ready, const Context& runs) const {
  std::uint64_t longest = 0;
  for (const Rank& rank : runs.ranks) {
    const auto it = band_grace_.find({runs.node.first, rank.band});
    if (rank.band == ready.ranks.back().band)
      longest = std::max(longest, ready.ranks.back().grace);
    else if (it != band_grace_.end())
      longest = std::max(longest, it->second);
  }
  return longest;
}

/// A packet that is already in the front end when a higher context becomes ready may still begin.
void SchedulingChecks::on(const At<event::PacketBegin>& event) {
  const Queue* runs = find(event.queue);
  if (runs == nullptr) return;
  const Context& lower = contexts_[runs->context];
  Reporter& report = world_.report;
  report.checked(Invariant::kSuspendedSilent);
  if (lower.suspended) must_not(event.queue, "begins a packet");
  for (auto& [object, queue] : queues_) {
    const Context& higher = contexts_[queue.context];
    if (!queue.ready || higher.node != lower.node || !higher.above(lower)) continue;
    if (lower.runs_to_its_end) continue;
    report.checked(Invariant::kBandOrder);
    if (event.time < queue.since + grace(higher, lower) || ++queue.passed_over < 2) continue;
    fail(Invariant::kBandOrder, object,
         "queue " + report.name(ObjectKind::kQueue, event.queue) + " runs packets, although " +
             report.name(ObjectKind::kQueue, object) + " of higher priority is ready since " +
             text(queue.since) + " ps");
  }
}

void SchedulingChecks::on(const At<event::QueueState>& event) {
  Queue* queue = find(event.queue);
  if (queue == nullptr) return;
  queue->runs = event.state == QueueStateKind::kRunning;
  queue->ready = event.state == QueueStateKind::kReady;
  queue->since = event.time;
  queue->passed_over = 0;
  if (queue->runs && contexts_[queue->context].suspended) must_not(event.queue, "runs");
}

void SchedulingChecks::on(const At<event::HwEngineReset>& event) {
  const NodeKey node{event.adapter, event.engine};
  if (event.reset && event.status == 0)
    silent_.insert(node);
  else
    silent_.erase(node);
}

void SchedulingChecks::on(const At<event::EngineNotify>& event) {
  Reporter& report = world_.report;
  report.checked(Invariant::kResetSilent);
  if (silent_.count({event.adapter, event.engine}) == 0) return;
  fail(Invariant::kResetSilent, event.adapter,
       "engine " + text(event.engine - 1) + " of " +
           report.name(ObjectKind::kAdapter, event.adapter) +
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
  for (const auto& [number, context] : contexts_) {
    Hasher hasher;
    hasher.add(number).add(context.fence << 2 | (context.asked ? 2U : 0U) |
                           (context.suspended ? 1U : 0U));
    for (const Rank& rank : context.ranks) hasher.add(rank.hash());
    if (context.early) hasher.add(context.early->hash());
    sum += hasher.value();
  }
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
  for (const auto& [agent, queue] : signaling_) sum += hash_values(agent, queue);
  for (const NodeKey& node : silent_) sum += hash_values(node.first << 8 | node.second);
  hash.add(sum);
}

}  // namespace fenceline::check
