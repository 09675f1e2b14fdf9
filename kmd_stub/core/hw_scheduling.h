#pragma once

#include <algorithm>
#include <array>

#include "kmd_stub/core/process.h"
#include "kmd_stub/core/state_hasher.h"
#include "kmd_stub/wddm/hw_queue.h"
#include "kmd_stub/wddm/scheduling.h"
#include "models/abi/registers.h"

namespace fenceline::kmd {

/// Hardware contexts that the device knows, by their slot in its context table: for interrupts.
/// Changes and looks happen under the interrupt lock.
class ScheduledContexts {
 public:
  void set(std::uint32_t slot, HwContext* context) {
    contexts_[slot] = context;
    end_ = std::max<std::size_t>(end_, slot + 1);
  }
  /// Null if there is none.
  HwContext* find(std::uint32_t slot) const {
    return slot < contexts_.size() ? contexts_[slot] : nullptr;
  }

  /// The device has been told of a context.
  bool any() const { return end_ != 0; }
  /// Nodes that DxgkDdiResetHwEngine could not reset, a bit each: until the adapter is reset. Not
  /// under the lock: calls that reset come one at a time.
  std::uint32_t not_reset = 0;

  /// To which context a slot of the queue table belongs; null: to none.
  void set_queue(std::uint32_t slot, HwContext* context) { by_queue_[slot] = context; }
  HwContext* of_queue(std::uint32_t slot) const {
    return slot < by_queue_.size() ? by_queue_[slot] : nullptr;
  }
  /// Adds what changes of them to a hash of the driver's state.
  void add_to(StateHasher& hasher) const {
    for (std::size_t slot = 0; slot < end_; ++slot)
      if (const HwContext* context = contexts_[slot])
        hasher.add(context->suspend_fence << 2 | (context->suspended ? 2U : 0U) |
                   (context->lost ? 1U : 0U));
    for (const HwContext* context : by_queue_)
      if (context != nullptr && context->lost) hasher.add(1);
  }

 private:
  std::array<HwContext*, abi::kContextSlots> contexts_{};
  std::array<HwContext*, abi::kQueueSlots> by_queue_{};
  std::size_t end_ = 0;  ///< no slot from here on has ever been used
};

// IRQL of the following: PASSIVE_LEVEL. STATUS_INVALID_HANDLE for a bad context,
// STATUS_INVALID_PARAMETER for a bad value or an object of another adapter; nothing has changed
// then.

/// A queue of the context is about to be enabled in that slot, or is no more.
void add_queue(HwContext& context, std::uint32_t slot);
void remove_queue(HwContext& context, std::uint32_t slot);
/// The context is about to be destroyed.
void forget_context(HwContext& context);

/// Takes all queues of the context from the run list and has the device report when it has left
/// its node. STATUS_SUCCESS if it is suspended, else STATUS_PENDING;
/// STATUS_INSUFFICIENT_RESOURCES without a slot in the context table.
/// Source: WDDM, DxgkDdiSuspendContext.
NTSTATUS suspend_context(Adapter& adapter, const DXGKARG_SUSPENDCONTEXT& args);
/// Source: WDDM, DxgkDdiResumeContext.
NTSTATUS resume_context(Adapter& adapter, const DXGKARG_RESUMECONTEXT& args);
/// Source: WDDM, DxgkDdiSetContextSchedulingProperties.
NTSTATUS set_scheduling_properties(Adapter& adapter,
                                   const DXGKARG_SETCONTEXTSCHEDULINGPROPERTIES& args);
/// Of the times only those of the bands count. Source: WDDM, DxgkDdiSetupPriorityBands.
NTSTATUS setup_priority_bands(Adapter& adapter, const DXGKARG_SETUPPRIORITYBANDS& args);
/// Ends what the engine is at, and reports its context as lost. On return all that the engine had
/// to report is reported. STATUS_UNSUCCESSFUL when the device does not do it.
/// Source: WDDM, DxgkDdiResetHwEngine.
NTSTATUS reset_hw_engine(Adapter& adapter, const DXGKARG_RESETHWENGINE& args);
/// Source: WDDM, DxgkDdiResumeHwEngine.
NTSTATUS resume_hw_engine(Adapter& adapter, const DXGKARG_RESUMEHWENGINE& args);
/// The device schedules hardware contexts on the node, or has not reset it over one.
bool has_hw_contexts(Adapter& adapter, UINT node);
/// There are hardware contexts on the node that are not lost. Under the interrupt lock.
bool shares_node(Adapter& adapter, UINT node);
/// The last reset of the node may have ended a queue of user mode: then its context is lost.
/// @param flags of DxgkCbInvalidateHwContext. @return whether it has.
bool lose_ended(Adapter& adapter, UINT node, UINT flags = 0);
/// The device was reset as a whole: contexts of the node that it schedules are lost.
void lose_hw_contexts(Adapter& adapter, UINT node);

}  // namespace fenceline::kmd
