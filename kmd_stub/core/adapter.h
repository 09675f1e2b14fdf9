#pragma once

#include <cstdint>

#include "kmd_stub/core/address_spaces.h"
#include "kmd_stub/core/allocation.h"
#include "kmd_stub/core/cpu_event.h"
#include "kmd_stub/core/doorbell.h"
#include "kmd_stub/core/feature_negotiation.h"
#include "kmd_stub/core/fence_table.h"
#include "kmd_stub/core/handle.h"
#include "kmd_stub/core/hw_queue.h"
#include "kmd_stub/core/hw_scheduling.h"
#include "kmd_stub/core/interrupt_handler.h"
#include "kmd_stub/core/native_fence.h"
#include "kmd_stub/core/operating_system.h"
#include "kmd_stub/core/paging_buffer.h"
#include "kmd_stub/core/preemption.h"
#include "kmd_stub/core/process.h"
#include "kmd_stub/core/queue_table.h"
#include "kmd_stub/core/submission.h"
#include "kmd_stub/host/host_port.h"
#include "models/abi/preemption.h"

namespace fenceline::kmd {

/// What the device says of itself, as far as the driver admits it.
struct Hardware {
  bool native_fences = false;
  bool atomics64 = true;              ///< it does not split stores of 64 bits
  bool iommu = false;                 ///< it uses the addresses of CPU processes
  std::uint32_t paging_node = 0;      ///< node for paging buffers
  std::uint64_t primary_bytes = 0;    ///< that the display scans out; 0: there is none
  std::uint64_t state_bytes = 0;      ///< largest state of a context that is stopped
  abi::Granularity granularity;       ///< where work can be stopped
  std::uint64_t reset_group = 0;      ///< a bit a node: a reset of one takes these along
  std::uint64_t fence_writers = 0;    ///< a bit a node that can write monitored fences
  std::uint64_t fence_notifiers = 0;  ///< and interrupt for it
  std::uint32_t doorbells = 0;        ///< that queues share; 0: each queue slot has its own
};

/// One GPU: the tables of the device, and all objects that the OS has made on it.
class Adapter {
 public:
  static constexpr std::uint32_t kMagic = 0x50414441;  // "ADAP"

  /// IRQL: PASSIVE_LEVEL. @param port must outlive the adapter.
  explicit Adapter(kmd_host::HostPort& port);
  Adapter(const Adapter&) = delete;
  Adapter& operator=(const Adapter&) = delete;

  /// Identifies the device, negotiates features, hands out the reserved VRAM and enables
  /// interrupts. STATUS_NOT_SUPPORTED for a device that is not ours,
  /// STATUS_INSUFFICIENT_RESOURCES. IRQL: PASSIVE_LEVEL. Source: WDDM, DxgkDdiStartDevice.
  NTSTATUS start(const DXGKRNL_INTERFACE& functions);
  /// Silences the device. IRQL: PASSIVE_LEVEL. Source: WDDM, DxgkDdiStopDevice.
  void stop();
  bool started() const { return started_; }

  /// Tells the OS what the device has reported so far. IRQL: up to DISPATCH_LEVEL.
  void drain_interrupts();

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
  ContextSlots& context_slots() { return context_slots_; }
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
  /// Memory that user mode may write in the place of a doorbell; null without any left.
  /// IRQL: PASSIVE_LEVEL.
  void* unwatched_page();
  Pool<NativeFence>& fences() { return fences_; }
  Pool<OpenedFence>& opened_fences() { return opened_fences_; }

  Pool<Allocation>& allocations() { return allocations_; }
  Pool<OpenedAllocation>& opened_allocations() { return opened_allocations_; }
  ApertureSegment& aperture_segment() { return aperture_segment_; }
  const ApertureSegment& aperture_segment() const { return aperture_segment_; }

  /// Hash of all that the driver's locks and the interrupt lock protect.
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
  ContextSlots context_slots_;

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

}  // namespace fenceline::kmd
