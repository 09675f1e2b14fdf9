#include "tb/report/rows/driver_rows.h"

#include <algorithm>
#include <string_view>

#include "models/common/event_handlers.h"
#include "tb/report/record/at_or_grow.h"

namespace fenceline::report {

using common::At;
using common::ObjectKind;

namespace {

/// Of a call of the driver and its return. Threads can be in one DDI at the same time.
template <class E>
std::uint64_t call_key(const At<E>& event) {
  return pair_key(std::uint64_t{event.agent} << 16 | event.adapter, event.ddi);
}

}  // namespace

void DriverRows::take(const common::Event& event) {
  common::Handlers<DriverRows>::hand(*this, event);
}

void DriverRows::on(const At<event::UpdateMonitoredCall>& event) {
  updates_.open(event.update) = draft_.begin(
      SliceKind::kUpdate, event.time, {Lane::kDriver, event.adapter, event.value, event.fence});
}

void DriverRows::on(const At<event::UpdateMonitoredReturn>& event) {
  if (const auto* update = updates_.find(event.update)) draft_.end(*update, event.time);
  updates_.close(event.update);
}

void DriverRows::on(const At<event::ShadowIssued>& event) {
  shadows_[pair_key(event.fence, event.adapter)] = draft_.begin(
      SliceKind::kShadowWrite, event.time, {Lane::kCmp, event.adapter, event.value, event.fence});
}

void DriverRows::on(const At<event::ShadowVisible>& event) {
  draft_.end(shadows_, pair_key(event.fence, event.adapter), event.time);
}

void DriverRows::on(const At<event::DdiCall>& event) {
  ddis_[call_key(event)] =
      draft_.begin(SliceKind::kDdi, event.time, {Lane::kDriver, event.adapter, event.ddi});
}

void DriverRows::on(const At<event::DdiReturn>& event) {
  draft_.end(ddis_, call_key(event), event.time);
}

/// The adapter of an agent; the first if its name tells none.
std::uint32_t DriverRows::adapter_of(common::AgentId agent) {
  std::uint32_t& known = at_or_grow(agent_adapter_, agent);
  if (known == 0) {
    const std::string_view name = names_.object(ObjectKind::kAgent, agent);
    known = std::max(1U, names_.owner(ObjectKind::kAdapter, name));
  }
  return known;
}

void DriverRows::on(const At<event::CmpDecision>& event) {
  draft_.mark(event.raised ? InstantKind::kCmpRaises : InstantKind::kCmpSilent, event.time,
              {Lane::kCmp, adapter_of(event.agent), event.current, event.fence});
}

void DriverRows::on(const At<event::InterruptRaised>& event) {
  draft_.mark(InstantKind::kRaised, event.time,
              {Lane::kCmp, event.adapter, event.value, event.fence});
}

void DriverRows::on(const At<event::MessageSent>& event) {
  draft_.mark(InstantKind::kMessage, event.time, {Lane::kCmp, event.adapter, event.vector});
}

void DriverRows::on(const At<event::IsrBegin>& event) {
  isrs_[event.core] =
      draft_.begin(SliceKind::kIsr, event.time, {Lane::kCore, event.core, event.adapter});
}

void DriverRows::on(const At<event::IsrEnd>& event) { draft_.end(isrs_, event.core, event.time); }

void DriverRows::on(const At<event::DpcBegin>& event) {
  dpcs_[event.core] =
      draft_.begin(SliceKind::kDpc, event.time, {Lane::kCore, event.core, event.adapter});
}

void DriverRows::on(const At<event::DpcEnd>& event) { draft_.end(dpcs_, event.core, event.time); }

void DriverRows::on(const At<event::LogHeaderRead>& event) { log_read_[event.log] = event.time; }

void DriverRows::on(const At<event::LogEntryRead>& event) { log_read_[event.log] = event.time; }

// The lost entries were written at some time since the OS last read the log.
void DriverRows::on(const At<event::LogOverrun>& event) {
  const auto read = log_read_.find(event.log);
  const std::uint64_t since = read == log_read_.end() ? 0 : read->second;
  draft_.end(draft_.begin(SliceKind::kLost, since, {Lane::kLog, event.log, event.lost}),
             event.time);
  log_read_[event.log] = event.time;
}

}  // namespace fenceline::report
