#pragma once

#include "tb/os/calls/adapter_calls.h"
#include "tb/os/calls/context_calls.h"
#include "tb/os/calls/device_calls.h"
#include "tb/os/calls/memory_calls.h"
#include "tb/os/calls/present_calls.h"
#include "tb/os/calls/queue_calls.h"
#include "tb/os/calls/render_calls.h"
#include "tb/os/calls/trace_calls.h"
#include "tb/os/calls/user_access.h"
#include "tb/os/dxgk/deferred_calls.h"
#include "tb/os/vidmm/context_memory.h"

namespace fenceline::os {

/// Dxgkrnl: its parts, built and connected. The calls of user mode are grouped by what they are
/// about.
///
/// D3DKMT functions run in the caller's thread at PASSIVE_LEVEL, take simulated time, and return
/// NTSTATUS as documented for each. Handles are per process.
struct Kernel {
  Kernel(common::Simulation& simulation, top::Platform& platform, const KernelOptions& options);
  ~Kernel();
  Kernel(const Kernel&) = delete;
  Kernel& operator=(const Kernel&) = delete;

  /// Adds the agents of the OS (deferred procedure calls). During elaboration.
  void add_agents();
  /// Starts every adapter with the driver. In a thread. An adapter that does not start has a
  /// `failure` in its state.
  void start(DriverEntryFunction entry);

  Cpu& cpu() { return system.cpu; }
  common::Simulation& simulation() { return system.simulation; }
  top::Platform& platform() { return system.platform; }
  Adapter& adapter(std::size_t i) { return *system.adapters[i].adapter; }
  const KernelOptions& options() const { return system.options; }

  System system;
  FixedMemory fixed_memory;
  FenceStorage fence_storage;
  FenceReclaimer fence_reclaimer;
  FenceDriver fence_driver;
  CrossAdapterFences cross_adapter_fences;
  PeerDoorbellLinks peer_doorbells;
  CpuEvents cpu_events;
  HwContexts hw_contexts;
  ContextMemory context_memory;
  LogBuffers log_buffers;
  DeviceErrors device_errors;
  DeferredCalls deferred_calls;
  UserAccess user_access;

  NativeFenceCalls native_fences;
  SyncObjectCalls sync_objects;
  WaitCalls waits;
  ContextCalls contexts;
  RenderCalls renders;
  QueueCalls queues;
  MemoryCalls memory;
  PresentCalls presents;
  DeviceCalls devices;
  AdapterCalls adapters;
  TraceCalls traces;

 private:
  void schedule_contexts();
  bool resets_hw_engines() const;
  void schedule_hw_contexts();
  void build(std::uint32_t number);
  void follow_logs(AdapterState& state);
  void follow_contexts();
  void name_objects(AdapterState& state);
  void connect(AdapterState& state);
  void connect_fallback(AdapterState& state);
};

}  // namespace fenceline::os
