#pragma once

#include <cstdint>

/// What the fields of events hold, where that is more than a number: see EventKind.
namespace fenceline::common {

/// Field a of kRecovery.
enum class RecoveryStage : std::uint64_t {
  kTimeout,       ///< a preemption was not acknowledged in time; b = its id
  kEngineReset,   ///< DxgkDdiResetEngine returned; b = LastAbortedFenceId
  kAdapterReset,  ///< DxgkDdiResetFromTimeout returned
  kRestart,       ///< DxgkDdiRestartFromTimeout returned
  kDependent,     ///< a node that is reset with another is asked for preemption first; b = its id
  kBlocked,       ///< a process may use the adapter no more; b = the process
  kRefused,       ///< the driver has not taken a buffer; b = its id
  kMemoryLost     ///< a paging buffer for memory of a process was lost; b = the process, c = 0
};
/// In field c of kScheduledQueue, above the engine: that does not leave the queue while it has
/// packets.
constexpr std::uint64_t kRunsToItsEnd = 256;
/// How a monitored fence is mapped (field a of kFenceMapped).
enum FenceMapping : std::uint64_t {
  kMapCpuCached = 1,     ///< the user mapping is write-back, else uncached
  kMapCpuWritable = 2,   ///< user mode may store to it
  kMapGpu = 4,           ///< there is a GPU virtual address
  kMapHostCoherent = 8,  ///< the platform keeps caches coherent with devices
  kMapIommu = 16,        ///< the GPU uses the CPU's addresses
  kMapNoGpuAccess = 32   ///< the fence was created so
};
/// Where the content of an allocation is (kAllocationPlaced).
enum class Placement : std::uint64_t {
  kVram,      ///< in a memory segment
  kAperture,  ///< in system memory, where the GPU reaches it
  kSystem     ///< in system memory, and the GPU does not
};
/// What decides about locks of an allocation.
enum AllocationFact : std::uint64_t {
  kFactCpuVisible = 1,      ///< it was created for access by the CPU
  kFactCached = 2,          ///< and that is cached
  kFactAperture = 4,        ///< it may be in the aperture segment
  kFactSegmentVisible = 8,  ///< the memory segment is CPU visible
  kFactHostAperture = 16,   ///< the memory segment has a CpuHostAperture
  kFactRoom = 32,           ///< with enough free pages for it, or it has them already
  kFactLocked = 64,         ///< it is locked
  kFactPinned = 128,        ///< and so cannot be in a memory segment meanwhile
  kFactLost = 256,          ///< its device is in error, and a reset has ended a move of it
  kFactPlacementShift = 9   ///< above: Placement
};
/// Of a load by user mode (kCpuLoad).
enum CpuLoadFlag : std::uint64_t {
  kLoadNotSnooped = 1,    ///< through caches that the allocation's device does not see
  kLoadHidesMemory = 2,   ///< memory held something else at that time
  kLoadUncached = 4,      ///< from the device itself
  kLoadDurationShift = 8  ///< above: [ps] that it took
};
/// Field c of kGpuLoad: the address space, and above it
constexpr std::uint64_t kGpuLoadSpaceMask = 0xFF;
constexpr std::uint64_t kGpuLoadNotSnooped = 0x100;  ///< caches may have hidden something from it
/// Why a core has its write-combining buffers sent (kCombiningDrained).
enum class CombiningDrain : std::uint64_t {
  kFence,      ///< a store fence
  kBarrier,    ///< a full barrier
  kAtomic,     ///< an atomic operation
  kUncached,   ///< an uncached load or store
  kInterrupt,  ///< the core takes an interrupt
  kRemap,      ///< addresses are about to lead elsewhere
  kThread      ///< the thread leaves its core
};
/// Who had caches maintained (kCacheMaintained).
enum class CacheCall : std::uint64_t {
  kUserMode,      ///< D3DKMTInvalidateCache
  kBeforeListed,  ///< VidMm, before work that lists the allocation
  kAfterListed,   ///< VidMm, after it
  kMove           ///< VidMm, before its pages are left
};
/// How user mode maps an allocation (kAllocationMapped).
enum class MapMode : std::uint64_t { kRead, kWrite, kReadWrite, kWriteDiscard, kWriteNoOverwrite };
/// Field a of kLogLevel.
enum class LogLevel : std::uint8_t {
  kNormal,   ///< no trace, and both drivers have been told
  kVerbose,  ///< a trace, and both drivers have been told
  kChanging  ///< they are being told
};
/// What a doorbell between GPUs says (field a of kPeerDoorbell).
enum class PeerScan : std::uint8_t { kAll, kFence, kQueues };
/// What is wrong with a DxgkCbSignalEvent (field c of kCpuEventSignal).
enum CpuEventFault : std::uint64_t {
  kEventNotAlive = 1,
  kEventWrongFields = 2,
  kEventWrongIrql = 4
};
/// Kinds of calls that a driver is checked for (field c of kDdiReturn): calls of each kind, at most
/// kMostGuardedCalls, in kGuardedCallBits bits from kGuardedCallBits * kind on.
enum class GuardedCall : std::uint8_t {
  kRegister,  ///< accesses to registers
  kAddress,   ///< accesses to memory by a kernel address
  kMemory,    ///< requests for memory or mappings
  kLock,      ///< of locks and shared values
  kCallback,  ///< of functions of the OS
  kCount
};
constexpr unsigned kGuardedCallBits = 12;
constexpr std::uint64_t kMostGuardedCalls = (1ULL << kGuardedCallBits) - 1;
/// Who read a CurrentValue (field b of kCurrentValueRead).
enum class Reader : std::uint8_t { kUserPoll, kOsResample, kOsDpcScan, kCmp, kQueueWait, kOther };
/// Which of the CMP's two compares decided (field c of kCmpDecision).
enum class Decider : std::uint8_t { kSignalNotice, kMonitoredUpdate };
/// Flags of kFenceStorage.
enum StorageFlag : std::uint64_t {
  kStorageShared = 1,          ///< other processes may open the fence
  kStorageCurrentLocal = 2,    ///< CurrentValue may be in VRAM, as the driver says
  kStorageMonitoredLocal = 4,  ///< the same for MonitoredValue
  kStorageCurrentSystem = 8,   ///< CurrentValue may be in system memory
  kStorageMonitoredSystem = 16
};
constexpr unsigned kStorageAdapterShift = 32;  ///< above the flags: adapter of MonitoredValue
/// Field c of kInterruptRaised: the entry stands for native and monitored fences.
constexpr std::uint64_t kBothKinds = 1ULL << 32;
/// Field c of kGpuFault: the address is that of a log, and the rest the slot of its queue.
constexpr std::uint64_t kLogOfQueue = 1ULL << 32;
/// What user mode touched (field a of kUserAccess).
enum class UserTarget : std::uint8_t {
  kReadCurrent,
  kWriteCurrent,
  kReadMonitored,
  kWriteMonitored
};
/// What crosses a PCIe link (field a of kPcieTransfer).
enum class TlpKind : std::uint8_t {
  kPostedWrite,
  kReadRequest,
  kCompletion,
  kMessageSignaledInterrupt
};
/// What goes wrong on a link (field a of kLinkFault).
enum class LinkFaultKind : std::uint8_t {
  kMessageLost,   ///< an interrupt message never arrives
  kMessageTwice,  ///< it arrives twice
  kMessageLate,   ///< it arrives later than what was sent after it
  kReplay         ///< a packet arrives broken and is sent again, with all behind it
};
enum class QueueState : std::uint8_t { kIdle, kReady, kRunning, kParked, kSuspended };
enum class ThreadState : std::uint8_t { kReady, kRunning, kBlocked, kFinished };

}  // namespace fenceline::common
