#pragma once

#include "models/common/events/event_type.h"

/// Lifetime of fences, and the location of their values.
namespace fenceline::event {

/// Flags of FenceCreate.
enum FenceFlag : std::uint64_t {
  kFenceMonitored = 1,
  kFenceKeepsWaiters = 2,  ///< they stay until it is destroyed, whoever closes it
  kFenceKeepsValue = 4     ///< NoSignalMaxValueOnTdr
};
/// Flags of FenceStorage.
enum StorageFlag : std::uint64_t {
  kStorageShared = 1,          ///< other processes may open the fence
  kStorageCurrentLocal = 2,    ///< the driver allows CurrentValue in VRAM
  kStorageMonitoredLocal = 4,  ///< the driver allows MonitoredValue in VRAM
  kStorageCurrentSystem = 8,   ///< the driver allows CurrentValue in system memory
  kStorageMonitoredSystem = 16
};
/// Mapping of a monitored fence: bits of FenceMapped.
enum FenceMapping : std::uint64_t {
  kMapCpuCached = 1,     ///< the user mapping is write-back, otherwise uncached
  kMapCpuWritable = 2,   ///< user mode may store to it
  kMapGpu = 4,           ///< it has a GPU virtual address
  kMapHostCoherent = 8,  ///< the platform keeps caches coherent with devices
  kMapIommu = 16,        ///< the GPU uses addresses of the CPU
  kMapNoGpuAccess = 32   ///< the fence was created with NoGPUAccess
};
/// Value and direction of an access of user mode.
enum class UserTarget : std::uint8_t {
  kReadCurrent,
  kWriteCurrent,
  kReadMonitored,
  kWriteMonitored
};

/// A fence is created.
struct FenceCreate {
  FenceId fence;
  std::uint64_t initial;  ///< initial value
  AdapterId adapter;
  std::uint64_t flags;  ///< FenceFlag bits
  FENCELINE_FIELDS(fence, initial, adapter, flags)
  static constexpr Words kWords{"fence_create", kStory | kOrdered | kAdvances,
                                "{fence} is created with {initial}"};
};
/// A process opens a fence.
struct FenceOpen {
  FenceId fence;
  ProcessId process;
  AdapterId adapter;
  bool no_signal = false;  ///< 1: the device may not signal it
  FENCELINE_FIELDS(fence, process, adapter, no_signal)
  static constexpr Words kWords{"fence_open", kStory | kOrdered | kAdvances, "{fence} is opened"};
};
/// A process closes a fence.
struct FenceClose {
  FenceId fence;
  ProcessId process;
  AdapterId adapter;
  bool has_queues;  ///< 1: the process has hardware queues that may still signal it
  FENCELINE_FIELDS(fence, process, adapter, has_queues)
  static constexpr Words kWords{"fence_close", kStory | kOrdered | kAdvances, "{fence} is closed"};
};
/// A fence is destroyed.
struct FenceDestroy {
  FenceId fence;
  ProcessId process;
  AdapterId adapter;
  FENCELINE_FIELDS(fence, process, adapter)
  static constexpr Words kWords{"fence_destroy", kStory | kOrdered | kExplains | kAdvances,
                                "{fence} is destroyed"};
};
/// An interrupt or the CMP named a fence that is not alive.
struct HandleViolation {
  FenceId fence;
  std::uint64_t type = 0;  ///< DXGK_INTERRUPT_TYPE; 0: the CMP named it
  FENCELINE_FIELDS(fence, type)
  static constexpr Words kWords{"handle_violation", kStory | kOrdered,
                                "{agent} named {fence}, which is not alive"};
};
/// The values of a fence were placed.
struct FenceStorage {
  FenceId fence;
  std::uint64_t current;        ///< GPU physical address of CurrentValue
  std::uint64_t monitored;      ///< GPU physical address of MonitoredValue
  Part<32> flags;               ///< StorageFlag bits
  Part<32, AdapterId> adapter;  ///< adapter of MonitoredValue
  FENCELINE_FIELDS(fence, current, monitored, flags, adapter)
  static constexpr Words kWords{"fence_storage", kPlain, "{fence} is stored at {current:hex}"};
};
/// The memory of a value is free.
struct FenceStorageFree {
  FenceId fence;
  std::uint64_t address;
  AdapterId adapter;
  bool gone;  ///< 1: the fence is destroyed
  FENCELINE_FIELDS(fence, address, adapter, gone)
  static constexpr Words kWords{"fence_storage_free", kPlain,
                                "{fence} is no more, and its memory at {address:hex} is free"};
};
/// User mode accessed a value.
struct UserAccess {
  FenceId fence;
  UserTarget target;
  bool allowed;
  FENCELINE_FIELDS(fence, target, allowed)
  static constexpr Words kWords{"user_access", kStory,
                                "user mode touches a value of {fence}: {allowed|refused|allowed}"};
};
/// User mode accessed a log.
struct UserLogAccess {
  LogId log;
  bool writes;
  bool allowed;
  ProcessId process;
  FENCELINE_FIELDS(log, writes, allowed, process)
  static constexpr Words kWords{"user_log_access", kStory,
                                "user mode touches {log}: {allowed|refused|allowed}"};
};
/// A queue got a progress fence.
struct ProgressFence {
  QueueId queue;
  FenceId fence;
  FENCELINE_FIELDS(queue, fence)
  static constexpr Words kWords{"progress_fence", kPlain,
                                "{queue} gets its progress fence {fence:known}"};
};
/// The OS passes a batch with a bad handle to the driver.
struct BatchBad {
  FenceId fence;  ///< a good fence of the batch
  std::uint64_t value;
  std::uint64_t flags;
  FENCELINE_FIELDS(fence, value, flags)
  static constexpr Words kWords{"batch_bad", kStory,
                                "the OS signals {fence} to {value} in a batch with a bad handle"};
};
/// Additional event after FenceCreate of a monitored fence.
struct FenceKind {
  FenceId fence;
  std::uint64_t monitored;  ///< 1
  std::uint64_t bits;       ///< size of its value [bits]
  FENCELINE_FIELDS(fence, monitored, bits)
  static constexpr Words kWords{"fence_kind", kPlain,
                                "{fence} is a monitored fence of {bits} bits"};
};
/// A process got the addresses of a fence.
struct FenceMapped {
  FenceId fence;
  std::uint64_t mapping;      ///< FenceMapping bits
  std::uint64_t gpu_address;  ///< GPU virtual
  ProcessId process;
  FENCELINE_FIELDS(fence, mapping, gpu_address, process)
  static constexpr Words kWords{"fence_mapped", kPlain,
                                "{fence} is mapped for the GPU at {gpu_address}"};
};
/// The fence is native on this adapter and shared with others.
struct CrossAdapterFence {
  FenceId fence;
  bool rings;  ///< 1: GPUs ring each other's doorbells for it
  AdapterId adapter;
  FENCELINE_FIELDS(fence, rings, adapter)
  static constexpr Words kWords{
      "cross_adapter_fence", kPlain,
      "{fence} is a native fence on {adapter}, shared with other adapters"};
};

using LifetimeEvents = List<FenceCreate, FenceOpen, FenceClose, FenceDestroy, HandleViolation,
                            FenceStorage, FenceStorageFree, UserAccess, UserLogAccess,
                            ProgressFence, BatchBad, FenceKind, FenceMapped, CrossAdapterFence>;

}  // namespace fenceline::event
