#pragma once

#include <cstdint>

#include "tb/check/world.h"

namespace fenceline::check {

/// Values that somebody was told to write: I36 PROGRESS_KEPT, I44 BATCH and I46
/// PROGRESS.
class ToldValueChecks {
 public:
  explicit ToldValueChecks(World& world) : world_(world) {}

  void on_batch_bad(const common::Event& event);
  /// CurrentValue takes a value; `signal` is null if it is not known to be the GPU's.
  void on_visible(const common::Event& event, const Signal* signal);
  void on_progress_fence(const common::Event& event);
  void on_signal_begin(const common::Event& event);
  void on_destroy(std::uint32_t fence) { fences_.forget(fence); }
  void clear() { fences_.clear(); }
  void add_to(Canonical& hash) const;

 private:
  struct Fence {
    void clear() { *this = {}; }
    bool in_bad_batch = false;
    std::uint64_t told = 0;      ///< value that the bad batch had for it
    std::uint64_t queue = 0;     ///< whose progress it tells, 0: of none
    std::uint64_t progress = 0;  ///< as signalled last
    std::uint64_t highest = 0;   ///< that CurrentValue has had as a progress fence
  };
  void fail(Invariant invariant, std::uint32_t fence, const std::string& what);

  World& world_;
  Dense<Fence> fences_;
};

}  // namespace fenceline::check
