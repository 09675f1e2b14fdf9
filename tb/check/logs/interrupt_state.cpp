// State hash of notices, interrupts and DPCs.
#include "tb/check/logs/interrupt.h"

namespace fenceline::check {

using common::hash_values;
using common::Hasher;

void InterruptChecks::mark(Canonical& hash) const {
  for (std::size_t a = 0; a < agents_.size(); ++a) {
    const Agent& agent = agents_[a];
    if (agent.fence != 0 && agent.position != kNever)
      hash.mark_position(agent.fence, agent.position);
  }
}

/// True if a later notification covers the queue for good: the notice counts as covered.
bool InterruptChecks::told_for_good(std::uint32_t adapter, std::uint32_t queue,
                                    std::uint64_t since) const {
  if (adapter != 0 && adapters_[adapter].notify_all > since) return true;
  for (std::size_t a = 0; adapter == 0 && a < adapters_.size(); ++a) {
    if (adapters_[a].notify_all > since) return true;
  }
  if (queue == 0) return false;
  const std::uint32_t engine = queues_[queue].engine;
  return queues_[queue].notify > since || (engine != 0 && engines_[engine].notify > since);
}

/// Engines notified since then. They count for a queue until its own engine is known.
std::uint64_t InterruptChecks::told_by(std::uint32_t queue, std::uint64_t since) const {
  if (queue != 0 && queues_[queue].engine != 0) return 0;
  std::uint64_t sum = 0;
  for (std::size_t e = 0; e < engines_.size(); ++e) {
    if (engines_[e].notify > since) sum += hash_values(e);
  }
  return sum;
}

/// Hash of a notice, 0 once it is settled.
std::uint64_t InterruptChecks::notice_of(std::uint32_t fence, const Notice& notice,
                                         const Canonical& hash) const {
  const bool covered = notice.covered || told_for_good(notice.adapter, notice.queue, notice.seq);
  if (covered && notice.passed) return 0;
  Hasher item;
  item.add(notice.value)
      .add(bits_of(covered, notice.passed, notice.dropped))
      .add(pair_of(notice.adapter, notice.queue))
      .add(hash.position(fence, notice.position))
      .add(covered ? 0 : told_by(notice.queue, notice.seq));
  // An interrupt may still refer to this signal and its entry; its write may still become visible.
  if (!notice.passed) item.add(notice.log).add(notice.log != 0 ? notice.entry : 0);
  if (!notice.passed || notice.position == kNever) item.add(hash.signal(notice.signal));
  return item.value();
}

/// The CMP takes the oldest notice of a value or a queue: only the order within these groups
/// counts.
std::uint64_t InterruptChecks::notices_of(std::uint32_t fence, const Canonical& hash) const {
  const auto& notices = fences_[fence].notices;
  struct Item {
    const Notice* notice;
    std::uint64_t content;
    std::uint64_t name;  ///< its content and the number of equal ones before it
  };
  Few<Item, 8> items;
  std::uint64_t sum = 0;
  for (const Notice& notice : notices) {
    const std::uint64_t content = notice_of(fence, notice, hash);
    if (content == 0) continue;
    std::uint64_t alike = 0;
    for (const Item& older : items) alike += older.content == content ? 1 : 0;
    const std::uint64_t name = hash_values(content, alike);
    sum += name;
    for (const Item& older : items) {
      const bool either =
          older.notice->value == notice.value || older.notice->queue == notice.queue;
      if (either && !older.notice->passed && !notice.passed) sum += hash_values(older.name, name);
    }
    items.push({&notice, content, name});
  }
  return sum;
}

/// Notifications that no DPC has handled.
std::uint64_t InterruptChecks::due_of(std::uint32_t fence, const Canonical& hash) const {
  std::uint64_t sum = 0;
  for (const Due& due : fences_[fence].due) {
    // Any read of the home sees a write that has arrived there.
    if (due.raise.position != kNever && !hash.stale()) continue;
    sum += hash_values(hash.signal(due.raise.signal), hash.position(fence, due.raise.position),
                       hash.before(due.seq));
  }
  return sum;
}

std::uint64_t InterruptChecks::unseen_of(std::uint32_t fence, const Canonical& hash) const {
  const Unseen& unseen = fences_[fence].unseen;
  if (unseen.seq == 0 || told_for_good(unseen.adapter, unseen.queue, unseen.seq)) return 0;
  return hash_values(unseen.monitored, pair_of(unseen.adapter, unseen.queue),
                     hash.position(fence, unseen.position), told_by(unseen.queue, unseen.seq));
}

/// Payload entries without a matching notification, counted back from the newest.
std::uint64_t InterruptChecks::raises_of(const Adapter& adapter, const Canonical& hash) const {
  const auto& raises = adapter.raises;
  const std::uint64_t manner = bits_of(adapter.ring.uncounted, adapter.skipped, adapter.optimised);
  if (raises.empty() && manner == 0) return 0;
  Hasher all;
  all.add(manner);
  for (std::uint64_t i = raises.first_index(); i != raises.end_index(); ++i) {
    const Raise& raise = raises[i];
    all.add(adapter.ring.written - raise.index)
        .add(bits_of(raise.index <= adapter.ring.acknowledged))
        .add(pair_of(raise.fence, raise.queue))
        .add(hash.position(raise.fence, raise.position))
        .add(raise.position == kNever ? hash.signal(raise.signal) : 0)
        .add(raise.logged.log)
        .add(raise.logged.log != 0 ? raise.logged.entry : 0);
  }
  return all.value();
}

std::uint64_t InterruptChecks::agents_of(const Canonical& hash) const {
  std::uint64_t sum = 0;
  for (std::size_t a = 0; a < agents_.size(); ++a) {
    const Agent& agent = agents_[a];
    if (agent.fence == 0 && agent.decided == 0) continue;
    Hasher item;
    item.add(a).add(pair_of(agent.fence, agent.decided));
    if (agent.fence != 0) item.add(hash.position(agent.fence, agent.position));
    if (agent.decided != 0)
      item.add(hash.position(agent.decided, agent.decided_position)).add(bits_of(agent.for_update));
    sum += item.value();
  }
  return sum;
}

void InterruptChecks::add_to(Canonical& hash) const {
  std::uint64_t sum = 0;
  for (std::size_t f = 0; f < fences_.size(); ++f) {
    const auto fence = static_cast<std::uint32_t>(f);
    const std::uint64_t notices = notices_of(fence, hash);
    const std::uint64_t due = due_of(fence, hash);
    const std::uint64_t unseen = unseen_of(fence, hash);
    if (notices == 0 && due == 0 && unseen == 0) continue;
    sum += hash_values(fence, notices, due, unseen);
  }
  hash.add(sum);
  sum = 0;
  for (std::size_t a = 0; a < adapters_.size(); ++a) {
    const std::uint64_t raises = raises_of(adapters_[a], hash);
    if (raises != 0) sum += hash_values(a, raises);
  }
  hash.add(sum);
  sum = 0;
  for (std::size_t q = 0; q < queues_.size(); ++q) {
    if (queues_[q].engine != 0) sum += hash_values(pair_of(q, queues_[q].engine));
  }
  hash.add(sum).add(agents_of(hash));
}

}  // namespace fenceline::check
