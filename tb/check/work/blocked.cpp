#include "tb/check/work/blocked.h"

#include "kmd_stub/wddm/base.h"

namespace fenceline::check {

using common::At;
using common::ObjectKind;

void BlockedChecks::on(const At<event::RecoveryLimits>& event) {
  limit_count_ = event.count;
  limit_time_ = event.period;
}

void BlockedChecks::on_hang(std::uint64_t process, std::uint64_t time) {
  std::deque<std::uint64_t>& hangs = hangs_[process];
  hangs.push_back(time);
  while (time - hangs.front() > limit_time_) hangs.pop_front();
  if (hangs.size() + 1 > limit_count_) blocked_.insert(process);
}

void BlockedChecks::on(const At<event::DeviceCreated>& event) {
  Reporter& report = world_.report;
  report.checked(Invariant::kBlocked);
  const bool blocked = blocked_.count(event.process) != 0;
  const auto status = static_cast<NTSTATUS>(static_cast<std::uint32_t>(event.status));
  const bool refused = status == STATUS_DEVICE_REMOVED;
  if (blocked == refused) return;
  report.fail(Invariant::kBlocked, event.process,
              "process " + report.name(ObjectKind::kProcess, event.process) +
                  (refused ? " is refused a device, although it has hung engines no"
                           : " got a device, although it has hung engines") +
                  " more than TdrLimitCount - 1 times within TdrLimitTime, " + report.now());
}

void BlockedChecks::add_to(Canonical& hash) const {
  for (const auto& [process, hangs] : hangs_) hash.add(process).add(hangs.size());
  for (const std::uint64_t process : blocked_) hash.add(process);
}

}  // namespace fenceline::check
