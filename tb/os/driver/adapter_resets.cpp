#include "tb/os/driver/adapter_resets.h"

#include <algorithm>

namespace fenceline::os {

void AdapterResets::reset(Adapter& adapter) {
  const common::Time now = cpu_.simulation().steps.simulated();
  resets_.push_back(now);
  while (now - resets_.front() > preemption_.tdr_limit_time) resets_.pop_front();
  if (resets_.size() > preemption_.tdr_limit_count)
    adapter.bug_check(VIDEO_TDR_FAILURE, {resets_.size()},
                      "more than TdrLimitCount timeouts within TdrLimitTime");
  adapter.flush_deferred_calls();
  adapter.close_driver();
  const NTSTATUS status = adapter.call<Ddi::DxgkDdiResetFromTimeout>(adapter.handle());
  adapter.open_driver();
  if (!NT_SUCCESS(status))
    adapter.bug_check(VIDEO_TDR_FAILURE, {0, 0, static_cast<std::uint32_t>(status)},
                      "DxgkDdiResetFromTimeout failed");
}

void AdapterResets::restart(Adapter& adapter) {
  adapter.close_driver();
  adapter.call<Ddi::DxgkDdiRestartFromTimeout>(adapter.handle());
  adapter.open_driver();
}

bool AdapterResets::blocks(const void* process) {
  const common::Time now = cpu_.simulation().steps.simulated();
  engines_.emplace_back(process, now);
  while (now - engines_.front().second > preemption_.tdr_limit_time) engines_.pop_front();
  const auto count = std::count_if(engines_.begin(), engines_.end(),
                                   [&](const auto& reset) { return reset.first == process; });
  return preemption_.blocks_processes &&
         static_cast<std::uint64_t>(count) + 1 > preemption_.tdr_limit_count;
}

}  // namespace fenceline::os
