#include "kmd_stub/core/fences/native_fence.h"

#include <algorithm>
#include <cstring>

#include "kmd_stub/core/adapter.h"
#include "models/abi/mutant.h"
#include "models/abi/page_table.h"
#include "models/abi/private_data.h"

namespace fenceline::kmd {

namespace {

bool is_value_address(D3DGPU_VIRTUAL_ADDRESS address) {
  return address != 0 && address % 8 == 0 && address >> abi::kVirtualAddressBits == 0;
}

template <std::size_t N>
void put_name(BYTE (&private_data)[N], std::uint32_t name) {
  static_assert(N == sizeof(abi::FencePrivateData));
  const abi::FencePrivateData data{name, {}};
  std::memcpy(private_data, &data, N);
}

NTSTATUS check_type(const Adapter& adapter, D3DDDI_NATIVEFENCE_TYPE type) {
  if (type == D3DDDI_NATIVEFENCE_TYPE_DEFAULT) return STATUS_SUCCESS;
  if (type != D3DDDI_NATIVEFENCE_TYPE_INTRA_GPU) return STATUS_INVALID_PARAMETER;
  const UINT intra_gpu = DXGKARGCB_FEATURE_NATIVEFENCE_CAPS_1::kSupportIntraGpuFenceType;
  return (adapter.native_fences().os_caps & intra_gpu) != 0 ? STATUS_SUCCESS : STATUS_NOT_SUPPORTED;
}

void publish(NativeFence& fence, const ValueAddresses& addresses) {
  fence.published = true;
  fence.adapter.fence_table().publish(fence.slot, fence.os_handle, addresses);
}

}  // namespace

NTSTATUS DxgkDdiCreateNativeFence(Adapter& adapter, DXGKARG_CREATENATIVEFENCE& args) {
  if (!adapter.native_fences().enabled) return STATUS_NOT_SUPPORTED;
  if (args.hGlobalNativeFence == nullptr) return STATUS_INVALID_HANDLE;
  const bool mapped = adapter.caps().map_to_system_process;
  if (mapped && (!is_value_address(args.CurrentValueSystemProcessGpuVa) ||
                 !is_value_address(args.MonitoredValueSystemProcessGpuVa)))
    return STATUS_INVALID_PARAMETER;
  if (const NTSTATUS status = check_type(adapter, args.Type); !NT_SUCCESS(status)) return status;
  const auto slot = adapter.fence_table().reserve();
  if (!slot.has_value()) return STATUS_INSUFFICIENT_RESOURCES;
  const HANDLE os_handle = args.hGlobalNativeFence;
  args.hGlobalNativeFence = adapter.fences().create(adapter, *slot, os_handle);
  put_name(args.pPrivateDriverData, adapter.fence_table().name(*slot));
  if (mapped)
    publish(*from_handle<NativeFence>(args.hGlobalNativeFence),
            {args.CurrentValueSystemProcessGpuVa, args.MonitoredValueSystemProcessGpuVa,
             AddressSpaces::kSystemVmid});
  return STATUS_SUCCESS;
}

NTSTATUS DxgkDdiOpenNativeFence(Adapter& adapter, DXGKARG_OPENNATIVEFENCE& args) {
  auto* fence = from_handle<NativeFence>(args.hGlobalNativeFence);
  const auto* device = from_handle<Device>(args.hDevice);
  if (fence == nullptr || device == nullptr) return STATUS_INVALID_HANDLE;
  if (&fence->adapter != &adapter || &device->adapter != &adapter) return STATUS_INVALID_PARAMETER;
  if (!is_value_address(args.CurrentValueGpuVa) || !is_value_address(args.MonitoredValueGpuVa))
    return STATUS_INVALID_PARAMETER;
  const ValueAddresses addresses{args.CurrentValueGpuVa, args.MonitoredValueGpuVa, device->vmid};
  args.hLocalNativeFence = adapter.opened_fences().create(adapter, fence, addresses);
  put_name(args.pPrivateDriverData, adapter.fence_table().name(fence->slot));
  fence->opened.push_back(args.hLocalNativeFence);
  if (!fence->published) publish(*fence, addresses);
  return STATUS_SUCCESS;
}

NTSTATUS DxgkDdiCloseNativeFence(Adapter& adapter, const DXGKARG_CLOSENATIVEFENCE& args) {
  const auto* opened = from_handle<OpenedFence>(args.hLocalNativeFence);
  if (opened == nullptr) return STATUS_INVALID_HANDLE;
  if (&opened->adapter != &adapter) return STATUS_INVALID_PARAMETER;
  NativeFence& fence = *opened->fence;
  const bool in_use =
      !adapter.caps().map_to_system_process && fence.opened.front() == args.hLocalNativeFence;
  fence.opened.erase(std::find(fence.opened.begin(), fence.opened.end(), args.hLocalNativeFence));
  adapter.opened_fences().destroy(args.hLocalNativeFence);
  if (in_use && !fence.opened.empty() && !abi::mutant(abi::Mutant::kNeverReaddressed))
    adapter.fence_table().readdress(fence.slot,
                                    from_handle<OpenedFence>(fence.opened.front())->addresses);
  return STATUS_SUCCESS;
}

NTSTATUS DxgkDdiDestroyNativeFence(const DXGKARG_DESTROYNATIVEFENCE& args) {
  const auto* fence = from_handle<NativeFence>(args.hGlobalNativeFence);
  if (fence == nullptr) return STATUS_INVALID_HANDLE;
  if (!fence->opened.empty()) return STATUS_INVALID_PARAMETER;
  Adapter& adapter = fence->adapter;
  const std::uint32_t slot = fence->slot;
  const bool published = fence->published;
  const std::uint8_t drain = adapter.port().policy().destroy_drain;
  if (fence->monitored_value != nullptr)
    adapter.port().write_memory(fence->monitored_value, UINT64_MAX);
  adapter.fences().destroy(args.hGlobalNativeFence);
  if (!published) {
    adapter.fence_table().release(slot);
    return STATUS_SUCCESS;
  }
  const bool early = abi::mutant(abi::Mutant::kDrainsTooEarly);
  if (early) adapter.drain_interrupts();
  const bool forgotten = adapter.fence_table().withdraw(slot, (drain & 1) != 0);
  // Report the pending entries while the fence's OS handle is still valid.
  if ((drain & 2) != 0 && !early) adapter.drain_interrupts();
  adapter.fence_table().mark_dead(slot);
  if (!forgotten) return STATUS_UNSUCCESSFUL;
  adapter.fence_table().release(slot);
  return STATUS_SUCCESS;
}

}  // namespace fenceline::kmd
