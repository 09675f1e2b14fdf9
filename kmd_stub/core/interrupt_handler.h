#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "kmd_stub/core/fences/cpu_event.h"
#include "kmd_stub/core/fences/fence_table.h"
#include "kmd_stub/core/operating_system.h"
#include "kmd_stub/core/queues/hw_scheduling.h"
#include "kmd_stub/core/queues/queue_table.h"
#include "kmd_stub/core/state_hasher.h"
#include "kmd_stub/host/host_port.h"
#include "models/abi/registers.h"

namespace fenceline::kmd {

/// Reads entries of the interrupt ring and reports them to the OS.
///
/// All functions except `start` and `stop` run at device level under the interrupt lock: in the ISR
/// or in a routine of DxgkCbSynchronizeExecution. Source: WDDM, DxgkDdiInterruptRoutine,
/// DXGK_INTERRUPT_NATIVE_FENCE_SIGNALED, DXGK_INTERRUPT_MONITORED_FENCE_SIGNALED,
/// DXGK_INTERRUPT_DMA_COMPLETED, DXGK_INTERRUPT_DMA_PREEMPTED, DXGK_INTERRUPT_DMA_FAULTED,
/// DXGK_INTERRUPT_DMA_PAGE_FAULTED, DXGK_INTERRUPT_CRTC_VSYNC,
/// DXGK_INTERRUPT_SUSPEND_CONTEXT_COMPLETED.
class InterruptHandler {
 public:
  static constexpr std::uint32_t kMaxHandles = 64;  ///< per notification

  /// @param os, fences, queues, events, contexts must outlive the handler.
  InterruptHandler(kmd_host::HostPort& port, const OperatingSystem& os, const FenceTable& fences,
                   const QueueTable& queues, CpuEvents& events, const ScheduledContexts& contexts)
      : port_(port),
        os_(os),
        fences_(fences),
        queues_(queues),
        events_(events),
        contexts_(contexts) {}

  /// Gives the device its ring (allocated once) and enables interrupts. IRQL: PASSIVE_LEVEL.
  /// @return STATUS_INSUFFICIENT_RESOURCES without memory for the ring.
  NTSTATUS start(std::uint32_t nodes);
  /// After return the device raises no interrupt. IRQL: PASSIVE_LEVEL.
  void stop();

  /// The interrupt routine. IRQL: device. @return false if the ring has no new entry: the interrupt
  /// is from another device.
  bool service();

  /// Entries of the ring that were read since power-on.
  std::uint64_t entries_read() const { return read_; }

  /// Enables interrupts again after `stop`. IRQL: PASSIVE_LEVEL.
  void enable();

  /// Last submission of a node that was reported as complete, or dropped by a reset of the driver.
  UINT completed(std::uint32_t node) const { return completed_[node]; }
  void set_completed(std::uint32_t node, UINT id) { completed_[node] = id; }
  /// Call before the node gets a submission. Only in calls of the GPU-scheduler class.
  void note_submitted(std::uint32_t node, UINT id) { submitted_[node] = id; }
  UINT submitted(std::uint32_t node) const { return submitted_[node]; }
  /// @param last last completed submission.
  void notify_preempted(std::uint32_t node, UINT preemption, UINT last);

  /// Holds reports of the node back between its reset and its resumption. At device IRQL.
  void hold(std::uint32_t node) { held_ |= 1U << node; }
  bool holds(std::uint32_t node) const { return (held_ >> node & 1U) != 0; }
  /// Ends `hold` and reports native fences that were held back. At device IRQL. @return true if
  /// there were any.
  bool release(std::uint32_t node);

  /// Adds the changing state to a hash of the driver's state.
  void add_to(StateHasher& hasher) const {
    hasher.add(read_);
    if (held_ != 0) hasher.add(std::uint64_t{withheld_} << 32 | held_);
    for (const UINT id : completed_) hasher.add(id);
  }

 private:
  std::uint32_t collect();
  bool read_entry(const std::byte* address, abi::InterruptEntry& entry);
  void handle(std::uint32_t count);
  /// Reports an interrupt; the OS gets a DPC.
  void notify_os(const DXGKARGCB_NOTIFY_INTERRUPT_DATA& data);
  void notify_suspended(const abi::InterruptEntry& entry);
  void notify_timeout(const abi::InterruptEntry& entry);
  void notify_sync(const abi::InterruptEntry& entry);
  void notify_engine(const abi::InterruptEntry& entry);
  void notify_node(std::uint32_t set, std::uint32_t count);
  void notify(std::uint32_t node, std::uint32_t handles, HANDLE queue = nullptr);
  void notify_queues(std::uint32_t set, std::uint32_t count);
  void notify_fault(const abi::InterruptEntry& entry);
  void notify_faulted(const abi::InterruptEntry& entry);
  void notify_syncs(std::uint32_t count);
  bool names_unknown(std::uint32_t set, std::uint32_t count) const;

  kmd_host::HostPort& port_;
  const OperatingSystem& os_;
  const FenceTable& fences_;
  const QueueTable& queues_;
  CpuEvents& events_;
  const ScheduledContexts& contexts_;
  std::uint32_t nodes_ = 0;
  kmd_host::HostPort::ContiguousMemory ring_;
  std::array<UINT, 16> completed_{};  ///< by node
  std::array<UINT, 16> submitted_{};  ///< by node
  std::uint64_t read_ = 0;            ///< entries read since power-on
  std::uint32_t held_ = 0;            ///< bit n: node n is held
  std::uint32_t withheld_ = 0;        ///< bit n: held node n has something to report
  bool notified_ = false;             ///< the current service has notified the OS
  std::array<abi::InterruptEntry, kmd_host::kMostInterruptEntries> entries_;  ///< of this service
  std::array<HANDLE, kMaxHandles> handles_;  ///< handles of the current notification
};

/// False for an interrupt of another device or message. IRQL: device.
BOOLEAN DxgkDdiInterruptRoutine(AnyAdapter adapter, ULONG message);
/// Makes the OS take the notified events, and signals CPU events. IRQL: DISPATCH_LEVEL.
void DxgkDdiDpcRoutine(AnyAdapter adapter);

}  // namespace fenceline::kmd
