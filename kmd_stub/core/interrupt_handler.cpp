#include "kmd_stub/core/interrupt_handler.h"

#include <algorithm>
#include <cstddef>

#include "kmd_stub/core/adapter.h"
#include "models/abi/mutant.h"

namespace fenceline::kmd {

namespace {

constexpr std::uint32_t kSeveralNodes = 16;  // the set of entries that name no single node

std::uint32_t node_set(const abi::InterruptEntry& entry) {
  return entry.engine < kSeveralNodes ? entry.engine : kSeveralNodes;
}

bool belongs(const abi::InterruptEntry& entry, std::uint32_t set) {
  return entry.cause == abi::InterruptCause::kFenceSignaled && node_set(entry) == set;
}

}  // namespace

NTSTATUS InterruptHandler::start(std::uint32_t nodes) {
  nodes_ = nodes;
  const std::uint32_t entries = port_.policy().caps.interrupt_entries;
  if (ring_.kernel_address == nullptr)
    ring_ = port_.allocate_contiguous(entries * sizeof(abi::InterruptEntry));
  if (ring_.kernel_address == nullptr) return STATUS_INSUFFICIENT_RESOURCES;
  port_.write_register(abi::kInterruptRingBase, ring_.physical_address);
  port_.write_register(abi::kInterruptRingEntries, entries);
  if (port_.policy().caps.legacy_interrupt) port_.write_register(abi::kOneFenceCause, 1);
  port_.write_register(abi::kInterruptEnable, 1);
  return STATUS_SUCCESS;
}

void InterruptHandler::stop() {
  held_ = withheld_ = 0;
  port_.write_register(abi::kInterruptEnable, 0);
  port_.read_register(abi::kInterruptEnable);  // on return of the read the write has arrived
}

void InterruptHandler::enable() { port_.write_register(abi::kInterruptEnable, 1); }

bool InterruptHandler::service() {
  const std::uint32_t count = collect();
  if (count == 0) return false;
  notified_ = false;
  const kmd_host::Acknowledge how = port_.policy().ack_first;
  // The device compares the count with the number of entries it has written, so no entry is lost.
  const std::uint64_t read = how == kmd_host::Acknowledge::kFirst
                                 ? read_ + (abi::mutant(abi::Mutant::kAcknowledgesMore) ? 1U : 0U)
                                 : abi::kAcknowledgeWithoutCount;
  if (how != kmd_host::Acknowledge::kLast) port_.write_register(abi::kInterruptAcknowledge, read);
  handle(count);
  if (how == kmd_host::Acknowledge::kLast) port_.write_register(abi::kInterruptAcknowledge, read);
  if (notified_ && (count == 1 || !abi::mutant(abi::Mutant::kDpcForOneEntry))) os_.queue_dpc();
  return true;
}

std::uint32_t InterruptHandler::collect() {
  if (ring_.kernel_address == nullptr) return 0;
  // The answer of the read comes after earlier entries.
  if (port_.policy().read_flush) port_.read_register(abi::kInterruptEnable);
  const std::uint32_t entries = port_.policy().caps.interrupt_entries;
  std::uint32_t count = 0;
  while (count < entries) {
    abi::InterruptEntry& entry = entries_[count];
    const std::uint64_t offset = (read_ % entries) * sizeof(abi::InterruptEntry);
    if (!read_entry(static_cast<std::byte*>(ring_.kernel_address) + offset, entry)) break;
    ++read_;
    ++count;
  }
  return count;
}

/// False if the entry at `address` is not the next one.
bool InterruptHandler::read_entry(const std::byte* address, abi::InterruptEntry& entry) {
  if (!port_.policy().load_barrier) {
    port_.read_memory(address, &entry, sizeof(entry));
    return entry.sequence == read_ + 1;
  }
  // Without a barrier the other words may be loaded before the sequence number.
  entry.sequence = port_.read_memory(address);
  if (entry.sequence != read_ + 1) return false;
  port_.memory_barrier();
  constexpr std::size_t tail = offsetof(abi::InterruptEntry, cause);
  port_.read_memory(address + tail, &entry.cause, sizeof(entry) - tail);
  return true;
}

void InterruptHandler::handle(std::uint32_t count) {
  const bool syncs_first = port_.policy().caps.syncs_first;
  if (syncs_first) notify_syncs(count);
  std::uint32_t seen = 0;  // one bit per set
  for (std::uint32_t i = 0; i < count; ++i) {
    if (entries_[i].cause == abi::InterruptCause::kFenceSignaled)
      seen |= 1U << node_set(entries_[i]);
    else if (entries_[i].cause == abi::InterruptCause::kPageFault)
      notify_fault(entries_[i]);
    else
      notify_engine(entries_[i]);
  }
  const std::uint32_t left_out = abi::mutant(abi::Mutant::kUnknownNodeDropped) ? 1 : 0;
  for (std::uint32_t set = 0; set + left_out <= kSeveralNodes; ++set) {
    if ((seen >> set & 1U) != 0) notify_node(set, count);
  }
  // Reports of DMA buffers come first. Source: WDDM, DxgkCbNotifyInterrupt.
  if (!syncs_first) notify_syncs(count);
}

void InterruptHandler::notify_os(const DXGKARGCB_NOTIFY_INTERRUPT_DATA& data) {
  os_.notify_interrupt(data);
  notified_ = true;
}

void InterruptHandler::notify_syncs(std::uint32_t count) {
  for (std::uint32_t i = 0; i < count; ++i)
    if (entries_[i].cause == abi::InterruptCause::kVerticalSync) notify_sync(entries_[i]);
}

/// Ignored if the context was destroyed meanwhile.
void InterruptHandler::notify_suspended(const abi::InterruptEntry& entry) {
  constexpr UINT64 kAboveAllIssued = 1ULL << 40;
  HwContext* const context = contexts_.find(entry.queue_slot);
  if (context == nullptr) return;
  if (entry.value == context->suspend_fence) {
    context->suspended = true;
    context->suspend_fence = 0;
  }
  DXGKARGCB_NOTIFY_INTERRUPT_DATA data{};
  data.InterruptType = DXGK_INTERRUPT_SUSPEND_CONTEXT_COMPLETED;
  data.SuspendContextCompleted.hContext = context->os_handle;
  data.SuspendContextCompleted.ContextSuspendFence = entry.value;
  if (port_.policy().caps.suspend_fence == kmd_host::SuspendFence::kNeverIssued)
    data.SuspendContextCompleted.ContextSuspendFence += kAboveAllIssued;
  notify_os(data);
}

/// Ignored if a reset has ended the hang meanwhile.
void InterruptHandler::notify_timeout(const abi::InterruptEntry& entry) {
  const kmd_host::EngineTimeout report = port_.policy().caps.engine_timeout;
  const HwContext* const context = contexts_.of_queue(entry.queue_slot);
  if (context == nullptr || context->lost || report == kmd_host::EngineTimeout::kDropped) return;
  DXGKARGCB_NOTIFY_INTERRUPT_DATA data{};
  if (report == kmd_host::EngineTimeout::kStateChange) {
    data.InterruptType = DXGK_INTERRUPT_GPU_ENGINE_STATE_CHANGE;
    data.EngineStateChange.NodeOrdinal = entry.engine;
    data.EngineStateChange.NewState = DXGK_ENGINE_STATE_HUNG;
  } else {
    data.InterruptType = DXGK_INTERRUPT_GPU_ENGINE_TIMEOUT;
    data.GpuEngineTimeout.NodeOrdinal = entry.engine;
  }
  notify_os(data);
}

/// Reports the primary in scan-out, as the device reported it at the sync.
void InterruptHandler::notify_sync(const abi::InterruptEntry& entry) {
  DXGKARGCB_NOTIFY_INTERRUPT_DATA data{};
  data.InterruptType = DXGK_INTERRUPT_CRTC_VSYNC;
  data.CrtcVsync.PhysicalAddress.QuadPart = static_cast<LONGLONG>(entry.value);
  data.CrtcVsync.PhysicalAdapterMask = 1;
  data.Flags.Value = DXGKCB_NOTIFY_INTERRUPT_DATA_FLAGS::kValidPhysicalAdapterMask;
  notify_os(data);
}

/// Entries other than native fences: one notification per entry.
void InterruptHandler::notify_engine(const abi::InterruptEntry& entry) {
  DXGKARGCB_NOTIFY_INTERRUPT_DATA data{};
  if (entry.cause == abi::InterruptCause::kBufferCompleted) {
    data.InterruptType = DXGK_INTERRUPT_DMA_COMPLETED;
    data.DmaCompleted.SubmissionFenceId = static_cast<UINT>(entry.value);
    data.DmaCompleted.NodeOrdinal = entry.engine;
    if (entry.engine < completed_.size()) completed_[entry.engine] = static_cast<UINT>(entry.value);
    events_.note_completed(entry.engine);
  } else if (entry.cause == abi::InterruptCause::kPreempted) {
    // The device does not know the completions of a reset. All its earlier reports come before this
    // one.
    return notify_preempted(entry.engine, static_cast<UINT>(entry.value), completed_[entry.engine]);
  } else if (entry.cause == abi::InterruptCause::kBufferFaulted) {
    return notify_faulted(entry);
  } else if (entry.cause == abi::InterruptCause::kFenceWritten) {
    data.InterruptType = DXGK_INTERRUPT_MONITORED_FENCE_SIGNALED;
    data.MonitoredFenceSignaled.NodeOrdinal = entry.engine;
  } else if (entry.cause == abi::InterruptCause::kContextSuspended) {
    return notify_suspended(entry);
  } else if (entry.cause == abi::InterruptCause::kEngineTimeout) {
    return notify_timeout(entry);
  } else {
    return;
  }
  notify_os(data);
}

void InterruptHandler::notify_preempted(std::uint32_t node, UINT preemption, UINT last) {
  // The driver drops preempted buffers. The OS submits them again.
  DXGKARGCB_NOTIFY_INTERRUPT_DATA data{};
  data.InterruptType = DXGK_INTERRUPT_DMA_PREEMPTED;
  data.DmaPreempted.PreemptionFenceId = preemption;
  data.DmaPreempted.LastCompletedFenceId =
      port_.policy().caps.preempted_as_submitted ? submitted_[node] : last;
  data.DmaPreempted.NodeOrdinal = node;
  notify_os(data);
}

void InterruptHandler::notify_node(std::uint32_t set, std::uint32_t count) {
  const kmd_host::DriverPolicy& policy = port_.policy();
  const std::uint32_t node = set == kSeveralNodes ? 0 : set;
  if (policy.caps.optimized_interrupt) return notify_queues(set, count);
  // With one interrupt for both kinds the driver cannot distinguish native and monitored fences.
  if (policy.null_array || policy.caps.legacy_interrupt || names_unknown(set, count))
    return notify(node, 0);
  std::uint32_t handles = 0;
  for (std::uint32_t i = 0; i < count; ++i) {
    if (!belongs(entries_[i], set)) continue;
    const std::uint32_t wrong_bit = abi::mutant(abi::Mutant::kWrongHandle) ? 1 : 0;
    const FenceOwner owner = fences_.owner(entries_[i].fence_slot ^ wrong_bit);
    if (owner.os_handle == nullptr || (policy.live_filter && !owner.alive)) continue;
    handles_[handles++] = owner.os_handle;
    if (handles < kMaxHandles) continue;
    notify(node, handles);
    handles = 0;
  }
  if (handles != 0) notify(node, abi::mutant(abi::Mutant::kNamesOneFence) ? 1 : handles);
}

/// Names each queue that ran once. An unknown queue stands for all queues of its node, an unknown
/// node for all nodes.
void InterruptHandler::notify_queues(std::uint32_t set, std::uint32_t count) {
  bool unknown = false;
  std::uint32_t named = 0;
  for (std::uint32_t i = 0; i < count; ++i) {
    if (!belongs(entries_[i], set)) continue;
    const HANDLE queue = queues_.owner(entries_[i].queue_slot);
    unknown = unknown || queue == nullptr;
    const auto end = handles_.begin() + named;
    if (queue == nullptr || std::find(handles_.begin(), end, queue) != end) continue;
    if (named == kMaxHandles) unknown = true;
    if (named < kMaxHandles) handles_[named++] = queue;
  }
  if (!unknown) {
    for (std::uint32_t i = 0; i < named; ++i) notify(set, 0, handles_[i]);
    return;
  }
  if (set != kSeveralNodes) return notify(set, 0);
  for (std::uint32_t node = 0; node < nodes_; ++node) notify(node, 0);
}

/// Reports a buffer that its node gave up. The device knows the buffer, so no reset is needed:
/// earlier buffers are complete and later ones run. Source: WDDM, DXGKARGCB_NOTIFY_INTERRUPT_DATA,
/// DmaFaulted and DmaPageFaulted.
void InterruptHandler::notify_faulted(const abi::InterruptEntry& entry) {
  DXGKARGCB_NOTIFY_INTERRUPT_DATA data{};
  const kmd_host::FaultReport report = port_.policy().caps.fault_report;
  const UINT id =
      report == kmd_host::FaultReport::kLastSubmitted ? submitted_[entry.engine] : entry.fence_slot;
  completed_[entry.engine] = id;
  events_.note_completed(entry.engine);
  const auto code = static_cast<abi::FaultCode>(entry.queue_slot);
  if (code == abi::FaultCode::kPageRead || code == abi::FaultCode::kPageWrite) {
    data.InterruptType = DXGK_INTERRUPT_DMA_PAGE_FAULTED;
    auto& fault = data.DmaPageFaulted;
    fault.FaultedFenceId = id;
    fault.FaultedPipelineStage = DXGK_RENDER_PIPELINE_STAGE_UNKNOWN;
    fault.FaultedVirtualAddress = entry.value;
    fault.NodeOrdinal = entry.engine;
    UINT flags = code == abi::FaultCode::kPageWrite ? DXGK_PAGE_FAULT_WRITE : 0U;
    if (report == kmd_host::FaultReport::kBadFlags) flags |= DXGK_PAGE_FAULT_FENCE_INVALID;
    fault.PageFaultFlags = static_cast<DXGK_PAGE_FAULT_FLAGS>(flags);
  } else {
    data.InterruptType = DXGK_INTERRUPT_DMA_FAULTED;
    data.DmaFaulted.FaultedFenceId = id;
    data.DmaFaulted.Status = code == abi::FaultCode::kPrivileged ? STATUS_PRIVILEGED_INSTRUCTION
                                                                 : STATUS_ILLEGAL_INSTRUCTION;
    data.DmaFaulted.NodeOrdinal = entry.engine;
  }
  notify_os(data);
}

/// The CMP needs the values of a fence or a log to continue, so an engine reset does not help.
void InterruptHandler::notify_fault(const abi::InterruptEntry& entry) {
  DXGKARGCB_NOTIFY_INTERRUPT_DATA data{};
  data.InterruptType = DXGK_INTERRUPT_HWQUEUE_PAGE_FAULTED;
  data.HwQueuePageFaulted.FaultedVirtualAddress = entry.value;
  data.HwQueuePageFaulted.PageFaultFlags = static_cast<DXGK_PAGE_FAULT_FLAGS>(
      DXGK_PAGE_FAULT_FENCE_INVALID | DXGK_PAGE_FAULT_FATAL_HARDWARE_ERROR);
  notify_os(data);
}

bool InterruptHandler::names_unknown(std::uint32_t set, std::uint32_t count) const {
  return std::any_of(entries_.begin(), entries_.begin() + count,
                     [set](const abi::InterruptEntry& entry) {
                       return belongs(entry, set) && entry.fence_slot >= abi::kFenceSlots;
                     });
}

bool InterruptHandler::release(std::uint32_t node) {
  const std::uint32_t bit = 1U << node;
  const bool tells = (withheld_ & bit) != 0;
  held_ &= ~bit;
  withheld_ &= ~bit;
  if (tells) notify(node, 0);
  return tells;
}

void InterruptHandler::notify(std::uint32_t node, std::uint32_t handles, HANDLE queue) {
  if (holds(node)) {
    withheld_ |= 1U << node;
    return;
  }
  DXGKARGCB_NOTIFY_INTERRUPT_DATA data{};
  data.InterruptType = DXGK_INTERRUPT_NATIVE_FENCE_SIGNALED;
  data.NativeFenceSignaled.NodeOrdinal = node;
  data.NativeFenceSignaled.SignaledNativeFenceCount = handles;
  data.NativeFenceSignaled.pSignaledNativeFenceArray = handles == 0 ? nullptr : handles_.data();
  data.NativeFenceSignaled.hHWQueue = queue;
  if (port_.policy().caps.legacy_interrupt)
    data.Flags.Value |= DXGKCB_NOTIFY_INTERRUPT_DATA_FLAGS::kEvaluateLegacyMonitoredFences;
  notify_os(data);
}

BOOLEAN DxgkDdiInterruptRoutine(AnyAdapter adapter, ULONG message) {
  if (message != OperatingSystem::kMessageNumber) return FALSE;
  return adapter->interrupts().service() ? TRUE : FALSE;
}

void DxgkDdiDpcRoutine(AnyAdapter adapter) {
  adapter->os().notify_dpc();
  adapter->cpu_events().signal_due();
}

}  // namespace fenceline::kmd
