#pragma once

#include <memory>
#include <vector>

#include "models/top/platform.h"
#include "tb/os/contexts/context_scheduler.h"
#include "tb/os/core/shared_data.h"
#include "tb/os/driver/adapter_resets.h"
#include "tb/os/dxgk/adapter_state.h"
#include "tb/os/dxgk/kernel_options.h"
#include "tb/os/dxgk/process.h"
#include "tb/os/dxgk/thread.h"
#include "tb/os/objects/monitored_fences.h"
#include "tb/os/vidsch/hardware_scheduler.h"

namespace fenceline::os {

/// State that all parts of Dxgkrnl share: the machine, adapters with their parts, schedulers, and
/// processes with their objects.
struct System {
  System(common::Simulation& of, top::Platform& machine, const KernelOptions& chosen);

  common::Simulation& simulation;
  top::Platform& platform;
  const KernelOptions options;
  Cpu cpu;
  PagePool pages;  ///< pages of system memory
  common::Gate dpc_queued;
  SharedData objects;  ///< guards handles and the state of devices
  std::vector<AdapterState> adapters;
  MonitoredFences monitored;
  AdapterResets resets;
  std::unique_ptr<ContextScheduler> contexts;  ///< null: the OS feeds no context
  /// Null: the OS does not schedule hardware contexts.
  std::unique_ptr<HardwareScheduler> hardware;
  std::vector<std::unique_ptr<Process>> processes;
  Threads threads;
  FenceList fences;  ///< native ones that a driver may name, in the order of creation

  AdapterState& of(const Process& process) { return adapters[process.adapter]; }
  AdapterState& of(const Adapter& adapter);
  /// The process; null if it does not exist (any more).
  Process* find_process(const void* owner) const;
  /// Fence of an NT handle; null if it is closed for good or unknown.
  std::shared_ptr<Fence> shared_fence(HANDLE handle) const;
  /// Number of the process's submissions so far to each context that the OS feeds.
  std::vector<ContextQueue::Mark> marks_of(const Process& process) const;
  /// True if the host's caches see the accesses of the process's GPU to system memory.
  bool snoops(const Process& process) const { return platform.snoops(process.adapter); }
  bool suspends_contexts() const { return options.adapter.system.context_scheduling.enabled; }
  /// True if a GPU detects hangs of hardware queues itself.
  bool finds_hangs() const;
  /// A thread enters the kernel by a call of user mode.
  void enter_call();
  /// Name of the object that the current thread creates, by its CallOptions.
  std::string name_for(const Process& process, const char* kind);

 private:
  std::size_t unnamed_ = 0;  ///< objects so far
};

}  // namespace fenceline::os
