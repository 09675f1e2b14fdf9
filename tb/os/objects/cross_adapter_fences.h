#pragma once

#include "tb/os/objects/fence_driver.h"

namespace fenceline::os {

/// Fences that several adapters share: each adapter that opens one gets a native fence in its
/// place, with the same CurrentValue and a MonitoredValue of its own that stays 0, so that every
/// signal interrupts and the OS can pass it on. Source: WDDM, native fences across adapters.
class CrossAdapterFences {
 public:
  CrossAdapterFences(System& system, FixedMemory& memory, FenceStorage& storage,
                     FenceReclaimer& reclaimer, FenceDriver& driver)
      : system_(system),
        memory_(memory),
        storage_(storage),
        reclaimer_(reclaimer),
        driver_(driver) {}

  /// The value is in system memory and the waiters are kept apart from any adapter; the one that it
  /// is created on opens it. STATUS_INVALID_PARAMETER for one that is not shared.
  NTSTATUS create(Process& process, D3DKMT_CREATENATIVEFENCE& args, const std::string& name,
                  common::Home monitored_home, LocalFence& local);
  /// The process's adapter has it as a native one from now on.
  NTSTATUS open(Process& process, MonitoredFence& origin, LocalFence& local);

 private:
  NTSTATUS open(Process& process, MonitoredFence& origin, LocalFence& local,
                common::Home monitored_home, BYTE* private_data);

  System& system_;
  FixedMemory& memory_;
  FenceStorage& storage_;
  FenceReclaimer& reclaimer_;
  FenceDriver& driver_;
};

/// Nobody has the fence open any more, on whatever adapter.
void report_end(System& system, const MonitoredFence& origin, const Process& process);

}  // namespace fenceline::os
