#include <algorithm>

#include "tb/check/log.h"

namespace fenceline::check {

using common::Event;
using common::ObjectKind;

namespace {
constexpr std::size_t kFences = 64;
constexpr std::size_t kCovered = 64;
}  // namespace

void LogState::restart() {
  for (LogSlot& slot : slots) {
    slot.issued = slot.visible = {};
    slot.pending.clear();
    slot.early = false;
  }
  used = 0;
  fences.clear();
  headers.clear();
  in_flight.clear();
  header_issued = header_visible = since_header = consumed = stamp = stamped = header_read = 0;
  readers.clear();
  notified.clear();
  header_seen = entry_seen = lost = flagged = false;
  suspicions.clear();
}

void LogChecks::Adapter::clear() { *this = Adapter{}; }

LogState& LogChecks::log(std::uint32_t number) {
  LogState& state = logs_[number];
  if (state.slots.empty()) state.slots.resize(entries_);  // nobody has said how many there are
  state.known = true;
  return state;
}

std::uint64_t LogState::count(std::uint64_t header) const {
  return (header >> 32) * entries() + (header & 0xFFFFFFFFU);
}

void LogChecks::on_made(const Event& event) {
  logs_[event.object].slots.assign(std::max<std::uint64_t>(event.b, 1), LogSlot());
}

void LogChecks::fail(Invariant invariant, std::uint32_t number, std::uint32_t fence,
                     const std::string& what) {
  Reporter& report = world_.report;
  if (!report.broken(invariant, number)) return;
  report.add(invariant, fence,
             "log " + report.name(ObjectKind::kLog, number) + ": " + what + " (noticed " +
                 at_time(report.time()) + ")");
}

void LogChecks::on_packet_begin(const Event& event) { queues_[event.object].cookie = event.b; }

void LogChecks::on_queue_state(const Event& event) {
  if (static_cast<common::QueueState>(event.a) == common::QueueState::kSuspended) {
    queues_[event.object].preempted = true;
  }
}

void LogChecks::on_signal_begin(const Event& event) {
  Command& command = commands_[event.agent];
  command.signal = event.b;
  command.value = event.a;
  command.fence = event.object;
  command.wait = command.again = false;
  command.entries = 0;
}

void LogChecks::on_wait_unblock(const Event& event) {
  const QueueWait& last = queues_[event.c];
  Command& command = commands_[event.agent];
  command.signal = 0;
  command.value = event.a;
  command.fence = event.object;
  command.queue = static_cast<std::uint32_t>(event.c);
  command.wait = true;
  command.entries = 0;
  command.again = last.preempted && last.cookie != 0 && last.cookie == last.logged_cookie &&
                  last.fence == event.object && last.value == event.a;
}

void LogChecks::on_entry_issued(const Event& event) {
  LogState& state = log(event.object);
  std::uint64_t entry = state.header_issued + state.since_header;
  const std::uint64_t index = event.a % state.entries();
  entry += (index + state.entries() - entry % state.entries()) % state.entries();
  ++state.since_header;
  const Command& command = commands_[event.agent];
  const bool by_command = event.c == 0 && command.value == event.b;
  const auto fence = by_command ? command.fence : static_cast<std::uint32_t>(event.c);
  LogSlot& slot = state.slots[index];
  state.used = std::max(state.used, index + 1);
  slot.issued = {entry, event.b, fence};
  if (slot.early) {
    slot.visible = slot.issued;
    slot.early = false;
  } else {
    slot.pending.push(slot.issued);
  }
  const auto& fences = state.fences;
  const bool known = std::find(fences.begin(), fences.end(), fence) != fences.end();
  if (!known && fences.size() < kFences) state.fences.push_back(fence);
  check_command(event, entry);
}

/// The entry belongs to the last command of the same agent if it names its value, and its fence or
/// none.
void LogChecks::check_command(const Event& event, std::uint64_t entry) {
  Command& command = commands_[event.agent];
  const bool same_fence = event.c == 0 || command.fence == event.c;
  const bool own = command.fence != 0 && same_fence && command.value == event.b;
  if (!own) return;
  world_.report.checked(Invariant::kLogOnce);
  if (++command.entries > 1) {
    fail(Invariant::kLogOnce, event.object, command.fence,
         "one command for fence " + world_.report.fence(command.fence) + " and value " +
             text(command.value) + " wrote a second entry");
  }
  if (command.wait) {
    check_wait_entry(event, command);
    return;
  }
  world_.report.checked(Invariant::kLogOrder);
  Signal* signal = world_.signals.find(command.signal);
  if (signal == nullptr) return;
  signal->log = event.object;
  signal->entry = entry;
  if (signal->issued && !signal->told) return;
  fail(Invariant::kLogOrder, event.object, signal->fence,
       "the entry of signal " + text(signal->number) + " on fence " +
           world_.report.fence(signal->fence) + " was issued " +
           (signal->told ? "after the CMP was told" : "before CurrentValue"));
}

void LogChecks::check_wait_entry(const Event& event, Command& command) {
  if (command.again) {
    fail(Invariant::kLogOnce, event.object, command.fence,
         "a wait of queue " + world_.report.name(ObjectKind::kQueue, command.queue) +
             " for fence " + world_.report.fence(command.fence) + " and value " +
             text(command.value) + " was logged again after preemption");
  }
  QueueWait& last = queues_[command.queue];
  last.logged_cookie = last.cookie;
  last.fence = command.fence;
  last.value = command.value;
  last.preempted = false;
}

void LogChecks::on_entry_visible(const Event& event) {
  LogState& state = log(event.object);
  const std::uint64_t index = event.a % state.entries();
  LogSlot& slot = state.slots[index];
  state.used = std::max(state.used, index + 1);
  if (slot.pending.empty()) {
    slot.early = true;
    return;
  }
  slot.visible = slot.pending.front();
  slot.pending.pop_front();
}

void LogChecks::on_header_issued(const Event& event) {
  LogState& state = log(event.object);
  if (event.a == 0) {
    state.restart();
    return;
  }
  world_.report.checked(Invariant::kLogOrder);
  if (state.since_header == 0) {
    fail(Invariant::kLogOrder, event.object, 0, "an index was issued before its entry");
  }
  state.header_issued = state.count(event.a);
  state.since_header = 0;
  if (state.header_visible < state.header_issued) state.in_flight.push(state.header_issued);
}

void LogChecks::on_header_visible(const Event& event) {
  LogState& state = log(event.object);
  if (event.a == 0) {
    if (state.header_issued != 0) state.restart();
    return;
  }
  const std::uint64_t visible = state.count(event.a);
  auto& flight = state.in_flight;
  while (!flight.empty() && flight.front() <= visible) flight.pop_front();
  state.header_visible = visible;
  state.headers.push(visible);
}

void LogChecks::on_decision(const Event& event) {
  if (event.c == 0) return;
  const Signal* signal = world_.signals.find(event.b);
  if (signal == nullptr || signal->log == 0) return;
  world_.report.checked(Invariant::kLogOrder);
  if (logs_[signal->log].header_issued > signal->entry) return;
  fail(Invariant::kLogOrder, signal->log, signal->fence,
       "signal " + text(signal->number) + " on fence " + world_.report.fence(signal->fence) +
           " told the CMP before it issued the index of its entry");
}

void LogChecks::on_raised(const Event& event, const RaisedSignal& signal) {
  if (signal.logged.log == 0) return;
  auto& raised = adapters_[event.object].raised;
  if (raised.size() == kCovered) raised.erase(raised.begin());
  raised.push_back({signal.number, signal.logged.entry, 0, signal.logged.log,
                    static_cast<std::uint32_t>(event.a)});
}

void LogChecks::on_message_sent(const Event& event) {
  Adapter& adapter = adapters_[event.object];
  if (adapter.vector != kNever && adapter.vector != event.a) adapter.several = true;
  adapter.vector = event.a;
  ++adapter.sent;
  for (Covered& covered : adapter.raised) {
    if (covered.message == 0) covered.message = adapter.sent;
  }
}

/// A message that was sent earlier promises nothing about what was written since.
void LogChecks::on_message_coalesced(const Event& event) {
  auto& raised = adapters_[event.object].raised;
  const auto unsent = [](const Covered& covered) { return covered.message == 0; };
  raised.erase(std::remove_if(raised.begin(), raised.end(), unsent), raised.end());
}

void LogChecks::on_message_delivered(const Event& event) {
  Adapter& adapter = adapters_[event.object];
  ++adapter.delivered;
  auto& raised = adapter.raised;
  while (!raised.empty() && raised.front().message != 0 &&
         raised.front().message <= adapter.delivered) {
    if (!adapter.several) check_delivered(raised.front());
    raised.erase(raised.begin());
  }
}

void LogChecks::check_delivered(const Covered& covered) {
  world_.report.checked(Invariant::kLogOrder);
  const Signal* signal = world_.signals.find(covered.signal);
  const bool value = signal == nullptr || signal->visible();
  if (value && logs_[covered.log].header_visible > covered.entry) return;
  fail(Invariant::kLogOrder, covered.log, covered.fence,
       "the interrupt for signal " + text(covered.signal) + " on fence " +
           world_.report.fence(covered.fence) + " was delivered before its " +
           (value ? "index" : "CurrentValue") + " was visible");
}

}  // namespace fenceline::check
