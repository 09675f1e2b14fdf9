#include "tb/os/objects/peer_doorbells.h"

#include "models/top/gpu.h"

namespace fenceline::os {

void PeerDoorbellLinks::connect(const MonitoredFence& fence) {
  system_.objects.look();
  FenceList natives;  // other processes may open and close it meanwhile
  for (NativeFence* native : fence.natives) natives.push_back(native->shared_from_this());
  for (const auto& from : natives)
    for (const auto& to : natives)
      if (from != to && from->usable && to->usable) connect(*from, *to);
}

void PeerDoorbellLinks::connect_all(const Process& process) {
  std::vector<std::shared_ptr<MonitoredFence>>
      origins;  // fences may be created and destroyed meanwhile
  for (const auto& [handle, local] : process.fences)
    if (local.fence->origin != nullptr && local.fence->origin->rings)
      origins.push_back(local.fence->origin);
  for (const auto& origin : origins) connect(*origin);
}

void PeerDoorbellLinks::connect(const NativeFence& from, const NativeFence& to) {
  system_.objects.look();
  std::vector<const void*> queues;
  for (const auto& process : system_.processes)
    for (const auto& [handle, local] : process->fences)
      if (local.fence.get() == &to)
        for (const auto& queue : process->queues) queues.push_back(queue->driver_handle);
  abi::PeerDoorbellEscape describe{};
  describe.magic = abi::kPeerDoorbellMagic;
  describe.operation = abi::PeerDoorbellEscape::Operation::kDescribe;
  describe.native_fence = reinterpret_cast<std::uint64_t>(to.driver_handle);
  describe.queues = queues.data();
  describe.queue_count = static_cast<std::uint32_t>(queues.size());
  if (!NT_SUCCESS(escape_to(*to.adapter, describe))) return;
  abi::PeerDoorbellEscape connect{};
  connect.magic = abi::kPeerDoorbellMagic;
  connect.operation = abi::PeerDoorbellEscape::Operation::kConnect;
  connect.native_fence = reinterpret_cast<std::uint64_t>(from.driver_handle);
  while (system_.adapters[connect.peer].adapter.get() != to.adapter) ++connect.peer;
  connect.page = to.adapter->gpu().bars().doorbells + abi::kPeerPage;
  const PeerDoorbells payload = to.adapter->system().peer_doorbells;
  if (payload == PeerDoorbells::kFence)
    connect.payload = abi::kPeerNamesFence | describe.fence_slot;
  if (payload == PeerDoorbells::kQueues)
    connect.payload = abi::kPeerNamesQueues | describe.queue_mask;
  escape_to(*from.adapter, connect);
}

NTSTATUS PeerDoorbellLinks::escape_to(Adapter& adapter, abi::PeerDoorbellEscape& data) {
  DXGKARG_ESCAPE args{};
  args.pPrivateDriverData = &data;
  args.PrivateDriverDataSize = sizeof data;
  return adapter.call<Ddi::DxgkDdiEscape>(adapter.handle(), &args);
}

}  // namespace fenceline::os
