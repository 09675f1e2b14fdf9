#pragma once

#include "tb/os/contexts/buffer_returns.h"

namespace fenceline::os {

/// Ends contexts whose device is in error: by a fault, a reset, or the loss of memory. At
/// PASSIVE_LEVEL.
class LostWork {
 public:
  LostWork(ContextTable& table, BufferReturns& returns) : table_(table), returns_(returns) {}

  /// The device of the process is in error: only buffers already at the driver continue.
  void end(const Adapter& adapter, const void* owner);
  /// Memory of the process was lost: its device is in error.
  void lose_memory(Adapter& adapter, const void* owner, std::uint32_t process);
  /// Puts the devices of faulted buffers in error; false if there are none.
  bool end_faulted();
  /// Drops the first `count` buffers of the node and all other submissions of their processes; the
  /// other buffers return to their contexts. A lost paging buffer counts as complete: VidMm
  /// continues, and the devices that own the memory are in error. A context that the node was about
  /// to leave has lost its state.
  /// Source: WDDM, TDR: the system device is never in error.
  void abort(ContextNode& node, std::size_t count);

  /// Called: contexts of the adapter have ended.
  std::function<void(const Adapter&)> on_ended;
  /// Called: the device of the process is in error.
  std::function<void(const void* owner)> on_aborted;
  /// Called: paging buffers of the adapter were lost in its reset.
  std::function<void(Adapter&)> on_paging_lost;

 private:
  void end_device(const Adapter& adapter, const void* owner);

  ContextTable& table_;
  BufferReturns& returns_;
};

}  // namespace fenceline::os
