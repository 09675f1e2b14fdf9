#pragma once

#include <cstdint>
#include <deque>

#include "tb/os/vidsch/context_scheduler.h"

namespace fenceline::os {

/// The flips of one video present source, in the order of their presents.
///
/// A flip waits until its image is drawn: the buffers that its context had been given are complete.
/// By MMIO (DXGK_FLIPCAPS.FlipOnVSyncMmIo) the OS then calls DxgkDdiSetVidPnSourceAddress, whatever
/// is being preempted; otherwise the flip is a DMA buffer behind those that draw. It is done when
/// DXGK_INTERRUPT_CRTC_VSYNC has named its primary. One flip at a time is at the hardware.
/// Source: WDDM, FlipOnVSyncMmIo; A-475.
class FlipQueue : public common::Hashed {
 public:
  /// @param waits_for_drawing false: flips do not wait for their images.
  FlipQueue(Cpu& cpu, Adapter& adapter, bool waits_for_drawing);

  // Of a thread at PASSIVE_LEVEL.
  /// Queues a flip. Blocks while more than `limit` are not done.
  /// @param context whose work so far is to be complete; @param immediate at no vertical sync.
  void present(ContextQueue& context, std::uint64_t primary, bool immediate, UINT limit);

  // At DISPATCH_LEVEL or below.
  /// Buffers are complete, or contexts have ended.
  void progress();
  /// The driver has reported a vertical sync, after which this primary is scanned out.
  void synced(std::uint64_t primary);

  std::uint64_t state_hash() const override;

 private:
  struct Flip {
    std::uint64_t number = 0;  ///< of the present, from 1
    std::uint64_t primary = 0;
    const ContextQueue* context = nullptr;
    std::uint64_t submitted = 0;  ///< buffers of the context that are to be complete
    bool immediate = false;
    bool given = false;  ///< to the hardware
  };
  bool take_next(Flip& next);
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
