#pragma once

#include <list>
#include <vector>

#include "tb/os/vidmm/video_memory_state.h"

namespace fenceline::os {

struct Process;

/// Something that the thread of VidMm is to do.
struct MemoryRequest {
  enum class Kind : std::uint8_t { kMakeResident, kEvict, kRelease, kDestroy, kMoveOut, kState };
  Kind kind = Kind::kMakeResident;
  Process* process = nullptr;
  std::vector<Allocation*> list;
  std::vector<ContextScheduler::Mark> marks{};  ///< to be passed first
  std::uint64_t value = 0;                      ///< of the paging queue's fence
  bool not_in_use = false;
  ContextQueue* context = nullptr;  ///< of kState: who asks
  KernelEvent* done = nullptr;

  /// The allocations may go when it is served.
  bool ends_use() const { return kind == Kind::kEvict || kind == Kind::kRelease; }
  bool names(const Allocation& allocation) const;
};

/// What threads have asked VidMm for and its thread has not served yet.
class MemoryRequests {
 public:
  explicit MemoryRequests(VideoMemoryState& state) : state_(state) {}

  void ask(MemoryRequest request);
  /// Asks, and blocks the thread until it is served.
  void ask_and_wait(MemoryRequest request);
  /// Another one than `other` will end the use of the allocation.
  bool end_use_of(const Allocation& allocation, const MemoryRequest* other = nullptr) const;
  std::list<MemoryRequest>& all() { return requests_; }
  const std::list<MemoryRequest>& all() const { return requests_; }

 private:
  VideoMemoryState& state_;
  std::list<MemoryRequest> requests_;
};

}  // namespace fenceline::os
