#include "tb/os/dxgk/process.h"

#include <algorithm>

namespace fenceline::os {

namespace {

template <typename List>
bool holds(const List& list, HANDLE handle) {
  return std::any_of(list.begin(), list.end(),
                     [handle](const auto& object) { return object.get() == handle; });
}

/// Beyond any list for a handle of another kind or device.
std::size_t index_of(const Process& process, D3DKMT_HANDLE handle, D3DKMT_HANDLE kind) {
  return static_cast<std::size_t>(handle ^ process.own(kind, 0)) - 1;
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
  const auto found = sync_objects.find(handle);
  return found != sync_objects.end() ? &found->second : nullptr;
}

ContextQueue* Process::context(D3DKMT_HANDLE handle) {
  objects.read();
  const std::size_t index = index_of(*this, handle, kContextHandle);
  return index < contexts.size() ? contexts[index] : nullptr;
}

Allocation* Process::allocation(D3DKMT_HANDLE handle) {
  objects.read();
  const std::size_t index = index_of(*this, handle, kAllocationHandle);
  Allocation* const found = index < managed.size() ? managed[index].get() : nullptr;
  return found != nullptr && found->alive ? found : nullptr;
}

HwContext* Process::hw_context(D3DKMT_HANDLE handle) {
  const std::size_t index = index_of(*this, handle, kHwContextHandle);
  return index < hw_contexts.size() ? hw_contexts[index].get() : nullptr;
}

HwQueue* Process::hw_queue(D3DKMT_HANDLE handle) {
  const std::size_t index = index_of(*this, handle, kHwQueueHandle);
  return index < queues.size() ? queues[index].get() : nullptr;
}

const Backing* Process::fixed_memory(D3DGPU_VIRTUAL_ADDRESS address) const {
  const auto found = fixed.find(address);
  return found != fixed.end() ? &found->second : nullptr;
}

HANDLE Process::nt_handle(D3DKMT_HANDLE handle) {
  LocalFence* local = fence(handle);
  if (local != nullptr) return local->fence->shared ? local->fence->os_handle() : nullptr;
  const SyncObject* named = sync_object(handle);
  const bool is_shared = named != nullptr && named->fence != nullptr && named->fence->shared;
  return is_shared ? named->fence->os_handle() : nullptr;
}

FenceList Process::signalled_natives() const {
  FenceList result;
  for (const auto& [handle, local] : fences)
    if (local.fence->origin == nullptr) result.push_back(local.fence);
  for (const auto& [of, closed] : closed_natives)
    if (auto kept = closed.fence.lock(); kept != nullptr && kept->alive)
      result.push_back(std::move(kept));
  return result;
}

bool Process::may_signal(const NativeFence& fence) const {
  return closed_natives.count(fence.object) != 0 ||
         std::find(fence.devices.begin(), fence.devices.end(), this) != fence.devices.end();
}

std::shared_ptr<NativeFence> Process::native_of(D3DKMT_HANDLE handle) {
  if (const LocalFence* const local = fence(handle)) return local->fence;
  const auto closed = closed_handles.find(handle);
  auto kept = closed == closed_handles.end() ? nullptr : closed->second.lock();
  return kept != nullptr && kept->alive ? kept : nullptr;
}

}  // namespace fenceline::os
