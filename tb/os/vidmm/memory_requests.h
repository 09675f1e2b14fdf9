#pragma once

#include <list>
#include <vector>

#include "tb/os/vidmm/video_memory_state.h"

namespace fenceline::os {

struct Process;

/// A task for the thread of VidMm.
struct MemoryRequest {
  enum class Kind : std::uint8_t { kMakeResident, kEvict, kRelease, kDestroy, kMoveOut, kState };
  Kind kind;
  Process* process;
  std::vector<Allocation*> list;
  std::vector<ContextQueue::Mark> marks{};  ///< must have passed first
  std::uint64_t value = 0;  ///< of the paging queue's fence, for kMakeResident: set by `ask`
  bool not_in_use = false;
  ContextQueue* context = nullptr;  ///< context that asks, for kState
  KernelEvent* done = nullptr;

  /// True if the allocations may leave once it is served.
  bool ends_use() const { return kind == Kind::kEvict || kind == Kind::kRelease; }
  bool names(const Allocation& allocation) const;
};

/// Requests of threads to VidMm that are not served yet.
class MemoryRequests {
 public:
  explicit MemoryRequests(VideoMemoryState& state) : state_(state) {}

  /// @return value that the paging queue's fence gets when it is served, 0: none
  std::uint64_t ask(MemoryRequest request);
  /// Adds a request and blocks until it is served.
  void ask_and_wait(MemoryRequest request);
  /// True if a request other than `other` will end the use of the allocation.
  bool end_use_of(const Allocation& allocation, const MemoryRequest* other = nullptr) const;
  std::list<MemoryRequest>& all() { return requests_; }
  const std::list<MemoryRequest>& all() const { return requests_; }

 private:
  VideoMemoryState& state_;
  std::list<MemoryRequest> requests_;
};

}  // namespace fenceline::os
