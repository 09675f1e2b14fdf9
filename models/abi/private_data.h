#pragma once

#include <cstdint>

/// Private driver data: the contract between user-mode and kernel-mode driver. Windows passes it on
/// unread; the hardware never sees it.
namespace fenceline::abi {

/// Private data of D3DKMT_CREATENATIVEFENCE and D3DKMT_OPENNATIVEFENCEFROMNTHANDLE (64 bytes). The
/// kernel-mode driver writes it.
struct FencePrivateData {
  std::uint32_t fence_slot;  ///< for signal and wait packets: abi::fence_name
  std::uint32_t reserved[15];
};
static_assert(sizeof(FencePrivateData) == 64);

/// Answer to D3DKMTQueryAdapterInfo and DXGKQAITYPE_UMDRIVERPRIVATE.
struct AdapterPrivateData {
  std::uint64_t fence_writers;    ///< bit n: node n executes FENCE_WRITE
  std::uint64_t fence_notifiers;  ///< bit n: FENCE_WRITE of node n can interrupt
};
static_assert(sizeof(AdapterPrivateData) == 16);

/// Usage[0] of D3DDDI_DRIVERESCAPE_CPUEVENTUSAGE: when the kernel-mode driver signals the event.
enum class CpuEventUse : std::uint32_t {
  kNever = 0,
  kNow = 1,             ///< once, during the escape
  kBufferCompleted = 2  ///< each time the node in Usage[1] completes a buffer
};

/// Data of a private escape: signal an event by its NT handle. It cannot work from a guest.
struct SignalByHandle {
  std::uint32_t magic;  ///< kSignalByHandle
  std::uint32_t reserved;
  std::uint64_t nt_handle;
};
static_assert(sizeof(SignalByHandle) == 16);
constexpr std::uint32_t kSignalByHandle = 0x544E5645;  // "EVNT"

/// Known escape by which the OS switches verbose logging on or off in the kernel-mode driver. It is
/// our own: no public document names the call.
struct LoggingLevelEscape {
  std::uint32_t type;     ///< kLoggingLevelEscape
  std::uint32_t verbose;  ///< 1: on, 0: off
};
static_assert(sizeof(LoggingLevelEscape) == 8);
constexpr std::uint32_t kLoggingLevelEscape = 0x4C474F4C;  // "LOGL"
/// Escape that the OS itself calls: doorbells between GPUs. No public DDI exists; this one is ours.
struct PeerDoorbellEscape {
  enum class Operation : std::uint32_t {
    kDescribe,  ///< get the payload that peers write for a fence of this adapter
    kConnect    ///< signals of a fence of this adapter ring a peer from now on
  };
  std::uint32_t magic;  ///< kPeerDoorbellMagic
  Operation operation;
  std::uint64_t native_fence;  ///< in: hGlobalNativeFence, handle of the driver
  const void* const* queues;   ///< in, describe: hHwQueue of queues that may wait for the fence
  std::uint32_t queue_count;
  std::uint32_t peer;        ///< in, connect: peer number below abi::kPeers
  std::uint64_t page;        ///< in, connect: bus address of the peer's doorbell page
  std::uint64_t payload;     ///< in, connect: kPeerNames* of registers.h with their operand
  std::uint32_t fence_slot;  ///< out, describe
  std::uint32_t queue_mask;  ///< out, describe: bit n stands for queue slots n mod 32
};
constexpr std::uint32_t kPeerDoorbellMagic = 0x52454550;  // "PEER"

/// Private driver data of an allocation: the requirements of user mode.
struct AllocationPrivateData {
  std::uint64_t bytes;      ///< in: size
  std::uint32_t segments;   ///< in: allowed segments; bit n-1 for segment n
  std::uint32_t preferred;  ///< in: segment id; 0: the lowest of `segments`
  std::uint32_t flags;      ///< in: AllocationUse
  std::uint32_t reserved;
};
static_assert(sizeof(AllocationPrivateData) == 24);
enum AllocationUse : std::uint32_t {
  kUsedByCpu = 1,     ///< user mode may lock the allocation
  kCachedByCpu = 2,   ///< the mapping is cached; with kUsedByCpu
  kUsedByAddress = 4  ///< engines use physical addresses: the allocation must be contiguous
};

/// Private driver data of D3DKMT_CREATEHWQUEUE.
struct QueuePrivateData {
  std::uint64_t ring_address;          ///< in: GPU virtual address of the ring
  std::uint64_t ring_bytes;            ///< in: a power of two
  std::uint64_t read_pointer_address;  ///< in: GPU virtual address for the read pointer; 0: none
  std::uint32_t queue_slot;            ///< out: slot of the queue table
  std::uint32_t progress_slot;         ///< out: abi::fence_name of a native progress fence
  std::uint64_t write_pointer_address =
      0;  ///< in: GPU virtual address of the write pointer in memory; 0: none
};
static_assert(sizeof(QueuePrivateData) == 40);

}  // namespace fenceline::abi
