#include "tb/support/wild_events.h"

#include <algorithm>
#include <iterator>
#include <tuple>

#include "tb/check/canonical.h"

namespace fenceline::check {

using common::Event;
using common::EventKind;
using S = EventScript;

namespace {
std::uint64_t pick(std::mt19937& random, std::uint64_t n) { return random() % n; }

using K = EventKind;
constexpr K kKinds[] = {K::kCurrentValueIssued,
                        K::kCurrentValueVisible,
                        K::kCurrentValueRead,
                        K::kMonitoredValueVisible,
                        K::kMonitoredValueStored,
                        K::kWorkIssued,
                        K::kWorkVisible,
                        K::kShadowVisible,
                        K::kShadowRead,
                        K::kSignalBegin,
                        K::kDecision,
                        K::kCmpDecision,
                        K::kSignalEnd,
                        K::kCpuSignal,
                        K::kInterruptRaised,
                        K::kMessageSent,
                        K::kMessageCoalesced,
                        K::kMessageDelivered,
                        K::kIsrBegin,
                        K::kIsrAcknowledge,
                        K::kIsrEnd,
                        K::kNotify,
                        K::kNotifyAll,
                        K::kDpcBegin,
                        K::kDpcEnd,
                        K::kUpdateMonitoredCall,
                        K::kUpdateMonitoredReturn,
                        K::kShadowIssued,
                        K::kWaitAdd,
                        K::kWaitRelease,
                        K::kWaitDone,
                        K::kWaitTimeout,
                        K::kGpuWaitBegin,
                        K::kGpuWaitUnblock,
                        K::kLogEntryIssued,
                        K::kLogEntryVisible,
                        K::kLogHeaderIssued,
                        K::kLogHeaderVisible,
                        K::kLogHeaderRead,
                        K::kLogEntryRead,
                        K::kLogEntryTorn,
                        K::kLogOverrun,
                        K::kLogRetired,
                        K::kFenceCreate,
                        K::kFenceOpen,
                        K::kFenceClose,
                        K::kFenceDestroy,
                        K::kPeerDoorbell,
                        K::kPacketBegin,
                        K::kQueueState};
}  // namespace

CheckOptions WildRun::options(bool stale) {
  CheckOptions made;
  made.log_entries = kEntries;
  made.stale_reads = stale;
  return made;
}

void WildRun::restart() {
  script = std::make_unique<EventScript>(options(stale_));
  now_ = {};
  for (std::uint32_t f = 1; f <= kFences; ++f) script->create(f);
  // The second one is of two adapters.
  for (const std::uint64_t adapter : {1ULL, 2ULL})
    script->on(EventKind::kCrossAdapterFence, S::kCpu, kFences, 0, adapter);
}

const std::vector<EventKind>& WildRun::kinds() {
  static const std::vector<EventKind> all(std::begin(kKinds), std::end(kKinds));
  return all;
}

Event WildRun::draw(EventKind kind, std::mt19937& random) {
  Event event{};
  event.kind = kind;
  event.agent = static_cast<common::AgentId>(1 + pick(random, 4));
  // Most happens to the first fence: two are enough to mistake one for the other.
  event.object = pick(random, 4) == 0 ? 2 : 1;
  event.a = pick(random, 4);
  event.b = pick(random, 3);
  event.c = pick(random, 3);
  return event;
}

std::vector<std::uint64_t> WildRun::machine() const {
  std::vector<std::uint64_t> all;
  for (const auto& [number, signal] : now_.signals) {
    if (signal.issued && signal.decided && signal.ended) continue;
    const std::uint64_t done = bits_of(signal.issued, signal.decided, signal.ended);
    all.push_back(common::Hasher()
                      .add(pair_of(number / 10, done))
                      .add(pair_of(signal.fence, signal.queue))
                      .add(signal.value)
                      .value());
  }
  std::sort(all.begin(), all.end());
  all.push_back(now_.cursor);
  for (const Fence& fence : now_.fences) {
    all.push_back(fence.shadows.size());
    all.insert(all.end(), fence.shadows.begin(), fence.shadows.end());
  }
  return all;
}

bool WildRun::put(Event event) {
  if (!complete(event)) return false;
  script->on(event.kind, event.agent, event.object, event.a, event.b, event.c);
  return true;
}

bool WildRun::complete(Event& event) {
  Fence& fence = now_.fences[event.object];
  switch (event.kind) {
    case EventKind::kSignalBegin:
      return complete_begin(event);
    case EventKind::kCurrentValueIssued:
    case EventKind::kDecision:
    case EventKind::kSignalEnd:
      return complete_signal(event);
    case EventKind::kCurrentValueVisible:
      event.c = 0;
      fence.home = event.a;
      return true;
    case EventKind::kCurrentValueRead:
      event.b = (event.b + event.c + event.a) % 6;
      if (!stale_) event.a = fence.home;
      if (event.b != static_cast<std::uint64_t>(common::Reader::kOsDpcScan)) return true;
      event.agent = S::kDpc;
      return now_.in_dpc;
    case EventKind::kWaitAdd:
    case EventKind::kWaitRelease:
    case EventKind::kWaitDone:
    case EventKind::kWaitTimeout:
      event.b = 1 + event.a % 3;  // a waiter and its thread
      event.a = 1 + event.c;
      event.c = event.b | (event.kind == EventKind::kWaitAdd ? event.b - 1 : 0) << 32;
      return true;
    case EventKind::kGpuWaitBegin:
    case EventKind::kGpuWaitUnblock:
      event.c = 1 + event.c % 2;
      return true;
    case EventKind::kPacketBegin:
      event.c = event.object;  // a queue has one engine
      return true;
    case EventKind::kQueueState:
      event.a = event.b == 0 ? 4 : event.b;
      return true;
    case EventKind::kFenceCreate:
      event.a = 0;
      [[fallthrough]];
    case EventKind::kFenceOpen:
    case EventKind::kFenceClose:
    case EventKind::kFenceDestroy:
      event.b = 1 + event.b % 2;
      return stale_;  // one that is created anew has another home
    default:
      return complete_update(event);
  }
}

/// An engine begins its signals in the order of their numbers.
bool WildRun::complete_begin(Event& event) {
  event.agent = static_cast<common::AgentId>(S::kEngine + event.b % 2);
  const std::uint64_t first = event.agent * 10U;
  const auto next = now_.signals.lower_bound(first + 10);
  const bool none = next == now_.signals.begin() || std::prev(next)->first < first;
  event.b = none ? first : std::prev(next)->first + 1;
  event.c = 1 + event.c % 2;
  if (event.b == first + 9) return false;
  now_.signals[event.b] = {event.object, event.a, event.c};
  return true;
}

bool WildRun::complete_signal(Event& event) {
  const bool issue = event.kind == EventKind::kCurrentValueIssued;
  if (issue && event.b == 0) {  // by the CPU
    event.agent = S::kCpu;
    return true;
  }
  event.agent = static_cast<common::AgentId>(S::kEngine + event.b % 2);
  const auto done = [&](Signal& signal) -> bool& {
    if (issue) return signal.issued;
    return event.kind == EventKind::kDecision ? signal.decided : signal.ended;
  };
  // Which one is told by what it is: another past may have begun it earlier or later.
  std::uint64_t chosen = 0;
  const auto order = [](const Signal& s) { return std::make_tuple(s.fence, s.value, s.queue); };
  for (auto& [number, signal] : now_.signals) {
    if (number / 10 != event.agent || done(signal)) continue;
    if (event.a % 2 != 0 && signal.value < event.a) continue;
    if (chosen == 0 || order(signal) < order(now_.signals[chosen])) chosen = number;
  }
  if (chosen == 0) return false;
  Signal& signal = now_.signals[chosen];
  done(signal) = true;
  event.object = signal.fence;
  event.a = signal.value;
  event.b = chosen;
  if (issue) event.c = 0;
  if (event.kind == EventKind::kDecision) event.c %= 2;
  return true;
}

bool WildRun::complete_update(Event& event) {
  Fence& fence = now_.fences[event.object];
  switch (event.kind) {
    case EventKind::kUpdateMonitoredCall: {
      event.agent = static_cast<common::AgentId>(S::kCpu + event.b % 2);
      Call& call = now_.calls[event.agent];
      if (call.number != 0) return false;
      call = {event.object, event.a, ++now_.updates};
      fence.called.push_back(event.a);
      event.b = call.number;
      event.c = 1;
      return true;
    }
    case EventKind::kUpdateMonitoredReturn: {
      event.agent = static_cast<common::AgentId>(S::kCpu + event.b % 2);
      Call& call = now_.calls[event.agent];
      if (call.number == 0) return false;
      event.object = call.fence;
      event.a = call.value;
      event.b = call.number;
      event.c = 1;
      call.number = 0;
      return true;
    }
    case EventKind::kMonitoredValueVisible: {
      const auto& called = fence.called;
      if (std::find(called.begin(), called.end(), event.a) == called.end()) return false;
      event.b = 1;
      fence.monitored = event.a;
      return fence.in_memory = true;
    }
    default:
      return complete_shadow(event);
  }
}

/// The CMP copies what is in memory, and its writes arrive in order.
bool WildRun::complete_shadow(Event& event) {
  Fence& fence = now_.fences[event.object];
  switch (event.kind) {
    case EventKind::kShadowIssued:
      event.agent = S::kCmp;
      event.b = 1;
      if (fence.called.empty()) return false;
      if (!stale_) event.a = fence.in_memory ? fence.monitored : fence.called.back();
      fence.shadows.push_back(event.a);
      return true;
    case EventKind::kShadowVisible:
      event.agent = S::kCmp;
      event.b = 1;
      if (fence.shadows.empty()) return false;
      event.a = fence.shadow = fence.shadows.front();
      fence.shadows.pop_front();
      return true;
    case EventKind::kShadowRead:
      event.agent = static_cast<common::AgentId>(S::kEngine + event.b % 2);
      event.b = 1;
      if (!stale_) event.a = fence.shadow;
      return true;
    case EventKind::kCmpDecision:
      event.agent = S::kCmp;
      event.c = event.a + event.b * 2 + event.c;
      event.c %= 4;
      return true;
    default:
      return complete_interrupt(event);
  }
}

bool WildRun::complete_interrupt(Event& event) {
  switch (event.kind) {
    case EventKind::kInterruptRaised:
      event.agent = S::kCmp;
      event.a = event.object;
      event.object = 1;
      ++now_.raised;
      return true;
    case EventKind::kIsrAcknowledge:
      if (event.a > now_.raised || now_.raised - event.a < now_.acknowledged) return false;
      event.object = 1;
      event.a = now_.acknowledged = now_.raised - event.a;
      return true;
    case EventKind::kMessageSent:
    case EventKind::kMessageCoalesced:
    case EventKind::kMessageDelivered:
      event.a /= 3;
      [[fallthrough]];
    case EventKind::kIsrBegin:
    case EventKind::kIsrEnd:
    case EventKind::kNotifyAll:
      event.object = 1;
      return true;
    case EventKind::kNotify:
      if (event.a == 0) event.object = 0;
      event.b = 1;
      return true;
    case EventKind::kDpcBegin:
    case EventKind::kDpcEnd: {
      const bool begin = event.kind == EventKind::kDpcBegin;
      if (now_.in_dpc == begin) return false;
      event.agent = S::kDpc;
      event.object = 1;
      // What was lost is not looked for any more.
      if (!begin && now_.flagged) now_.cursor = std::max(now_.cursor, now_.header_read);
      now_.flagged = now_.header_seen = false;
      now_.in_dpc = begin;
      return true;
    }
    default:
      return complete_header(event);
  }
}

bool WildRun::complete_header(Event& event) {
  event.object = 1;
  const std::uint64_t count = 1 + event.a + event.b;
  switch (event.kind) {
    case EventKind::kLogHeaderVisible:
      now_.header = count;
      [[fallthrough]];
    case EventKind::kLogHeaderIssued:
      event.a = (count / kEntries) << 32 | count % kEntries;
      return true;
    case EventKind::kLogEntryIssued:
      event.agent = static_cast<common::AgentId>(S::kEngine + event.agent % 2);
      return true;
    case EventKind::kLogHeaderRead: {
      if (!now_.in_dpc) return false;
      const std::uint64_t read = stale_ ? count : now_.header;
      event.agent = S::kDpc;
      event.a = (read / kEntries) << 32 | read % kEntries;
      if (read > now_.cursor + kEntries) {  // the reader sees that it has lost some
        now_.flagged = true;
        now_.cursor = read - kEntries;
      }
      now_.header_read = read;
      return now_.header_seen = true;
    }
    default:
      return complete_reading(event);
  }
}

/// Entries are read in order, each once.
bool WildRun::complete_reading(Event& event) {
  switch (event.kind) {
    case EventKind::kLogEntryRead:
    case EventKind::kLogEntryTorn:
      if (!now_.header_seen || now_.cursor >= now_.header_read) return false;
      event.agent = S::kDpc;
      event.a = now_.cursor++ % kEntries;
      return true;
    case EventKind::kLogOverrun:
      event.agent = S::kDpc;
      if (!now_.header_seen) return false;
      return now_.flagged = true;
    default:
      return true;
  }
}

}  // namespace fenceline::check
