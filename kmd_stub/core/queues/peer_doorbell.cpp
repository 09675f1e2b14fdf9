#include "kmd_stub/core/queues/peer_doorbell.h"

#include <cstring>

#include "kmd_stub/core/adapter.h"
#include "kmd_stub/core/fences/native_fence.h"
#include "kmd_stub/core/queues/hw_queue.h"
#include "models/abi/mutant.h"
#include "models/abi/private_data.h"

namespace fenceline::kmd {

namespace {

using Escape = abi::PeerDoorbellEscape;

NTSTATUS describe(const NativeFence& fence, Escape& data) {
  data.fence_slot = fence.slot;
  data.queue_mask = 0;
  for (std::uint32_t i = 0; i < data.queue_count; ++i) {
    const auto* queue = from_handle<HwQueue>(const_cast<HANDLE>(data.queues[i]));
    if (queue == nullptr) return STATUS_INVALID_HANDLE;
    if (abi::mutant(abi::Mutant::kPeerMaskLast)) data.queue_mask = 0;
    data.queue_mask |= 1U << queue->slot % 32;
  }
  return STATUS_SUCCESS;
}

NTSTATUS connect(Adapter& adapter, const NativeFence& fence, const Escape& data) {
  if (data.peer >= abi::kPeers) return STATUS_INVALID_PARAMETER;
  adapter.port().write_register(abi::kPeerDoorbell + 8ULL * data.peer, data.page);
  adapter.port().write_register(
      abi::kPeerTable + abi::kPeerEntryBytes * fence.slot + 8ULL * data.peer,
      abi::kPeerValid | data.payload);
  return STATUS_SUCCESS;
}

}  // namespace

NTSTATUS peer_doorbell_escape(Adapter& adapter, const DXGKARG_ESCAPE& args) {
  if (args.PrivateDriverDataSize < sizeof(Escape)) return STATUS_NOT_SUPPORTED;
  Escape data{};
  std::memcpy(&data, args.pPrivateDriverData, sizeof data);
  if (data.magic != abi::kPeerDoorbellMagic) return STATUS_NOT_SUPPORTED;
  HANDLE handle = nullptr;
  std::memcpy(&handle, &data.native_fence, sizeof handle);
  const auto* fence = from_handle<NativeFence>(handle);
  if (fence == nullptr) return STATUS_INVALID_HANDLE;
  if (&fence->adapter != &adapter) return STATUS_INVALID_PARAMETER;
  if (data.operation == Escape::Operation::kConnect) return connect(adapter, *fence, data);
  const NTSTATUS status = describe(*fence, data);
  std::memcpy(args.pPrivateDriverData, &data, sizeof data);
  return status;
}

}  // namespace fenceline::kmd
