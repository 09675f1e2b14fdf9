#pragma once

#include <cstdint>

/// What user-mode and kernel-mode driver tell each other in private driver data. Windows passes it
/// on unread; the hardware never sees it.
namespace fenceline::abi {

/// In the 64 bytes of D3DKMT_CREATENATIVEFENCE and D3DKMT_OPENNATIVEFENCEFROMNTHANDLE, written by
/// the kernel-mode driver.
struct FencePrivateData {
  std::uint32_t fence_slot;  ///< for signal and wait packets: abi::fence_name
  std::uint32_t reserved[15];
};
static_assert(sizeof(FencePrivateData) == 64);

/// Answer to D3DKMTQueryAdapterInfo and DXGKQAITYPE_UMDRIVERPRIVATE.
struct AdapterPrivateData {
  std::uint64_t fence_writers;    ///< a bit a node that executes FENCE_WRITE
  std::uint64_t fence_notifiers;  ///< a bit a node whose FENCE_WRITE can interrupt
};
static_assert(sizeof(AdapterPrivateData) == 16);

/// Usage[0] of D3DDDI_DRIVERESCAPE_CPUEVENTUSAGE: when the kernel-mode driver signals the event.
enum class CpuEventUse : std::uint32_t {
  kNever = 0,
  kNow = 1,             ///< in the escape, once
  kBufferCompleted = 2  ///< whenever the node in Usage[1] has completed a buffer
};

/// Data of an escape of our own: signal an event by its NT handle. It cannot work from a guest.
struct SignalByHandle {
  std::uint32_t magic;  ///< kSignalByHandle
  std::uint32_t reserved;
  std::uint64_t nt_handle;
};
static_assert(sizeof(SignalByHandle) == 16);
constexpr std::uint32_t kSignalByHandle = 0x544E5645;  // "EVNT"

/// By this the OS tells the kernel-mode driver that a trace wants verbose logging, or wants it no
/// more: a known escape of our own, for no document names the call.
struct LoggingLevelEscape {
  std::uint32_t type;     ///< kLoggingLevelEscape
  std::uint32_t verbose;  ///< 1: on, 0: off
};
static_assert(sizeof(LoggingLevelEscape) == 8);
constexpr std::uint32_t kLoggingLevelEscape = 0x4C474F4C;  // "LOGL"
/// Escape of the OS itself: doorbells between GPUs. No DDI for them is published; this one is ours.
struct PeerDoorbellEscape {
  enum class Operation : std::uint32_t {
    kDescribe,  ///< what others write for a fence of this adapter
    kConnect    ///< signals of a fence of this adapter ring a peer from now on
  };
  std::uint32_t magic;  ///< kPeerDoorbellMagic
  Operation operation;
  std::uint64_t native_fence;  ///< in: hGlobalNativeFence, the driver's
  const void* const* queues;   ///< in, describe: hHwQueue of the queues that may wait for it
  std::uint32_t queue_count;
  std::uint32_t peer;        ///< in, connect: below abi::kPeers
  std::uint64_t page;        ///< in, connect: bus address of the peer's page
  std::uint64_t payload;     ///< in, connect: kPeerNames* of registers.h with what they name
  std::uint32_t fence_slot;  ///< out, describe
  std::uint32_t queue_mask;  ///< out, describe: a bit a queue slot, mod 32
};
constexpr std::uint32_t kPeerDoorbellMagic = 0x52454550;  // "PEER"

/// Private driver data of an allocation: what user mode wants of it.
struct AllocationPrivateData {
  std::uint64_t bytes;      ///< in: size
  std::uint32_t segments;   ///< in: a bit a segment, bit n-1 for segment n
  std::uint32_t preferred;  ///< in: segment id, 0: the lowest of `segments`
  std::uint32_t flags;      ///< in: AllocationUse
  std::uint32_t reserved;
};
static_assert(sizeof(AllocationPrivateData) == 24);
enum AllocationUse : std::uint32_t {
  kUsedByCpu = 1,     ///< user mode may lock it
  kCachedByCpu = 2,   ///< through a cached mapping; with kUsedByCpu
  kUsedByAddress = 4  ///< engines use its physical address: contiguous where it is
};

/// Private driver data of D3DKMT_CREATEHWQUEUE.
struct QueuePrivateData {
  std::uint64_t ring_address;          ///< in: GPU virtual address of the ring
  std::uint64_t ring_bytes;            ///< in: a power of two
  std::uint64_t read_pointer_address;  ///< in: GPU virtual address for the read pointer, 0: none
  std::uint32_t queue_slot;            ///< out: of the queue table
  std::uint32_t progress_slot;         ///< out: abi::fence_name of a native progress fence
  std::uint64_t write_pointer_address = 0;  ///< in: GPU virtual address of the write pointer that
                                            ///< user mode keeps in memory, 0: none
};
static_assert(sizeof(QueuePrivateData) == 40);

}  // namespace fenceline::abi
