#pragma once

#include <cstdint>

/// What user-mode and kernel-mode driver tell each other in private driver data. Windows passes it
/// on unread; the hardware never sees it.
namespace fenceline::abi {

/// In the 64 bytes of D3DKMT_CREATENATIVEFENCE and D3DKMT_OPENNATIVEFENCEFROMNTHANDLE, written by
/// the kernel-mode driver.
struct FencePrivateData {
  std::uint32_t fence_slot;  ///< for signal and wait packets
  std::uint32_t reserved[15];
};
static_assert(sizeof(FencePrivateData) == 64);

/// Private driver data of D3DKMT_CREATEHWQUEUE.
struct QueuePrivateData {
  std::uint64_t ring_address;          ///< in: GPU virtual address of the ring
  std::uint64_t ring_bytes;            ///< in: a power of two
  std::uint64_t read_pointer_address;  ///< in: GPU virtual address for the read pointer, 0: none
  std::uint32_t queue_slot;            ///< out: of the queue table; names the doorbell page too
  std::uint32_t progress_slot;         ///< out: fence slot of a native progress fence
};
static_assert(sizeof(QueuePrivateData) == 32);

}  // namespace fenceline::abi
