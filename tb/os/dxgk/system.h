#pragma once

#include <memory>
#include <vector>

#include "models/top/platform.h"
#include "tb/os/core/shared_data.h"
#include "tb/os/driver/adapter_resets.h"
#include "tb/os/dxgk/adapter_state.h"
#include "tb/os/dxgk/kernel_options.h"
#include "tb/os/dxgk/process.h"
#include "tb/os/objects/monitored_fences.h"
#include "tb/os/vidsch/context_scheduler.h"
#include "tb/os/vidsch/hardware_scheduler.h"

namespace fenceline::os {

/// What all parts of Dxgkrnl work with: the machine, its adapters with what serves them, the
/// schedulers, and the processes with their objects.
struct System {
  System(common::Simulation& of, top::Platform& machine, const KernelOptions& chosen);

  common::Simulation& simulation;
  top::Platform& platform;
  const KernelOptions options;
  Cpu cpu;
  PagePool pages;  ///< of system memory
  common::Gate dpc_queued;
  SharedData objects;  ///< what handles stand for, and the state of devices
  std::vector<AdapterState> adapters;
  MonitoredFences monitored;
  AdapterResets resets;
  std::unique_ptr<ContextScheduler> contexts;   ///< null: the OS feeds none
  std::unique_ptr<HardwareScheduler> hardware;  ///< null: it has nothing to do with their contexts
  std::vector<std::unique_ptr<Process>> processes;
  FenceList fences;  ///< native ones that a driver may name, in the order of creation

  AdapterState& of(const Process& process) { return adapters[process.adapter]; }
  AdapterState& of(const Adapter& adapter);
  /// Null for what is no process any more, or none at all.
  Process* find_process(const void* owner) const;
  /// What an NT handle stands for; null once it is closed for good, and for any other value.
  std::shared_ptr<Fence> shared_fence(HANDLE handle) const;
  /// What the process has submitted so far to contexts that the OS feeds.
  std::vector<ContextScheduler::Mark> marks_of(const Process& process) const;
  /// The host's caches see what the process's GPU does to system memory.
  bool snoops(const Process& process) const { return platform.snoops(process.adapter); }
  bool suspends_contexts() const { return options.adapter.system.context_scheduling.enabled; }
  /// Some GPU finds hangs of hardware queues itself.
  bool finds_hangs() const;
  /// A thread enters the kernel by a call of user mode.
  void enter_call();
};

}  // namespace fenceline::os
