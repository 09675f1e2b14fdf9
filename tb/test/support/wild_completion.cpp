// How a run makes an event of what was drawn: a possible one, of its own past.
#include <algorithm>
#include <iterator>
#include <tuple>

#include "tb/test/support/wild_events.h"

namespace fenceline::check {

using S = EventScript;

namespace {

common::AgentId one_of_two(common::AgentId first, std::uint64_t number) {
  return static_cast<common::AgentId>(first + number % 2);
}

}  // namespace

/// An engine begins its signals in the order of their numbers.
bool WildRun::complete(At<event::SignalBegin>& event, const WildEvent& drawn) {
  event.agent = one_of_two(S::kEngine, drawn.second);
  const std::uint64_t first = event.agent * 10U;
  const auto next = now_.signals.lower_bound(first + 10);
  const bool none = next == now_.signals.begin() || std::prev(next)->first < first;
  event.signal = none ? first : std::prev(next)->first + 1;
  event.queue = static_cast<std::uint32_t>(1 + drawn.third % 2);
  if (event.signal == first + 9) return false;
  now_.signals[event.signal] = {event.fence, event.value, event.queue};
  return true;
}

bool WildRun::complete(At<event::CurrentValueIssued>& event, const WildEvent& drawn) {
  return complete_signal(event, drawn, &Signal::issued);
}
bool WildRun::complete(At<event::Decision>& event, const WildEvent& drawn) {
  event.above = drawn.third % 2 != 0;
  return complete_signal(event, drawn, &Signal::decided);
}
bool WildRun::complete(At<event::SignalEnd>& event, const WildEvent& drawn) {
  return complete_signal(event, drawn, &Signal::ended);
}

template <class E>
bool WildRun::complete_signal(At<E>& event, const WildEvent& drawn, bool Signal::*done) {
  event.agent = one_of_two(S::kEngine, drawn.second);
  // Which one is told by what it is: another past may have begun it earlier or later.
  std::uint64_t chosen = 0;
  const auto order = [](const Signal& s) { return std::make_tuple(s.fence, s.value, s.queue); };
  for (auto& [number, signal] : now_.signals) {
    if (number / 10 != event.agent || signal.*done) continue;
    if (done == &Signal::landed && !signal.issued) continue;
    if (drawn.first % 2 != 0 && signal.value < drawn.first) continue;
    if (chosen == 0 || order(signal) < order(now_.signals[chosen])) chosen = number;
  }
  if (chosen == 0) return false;
  Signal& signal = now_.signals[chosen];
  signal.*done = true;
  event.fence = signal.fence;
  event.value = signal.value;
  event.signal = chosen;
  return true;
}

bool WildRun::complete(At<event::CurrentValueVisible>& event, const WildEvent& drawn) {
  event.signal = 0;
  event.agent = S::kCpu;
  if (drawn.second != 0 && !complete_signal(event, drawn, &Signal::landed)) return false;
  fence_of(event.fence).home = event.value;
  return true;
}

bool WildRun::complete(At<event::CurrentValueRead>& event, const WildEvent& drawn) {
  event.reader = static_cast<event::Reader>((drawn.first + drawn.second + drawn.third) % 6);
  if (!stale_) event.value = fence_of(event.fence).home;
  if (event.reader != event::Reader::kOsDpcScan) return true;
  event.agent = S::kDpc;
  return now_.in_dpc;
}

template <class E>
bool WildRun::complete_wait(At<E>& event, const WildEvent& drawn) {
  event.value = 1 + drawn.third;
  event.waiter = 1 + drawn.first % 3;
  event.thread = static_cast<std::uint32_t>(event.waiter);
  return true;
}
bool WildRun::complete(At<event::WaitAdd>& event, const WildEvent& drawn) {
  event.kind = drawn.first % 3;
  return complete_wait(event, drawn);
}
bool WildRun::complete(At<event::WaitRelease>& event, const WildEvent& drawn) {
  return complete_wait(event, drawn);
}
bool WildRun::complete(At<event::WaitDone>& event, const WildEvent& drawn) {
  return complete_wait(event, drawn);
}
bool WildRun::complete(At<event::WaitTimeout>& event, const WildEvent& drawn) {
  return complete_wait(event, drawn);
}
bool WildRun::complete(At<event::GpuWaitBegin>& event, const WildEvent& drawn) {
  event.queue = static_cast<std::uint32_t>(1 + drawn.third % 2);
  return true;
}
bool WildRun::complete(At<event::GpuWaitUnblock>& event, const WildEvent& drawn) {
  event.queue = static_cast<std::uint32_t>(1 + drawn.third % 2);
  return true;
}

/// A queue has one engine.
bool WildRun::complete(At<event::PacketBegin>& event, const WildEvent& drawn) {
  event.engine = drawn.object;
  return true;
}
bool WildRun::complete(At<event::QueueState>& event, const WildEvent& drawn) {
  using Kind = event::QueueStateKind;
  event.state = drawn.second == 0 ? Kind::kSuspended : static_cast<Kind>(drawn.second);
  return true;
}

/// A fence that is created anew has another home.
template <class E>
bool WildRun::complete_lifetime(At<E>& event, const WildEvent& drawn) const {
  event.adapter = static_cast<std::uint32_t>(1 + drawn.second % 2);
  return stale_;
}
bool WildRun::complete(At<event::FenceCreate>& event, const WildEvent& drawn) {
  event.initial = 0;
  return complete_lifetime(event, drawn);
}
bool WildRun::complete(At<event::FenceOpen>& event, const WildEvent& drawn) {
  return complete_lifetime(event, drawn);
}
bool WildRun::complete(At<event::FenceClose>& event, const WildEvent& drawn) {
  return complete_lifetime(event, drawn);
}
bool WildRun::complete(At<event::FenceDestroy>& event, const WildEvent& drawn) {
  return complete_lifetime(event, drawn);
}

bool WildRun::complete(At<event::UpdateMonitoredCall>& event, const WildEvent& drawn) {
  event.agent = one_of_two(S::kCpu, drawn.second);
  Call& call = now_.calls[event.agent];
  if (call.number != 0) return false;
  call = {event.fence, event.value, ++now_.updates};
  fence_of(event.fence).called.push_back(event.value);
  event.update = call.number;
  event.adapter = 1;
  return true;
}
bool WildRun::complete(At<event::UpdateMonitoredReturn>& event, const WildEvent& drawn) {
  event.agent = one_of_two(S::kCpu, drawn.second);
  Call& call = now_.calls[event.agent];
  if (call.number == 0) return false;
  event.fence = call.fence;
  event.value = call.value;
  event.update = call.number;
  event.adapter = 1;
  call.number = 0;
  return true;
}
bool WildRun::complete(At<event::MonitoredValueVisible>& event, const WildEvent& /*drawn*/) {
  Fence& fence = fence_of(event.fence);
  const auto& called = fence.called;
  if (std::find(called.begin(), called.end(), event.value) == called.end()) return false;
  event.adapter = 1;
  fence.monitored = event.value;
  return fence.in_memory = true;
}

/// The CMP copies what is in memory, and its writes arrive in order.
bool WildRun::complete(At<event::ShadowIssued>& event, const WildEvent& /*drawn*/) {
  Fence& fence = fence_of(event.fence);
  event.agent = S::kCmp;
  event.adapter = 1;
  if (fence.called.empty()) return false;
  if (!stale_) event.value = fence.in_memory ? fence.monitored : fence.called.back();
  fence.shadows.push_back(event.value);
  return true;
}
bool WildRun::complete(At<event::ShadowVisible>& event, const WildEvent& /*drawn*/) {
  Fence& fence = fence_of(event.fence);
  event.agent = S::kCmp;
  event.adapter = 1;
  if (fence.shadows.empty()) return false;
  event.value = fence.shadow = fence.shadows.front();
  fence.shadows.pop_front();
  return true;
}
bool WildRun::complete(At<event::ShadowRead>& event, const WildEvent& drawn) {
  event.agent = one_of_two(S::kEngine, drawn.second);
  event.adapter = 1;
  if (!stale_) event.value = fence_of(event.fence).shadow;
  return true;
}
bool WildRun::complete(At<event::CmpDecision>& event, const WildEvent& drawn) {
  const std::uint64_t sum = drawn.first + drawn.second * 2 + drawn.third;
  event.agent = S::kCmp;
  event.raised = sum % 2 != 0;
  event.decider = static_cast<event::Decider>(sum / 2 % 2);
  return true;
}

bool WildRun::complete(At<event::InterruptRaised>& event, const WildEvent& drawn) {
  event.agent = S::kCmp;
  event.fence = drawn.object;
  event.adapter = 1;
  ++now_.raised;
  return true;
}
bool WildRun::complete(At<event::IsrAcknowledge>& event, const WildEvent& drawn) {
  const std::uint64_t unread = drawn.first;
  if (unread > now_.raised || now_.raised - unread < now_.acknowledged) return false;
  event.adapter = 1;
  event.read = now_.acknowledged = now_.raised - unread;
  return true;
}
template <class E>
bool WildRun::complete_message(At<E>& event, const WildEvent& drawn) {
  event.adapter = 1;
  event.vector = drawn.first / 3;
  return true;
}
bool WildRun::complete(At<event::MessageSent>& event, const WildEvent& drawn) {
  return complete_message(event, drawn);
}
bool WildRun::complete(At<event::MessageCoalesced>& event, const WildEvent& drawn) {
  return complete_message(event, drawn);
}
bool WildRun::complete(At<event::MessageDelivered>& event, const WildEvent& drawn) {
  return complete_message(event, drawn);
}
bool WildRun::complete(At<event::Notify>& event, const WildEvent& /*drawn*/) {
  if (event.type == 0) event.fence = 0;
  event.adapter = 1;
  return true;
}

template <class E>
bool WildRun::complete_dpc(At<E>& event, bool begin) {
  if (now_.in_dpc == begin) return false;
  event.agent = S::kDpc;
  event.adapter = 1;
  // What was lost is not looked for any more.
  if (!begin && now_.flagged) now_.cursor = std::max(now_.cursor, now_.header_read);
  now_.flagged = now_.header_seen = false;
  now_.in_dpc = begin;
  return true;
}
bool WildRun::complete(At<event::DpcBegin>& event, const WildEvent& /*drawn*/) {
  return complete_dpc(event, true);
}
bool WildRun::complete(At<event::DpcEnd>& event, const WildEvent& /*drawn*/) {
  return complete_dpc(event, false);
}

bool WildRun::complete(At<event::LogEntryIssued>& event, const WildEvent& drawn) {
  event.log = 1;
  event.agent = one_of_two(S::kEngine, drawn.agent);
  return true;
}
/// The header of a log with so many entries.
std::uint64_t WildRun::header_of(std::uint64_t count) {
  return (count / kEntries) << 32 | count % kEntries;
}
bool WildRun::complete(At<event::LogHeaderIssued>& event, const WildEvent& drawn) {
  event.log = 1;
  event.header = header_of(1 + drawn.first + drawn.second);
  return true;
}
bool WildRun::complete(At<event::LogHeaderVisible>& event, const WildEvent& drawn) {
  event.log = 1;
  now_.header = 1 + drawn.first + drawn.second;
  event.header = header_of(now_.header);
  return true;
}
bool WildRun::complete(At<event::LogHeaderRead>& event, const WildEvent& drawn) {
  if (!now_.in_dpc) return false;
  const std::uint64_t read = stale_ ? 1 + drawn.first + drawn.second : now_.header;
  event.log = 1;
  event.agent = S::kDpc;
  event.header = header_of(read);
  if (read > now_.cursor + kEntries) {  // the reader sees that it has lost some
    now_.flagged = true;
    now_.cursor = read - kEntries;
  }
  now_.header_read = read;
  return now_.header_seen = true;
}

/// Entries are read in order, each once.
template <class E>
bool WildRun::complete_entry(At<E>& event) {
  if (!now_.header_seen || now_.cursor >= now_.header_read) return false;
  event.log = 1;
  event.agent = S::kDpc;
  event.index = now_.cursor++ % kEntries;
  return true;
}
bool WildRun::complete(At<event::LogEntryRead>& event, const WildEvent& /*drawn*/) {
  return complete_entry(event);
}
bool WildRun::complete(At<event::LogEntryTorn>& event, const WildEvent& /*drawn*/) {
  return complete_entry(event);
}
bool WildRun::complete(At<event::LogOverrun>& event, const WildEvent& /*drawn*/) {
  event.log = 1;
  event.agent = S::kDpc;
  if (!now_.header_seen) return false;
  return now_.flagged = true;
}

}  // namespace fenceline::check
