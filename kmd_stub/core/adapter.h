#pragma once

#include <cstdint>

#include "kmd_stub/core/feature_negotiation.h"
#include "kmd_stub/core/fences/cpu_event.h"
#include "kmd_stub/core/fences/fence_table.h"
#include "kmd_stub/core/fences/native_fence.h"
#include "kmd_stub/core/handle.h"
#include "kmd_stub/core/interrupt_handler.h"
#include "kmd_stub/core/memory/address_spaces.h"
#include "kmd_stub/core/memory/allocation.h"
#include "kmd_stub/core/memory/paging_buffer.h"
#include "kmd_stub/core/operating_system.h"
#include "kmd_stub/core/process.h"
#include "kmd_stub/core/queues/doorbell.h"
#include "kmd_stub/core/queues/hw_queue.h"
#include "kmd_stub/core/queues/hw_scheduling.h"
#include "kmd_stub/core/queues/queue_table.h"
#include "kmd_stub/core/work/preemption.h"
#include "kmd_stub/core/work/submission.h"
#include "kmd_stub/host/host_port.h"
#include "models/abi/preemption.h"

namespace fenceline::kmd {

/// Properties of the device, as far as the driver reports them.
struct Hardware {
  bool native_fences = false;
  bool atomics64 = true;              ///< the device does not split 64-bit stores
  bool iommu = false;                 ///< the device uses addresses of CPU processes
  std::uint32_t paging_node = 0;      ///< node for paging buffers
  std::uint64_t primary_bytes = 0;    ///< size of a primary; 0: no display
  std::uint64_t state_bytes = 0;      ///< largest state of a preempted context
  abi::Granularity granularity;       ///< points where work can stop
  std::uint64_t reset_group = 0;      ///< bit n: node n is in the group that resets together
  std::uint64_t fence_writers = 0;    ///< bit n: node n can write monitored fences
  std::uint64_t fence_notifiers = 0;  ///< bit n: node n can also interrupt for that
  std::uint32_t doorbells = 0;        ///< number of shared doorbells; 0: one per queue slot
};

/// One GPU: the tables of the device and all objects that the OS made on it.
class Adapter {
 public:
  static constexpr std::uint32_t kMagic = 0x50414441;  // "ADAP"

  /// IRQL: PASSIVE_LEVEL. @param port must outlive the adapter.
  explicit Adapter(kmd_host::HostPort& port);
  Adapter(const Adapter&) = delete;
  Adapter& operator=(const Adapter&) = delete;

  /// Identifies the device, negotiates features, reserves VRAM and enables interrupts.
  /// STATUS_NOT_SUPPORTED for an unknown device, STATUS_INSUFFICIENT_RESOURCES. IRQL:
  /// PASSIVE_LEVEL. Source: WDDM, DxgkDdiStartDevice.
  NTSTATUS start(const DXGKRNL_INTERFACE& functions);
  /// Stops interrupts of the device. IRQL: PASSIVE_LEVEL. Source: WDDM, DxgkDdiStopDevice.
  void stop();
  bool started() const { return started_; }

  /// Reports all entries of the interrupt ring so far to the OS. IRQL: up to DISPATCH_LEVEL.
  void drain_interrupts();
  /// Reports to the OS what the device has to report by now, also what waits for room in the
  /// interrupt ring. False if the device does not answer. IRQL: PASSIVE_LEVEL.
  bool drain_reports();

  std::uint32_t node_count() const { return node_count_; }
  std::uint64_t vram_bytes() const { return vram_bytes_; }
  const kmd_host::HostPort::MemoryResource& vram_bar() const { return vram_bar_; }
  bool no_64bit_atomics() const { return !hardware_.atomics64; }
  const kmd_host::DriverCaps& caps() const { return port_.policy().caps; }
  const NativeFenceSupport& native_fences() const { return native_fences_; }
  const Hardware& hardware() const { return hardware_; }

  kmd_host::HostPort& port() { return port_; }
  OperatingSystem& os() { return os_; }
  InterruptHandler& interrupts() { return interrupts_; }
  CpuEvents& cpu_events() { return cpu_events_; }
  Submission& submission() { return submission_; }
  /// Slots of the device's context table; 0 is none. Used at PASSIVE_LEVEL, one call at a time.
  FreeSlots& context_slots() { return context_slots_; }
  ScheduledContexts& scheduled_contexts() { return scheduled_contexts_; }
  FenceTable& fence_table() { return fence_table_; }
  QueueTable& queue_table() { return queue_table_; }
  AddressSpaces& address_spaces() { return address_spaces_; }

  Pool<Process>& processes() { return processes_; }
  Pool<Device>& devices() { return devices_; }
  Pool<Context>& contexts() { return contexts_; }
  Pool<HwContext>& hw_contexts() { return hw_contexts_; }
  Pool<HwQueue>& hw_queues() { return hw_queues_; }
  Pool<Doorbell>& doorbells() { return doorbells_; }
  DeviceDoorbells& device_doorbells() { return device_doorbells_; }
  /// Memory that user mode may write instead of a doorbell; null if none is left. IRQL:
  /// PASSIVE_LEVEL.
  void* unwatched_page();
  Pool<NativeFence>& fences() { return fences_; }
  Pool<OpenedFence>& opened_fences() { return opened_fences_; }

  Pool<Allocation>& allocations() { return allocations_; }
  Pool<OpenedAllocation>& opened_allocations() { return opened_allocations_; }
  ApertureSegment& aperture_segment() { return aperture_segment_; }
  const ApertureSegment& aperture_segment() const { return aperture_segment_; }

  /// Hash of all state that the driver's locks and the interrupt lock protect.
  std::uint64_t state_hash() const;

 private:
  void read_hardware();

  kmd_host::HostPort& port_;
  OperatingSystem os_;
  bool started_ = false;
  std::uint32_t node_count_ = 0;
  std::uint64_t vram_bytes_ = 0;
  kmd_host::HostPort::MemoryResource vram_bar_;
  NativeFenceSupport native_fences_;
  Hardware hardware_;

  FenceTable fence_table_;
  QueueTable queue_table_;
  AddressSpaces address_spaces_;
  CpuEvents cpu_events_;
  ScheduledContexts scheduled_contexts_;
  InterruptHandler interrupts_;
  Submission submission_;
  DeviceDoorbells device_doorbells_;
  void* unwatched_page_ = nullptr;
  FreeSlots context_slots_{1, abi::kContextSlots};

  Pool<Process> processes_;
  Pool<Device> devices_;
  Pool<Context> contexts_;
  Pool<HwContext> hw_contexts_;
  Pool<HwQueue> hw_queues_;
  Pool<Doorbell> doorbells_;
  Pool<NativeFence> fences_;
  Pool<OpenedFence> opened_fences_;
  Pool<Allocation> allocations_;
  Pool<OpenedAllocation> opened_allocations_;
  ApertureSegment aperture_segment_;
};

// IRQL: PASSIVE_LEVEL. Source: WDDM, the page of each name.

/// Stand-in: `physical_device_object` is the kmd_host::HostPort* of the adapter. It replaces the
/// device stack of a real driver and must outlive the adapter.
NTSTATUS DxgkDdiAddDevice(PVOID physical_device_object, PVOID& miniport_device_context);
/// Adapter::start. A display is one video present source and one child device.
/// STATUS_INVALID_DEVICE_STATE for a started adapter.
NTSTATUS DxgkDdiStartDevice(AnyAdapter adapter, DXGK_START_INFO& info, DXGKRNL_INTERFACE& functions,
                            ULONG& sources, ULONG& children);
NTSTATUS DxgkDdiStopDevice(Adapter& adapter);
/// Destroys the adapter; all its handles become invalid. STATUS_INVALID_DEVICE_STATE for a started
/// adapter.
NTSTATUS DxgkDdiRemoveDevice(AnyAdapter adapter);
/// In D3 the device keeps all its state except the page table of its host aperture. The OS sets
/// that up again. STATUS_INVALID_PARAMETER for another device or no state.
NTSTATUS DxgkDdiSetPowerState(AnyAdapter adapter, ULONG device_uid, DEVICE_POWER_STATE state,
                              POWER_ACTION action);

}  // namespace fenceline::kmd
