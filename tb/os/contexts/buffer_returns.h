#pragma once

#include "tb/os/contexts/context_table.h"

namespace fenceline::os {

/// The way of buffers back from their nodes: complete, given up, refused or preempted. Preempted
/// buffers return to the front of their context. Source: WDDM, GPU preemption.
class BufferReturns {
 public:
  explicit BufferReturns(ContextTable& table) : table_(table) {}

  /// Processes with buffers that have completed; null stands for the OS.
  using Owners = std::vector<const void*>;
  /// The driver has reported a completed buffer. At DISPATCH_LEVEL. Bug check for an id never given
  /// out.
  Owners completed(Adapter& adapter, UINT node, UINT id);
  /// The driver has reported a buffer that was given up. Earlier buffers of the node are complete,
  /// and the buffer's device is in error. At DISPATCH_LEVEL. Bug check for an id that the node does
  /// not have, and for a paging buffer.
  /// Source: WDDM, DXGK_INTERRUPT_DMA_FAULTED, DXGK_INTERRUPT_DMA_PAGE_FAULTED.
  Owners faulted(Adapter& adapter, UINT node, UINT id);
  /// The driver has refused the buffer. Its fence counts as completed, and its device is in error.
  /// Source: WDDM, DxgkDdiSubmitCommandVirtual, STATUS_INVALID_PARAMETER.
  void refused(ContextQueue& context, UINT id);
  /// Asks the driver to preempt the work of the node. In a thread at PASSIVE_LEVEL.
  void preempt(ContextNode& node);
  /// The driver has reported a preemption: buffers behind `last` return to their contexts. At
  /// DISPATCH_LEVEL. Bug check if `id` is not that of the request.
  void preempted(Adapter& adapter, UINT node, UINT id, UINT last);
  /// Returns all buffers of the node to the front of their contexts, in order. @pre the lock is
  /// held
  void take_back(ContextNode& node, bool resubmit);
  /// A buffer of the context is complete. @pre the lock is held
  void count_complete(ContextQueue& context) const;

 private:
  /// The device of the context must be put in error. @pre the lock is held
  void lose(ContextQueue& context) const;
  Owners complete_through(ContextNode& node, UINT id);
  static void has_left(ContextNode& node, ContextQueue& context);

  ContextTable& table_;
  std::uint64_t turns_ = 0;  ///< number of quanta that have ended
};

}  // namespace fenceline::os
