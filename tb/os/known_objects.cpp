#include "tb/os/known_objects.h"

#include <algorithm>

namespace fenceline::os {

namespace {

template <typename List>
bool holds(const List& list, HANDLE handle) {
  return std::any_of(list.begin(), list.end(),
                     [handle](const auto& object) { return object.get() == handle; });
}

}  // namespace

bool KnownObjects::has(Adapter::Known kind, HANDLE handle) const {
  if (handle == nullptr) return false;
  if (kind == Adapter::Known::kCpuEvent) return holds(cpu_events, handle);
  return std::any_of(processes.begin(), processes.end(), [&](const auto& process) {
    switch (kind) {
      case Adapter::Known::kProcess:
        return process->space.get() == handle;
      case Adapter::Known::kHwQueue:
        return holds(process->queues, handle);
      default:
        return holds(process->hw_contexts, handle);
    }
  });
}

}  // namespace fenceline::os
