#include "tb/os/dxgk/process.h"

#include <algorithm>

namespace fenceline::os {

namespace {

template <typename List>
bool holds(const List& list, HANDLE handle) {
  return std::any_of(list.begin(), list.end(),
                     [handle](const auto& object) { return object.get() == handle; });
}

}  // namespace

bool Process::has(Adapter::Known wanted, HANDLE handle) const {
  if (wanted == Adapter::Known::kProcess) return space.get() == handle;
  return wanted == Adapter::Known::kHwQueue ? holds(queues, handle) : holds(hw_contexts, handle);
}

PVOID Process::add_shared_address(D3DGPU_VIRTUAL_ADDRESS address, std::uint64_t bus) {
  shared_addresses[address] = bus;
  return reinterpret_cast<PVOID>(address);  // NOLINT(performance-no-int-to-ptr)
}

LocalFence* Process::fence(D3DKMT_HANDLE handle) {
  objects.read();
  const auto found = fences.find(handle);
  return found != fences.end() ? &found->second : nullptr;
}

SyncObject* Process::sync_object(D3DKMT_HANDLE handle) {
  objects.read();
  if ((handle & kSyncObjectHandle) == 0) return nullptr;
  const auto found = sync_objects.find(handle ^ kSyncObjectHandle);
  return found != sync_objects.end() ? &found->second : nullptr;
}

ContextQueue* Process::context(D3DKMT_HANDLE handle) {
  objects.read();
  const std::size_t index = static_cast<std::size_t>(handle ^ kContextHandle) - 1;
  if ((handle & kContextHandle) == 0 || index >= contexts.size()) return nullptr;
  return contexts[index];
}

Allocation* Process::allocation(D3DKMT_HANDLE handle) {
  objects.read();
  const std::size_t index = static_cast<std::size_t>(handle ^ kAllocationHandle) - 1;
  if ((handle & kAllocationHandle) == 0 || index >= managed.size()) return nullptr;
  Allocation* const found = managed[index].get();
  return found != nullptr && found->alive ? found : nullptr;
}

HANDLE Process::nt_handle(D3DKMT_HANDLE handle) {
  LocalFence* local = fence(handle);
  if (local != nullptr) return local->fence->shared ? local->fence->os_handle() : nullptr;
  const SyncObject* named = sync_object(handle);
  const bool is_shared = named != nullptr && named->fence != nullptr && named->fence->shared;
  return is_shared ? named->fence->os_handle() : nullptr;
}

FenceList Process::open_native_fences() const {
  FenceList result;
  for (const auto& [handle, local] : fences)
    if (local.fence->origin == nullptr) result.push_back(local.fence);
  return result;
}

}  // namespace fenceline::os
