#include "tb/os/vidmm/memory_requests.h"

#include <algorithm>
#include <utility>

namespace fenceline::os {

bool MemoryRequest::names(const Allocation& allocation) const {
  return std::find(list.begin(), list.end(), &allocation) != list.end();
}

void MemoryRequests::ask(MemoryRequest request) {
  state_.lists.alter();
  requests_.push_back(std::move(request));
  state_.work.set();
}

void MemoryRequests::ask_and_wait(MemoryRequest request) {
  KernelEvent done(state_.cpu.simulation().steps);
  request.done = &done;
  ask(std::move(request));
  state_.cpu.block(done, nullptr);
}

bool MemoryRequests::end_use_of(const Allocation& allocation, const MemoryRequest* other) const {
  return std::any_of(requests_.begin(), requests_.end(), [&](const MemoryRequest& request) {
    return &request != other && request.ends_use() && request.names(allocation);
  });
}

}  // namespace fenceline::os
