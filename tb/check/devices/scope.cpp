#include "tb/check/devices/scope.h"

namespace fenceline::check {

using common::At;
using common::hash_values;
using common::ObjectKind;

void ScopeChecks::on(const At<event::UpdateMonitoredReturn>& event) {
  Slot& given = slots_[slot(event.fence, event.adapter)];
  if (given.calls != 0) --given.calls;
}

void ScopeChecks::on(const At<event::MonitoredValueStored>& event) {
  Reporter& report = world_.report;
  report.checked(Invariant::kVaScope);
  if (slots_[slot(event.fence, event.adapter)].calls != 0) return;
  report.fail_fence(Invariant::kVaScope, event.fence,
                    "the driver stored MonitoredValue of fence " + report.fence(event.fence) + " " +
                        at_time(event.time) + " on adapter " +
                        report.name(ObjectKind::kAdapter, event.adapter) +
                        ", outside of DxgkDdiUpdateMonitoredValues: it kept the address");
}

void ScopeChecks::on(const At<event::LogRetired>& event) {
  world_.report.checked(Invariant::kLogBuf);
  logs_[event.log].retired = true;
}

void ScopeChecks::judge_log(std::uint32_t log) {
  if (!logs_[log].retired) return;
  Reporter& report = world_.report;
  report.fail(Invariant::kLogBuf, log,
              "a write of the GPU reached the buffer of " + report.name(ObjectKind::kLog, log) +
                  " " + report.now() + ", after another one had taken its place");
}

void ScopeChecks::add_to(Canonical& hash) const {
  std::uint64_t sum = 0;
  for (std::size_t s = 0; s < slots_.size(); ++s)
    if (slots_[s].calls != 0) sum += hash_values(s, slots_[s].calls);
  for (std::size_t l = 0; l < logs_.size(); ++l)
    if (logs_[l].retired) sum += hash_values(pair_of(1, l));
  hash.add(sum);
}

}  // namespace fenceline::check
