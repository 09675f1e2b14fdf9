#pragma once

#include <array>
#include <cstdint>

#include "kmd_stub/core/queues/queue_table.h"
#include "kmd_stub/core/work/patching.h"
#include "kmd_stub/host/host_port.h"
#include "kmd_stub/wddm/queues/submission.h"

namespace fenceline::kmd {

class Adapter;
struct Context;

/// The driver's own rings, one per node, for DMA buffers of contexts. The buffers of a node run in
/// order of submission.
///
/// A ring is created with the first buffer of its node. The OS keeps only a few buffers of a node
/// in flight (DXGK_VIDSCHCAPS.HwQueuePacketCap), far fewer than a ring holds: a ring is never full.
/// Calls are of the GPU-scheduler class and serialised.
class Submission {
 public:
  static constexpr std::uint32_t kRingBytes = 4096;  ///< 128 packets

  /// @param queues must outlive the object.
  Submission(kmd_host::HostPort& port, QueueTable& queues) : port_(port), queues_(queues) {}

  /// Writes a RUN_BUFFER packet into the ring of the context's node and rings its doorbell. IRQL:
  /// PASSIVE_LEVEL. STATUS_INSUFFICIENT_RESOURCES without memory or slot for a ring.
  NTSTATUS submit(const Context& context, const DXGKARG_SUBMITCOMMANDVIRTUAL& args);
  /// A part of a buffer with physical addresses.
  struct Part {
    std::uint64_t address = 0;  ///< GPU physical
    UINT bytes = 0;
    UINT id = 0;  ///< SubmissionFenceId
    std::uint64_t table =
        0;  ///< GPU physical address of its address table; 0: addresses are in the buffer
    bool again = false;  ///< resubmitted after a preemption
  };
  /// The same for a part. IRQL: DISPATCH_LEVEL. @pre prepare() of the context's node.
  void submit_part(const Context& context, const Part& part);
  /// Creates the ring of a node. STATUS_INSUFFICIENT_RESOURCES. IRQL: PASSIVE_LEVEL.
  NTSTATUS prepare(std::uint32_t node);
  BindTables& tables(std::uint32_t node) { return rings_[node].tables; }
  /// After an adapter reset all submissions of the node count as complete. @param id last
  /// submission.
  void note_reset(std::uint32_t node, UINT id) { rings_[node].reset_at = id; }
  /// True if the node got the buffer after the last adapter reset. Ids increase, except those of
  /// paging buffers: these are resubmitted with their old id, but not across an adapter reset.
  bool given_since_reset(std::uint32_t node, UINT id) const { return id > rings_[node].reset_at; }
  /// True if the node has a ring.
  bool fed(std::uint32_t node) const { return rings_[node].doorbell != nullptr; }

  /// Adds the changing state to a hash of the driver's state.
  void add_to(StateHasher& hasher) const {
    for (const Ring& ring : rings_)
      if (ring.memory.kernel_address != nullptr) hasher.add(ring.written);
  }

 private:
  struct Ring {
    kmd_host::HostPort::ContiguousMemory memory;
    void* doorbell = nullptr;
    std::uint64_t written = 0;  ///< [bytes] since the ring was created
    UINT reset_at = 0;          ///< id of the last submission ended by an adapter reset
    BindTables tables;
  };
  NTSTATUS make_ring(Ring& ring, std::uint32_t node);
  template <class Packet>
  void append(Ring& ring, const Packet& packet);
  void ring_doorbell(const Ring& ring);

  kmd_host::HostPort& port_;
  QueueTable& queues_;
  std::array<Ring, abi::kMaxNodes> rings_;  ///< by node
};

/// Runs a buffer of a context. STATUS_INVALID_HANDLE for a bad context; STATUS_INVALID_PARAMETER
/// for a context of another adapter or node, or a bad buffer; STATUS_INSUFFICIENT_RESOURCES. IRQL:
/// PASSIVE_LEVEL.
NTSTATUS DxgkDdiSubmitCommandVirtual(Adapter& adapter, const DXGKARG_SUBMITCOMMANDVIRTUAL& args);

}  // namespace fenceline::kmd
