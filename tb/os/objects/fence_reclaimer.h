#pragma once

#include <memory>
#include <vector>

#include "tb/os/objects/fence_storage.h"
#include "tb/os/objects/retired_fences.h"

namespace fenceline::os {

/// Frees addresses and memory of closed fences once no call or buffer can use them: first the page
/// tables change, then the GPUs drop cached translations, then addresses and memory are reused.
class FenceReclaimer {
 public:
  FenceReclaimer(System& system, FenceStorage& storage) : system_(system), storage_(storage) {}

  /// A process has closed a fence. Its mappings are reclaimed later.
  /// @param last no process has it open any more
  void add(Process& process, const std::shared_ptr<Fence>& fence, bool last, GpuMappings mappings);

 private:
  void reclaim(const std::vector<RetiredFences::Entry>& entries);

  System& system_;
  FenceStorage& storage_;
  RetiredFences retired_;
};

}  // namespace fenceline::os
