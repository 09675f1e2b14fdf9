// State hash of logs. Entries and headers are counted as the memory holds them. So the numbers are
// equal wherever the machine is in the same state.
#include <algorithm>

#include "tb/check/logs/log.h"

namespace fenceline::check {

using common::hash_values;
using common::Hasher;

namespace {

/// Hash of a list as a set.
template <class Numbers>
std::uint64_t set_of(const Numbers& numbers) {
  std::uint64_t sum = 0;
  for (auto it = numbers.begin(); it != numbers.end(); ++it) {
    if (std::find(numbers.begin(), it, *it) == it) sum += hash_values(*it);
  }
  return sum;
}

}  // namespace

void LogChecks::mark(Canonical& hash) const {
  for (std::size_t a = 0; a < readers_.size(); ++a) {
    if (readers_[a].begin != 0) hash.mark_dpc(a, readers_[a].begin);
  }
  for (std::size_t number = 0; number < logs_.size(); ++number) {
    if (logs_[number].known) hash.mark_logs();
  }
}

/// An entry that was read is not read again, unless an overrun makes its reader jump. Of older
/// issued entries only their presence counts; older visible entries do not count at all.
std::uint64_t LogChecks::slots_of(const LogState& state) {
  const std::uint64_t read = state.flagged ? 0 : state.consumed;
  std::uint64_t sum = 0;
  for (std::size_t index = 0; index < state.used; ++index) {
    const LogSlot& slot = state.slots[index];
    Hasher item;
    const auto add = [&](const LogSlot::Entry& entry, std::uint64_t old) {
      const bool none = entry.number == kNever;
      if (none || entry.number < read) {
        item.add(none ? 0 : old);
      } else {
        item.add(2 + entry.number).add(entry.value);
      }
    };
    item.add(pair_of(index, bits_of(slot.early)));
    add(slot.issued, 1);
    add(slot.visible, 0);
    for (std::uint64_t i = slot.pending.first_index(); i != slot.pending.end_index(); ++i)
      add(slot.pending[i], 1);
    sum += item.value();
  }
  return sum;
}

std::uint64_t LogChecks::headers_of(const LogState& state, const Canonical& hash) {
  const auto& headers = state.headers;
  Hasher all;
  all.add(state.header_issued)
      .add(state.header_visible)
      .add(state.since_header)
      .add(bits_of(headers.first_index() != 0))
      .add(headers.empty() ? 0 : headers.front());  // no lower header is known to be whole
  for (std::uint64_t i = state.in_flight.first_index(); i != state.in_flight.end_index(); ++i)
    all.add(state.in_flight[i]);
  for (std::uint64_t i = headers.first_index(); hash.stale() && i != headers.end_index(); ++i)
    all.add(headers[i]);
  std::uint64_t readers = 0;
  for (const LogState::HeaderReader& reader : state.readers) {
    if (reader.count != 0) readers += hash_values(reader.agent, reader.count);
  }
  return all.add(readers).value();
}

std::uint64_t LogChecks::reading_of(const LogState& state, const Canonical& hash) {
  Hasher all;
  all.add(state.consumed)
      .add(state.stamp)
      .add(state.stamped)
      .add(bits_of(state.header_seen, state.lost, state.flagged, state.entry_seen))
      .add(state.header_seen ? state.header_read : 0)
      .add(state.header_seen ? state.reader : 0);  // the next reader starts with the header
  std::uint64_t sum = 0;
  for (const LogState::Notified& note : state.notified) {
    if (note.entry < state.consumed) continue;  // it has been read, whatever follows
    sum += hash_values(note.entry, hash.before(note.seq));
  }
  for (const LogSuspicion& suspicion : state.suspicions)
    sum += hash_values(static_cast<std::uint64_t>(suspicion.invariant));
  return all.add(sum).value();
}

/// The last command of each agent: the next entry may belong to it.
std::uint64_t LogChecks::commands_of(const Canonical& hash) const {
  std::uint64_t sum = 0;
  for (std::size_t a = 0; a < commands_.size(); ++a) {
    const Command& command = commands_[a];
    if (command.fence == 0) continue;
    Hasher item;
    item.add(pair_of(a, command.fence))
        .add(command.value)
        .add(bits_of(command.wait, command.again, command.entries != 0))
        .add(command.wait ? command.queue : hash.signal(command.signal));
    sum += item.value();
  }
  return sum;
}

/// Preemption counts only after a wait that was logged under a cookie.
std::uint64_t LogChecks::queues_of() const {
  std::uint64_t sum = 0;
  for (std::size_t q = 0; q < queues_.size(); ++q) {
    const QueueWait& queue = queues_[q];
    if (queue.cookie == 0 && queue.logged_cookie == 0) continue;
    Hasher item;
    item.add(q).add(queue.cookie).add(queue.logged_cookie);
    if (queue.logged_cookie != 0)
      item.add(queue.value).add(pair_of(queue.fence, bits_of(queue.preempted)));
    sum += item.value();
  }
  return sum;
}

/// Messages are counted from the last delivered one.
std::uint64_t LogChecks::adapters_of(const Canonical& hash) const {
  std::uint64_t sum = 0;
  for (std::size_t a = 0; a < adapters_.size(); ++a) {
    const Adapter& adapter = adapters_[a];
    if (adapter.vector == kNever && adapter.raised.empty() && adapter.delivered == 0) continue;
    Hasher item;
    item.add(pair_of(a, bits_of(adapter.several)))
        .add(adapter.vector)
        .add(adapter.sent - adapter.delivered);
    for (const Covered& covered : adapter.raised) {
      item.add(hash.signal(covered.signal))
          .add(pair_of(covered.log, bits_of(covered.message != 0)))
          .add(covered.entry)
          .add(covered.message == 0 ? 0 : covered.message - adapter.delivered);
    }
    sum += item.value();
  }
  return sum;
}

std::uint64_t LogChecks::readers_of() const {
  std::uint64_t sum = 0;
  for (std::size_t a = 0; a < readers_.size(); ++a) {
    const Reader& reader = readers_[a];
    if (reader.begin == 0) continue;
    std::uint64_t logs = 0;
    for (const Reading& reading : reader.logs)
      logs += hash_values(pair_of(reading.log, bits_of(reading.lost, reading.flagged)));
    sum += hash_values(a, logs, set_of(reader.scanned));
  }
  return sum;
}

void LogChecks::add_to(Canonical& hash) const {
  std::uint64_t sum = 0;
  for (std::size_t number = 0; number < logs_.size(); ++number) {
    const LogState& state = logs_[number];
    if (!state.known) continue;
    sum += hash_values(number, slots_of(state), set_of(state.fences), headers_of(state, hash),
                       reading_of(state, hash));
  }
  hash.add(sum).add(commands_of(hash)).add(queues_of()).add(adapters_of(hash)).add(readers_of());
}

}  // namespace fenceline::check
