#pragma once

#include <cstdint>
#include <deque>

#include "tb/os/contexts/context_queue.h"

namespace fenceline::os {

/// Flips of one video present source, in the order of their presents.
///
/// A flip waits until its image is drawn, which means that earlier buffers of its context are
/// complete. With MMIO flips (DXGK_FLIPCAPS.FlipOnVSyncMmIo) the OS then calls
/// DxgkDdiSetVidPnSourceAddress, independent of preemptions. Otherwise the flip is a DMA buffer
/// behind those that draw. The flip is done when DXGK_INTERRUPT_CRTC_VSYNC has named its primary.
/// The hardware has at most one flip at a time. A reset of the adapter may drop the report of the
/// vertical sync that it waits for, so the flip is given again. Source: WDDM, FlipOnVSyncMmIo;
/// A-475; A-871.
class FlipQueue : public common::Hashed {
 public:
  /// @param waits_for_drawing false: flips do not wait for their images
  FlipQueue(Cpu& cpu, Adapter& adapter, bool waits_for_drawing);

  // Call these in a thread at PASSIVE_LEVEL.
  /// Queues a flip. Blocks while more than `limit` flips are not done.
  /// @param context whose work so far must be complete; @param immediate without vertical sync
  void present(ContextQueue& context, std::uint64_t primary, bool immediate, UINT limit);

  /// Flips are pending.
  bool busy();

  // Call these at DISPATCH_LEVEL or below.
  /// Buffers have completed, or contexts have ended.
  void progress();
  /// The driver has reported a vertical sync that shows this primary.
  void synced(std::uint64_t primary);
  /// The adapter works again after a reset: gives it the flip again that it had.
  void show_again();

  std::uint64_t state_hash() const override;

 private:
  struct Flip {
    std::uint64_t number = 0;  ///< number of the present, from 1
    std::uint64_t primary = 0;
    const ContextQueue* context = nullptr;
    std::uint64_t submitted = 0;  ///< buffers of the context that must be complete
    bool immediate = false;
    bool given = false;   ///< given to the hardware, or about to be
    bool giving = false;  ///< a call to the driver is under way
    bool again = false;   ///< to be given once more when that call returns
    bool synced = false;  ///< a vertical sync has named its primary during that call
  };
  bool take_next(Flip& next);
  void give(const Flip& flip);
  bool gave();
  void end_first();
  void set_address(const Flip& flip);
  void wait_for_room(UINT limit);

  Cpu& cpu_;
  Adapter& adapter_;
  const bool waits_for_drawing_;
  SpinLock lock_;  ///< guards the flips
  std::deque<Flip> flips_;
  std::uint64_t presents_ = 0;
  KernelEvent room_;  ///< set when a flip is done
};

}  // namespace fenceline::os
