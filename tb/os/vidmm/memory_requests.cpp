#include "tb/os/vidmm/memory_requests.h"

#include <algorithm>
#include <utility>

#include "tb/os/dxgk/process.h"

namespace fenceline::os {

bool MemoryRequest::names(const Allocation& allocation) const {
  return std::find(list.begin(), list.end(), &allocation) != list.end();
}

/// Values are handed out in the order of the requests, in which they are served.
std::uint64_t MemoryRequests::ask(MemoryRequest request) {
  state_.lists.alter();
  if (request.kind == MemoryRequest::Kind::kMakeResident)
    request.value = ++request.process->paging_value;
  const std::uint64_t value = request.value;
  requests_.push_back(std::move(request));
  state_.work.set();
  return value;
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
