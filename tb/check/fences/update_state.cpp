// State hash of MonitoredValue updates.
#include <algorithm>

#include "tb/check/fences/update.h"

namespace fenceline::check {

using common::hash_values;
using common::Hasher;

void UpdateChecks::mark(Canonical& hash) const {
  for (std::size_t a = 0; a < agents_.size(); ++a) {
    const Agent& agent = agents_[a];
    if (agent.cmp_fence != 0 && agent.cmp_position != kNever)
      hash.mark_position(agent.cmp_fence, agent.cmp_position);
  }
  world_.signals.each([&](const Signal& signal) {
    if (awaits_verdict(signal)) hash.mark_position(signal.fence, signal.position);
  });
}

/// The signal is visible; it will be judged when its engine decides.
bool UpdateChecks::awaits_verdict(const Signal& signal) {
  return signal.visible() && !signal.decided;
}

/// First update by which signals are judged: updates after the version that an engine with a signal
/// in flight has read or may read.
std::uint64_t UpdateChecks::first_judged(std::uint32_t fence, const Slot& at,
                                         const Canonical& hash) const {
  if (hash.stale()) return at.updates.first_index();
  std::uint64_t version = at.shadow;
  for (std::size_t a = 0; a < agents_.size(); ++a) {
    const Agent& agent = agents_[a];
    if (agent.fence == fence && find(fence, agent.adapter) == &at)
      version = std::min(version, agent.version);
  }
  world_.signals.each([&](const Signal& signal) {
    const bool open = signal.suppressed && !signal.visible();
    if (open && signal.fence == fence && find(fence, signal.adapter) == &at)
      version = std::min(version, signal.version);
  });
  return version + 1;
}

/// First update that the CMP can still copy or compare.
std::uint64_t UpdateChecks::first_named(std::uint32_t fence, const Slot& at) const {
  std::uint64_t first = at.issued;
  for (std::uint64_t i = at.flights.first_index(); i != at.flights.end_index(); ++i)
    first = std::min(first, at.flights[i]);
  for (std::size_t a = 0; a < agents_.size(); ++a) {
    const Agent& agent = agents_[a];
    if (agent.cmp_fence != fence || agent.cmp_update == 0) continue;
    if (find(fence, agent.adapter) == &at) first = std::min(first, agent.cmp_update);
  }
  return first;
}

/// State of one fence on one adapter. Versions are counted back from the newest update.
std::uint64_t UpdateChecks::state_of(std::uint32_t fence, const Slot& at,
                                     const Canonical& hash) const {
  const auto& updates = at.updates;
  const std::uint64_t judged = first_judged(fence, at, hash);
  const std::uint64_t named = first_named(fence, at);
  const std::uint64_t first = std::max(std::min(judged, named), updates.first_index());
  const Update& last = updates.back();
  Hasher item;
  item.add(pair_of(fence, at.adapter))
      .add(bits_of(at.known, at.memory == kNever, first == 0))
      .add(at.known ? at.value : 0)
      .add(updates.end_index() - at.issued)
      .add(updates.end_index() - at.shadow)
      .add(at.memory == kNever ? 0 : updates.end_index() - at.memory)
      .add(last.returned == kNever ? 1U + last.caller : 0U);
  for (std::uint64_t i = first; i < updates.end_index(); ++i) {
    const Update& update = updates[i];
    item.add(update.value);
    if (i < judged) continue;
    // The caller identifies the call: it returns from one call before it makes the next.
    item.add(update.returned == kNever ? 1U + update.caller : 0U)
        .add(hash.position(fence, update.read));
  }
  for (std::uint64_t i = at.flights.first_index(); i != at.flights.end_index(); ++i)
    item.add(updates.end_index() - at.flights[i]);
  return item.value();
}

/// The set of updates that had returned by event `seq`, when a write became visible.
std::uint64_t UpdateChecks::returned_before(std::uint32_t fence, std::uint64_t seq,
                                            const Canonical& hash) const {
  std::uint64_t sum = 0;
  for (const Slot& at : fences_[fence].all) {
    const auto& updates = at.updates;
    const std::uint64_t judged = first_judged(fence, at, hash);
    for (std::uint64_t i = std::max(judged, updates.first_index()); i < updates.end_index(); ++i) {
      if (updates[i].returned < seq)
        sum += hash_values(pair_of(at.adapter, updates.end_index() - i));
    }
  }
  return sum;
}

std::uint64_t UpdateChecks::signals_of(const Canonical& hash) const {
  std::uint64_t sum = 0;
  world_.signals.each([&](const Signal& signal) {
    const std::uint64_t name = hash.signal(signal.number);
    if (awaits_verdict(signal)) {
      const std::uint64_t returned = returned_before(signal.fence, signal.visible_seq, hash);
      sum += hash_values(name, returned);
    } else if (signal.suppressed && !signal.visible()) {
      const Slot* at = find(signal.fence, signal.adapter);
      if (at == nullptr) return;
      sum += hash_values(name, at->updates.end_index() - signal.version);
    }
  });
  return sum;
}

std::uint64_t UpdateChecks::agents_of(const Canonical& hash) const {
  std::uint64_t sum = 0;
  for (std::size_t a = 0; a < agents_.size(); ++a) {
    const Agent& agent = agents_[a];
    const bool read = agent.version != kNever;  // read, but not decided yet
    if (agent.adapter == 0 && !read && agent.cmp_fence == 0) continue;
    Hasher item;
    item.add(pair_of(a, agent.adapter)).add(pair_of(read ? agent.fence : 0, agent.cmp_fence));
    if (read) {
      const Slot* at = find(agent.fence, agent.adapter);
      item.add(agent.value).add(at == nullptr ? 0 : at->updates.end_index() - agent.version);
    }
    if (agent.cmp_fence != 0) {
      const Slot* at = find(agent.cmp_fence, agent.adapter);
      item.add(hash.position(agent.cmp_fence, agent.cmp_position))
          .add(at == nullptr || agent.cmp_update == 0 ? 0
                                                      : at->updates.end_index() - agent.cmp_update);
    }
    sum += item.value();
  }
  return sum;
}

/// Writes that a comparison of the CMP may have missed: those that became visible after a read that
/// is not compared yet. The version that silenced a write counts back to the oldest update that may
/// still be compared.
std::uint64_t UpdateChecks::missed_writes(std::uint32_t fence, const Canonical& hash) const {
  const auto& history = world_.fences[fence].history;
  std::uint64_t first = hash.stale() ? 0 : history.end_index();
  for (std::size_t a = 0; a < agents_.size(); ++a) {
    const Agent& agent = agents_[a];
    if (agent.cmp_fence == fence && agent.cmp_position < first) first = agent.cmp_position + 1;
  }
  Hasher all;
  for (std::uint64_t p = std::max(first, history.first_index()); p < history.end_index(); ++p) {
    const Write& write = history[p];
    all.add(hash.position(fence, p)).add(write.value);
    const Slot* at = write.suppressed == 0 ? nullptr : find(fence, write.adapter);
    if (at == nullptr) continue;
    const std::uint64_t end = at->updates.end_index();
    const std::uint64_t oldest = end - first_named(fence, *at) + 1;
    all.add(write.adapter).add(std::min(end - (write.suppressed - 1), oldest));
  }
  return all.value();
}

void UpdateChecks::add_to(Canonical& hash) const {
  std::uint64_t sum = 0;
  for (std::size_t f = 0; f < fences_.size(); ++f) {
    const auto fence = static_cast<std::uint32_t>(f);
    for (const Slot& at : fences_[f].all) sum += state_of(fence, at, hash);
    const std::uint64_t missed = missed_writes(fence, hash);
    if (missed != 0) sum += hash_values(fence, missed);
  }
  hash.add(sum).add(signals_of(hash)).add(agents_of(hash));
}

}  // namespace fenceline::check
