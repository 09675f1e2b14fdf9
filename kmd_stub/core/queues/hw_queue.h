#pragma once

#include <cstdint>

#include "kmd_stub/core/process.h"
#include "kmd_stub/core/queues/queue_table.h"
#include "kmd_stub/wddm/fences/cpu_event.h"
#include "kmd_stub/wddm/fences/native_fence_log.h"
#include "kmd_stub/wddm/queues/hw_queue.h"

namespace fenceline::kmd {

/// A hardware queue of a context. Source: WDDM, DxgkDdiCreateHwQueue.
struct HwQueue {
  static constexpr std::uint32_t kMagic = 0x55515748;  // "HWQU"
  Adapter& adapter;
  std::uint32_t slot;  ///< of the queue table
  HwContext& context;
  bool user_mode;    ///< created with UserModeSubmission
  QueueLogs logs{};  ///< guarded by the lock of the queue table
  std::uint32_t doorbells = 0;
  HANDLE progress_fence = nullptr;  ///< the driver's handle; null: monitored fence or none
  HANDLE os_handle = nullptr;
};

// Queues. IRQL: PASSIVE_LEVEL. An error changes nothing.

/// Reads the ring from QueuePrivateData, writes the queue's slot into it, and enables the queue.
/// STATUS_INVALID_HANDLE for a bad context or native progress fence; STATUS_INVALID_PARAMETER for
/// bad private data; STATUS_INSUFFICIENT_RESOURCES without a free slot.
NTSTATUS DxgkDdiCreateHwQueue(HANDLE hw_context, DXGKARG_CREATEHWQUEUE& args);
/// STATUS_INVALID_HANDLE; STATUS_INVALID_PARAMETER while the queue has a doorbell;
/// STATUS_UNSUCCESSFUL if the device did not answer (then the slot is not reused).
NTSTATUS DxgkDdiDestroyHwQueue(HANDLE handle);

// Logs. IRQL: DISPATCH_LEVEL. STATUS_INVALID_HANDLE for a bad queue.

/// Changes the buffer of the log that Header.Type names. On return no write to the old buffer is in
/// flight. STATUS_INVALID_PARAMETER for a bad address or no entries; STATUS_NOT_SUPPORTED for an
/// unsupported type or a queue without UserModeSubmission; STATUS_UNSUCCESSFUL if the device did
/// not answer.
NTSTATUS DxgkDdiSetNativeFenceLogBuffer(const DXGKARG_SETNATIVEFENCELOGBUFFER& args);
/// On return all log writes of the queues so far are visible. If one queue is bad, none is flushed.
/// STATUS_UNSUCCESSFUL if the device did not answer.
NTSTATUS DxgkDdiUpdateNativeFenceLogs(const DXGKARG_UPDATENATIVEFENCELOGS& args);
/// Switches verbose logging on or off (abi::LoggingLevelEscape): log entries that only a trace
/// needs. STATUS_INVALID_PARAMETER for bad data; STATUS_UNSUCCESSFUL if the device did not answer.
/// IRQL: PASSIVE_LEVEL.
NTSTATUS set_logging_level(Adapter& adapter, const DXGKARG_ESCAPE& args);

}  // namespace fenceline::kmd
