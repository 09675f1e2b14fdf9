#include "tb/explore/search/observed_order.h"

#include <algorithm>

#include "models/common/event_handlers.h"

namespace fenceline::explore {

using common::At;
using common::Event;

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

void ObservedOrder::note(Kind kind, std::uint64_t object, bool write) {
  const std::uint64_t place = static_cast<std::uint64_t>(kind) << 32 | object;
  if (kind != Kind::kAgent) steps_.touch(common::Place::kOrder, place, write);
  if (memory_ == Memory::kCheckers) return;
  Order& order = orders_[place];
  if (!write) {
    order.loose += event_hash_;
    return;
  }
  order.fixed = common::hash_values(order.fixed, order.loose, event_hash_);
  order.loose = 0;
}

void ObservedOrder::read(Kind kind, std::uint64_t object) { note(kind, object, false); }
void ObservedOrder::write(Kind kind, std::uint64_t object) { note(kind, object, true); }

std::uint64_t ObservedOrder::state_hash() const {
  const std::uint64_t limited = max_interrupts_ != UINT64_MAX ? interrupts_ : 0;
  if (memory_ == Memory::kCheckers) return checkers_.state_hash() + limited;
  std::uint64_t sum = limited;
  for (const auto& [place, order] : orders_)
    sum += common::hash_values(place, order.fixed, order.loose);
  return sum;
}

void ObservedOrder::on_event(const Event& event) {
  if (!steps_.exploring()) return;
  if (memory_ == Memory::kWholeOrder) event_hash_ = hash_of(event);
  common::Handlers<ObservedOrder>::hand(*this, event);
  if (event.is<event::CurrentValueRead>()) return;  // the value has its own order
  read(Kind::kAgent, event.agent);
}

void ObservedOrder::on(const At<event::CurrentValueVisible>& event) {
  write(Kind::kValue, event.fence);
  read(Kind::kUpdate, event.fence);
  read(Kind::kDelivery, event.fence);
}
void ObservedOrder::on(const At<event::UpdateMonitoredCall>& event) {
  write(Kind::kUpdate, event.fence);
  read(Kind::kLevel, event.adapter);
}
void ObservedOrder::on(const At<event::UpdateMonitoredReturn>& event) {
  write(Kind::kUpdate, event.fence);
  read(Kind::kLevel, event.adapter);
}
void ObservedOrder::on(const At<event::InterruptRaised>& event) {
  if (event.fence != 0) {
    if (std::find(interrupted_.begin(), interrupted_.end(), event.fence) == interrupted_.end())
      interrupted_.push_back(event.fence);
    read(Kind::kLife, event.fence);
  }
  count_interrupts(interrupts_ + 1);
}

/// Signals for whose fence no interrupt was ever raised may come before or after the delivery.
void ObservedOrder::on(const At<event::MessageDelivered>&) {
  for (const std::uint32_t fence : interrupted_) {
    write(Kind::kDelivery, fence);
    for (const Logged& logged : logged_)
      if (logged.fence == fence || logged.fence == 0) write(Kind::kDelivery, kLogs | logged.log);
  }
  count_interrupts(0);
}

void ObservedOrder::count_interrupts(std::uint64_t in_flight) {
  if (max_interrupts_ == UINT64_MAX) return;
  write(Kind::kInFlight, 0);
  interrupts_ = in_flight;
}

void ObservedOrder::on(const At<event::Notify>& event) {
  write(Kind::kLevel, event.adapter);
  read(Kind::kLife, event.fence);
}
void ObservedOrder::on(const At<event::LogEntryIssued>& event) {
  const bool known = std::any_of(logged_.begin(), logged_.end(), [&](const Logged& it) {
    return it.log == event.log && it.fence == event.fence;
  });
  if (!known) logged_.push_back({event.log, event.fence});
}
void ObservedOrder::on(const At<event::LogHeaderVisible>& event) {
  write(Kind::kLog, event.log);
  read(Kind::kDelivery, kLogs | event.log);
}
}  // namespace fenceline::explore
