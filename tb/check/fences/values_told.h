#pragma once

#include <cstdint>

#include "tb/check/core/world.h"

namespace fenceline::check {

/// Values that the OS or a packet orders to be written: I36 PROGRESS_KEPT, I44 BATCH and I46
/// PROGRESS.
class ToldValueChecks : public Checks<ToldValueChecks> {
 public:
  explicit ToldValueChecks(World& world) : Checks(world) {}

  void on(const common::At<event::BatchBad>& event);
  void on(const common::At<event::CurrentValueVisible>& event);
  void on(const common::At<event::ProgressFence>& event);
  void on(const common::At<event::SignalBegin>& event);
  void on_destroyed(std::uint32_t fence) override { fences_.forget(fence); }
  void add_to(Canonical& hash) const override;

 private:
  struct Fence {
    bool in_bad_batch = false;
    std::uint64_t told = 0;      ///< value that the rejected batch had for the fence
    std::uint64_t queue = 0;     ///< queue whose progress it reports, 0 if none
    std::uint64_t progress = 0;  ///< last signalled progress
    std::uint64_t highest = 0;   ///< highest CurrentValue as a progress fence
  };

  Dense<Fence> fences_;
};

}  // namespace fenceline::check
