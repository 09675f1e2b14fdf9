#include "tb/explore/observed_order.h"

#include <algorithm>

namespace fenceline::explore {

using common::Event;
using common::EventKind;

namespace {

/// Logs among the objects of Kind::kDelivery.
constexpr std::uint64_t kLogs = 1ULL << 31;

/// Hash of what happened, without its time and without numbers that count over the whole run.
std::uint64_t hash_of(const Event& event) {
  event::Record record = event.record();
  const event::Description& description = common::description(event.kind);
  for (std::size_t i = 0; i < description.count; ++i)
    if (description.fields[i].serial) record[description.fields[i].place.word] = 0;
  common::Hasher hasher;
  hasher.add(static_cast<std::uint64_t>(event.kind) << 48 | std::uint64_t{event.agent} << 32);
  for (const std::uint64_t word : record) hasher.add(word);
  return hasher.value();
}

}  // namespace

ObservedOrder::ObservedOrder(common::Simulation& simulation, const check::Checkers& checkers,
                             Memory memory)
    : steps_(simulation.steps), checkers_(checkers), memory_(memory) {
  simulation.events.subscribe(*this, common::kinds_that_are(event::kOrdered));
  steps_.add_state(*this);
}

void ObservedOrder::note(Kind kind, std::uint64_t object, const Event& event, bool write) {
  const std::uint64_t place = static_cast<std::uint64_t>(kind) << 32 | object;
  if (kind != Kind::kDeed) steps_.touch(common::Place::kOrder, place, write);
  if (memory_ == Memory::kCheckers) return;
  Order& order = orders_[place];
  const std::uint64_t what = hash_of(event);
  if (!write) {
    order.loose += what;
    return;
  }
  order.fixed = common::Hasher().add(order.fixed).add(order.loose).add(what).value();
  order.loose = 0;
}

void ObservedOrder::read(Kind kind, std::uint64_t object, const Event& event) {
  note(kind, object, event, false);
}
void ObservedOrder::write(Kind kind, std::uint64_t object, const Event& event) {
  note(kind, object, event, true);
}

std::uint64_t ObservedOrder::state_hash() const {
  const std::uint64_t limited = most_interrupts_ != UINT64_MAX ? interrupts_ : 0;
  if (memory_ == Memory::kCheckers) return checkers_.state_hash() + limited;
  std::uint64_t sum = limited;
  for (const auto& [place, order] : orders_)
    sum += common::Hasher().add(place).add(order.fixed).add(order.loose).value();
  return sum;
}

void ObservedOrder::on_event(const Event& event) {
  if (!steps_.exploring()) return;
  value_events(event);
  interrupt_events(event);
  log_events(event);
  if (most_interrupts_ != UINT64_MAX) count_interrupts(event);
  if (event.kind == EventKind::kCurrentValueRead) return;  // the value has its own order
  read(Kind::kDeed, event.agent, event);
}

void ObservedOrder::value_events(const Event& event) {
  switch (event.kind) {
    case EventKind::kCurrentValueVisible:
      write(Kind::kValue, event.object, event);
      read(Kind::kUpdate, event.object, event);
      return read(Kind::kDelivery, event.object, event);
    case EventKind::kCurrentValueRead:
      return read(Kind::kValue, event.object, event);
    case EventKind::kUpdateMonitoredCall:
    case EventKind::kUpdateMonitoredReturn:
      write(Kind::kUpdate, event.object, event);
      return read(Kind::kLevel, event.c, event);
    case EventKind::kMonitoredValueStored:
      return read(Kind::kUpdate, event.object, event);
    case EventKind::kWorkVisible:
      return write(Kind::kWork, 0, event);
    case EventKind::kWaitRelease:
    case EventKind::kGpuWaitUnblock:
      return read(Kind::kWork, 0, event);
    case EventKind::kShadowVisible:
      return write(Kind::kShadow, event.object, event);
    case EventKind::kShadowRead:
      return read(Kind::kShadow, event.object, event);
    case EventKind::kFenceCreate:
    case EventKind::kFenceOpen:
    case EventKind::kFenceClose:
    case EventKind::kFenceDestroy:
      return write(Kind::kLife, event.object, event);
    case EventKind::kShadowIssued:
    case EventKind::kCmpDecision:
      return read(Kind::kLife, event.object, event);
    default:
      return;
  }
}

void ObservedOrder::interrupt_events(const Event& event) {
  switch (event.kind) {
    case EventKind::kInterruptRaised:
      if (event.a == 0) return;
      if (std::find(told_.begin(), told_.end(), event.a) == told_.end())
        told_.push_back(static_cast<std::uint32_t>(event.a));
      return read(Kind::kLife, event.a, event);
    case EventKind::kMessageDelivered:
      return delivered(event);
    case EventKind::kNotify:
      write(Kind::kLevel, event.b, event);
      return read(Kind::kLife, event.object, event);
    case EventKind::kNotifyAll:
      return write(Kind::kLevel, event.object, event);
    default:
      return;
  }
}

/// What signals wrote for which no interrupt was ever raised may come before or after.
void ObservedOrder::delivered(const Event& event) {
  for (const std::uint32_t fence : told_) {
    write(Kind::kDelivery, fence, event);
    for (const Logged& logged : logged_)
      if (logged.fence == fence || logged.fence == 0)
        write(Kind::kDelivery, kLogs | logged.log, event);
  }
}

void ObservedOrder::count_interrupts(const Event& event) {
  if (event.kind != EventKind::kInterruptRaised && event.kind != EventKind::kMessageDelivered)
    return;
  write(Kind::kInFlight, 0, event);
  interrupts_ = event.kind == EventKind::kInterruptRaised ? interrupts_ + 1 : 0;
}

void ObservedOrder::log_events(const Event& event) {
  switch (event.kind) {
    case EventKind::kLogRetired:
      return write(Kind::kLog, event.object, event);
    case EventKind::kLogEntryIssued: {
      const auto fence = static_cast<std::uint32_t>(event.c);
      const bool known = std::any_of(logged_.begin(), logged_.end(), [&](const Logged& it) {
        return it.log == event.object && it.fence == fence;
      });
      if (!known) logged_.push_back({event.object, fence});
      return;
    }
    case EventKind::kLogEntryVisible:
      return write(Kind::kLog, event.object, event);
    case EventKind::kLogHeaderVisible:
      write(Kind::kLog, event.object, event);
      return read(Kind::kDelivery, kLogs | event.object, event);
    case EventKind::kLogHeaderRead:
    case EventKind::kLogEntryRead:
    case EventKind::kLogEntryTorn:
    case EventKind::kLogFlushReturn:
      return read(Kind::kLog, event.object, event);
    default:
      return;
  }
}

}  // namespace fenceline::explore
