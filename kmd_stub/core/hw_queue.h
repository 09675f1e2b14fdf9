#pragma once

#include <cstdint>

#include "kmd_stub/core/process.h"
#include "kmd_stub/core/queue_table.h"
#include "kmd_stub/wddm/cpu_event.h"
#include "kmd_stub/wddm/hw_queue.h"
#include "kmd_stub/wddm/native_fence_log.h"

namespace fenceline::kmd {

/// A hardware queue of a context. Source: WDDM, DxgkDdiCreateHwQueue.
struct HwQueue {
  static constexpr std::uint32_t kMagic = 0x55515748;  // "HWQU"
  Adapter& adapter;
  std::uint32_t slot;  ///< in the queue table
  HwContext& context;
  bool user_mode;    ///< created with UserModeSubmission
  QueueLogs logs{};  ///< lock of the queue table
  std::uint32_t doorbells = 0;
  HANDLE progress_fence = nullptr;  ///< the driver's handle; null: a monitored fence, or none
  HANDLE os_handle = nullptr;
};

// Queues. IRQL: PASSIVE_LEVEL. On an error nothing has changed.

/// Takes the ring from QueuePrivateData, which gets the queue's slot, and enables the queue.
/// STATUS_INVALID_HANDLE for a bad context or native progress fence; STATUS_INVALID_PARAMETER for
/// bad private data; STATUS_INSUFFICIENT_RESOURCES without a slot.
/// Source: WDDM, DxgkDdiCreateHwQueue.
NTSTATUS create_hw_queue(HANDLE hw_context, DXGKARG_CREATEHWQUEUE& args);
/// STATUS_INVALID_HANDLE; STATUS_INVALID_PARAMETER while it has a doorbell; STATUS_UNSUCCESSFUL
/// when the device did not answer (the slot is not used again then). Source: WDDM,
/// DxgkDdiDestroyHwQueue.
NTSTATUS destroy_hw_queue(HANDLE handle);

// Logs. IRQL: DISPATCH_LEVEL. STATUS_INVALID_HANDLE for a bad queue.

/// Has the device write the log that Header.Type names to another buffer from now on; on return
/// nothing is under way to the old one. STATUS_INVALID_PARAMETER for a bad address or no entries;
/// STATUS_NOT_SUPPORTED for a type that the driver does not have or a queue without
/// UserModeSubmission; STATUS_UNSUCCESSFUL when the device did not answer. Source: WDDM,
/// DxgkDdiSetNativeFenceLogBuffer.
NTSTATUS set_native_fence_log_buffer(const DXGKARG_SETNATIVEFENCELOGBUFFER& args);
/// On return every log write of the queues so far is visible. A bad queue: none is flushed.
/// STATUS_UNSUCCESSFUL when the device did not answer.
/// Source: WDDM, DxgkDdiUpdateNativeFenceLogs.
NTSTATUS update_native_fence_logs(const DXGKARG_UPDATENATIVEFENCELOGS& args);
/// Verbose logging goes on or off, by abi::LoggingLevelEscape: what a trace alone wants is logged
/// from now on, or no more. STATUS_INVALID_PARAMETER for bad data; STATUS_UNSUCCESSFUL when the
/// device did not answer. IRQL: PASSIVE_LEVEL.
NTSTATUS set_logging_level(Adapter& adapter, const DXGKARG_ESCAPE& args);

}  // namespace fenceline::kmd
