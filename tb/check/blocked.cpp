#include "tb/check/blocked.h"

#include "kmd_stub/wddm/base.h"

namespace fenceline::check {

using common::Event;
using common::ObjectKind;

/// The limits are told anew by each run.
void BlockedChecks::clear() {
  hangs_.clear();
  blocked_.clear();
}

void BlockedChecks::on_limits(const Event& event) {
  limit_count_ = event.a;
  limit_time_ = event.b;
}

void BlockedChecks::on_hang(std::uint64_t process, std::uint64_t time) {
  std::deque<std::uint64_t>& hangs = hangs_[process];
  hangs.push_back(time);
  while (time - hangs.front() > limit_time_) hangs.pop_front();
  if (hangs.size() + 1 > limit_count_) blocked_.insert(process);
}

void BlockedChecks::on_device_created(const Event& event) {
  Reporter& report = world_.report;
  report.checked(Invariant::kBlocked);
  const bool blocked = blocked_.count(event.object) != 0;
  const auto status = static_cast<NTSTATUS>(static_cast<std::uint32_t>(event.a));
  const bool refused = status == STATUS_DEVICE_REMOVED;
  if (blocked == refused || !report.broken(Invariant::kBlocked, event.object)) return;
  report.add(Invariant::kBlocked, 0,
             "process " + report.name(ObjectKind::kProcess, event.object) +
                 (refused ? " is refused a device, although it has hung engines no"
                          : " got a device, although it has hung engines") +
                 " more than TdrLimitCount - 1 times within TdrLimitTime, " +
                 at_time(report.time()));
}

void BlockedChecks::add_to(Canonical& hash) const {
  for (const auto& [process, hangs] : hangs_) hash.add(process).add(hangs.size());
  for (const std::uint64_t process : blocked_) hash.add(process);
}

}  // namespace fenceline::check
