#include "tb/reference/program/program.h"

#include <algorithm>
#include <iterator>

namespace fenceline::reference {

std::vector<Id> Program::closes_that_end(Ref wait, const Point& point) const {
  const Fence& fence = fence_of(point);
  const bool by_thread = lanes[wait.lane].kind != Lane::Kind::kQueue ||
                         abi::mutant(abi::Mutant::kQueuesEndAtFirstClose);
  if (by_thread) {
    const bool by_last =
        (fence.waits_for_last_close && !abi::mutant(abi::Mutant::kOwnCloseEndsWait)) ||
        abi::mutant(abi::Mutant::kThreadsAwaitLastClose);
    return by_last ? fence.handles : std::vector<Id>{point.handle};
  }
  const std::string& adapter = adapters[lanes[wait.lane].process];
  std::vector<Id> closes;
  std::copy_if(fence.handles.begin(), fence.handles.end(), std::back_inserter(closes), [&](Id id) {
    const std::optional<Id>& process = handles[id].process;
    return process &&
           (adapters[*process] == adapter || abi::mutant(abi::Mutant::kQueuesAwaitAllAdapters));
  });
  return closes;
}

}  // namespace fenceline::reference
