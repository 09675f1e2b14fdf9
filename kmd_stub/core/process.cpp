#include "kmd_stub/core/process.h"

#include "kmd_stub/core/adapter.h"
#include "kmd_stub/core/queues/hw_scheduling.h"
#include "kmd_stub/core/work/preemption.h"

namespace fenceline::kmd {

namespace {

constexpr UINT kFirstEngine = 1;  // EngineAffinity of an adapter that is not linked
constexpr UINT kSystemDmaBufferBytes = 64 * 1024;
constexpr UINT kAllocationListSize = 64;

bool is_node(const Adapter& adapter, UINT node, UINT affinity) {
  return node < adapter.node_count() && (affinity == 0 || affinity == kFirstEngine);
}

/// Destroys the object of a handle.
template <typename T>
NTSTATUS destroy(HANDLE handle, Pool<T>& (Adapter::*pool)()) {
  T* object = from_handle<T>(handle);
  if (object == nullptr) return STATUS_INVALID_HANDLE;
  (object->adapter.*pool)().destroy(handle);
  return STATUS_SUCCESS;
}

}  // namespace

NTSTATUS DxgkDdiCreateProcess(Adapter& adapter, DXGKARG_CREATEPROCESS& args) {
  const bool system = (args.Flags.Value & DXGK_CREATEPROCESSFLAGS::kSystemProcess) != 0;
  const auto vmid = adapter.address_spaces().reserve(system);
  if (!vmid.has_value()) return STATUS_INSUFFICIENT_RESOURCES;
  args.hKmdProcess = adapter.processes().create(adapter, *vmid, args.hDxgkProcess);
  return STATUS_SUCCESS;
}

NTSTATUS DxgkDdiDestroyProcess(AnyAdapter adapter, HANDLE handle) {
  const auto* process = from_handle<Process>(handle);
  if (process == nullptr) return STATUS_INVALID_HANDLE;
  if (&process->adapter != &adapter.adapter) return STATUS_INVALID_PARAMETER;
  const std::uint32_t vmid = process->vmid;
  adapter->processes().destroy(handle);
  adapter->address_spaces().release(vmid);
  return STATUS_SUCCESS;
}

NTSTATUS DxgkDdiCreateDevice(Adapter& adapter, DXGKARG_CREATEDEVICE& args) {
  std::uint32_t vmid = AddressSpaces::kSystemVmid;
  if (args.hKmdProcess != nullptr) {
    const auto* process = from_handle<Process>(args.hKmdProcess);
    if (process == nullptr) return STATUS_INVALID_HANDLE;
    if (&process->adapter != &adapter) return STATUS_INVALID_PARAMETER;
    vmid = process->vmid;
  } else if ((args.Flags.Value & DXGK_CREATEDEVICEFLAGS::kSystemDevice) == 0) {
    return STATUS_INVALID_PARAMETER;
  }
  args.hDevice = adapter.devices().create(adapter, vmid, args.hDevice);
  return STATUS_SUCCESS;
}

NTSTATUS DxgkDdiDestroyDevice(HANDLE handle) {
  const auto* device = from_handle<Device>(handle);
  if (device != nullptr) free_device_memory(*device);
  return destroy<Device>(handle, &Adapter::devices);
}

NTSTATUS DxgkDdiCreateContext(HANDLE device_handle, DXGKARG_CREATECONTEXT& args) {
  auto* device = from_handle<Device>(device_handle);
  if (device == nullptr) return STATUS_INVALID_HANDLE;
  Adapter& adapter = device->adapter;
  if (!is_node(adapter, args.NodeOrdinal, args.EngineAffinity)) return STATUS_INVALID_PARAMETER;
  SaveArea area;
  if ((args.Flags.Value & DXGK_CREATECONTEXTFLAGS::kSystemContext) == 0) {
    if (const NTSTATUS status = make_save_area(adapter, args.hContext, area); !NT_SUCCESS(status))
      return status;
    if (const NTSTATUS status = share_device_memory(*device, area); !NT_SUCCESS(status)) {
      free_save_area(adapter, area);
      return status;
    }
  }
  args.hContext = adapter.contexts().create(adapter, device->vmid, args.NodeOrdinal, area);
  args.ContextInfo = {};
  args.ContextInfo.DmaBufferSize = kSystemDmaBufferBytes;
  args.ContextInfo.AllocationListSize = kAllocationListSize;
  args.ContextInfo.PatchLocationListSize = BindTables::kEntries;
  constexpr UINT kWithoutPatches =
      DXGK_CREATECONTEXTFLAGS::kVirtualAddressing | DXGK_CREATECONTEXTFLAGS::kSystemContext;
  if ((args.Flags.Value & kWithoutPatches) != 0 ||
      (adapter.caps().scheduling & DXGK_VIDSCHCAPS::kNoDmaPatching) != 0)
    args.ContextInfo.Caps.Value = DXGK_CONTEXTINFO_CAPS::kNoPatchingRequired;
  if (adapter.hardware().iommu) args.ContextInfo.Caps.Value |= DXGK_CONTEXTINFO_CAPS::kUseIoMmu;
  args.ContextInfo.PagingCompanionNodeId = args.NodeOrdinal;
  return STATUS_SUCCESS;
}

NTSTATUS DxgkDdiDestroyContext(HANDLE handle) {
  const auto* context = from_handle<Context>(handle);
  if (context == nullptr) return STATUS_INVALID_HANDLE;
  free_save_area(context->adapter, context->save_area);
  return destroy<Context>(handle, &Adapter::contexts);
}

NTSTATUS DxgkDdiCreateHwContext(HANDLE device_handle, DXGKARG_CREATEHWCONTEXT& args) {
  const auto* device = from_handle<Device>(device_handle);
  if (device == nullptr) return STATUS_INVALID_HANDLE;
  Adapter& adapter = device->adapter;
  if (!is_node(adapter, args.NodeOrdinal, args.EngineAffinity)) return STATUS_INVALID_PARAMETER;
  SaveArea area;
  if (const NTSTATUS status = make_save_area(adapter, args.hHwContext, area); !NT_SUCCESS(status))
    return status;
  args.hHwContext =
      adapter.hw_contexts().create(adapter, device->vmid, args.NodeOrdinal, args.hHwContext, area);
  args.ContextCaps = {};
  return STATUS_SUCCESS;
}

NTSTATUS DxgkDdiDestroyHwContext(HANDLE handle) {
  if (auto* context = from_handle<HwContext>(handle)) forget_context(*context);
  return destroy<HwContext>(handle, &Adapter::hw_contexts);
}

}  // namespace fenceline::kmd
