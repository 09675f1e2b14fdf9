// State hash of signals and coherence orders.
#include "tb/check/core/world.h"

namespace fenceline::check {

using common::hash_values;
using common::Hasher;

void World::mark(Canonical& hash) const {
  signals.each([&](const Signal& signal) {
    std::uint64_t older = 0;  // equal signals begin one after the other
    signals.each([&](const Signal& other) {
      const bool alike = other.fence == signal.fence && other.value == signal.value &&
                         other.queue == signal.queue && other.agent == signal.agent;
      if (alike && other.begin_seq < signal.begin_seq) ++older;
    });
    hash.name_signal(signal.number, hash_values(pair_of(signal.fence, signal.queue),
                                                pair_of(signal.agent, older), signal.value));
  });
}

void World::add_signals(Canonical& hash) const {
  std::uint64_t sum = 0;
  signals.each([&](const Signal& signal) {
    const bool visible = signal.visible();
    Hasher item;
    item.add(hash.signal(signal.number))
        .add(bits_of(visible, signal.issued, signal.ended, signal.decided, signal.told))
        .add(signal.log)
        .add(signal.log != 0 ? signal.entry : 0);
    if (!visible) {
      // Once the write is visible, these fields have served their purpose or are part of a notice.
      item.add(bits_of(signal.suppressed, signal.noticed, signal.raised)).add(signal.adapter);
    } else if (!signal.decided) {
      item.add(hash.position(signal.fence, signal.position));  // the notice will copy it
    }
    sum += item.value();
  });
  hash.add(sum);
}

/// Writes in flight: those of one writer in order.
std::uint64_t World::writes_of(const FenceOrder& order, const Canonical& hash) {
  std::uint64_t sum = 0;
  for (const Writer& writer : order.writers) {
    const auto& pending = writer.pending;
    if (pending.empty()) continue;
    Hasher all;
    all.add(writer.agent);
    for (std::uint64_t i = pending.first_index(); i != pending.end_index(); ++i)
      all.add(pending[i].value).add(hash.signal(pending[i].number));
    sum += all.value();
  }
  return sum;
}

void World::add_to(Canonical& hash) const {
  add_signals(hash);
  std::uint64_t sum = 0;
  for (std::size_t f = 0; f < fences.size(); ++f) {
    const auto fence = static_cast<std::uint32_t>(f);
    const FenceOrder& order = fences[f];
    const std::uint64_t writes = writes_of(order, hash);
    const bool untouched = order.position == 0 && !order.created;
    if (untouched && order.highest == 0 && writes == 0 && !order.always_signaled) continue;
    Hasher item;
    item.add(pair_of(fence, bits_of(order.created, order.always_signaled, untouched)))
        .add(order.home)
        .add(order.highest)
        .add(writes);
    // Older values matter only where a read may still return them.
    for (std::uint64_t p = order.history.first_index();
         hash.stale() && p != order.history.end_index(); ++p)
      item.add(order.history[p].value);
    sum += item.value();
  }
  hash.add(sum);
}

}  // namespace fenceline::check
