#pragma once

#include "tb/os/objects/fence_driver.h"

namespace fenceline::os {

/// Fences shared by several adapters. Each adapter that opens one gets a native fence for it, with
/// the same CurrentValue and a MonitoredValue of its own. That stays 0, so every signal interrupts
/// and the OS can pass it on. Source: WDDM, native fences across adapters.
class CrossAdapterFences {
 public:
  CrossAdapterFences(System& system, FixedMemory& memory, FenceStorage& storage,
                     FenceReclaimer& reclaimer, FenceDriver& driver)
      : system_(system),
        memory_(memory),
        storage_(storage),
        reclaimer_(reclaimer),
        driver_(driver) {}

  /// A fence with its value in system memory, also for one adapter alone. It is not in a list yet.
  /// @param narrow the value is changed with 32-bit atomics
  std::shared_ptr<MonitoredFence> make(AdapterState& state, const std::string& name,
                                       std::uint64_t initial, UINT flags, bool narrow);
  /// The value is in system memory, and the waiters belong to no adapter. The creating adapter
  /// opens the fence. STATUS_INVALID_PARAMETER if it is not shared.
  NTSTATUS create(Process& process, D3DKMT_CREATENATIVEFENCE& args, const std::string& name,
                  common::Home monitored_home, LocalFence& local);
  /// Opens it as a native fence on the process's adapter.
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

/// The fence is closed on all adapters.
void report_end(System& system, const MonitoredFence& origin, const Process& process);

}  // namespace fenceline::os
