#pragma once

#include <memory>
#include <vector>

#include "tb/os/objects/fence_storage.h"
#include "tb/os/objects/retired_fences.h"

namespace fenceline::os {

/// Gives back what closed fences leave, once nobody can name it: first the page tables, then the
/// GPUs forget what they have translated, then somebody else may get addresses and memory.
class FenceReclaimer {
 public:
  FenceReclaimer(System& system, FenceStorage& storage) : system_(system), storage_(storage) {}

  /// A process has closed a fence. What it leaves is used again later.
  /// @param last nobody has it open any more
  void add(Process& process, const std::shared_ptr<Fence>& fence, bool last, GpuMappings mappings);

 private:
  void reclaim(const std::vector<RetiredFences::Entry>& entries);

  System& system_;
  FenceStorage& storage_;
  RetiredFences retired_;
};

}  // namespace fenceline::os
