#pragma once

// Fence logs that the GPU writes for user-mode-submission queues, 4 KB each.
//
// Order at the GPU: fence value, log entry, FirstFreeEntryIndex, interrupt. Until
// DxgkDdiUpdateNativeFenceLogs has returned, the index may become visible before the contents of
// the entry.

#include "kmd_stub/wddm/base.h"

/// Source: WDDM, DXGK_NATIVE_FENCE_LOG_TYPE.
enum DXGK_NATIVE_FENCE_LOG_TYPE : UINT {
  DXGK_NATIVE_FENCE_LOG_TYPE_WAITS = 1,
  DXGK_NATIVE_FENCE_LOG_TYPE_SIGNALS = 2,
};

/// Source: WDDM, DXGK_NATIVE_FENCE_LOG_OPERATION.
enum DXGK_NATIVE_FENCE_LOG_OPERATION : UINT {
  DXGK_NATIVE_FENCE_LOG_OPERATION_SIGNAL_EXECUTED = 0,
  DXGK_NATIVE_FENCE_LOG_OPERATION_WAIT_UNBLOCKED = 1,
};

/// Header of a log. The first two members are the halves of the 64-bit word
/// AtomicWraparoundAndEntryIndex of the interface. They are read and written together. Source:
/// WDDM, DXGK_NATIVE_FENCE_LOG_HEADER.
struct DXGK_NATIVE_FENCE_LOG_HEADER {
  UINT FirstFreeEntryIndex;  ///< bits [31:0] of the word
  UINT WraparoundCount;      ///< bits [63:32]: times the log wrapped
  DXGK_NATIVE_FENCE_LOG_TYPE Type;
  UINT64 NumberOfEntries;
  UINT64 Reserved[2];
};

/// One wait or signal. Times are GPU clock counts and never decrease within a log. Source: WDDM,
/// DXGK_NATIVE_FENCE_LOG_ENTRY.
struct DXGK_NATIVE_FENCE_LOG_ENTRY {
  UINT64 FenceValue;           ///< payload of the user-mode driver: awaited or signaled value
  D3DKMT_HANDLE hNativeFence;  ///< payload: user-mode handle
  DXGK_NATIVE_FENCE_LOG_OPERATION OperationType;  ///< payload
  UINT64 Reserved0;
  UINT64 FenceObservedGpuTimestamp;  ///< waits: when the wait stalled the queue
  UINT64 Reserved1;
  UINT64 FenceEndGpuTimestamp;  ///< when the operation was complete
};

/// Entries follow the header up to NumberOfEntries. Source: WDDM, DXGK_NATIVE_FENCE_LOG_BUFFER.
struct DXGK_NATIVE_FENCE_LOG_BUFFER {
  DXGK_NATIVE_FENCE_LOG_HEADER Header;
  DXGK_NATIVE_FENCE_LOG_ENTRY Entries[1];
};

namespace fenceline::wddm {
/// Size of a log as allocated by the OS [bytes], and the number of entries.
inline constexpr UINT kNativeFenceLogBytes = 4096;
inline constexpr UINT kNativeFenceLogEntries =
    (kNativeFenceLogBytes - sizeof(DXGK_NATIVE_FENCE_LOG_HEADER)) /
    sizeof(DXGK_NATIVE_FENCE_LOG_ENTRY);
}  // namespace fenceline::wddm

/// No flag is defined. Source: WDDM, DXGKARG_SETNATIVEFENCELOGBUFFER_FLAGS.
struct DXGKARG_SETNATIVEFENCELOGBUFFER_FLAGS {
  UINT Value;
};

/// Argument of DxgkDdiSetNativeFenceLogBuffer; Header.Type selects one of the queue's two logs.
/// Source: WDDM, DXGKARG_SETNATIVEFENCELOGBUFFER.
struct DXGKARG_SETNATIVEFENCELOGBUFFER {
  HANDLE hHwQueue;  ///< the driver's handle
  UINT NumberOfEntries;
  DXGK_NATIVE_FENCE_LOG_BUFFER* LogBufferCpuVa;  ///< kernel address
  D3DGPU_VIRTUAL_ADDRESS LogBufferGpuVa;         ///< in the queue's process
  D3DGPU_VIRTUAL_ADDRESS LogBufferSystemProcessGpuVa;
  DXGKARG_SETNATIVEFENCELOGBUFFER_FLAGS Flags;
  BYTE Reserved[32];
};

/// No flag is defined. Source: WDDM, DXGKARG_UPDATENATIVEFENCELOGS_FLAGS.
struct DXGKARG_UPDATENATIVEFENCELOGS_FLAGS {
  UINT Value;
};

/// Argument of DxgkDdiUpdateNativeFenceLogs. Source: WDDM, DXGKARG_UPDATENATIVEFENCELOGS.
struct DXGKARG_UPDATENATIVEFENCELOGS {
  UINT NumberOfQueues;
  HANDLE* hHWQueue;  ///< the driver's handles
  DXGKARG_UPDATENATIVEFENCELOGS_FLAGS Flags;
  BYTE Reserved[32];
};

/// At DISPATCH_LEVEL, once per log of a queue and again when a log is replaced. Source: WDDM,
/// DxgkDdiSetNativeFenceLogBuffer.
using PDXGKDDI_SETNATIVEFENCELOGBUFFER = NTSTATUS (*)(DXGKARG_SETNATIVEFENCELOGBUFFER* pArgs);
/// At DISPATCH_LEVEL: on return all writes to both logs of the listed queues are visible.
/// Source: WDDM, DxgkDdiUpdateNativeFenceLogs.
using PDXGKDDI_UPDATENATIVEFENCELOGS = NTSTATUS (*)(DXGKARG_UPDATENATIVEFENCELOGS* pArgs);
