#pragma once

#include <memory>
#include <vector>

#include "tb/os/contexts/context_queue.h"

namespace fenceline::os {

/// Remains of closed fences: GPU addresses and, after the last close, the memory of the values.
/// They are reused later, because one flush of GPU translations serves many closes.
class RetiredFences {
 public:
  struct Entry {
    std::shared_ptr<Fence> fence;  ///< null: another process still has it open
    GpuMappings mappings;          ///< mappings of processes that have closed it
    /// Submissions up to the close: their buffers may name the addresses.
    std::vector<ContextQueue::Mark> submitted{};

    /// True once no call and no buffer can name it.
    bool over() const;
  };
  void add(Entry entry) { entries_.push_back(std::move(entry)); }
  /// Removes and returns entries that are over, if there are at least `together`; else none.
  std::vector<Entry> take(std::size_t together);

 private:
  std::vector<Entry> entries_;
};

}  // namespace fenceline::os
