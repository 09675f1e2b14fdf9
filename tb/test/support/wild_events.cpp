#include "tb/test/support/wild_events.h"

#include <algorithm>

#include "tb/check/core/canonical.h"

namespace fenceline::check {

using common::EventKind;
using S = EventScript;

namespace {

std::uint64_t pick(std::mt19937& random, std::uint64_t n) { return random() % n; }

using WildTypes = event::List<
    event::CurrentValueIssued, event::CurrentValueVisible, event::CurrentValueRead,
    event::MonitoredValueVisible, event::MonitoredValueStored, event::WorkIssued,
    event::WorkVisible, event::ShadowVisible, event::ShadowRead, event::SignalBegin,
    event::Decision, event::CmpDecision, event::SignalEnd, event::CpuSignal, event::InterruptRaised,
    event::MessageSent, event::MessageCoalesced, event::MessageDelivered, event::IsrBegin,
    event::IsrAcknowledge, event::IsrEnd, event::Notify, event::NotifyAll, event::DpcBegin,
    event::DpcEnd, event::UpdateMonitoredCall, event::UpdateMonitoredReturn, event::ShadowIssued,
    event::WaitAdd, event::WaitRelease, event::WaitDone, event::WaitTimeout, event::GpuWaitBegin,
    event::GpuWaitUnblock, event::LogEntryIssued, event::LogEntryVisible, event::LogHeaderIssued,
    event::LogHeaderVisible, event::LogHeaderRead, event::LogEntryRead, event::LogEntryTorn,
    event::LogOverrun, event::LogRetired, event::FenceCreate, event::FenceOpen, event::FenceClose,
    event::FenceDestroy, event::PeerDoorbell, event::PacketBegin, event::QueueState>;

template <class... E>
std::vector<EventKind> kinds_of(event::List<E...>) {
  return {common::kKindOf<E>...};
}

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
  for (const std::uint32_t adapter : {1U, 2U})
    script->on(S::kCpu, event::CrossAdapterFence{kFences, false, adapter});
}

const std::vector<EventKind>& WildRun::kinds() {
  static const std::vector<EventKind> all = kinds_of(WildTypes{});
  return all;
}

WildEvent WildRun::draw(EventKind kind, std::mt19937& random) {
  WildEvent drawn{};
  drawn.kind = kind;
  drawn.agent = static_cast<common::AgentId>(1 + pick(random, 4));
  // Most happens to the first fence: two are enough to mistake one for the other.
  drawn.object = pick(random, 4) == 0 ? 2 : 1;
  drawn.first = pick(random, 4);
  drawn.second = pick(random, 3);
  drawn.third = pick(random, 3);
  return drawn;
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

template <class E>
bool WildRun::put_as(const WildEvent& drawn) {
  At<E> made{event::event_of<E>({drawn.object, drawn.first, drawn.second, drawn.third}), 0,
             drawn.agent};
  if (!complete(made, drawn)) return false;
  script->on(made.agent, static_cast<const E&>(made));
  return true;
}

template <class... E>
bool WildRun::put_one_of(const WildEvent& drawn, event::List<E...>) {
  return ((drawn.kind == common::kKindOf<E> && put_as<E>(drawn)) || ...);
}

bool WildRun::put(const WildEvent& drawn) { return put_one_of(drawn, WildTypes{}); }

template <class E>
bool WildRun::complete(At<E>& event, const WildEvent& drawn) {
  static_cast<E&>(event) = event::event_of<E>({1, drawn.first, drawn.second, drawn.third});
  return true;
}

}  // namespace fenceline::check
