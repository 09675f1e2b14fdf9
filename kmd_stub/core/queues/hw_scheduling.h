#pragma once

#include <algorithm>
#include <array>

#include "kmd_stub/core/process.h"
#include "kmd_stub/core/state_hasher.h"
#include "kmd_stub/wddm/queues/hw_queue.h"
#include "kmd_stub/wddm/queues/scheduling.h"
#include "models/abi/registers.h"

namespace fenceline::kmd {

/// Hardware contexts that the device knows, by slot of its context table; used by interrupts. All
/// access is under the interrupt lock.
class ScheduledContexts {
 public:
  void set(std::uint32_t slot, HwContext* context) {
    contexts_[slot] = context;
    end_ = std::max<std::size_t>(end_, slot + 1);
  }
  /// Null if the slot has no context.
  HwContext* find(std::uint32_t slot) const {
    return slot < contexts_.size() ? contexts_[slot] : nullptr;
  }

  /// True if any context was described to the device.
  bool any() const { return end_ != 0; }
  /// Bit n: DxgkDdiResetHwEngine could not reset node n; kept until the adapter is reset. Not
  /// guarded by the lock: reset DDIs are serialised.
  std::uint32_t not_reset = 0;

  /// Sets the context of a slot of the queue table; null: none.
  void set_queue(std::uint32_t slot, HwContext* context) { by_queue_[slot] = context; }
  HwContext* of_queue(std::uint32_t slot) const {
    return slot < by_queue_.size() ? by_queue_[slot] : nullptr;
  }
  /// Adds the changing state to a hash of the driver's state.
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
  std::size_t end_ = 0;  ///< slots from here on were never used
};

// IRQL of the functions below: PASSIVE_LEVEL. STATUS_INVALID_HANDLE for a bad context,
// STATUS_INVALID_PARAMETER for a bad value or an object of another adapter. An error changes
// nothing.

/// add_queue: call before a queue of the context is enabled. remove_queue: call after it is gone.
void add_queue(HwContext& context, std::uint32_t slot);
void remove_queue(HwContext& context, std::uint32_t slot);
/// Call before the context is destroyed.
void forget_context(HwContext& context);

/// Removes all queues of the context from the run list and makes the device report when the context
/// has left its node. STATUS_SUCCESS if it is already suspended, else STATUS_PENDING;
/// STATUS_INSUFFICIENT_RESOURCES without a free slot in the context table.
NTSTATUS DxgkDdiSuspendContext(Adapter& adapter, const DXGKARG_SUSPENDCONTEXT& args);
/// Source: WDDM, DxgkDdiResumeContext.
NTSTATUS DxgkDdiResumeContext(Adapter& adapter, const DXGKARG_RESUMECONTEXT& args);
/// Source: WDDM, DxgkDdiSetContextSchedulingProperties.
NTSTATUS DxgkDdiSetContextSchedulingProperties(Adapter& adapter,
                                               const DXGKARG_SETCONTEXTSCHEDULINGPROPERTIES& args);
/// Only the times of the bands are used.
NTSTATUS DxgkDdiSetupPriorityBands(Adapter& adapter, const DXGKARG_SETUPPRIORITYBANDS& args);
/// Ends the current work of the engine and reports its context as lost. On return all earlier
/// reports of the engine have reached the OS. STATUS_UNSUCCESSFUL if the device fails.
NTSTATUS DxgkDdiResetHwEngine(Adapter& adapter, const DXGKARG_RESETHWENGINE& args);
/// Source: WDDM, DxgkDdiResumeHwEngine.
NTSTATUS DxgkDdiResumeHwEngine(Adapter& adapter, const DXGKARG_RESUMEHWENGINE& args);
/// True if the device schedules hardware contexts on the node, or failed to reset it because of
/// one.
bool has_hw_contexts(Adapter& adapter, UINT node);
/// True if the node has hardware contexts that are not lost. Call under the interrupt lock.
bool shares_node(Adapter& adapter, UINT node);
/// Reports the context of the user-mode queue that the last reset of the node ended as lost. @param
/// flags of DxgkCbInvalidateHwContext. @return true if there was one.
bool lose_ended(Adapter& adapter, UINT node, UINT flags = 0);
/// After a reset of the whole device: all hardware contexts of the node are lost.
void lose_hw_contexts(Adapter& adapter, UINT node);

}  // namespace fenceline::kmd
