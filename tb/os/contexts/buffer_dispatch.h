#pragma once

#include "tb/os/contexts/buffer_returns.h"
#include "tb/os/contexts/preemption_policy.h"

namespace fenceline::os {

/// The way of buffers to their nodes: it gives them to drivers, and makes nodes leave contexts. A
/// buffer with patch locations is given by DxgkDdiPatch and DxgkDdiSubmitCommand, others by
/// DxgkDdiSubmitCommandVirtual.
class BufferDispatch {
 public:
  static constexpr std::size_t kInFlight = 2;  ///< buffers of a node at the driver; A-231

  BufferDispatch(ContextTable& table, const PreemptionPolicy& policy, BufferReturns& returns)
      : table_(table), policy_(policy), returns_(returns) {}

  /// Gives the buffer at the head of the context to the driver. False if it must wait.
  bool run_buffer(ContextQueue& context, const ContextQueue::Packet& packet);
  /// Makes the node leave a context that VidMm is about to move. False if there is nothing to leave
  /// or it must wait.
  bool run_leave(ContextQueue& context);
  /// On return the state of the context is in memory and no node holds it. @pre the context is held
  /// and has no buffers at the driver. Its node gets a zero-length buffer, in front of other
  /// waiting work. Source: WDDM, DXGK_SUBMITCOMMANDFLAGS.ContextSwitch.
  void leave(ContextQueue& context);
  /// VidMm has answered on_state_needed.
  void state_returned(ContextQueue& context);

  /// Called at PASSIVE_LEVEL in its thread: the state of a context must be made resident.
  std::function<void(ContextQueue&)> on_state_needed;

 private:
  bool has_state(ContextQueue& context) const;
  bool takes_buffers(const ContextNode& node) const;
  UINT give_id(ContextNode& node, const ContextQueue& context, const ContextQueue::Packet& packet,
               DXGK_SUBMITCOMMANDFLAGS& flags) const;
  DXGKARG_SUBMITCOMMANDVIRTUAL reserve(ContextNode& node, ContextQueue& context,
                                       const ContextQueue::Packet& packet);
  void give(ContextQueue& context, const ContextQueue::Packet& packet,
            const DXGKARG_SUBMITCOMMANDVIRTUAL& args);
  void announce(const ContextQueue& context, const PatchedPart& part, UINT id) const;
  void give_part(const ContextQueue& context, const PatchedPart& part, UINT id,
                 DXGK_SUBMITCOMMANDFLAGS flags);

  ContextTable& table_;
  const PreemptionPolicy& policy_;
  BufferReturns& returns_;
};

}  // namespace fenceline::os
