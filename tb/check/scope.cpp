#include "tb/check/scope.h"

namespace fenceline::check {

using common::Event;
using common::Hasher;
using common::ObjectKind;

void ScopeChecks::on_update_return(const Event& event) {
  Slot& given = slots_[slot(event.object, event.c)];
  if (given.calls != 0) --given.calls;
}

void ScopeChecks::on_monitored_stored(const Event& event) {
  Reporter& report = world_.report;
  report.checked(Invariant::kVaScope);
  if (slots_[slot(event.object, event.b)].calls != 0) return;
  if (!report.broken(Invariant::kVaScope, event.object)) return;
  report.add(Invariant::kVaScope, event.object,
             "the driver stored MonitoredValue of fence " + report.fence(event.object) + " " +
                 at_time(event.time) + " on adapter " + report.name(ObjectKind::kAdapter, event.b) +
                 ", outside of DxgkDdiUpdateMonitoredValues: it kept the address");
}

void ScopeChecks::on_log_retired(const Event& event) {
  world_.report.checked(Invariant::kLogBuf);
  logs_[event.object].retired = true;
}

void ScopeChecks::on_log_visible(const Event& event) {
  if (!logs_[event.object].retired) return;
  Reporter& report = world_.report;
  if (!report.broken(Invariant::kLogBuf, event.object)) return;
  report.add(Invariant::kLogBuf, 0,
             "a write of the GPU reached the buffer of " +
                 report.name(ObjectKind::kLog, event.object) + " " + at_time(event.time) +
                 ", after another one had taken its place");
}

void ScopeChecks::clear() {
  slots_.clear();
  logs_.clear();
}

void ScopeChecks::add_to(Canonical& hash) const {
  std::uint64_t sum = 0;
  for (std::size_t s = 0; s < slots_.size(); ++s)
    if (slots_[s].calls != 0) sum += Hasher().add(s).add(slots_[s].calls).value();
  for (std::size_t l = 0; l < logs_.size(); ++l)
    if (logs_[l].retired) sum += Hasher().add(pair_of(1, l)).value();
  hash.add(sum);
}

}  // namespace fenceline::check
