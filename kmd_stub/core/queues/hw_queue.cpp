#include "kmd_stub/core/queues/hw_queue.h"

#include <cstring>

#include "kmd_stub/core/adapter.h"
#include "kmd_stub/core/queues/hw_scheduling.h"
#include "models/abi/page_table.h"
#include "models/abi/private_data.h"

namespace fenceline::kmd {

namespace {

bool is_address(std::uint64_t address) {
  return address % 8 == 0 && address >> abi::kVirtualAddressBits == 0;
}

bool is_ring(const abi::QueuePrivateData& data) {
  const std::uint64_t bytes = data.ring_bytes;
  return data.ring_address != 0 && is_address(data.ring_address) && bytes >= 8 &&
         (bytes & (bytes - 1)) == 0 && is_address(data.ring_address + bytes - 8) &&
         is_address(data.read_pointer_address) && is_address(data.write_pointer_address);
}

bool has_progress_fence(const DXGKARG_CREATEHWQUEUE& args) {
  return (args.Flags.Value & D3DDDI_CREATEHWQUEUEFLAGS::kNativeProgressFence) != 0;
}

/// The native progress fence that the OS passed for the queue; null if none.
const NativeFence* progress_fence(const DXGKARG_CREATEHWQUEUE& args) {
  return has_progress_fence(args) ? from_handle<NativeFence>(args.hHwQueueNativeProgressFence)
                                  : nullptr;
}

NTSTATUS check_progress_fence(const Adapter& adapter, const DXGKARG_CREATEHWQUEUE& args) {
  if (!has_progress_fence(args)) return STATUS_SUCCESS;
  const NativeFence* fence = progress_fence(args);
  if (fence == nullptr) return STATUS_INVALID_HANDLE;
  return &fence->adapter == &adapter ? STATUS_SUCCESS : STATUS_INVALID_PARAMETER;
}

}  // namespace

NTSTATUS DxgkDdiCreateHwQueue(HANDLE hw_context, DXGKARG_CREATEHWQUEUE& args) {
  auto* context = from_handle<HwContext>(hw_context);
  if (context == nullptr) return STATUS_INVALID_HANDLE;
  abi::QueuePrivateData data;
  if (args.pPrivateDriverData == nullptr || args.PrivateDriverDataSize < sizeof(data))
    return STATUS_INVALID_PARAMETER;
  std::memcpy(&data, args.pPrivateDriverData, sizeof(data));
  if (!is_ring(data)) return STATUS_INVALID_PARAMETER;
  Adapter& adapter = context->adapter;
  if (const NTSTATUS status = check_progress_fence(adapter, args); !NT_SUCCESS(status))
    return status;
  const auto slot = adapter.queue_table().reserve();
  if (!slot.has_value()) return STATUS_INSUFFICIENT_RESOURCES;
  const bool user_mode = (args.Flags.Value & D3DDDI_CREATEHWQUEUEFLAGS::kUserModeSubmission) != 0;
  HANDLE const os_handle = args.hHwQueue;
  args.hHwQueue = adapter.hw_queues().create(adapter, *slot, *context, user_mode);
  from_handle<HwQueue>(args.hHwQueue)->os_handle = os_handle;
  if (adapter.caps().optimized_interrupt) adapter.queue_table().set_owner(*slot, args.hHwQueue);
  data.queue_slot = *slot;
  if (const NativeFence* fence = progress_fence(args); fence != nullptr) {
    from_handle<HwQueue>(args.hHwQueue)->progress_fence = args.hHwQueueNativeProgressFence;
    data.progress_slot = adapter.fence_table().name(fence->slot);
  }
  std::memcpy(args.pPrivateDriverData, &data, sizeof(data));
  add_queue(*context, *slot);
  adapter.queue_table().enable(
      *slot, {data.ring_address, data.ring_bytes, data.read_pointer_address, context->vmid,
              context->node, false, data.write_pointer_address,
              (args.Flags.Value & D3DDDI_CREATEHWQUEUEFLAGS::kDisableGpuTimeout) != 0});
  return STATUS_SUCCESS;
}

NTSTATUS DxgkDdiDestroyHwQueue(HANDLE handle) {
  const auto* queue = from_handle<HwQueue>(handle);
  if (queue == nullptr) return STATUS_INVALID_HANDLE;
  if (queue->doorbells != 0) return STATUS_INVALID_PARAMETER;
  Adapter& adapter = queue->adapter;
  const std::uint32_t slot = queue->slot;
  if (adapter.caps().optimized_interrupt) adapter.queue_table().set_owner(slot, nullptr);
  remove_queue(queue->context, slot);
  adapter.hw_queues().destroy(handle);
  if (!adapter.queue_table().disable(slot)) return STATUS_UNSUCCESSFUL;
  adapter.queue_table().release(slot);
  return STATUS_SUCCESS;
}

}  // namespace fenceline::kmd
