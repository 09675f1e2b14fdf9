#pragma once

#include <memory>
#include <vector>

#include "tb/os/vidsch/context_scheduler.h"

namespace fenceline::os {

/// What fences leave when they are closed: addresses that GPUs translate, and after the last close
/// the memory of their values. All of it is used again, but not at once: the translations of the
/// GPU are flushed for many together.
class RetiredFences {
 public:
  static constexpr std::size_t kTogether = 64;  ///< closes that share one flush

  struct Entry {
    std::shared_ptr<Fence> fence;  ///< null: somebody still has it open
    GpuMappings mappings;          ///< of those who have closed it
    /// What they had submitted by then: buffers may name its addresses.
    std::vector<ContextScheduler::Mark> submitted{};

    /// Neither a call that is under way nor a buffer can name what is left.
    bool over() const;
  };
  void add(Entry entry) { entries_.push_back(std::move(entry)); }
  /// Takes out what is over, if there is enough of it; else nothing.
  std::vector<Entry> take();

 private:
  std::vector<Entry> entries_;
};

}  // namespace fenceline::os
