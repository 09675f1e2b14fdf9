#include <algorithm>

#include "tb/check/logs/log.h"

namespace fenceline::check {

using common::At;
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

LogState& LogChecks::log(std::uint32_t number) {
  LogState& state = logs_[number];
  if (state.slots.empty()) state.slots.resize(entries_);  // no LogMade event gave its size
  state.known = true;
  return state;
}

std::uint64_t LogState::count(std::uint64_t header) const {
  return (header >> 32) * entries() + (header & 0xFFFFFFFFU);
}

void LogChecks::on(const At<event::LogMade>& event) {
  logs_[event.log].slots.assign(std::max<std::uint64_t>(event.entries, 1), LogSlot());
}

void LogChecks::fail(Invariant invariant, std::uint32_t number, std::uint32_t fence,
                     const std::string& what) {
  Reporter& report = world_.report;
  report.fail(invariant, number, fence,
              "log " + report.name(ObjectKind::kLog, number) + ": " + what + " (noticed " +
                  report.now() + ")");
}

void LogChecks::on(const At<event::PacketBegin>& event) {
  queues_[event.queue].cookie = event.cookie;
}

void LogChecks::on(const At<event::QueueState>& event) {
  if (event.state == event::QueueStateKind::kSuspended) {
    queues_[event.queue].preempted = true;
  }
}

void LogChecks::on(const At<event::SignalBegin>& event) {
  Command& command = commands_[event.agent];
  command.signal = event.signal;
  command.value = event.value;
  command.fence = event.fence;
  command.wait = command.again = false;
  command.entries = 0;
}

void LogChecks::on(const At<event::GpuWaitUnblock>& event) {
  const QueueWait& last = queues_[event.queue];
  Command& command = commands_[event.agent];
  command.signal = 0;
  command.value = event.value;
  command.fence = event.fence;
  command.queue = event.queue;
  command.wait = true;
  command.entries = 0;
  command.again = last.preempted && last.cookie != 0 && last.cookie == last.logged_cookie &&
                  last.fence == event.fence && last.value == event.value;
}

void LogChecks::on(const At<event::LogEntryIssued>& event) {
  LogState& state = log(event.log);
  std::uint64_t entry = state.header_issued + state.since_header;
  const std::uint64_t index = event.index % state.entries();
  entry += (index + state.entries() - entry % state.entries()) % state.entries();
  ++state.since_header;
  const Command& command = commands_[event.agent];
  const bool by_command = event.fence == 0 && command.value == event.value;
  const std::uint32_t fence = by_command ? command.fence : event.fence.number;
  LogSlot& slot = state.slots[index];
  state.used = std::max(state.used, index + 1);
  slot.issued = {entry, event.value, fence};
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

/// The entry belongs to the last command of the same agent if its value is equal and it names the
/// same fence or none.
void LogChecks::check_command(const At<event::LogEntryIssued>& event, std::uint64_t entry) {
  Command& command = commands_[event.agent];
  const bool same_fence = event.fence == 0 || command.fence == event.fence;
  const bool own = command.fence != 0 && same_fence && command.value == event.value;
  if (!own) return;
  world_.report.checked(Invariant::kLogOnce);
  if (++command.entries > 1) {
    fail(Invariant::kLogOnce, event.log, command.fence,
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
  signal->log = event.log;
  signal->entry = entry;
  if (signal->issued && !signal->told) return;
  fail(Invariant::kLogOrder, event.log, signal->fence,
       "the entry of signal " + text(signal->number) + " on fence " +
           world_.report.fence(signal->fence) + " was issued " +
           (signal->told ? "after the CMP was told" : "before CurrentValue"));
}

void LogChecks::check_wait_entry(const At<event::LogEntryIssued>& event, Command& command) {
  if (command.again) {
    fail(Invariant::kLogOnce, event.log, command.fence,
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

void LogChecks::on(const At<event::LogEntryVisible>& event) {
  LogState& state = log(event.log);
  const std::uint64_t index = event.index % state.entries();
  LogSlot& slot = state.slots[index];
  state.used = std::max(state.used, index + 1);
  if (slot.pending.empty()) {
    slot.early = true;
    return;
  }
  slot.visible = slot.pending.front();
  slot.pending.pop_front();
}

void LogChecks::on(const At<event::LogHeaderIssued>& event) {
  LogState& state = log(event.log);
  if (event.header == 0) {
    state.restart();
    return;
  }
  world_.report.checked(Invariant::kLogOrder);
  if (state.since_header == 0) {
    fail(Invariant::kLogOrder, event.log, 0, "an index was issued before its entry");
  }
  state.header_issued = state.count(event.header);
  state.since_header = 0;
  if (state.header_visible < state.header_issued) state.in_flight.push(state.header_issued);
}

void LogChecks::on(const At<event::LogHeaderVisible>& event) {
  LogState& state = log(event.log);
  if (event.header == 0) {
    if (state.header_issued != 0) state.restart();
    return;
  }
  const std::uint64_t visible = state.count(event.header);
  auto& flight = state.in_flight;
  while (!flight.empty() && flight.front() <= visible) flight.pop_front();
  state.header_visible = visible;
  state.headers.push(visible);
}

void LogChecks::on(const At<event::Decision>& event) {
  if (!event.above) return;
  const Signal* signal = world_.signals.find(event.signal);
  if (signal == nullptr || signal->log == 0) return;
  world_.report.checked(Invariant::kLogOrder);
  if (logs_[signal->log].header_issued > signal->entry) return;
  fail(Invariant::kLogOrder, signal->log, signal->fence,
       "signal " + text(signal->number) + " on fence " + world_.report.fence(signal->fence) +
           " told the CMP before it issued the index of its entry");
}

void LogChecks::on(const At<event::InterruptRaised>& event) {
  const RaisedSignal& signal = interrupts_.raised();
  if (signal.logged.log == 0) return;
  auto& raised = adapters_[event.adapter].raised;
  if (raised.size() == kCovered) raised.erase(raised.begin());
  raised.push_back({signal.number, signal.logged.entry, 0, signal.logged.log, event.fence});
}

void LogChecks::on(const At<event::MessageSent>& event) {
  Adapter& adapter = adapters_[event.adapter];
  if (adapter.vector != kNever && adapter.vector != event.vector) adapter.several = true;
  adapter.vector = event.vector;
  ++adapter.sent;
  for (Covered& covered : adapter.raised) {
    if (covered.message == 0) covered.message = adapter.sent;
  }
}

/// A message that was sent earlier does not cover later writes.
void LogChecks::on(const At<event::MessageCoalesced>& event) {
  auto& raised = adapters_[event.adapter].raised;
  const auto unsent = [](const Covered& covered) { return covered.message == 0; };
  raised.erase(std::remove_if(raised.begin(), raised.end(), unsent), raised.end());
}

void LogChecks::on(const At<event::MessageDelivered>& event) {
  Adapter& adapter = adapters_[event.adapter];
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
