// Allocations, residency and locks.
#include "tb/user/d3dkmt.h"
#include "tb/user/handles.h"

namespace user = fenceline::user;
namespace os = fenceline::os;
using Kind = user::KmtObject::Kind;

namespace fenceline::user {

Inner inner_allocations(UINT count, const D3DKMT_HANDLE* handles, os::Process* of) {
  Inner inner;
  inner.process = of;
  if (count == 0 || handles == nullptr) inner.status = STATUS_INVALID_PARAMETER;
  for (UINT i = 0; i < count && NT_SUCCESS(inner.status); ++i) {
    const KmtObject* object = find(handles[i], KmtObject::Kind::kAllocation);
    if (object == nullptr) {
      inner.status = STATUS_INVALID_HANDLE;
    } else if (object->process != of) {
      inner.status = STATUS_INVALID_PARAMETER;
    } else {
      inner.handles.push_back(object->inner);
    }
  }
  return inner;
}

}  // namespace fenceline::user

namespace {

/// Calls the OS for one allocation of a device, with handles of the OS.
template <typename Args, typename Call>
NTSTATUS for_allocation(Args* args, Call call) {
  if (args == nullptr) return STATUS_INVALID_PARAMETER;
  const user::KmtObject* device = user::find(args->hDevice, Kind::kDevice);
  if (device == nullptr) return STATUS_INVALID_HANDLE;
  const user::Inner inner = user::inner_allocations(1, &args->hAllocation, device->process);
  if (!NT_SUCCESS(inner.status)) return inner.status;
  Args inside = *args;
  inside.hDevice = os::kDeviceHandle;
  inside.hAllocation = inner.handles.front();
  return call(*device->process, inside);
}

}  // namespace

NTSTATUS D3DKMTCreateAllocation2(D3DKMT_CREATEALLOCATION* args) {
  if (args == nullptr) return STATUS_INVALID_PARAMETER;
  const user::KmtObject* device = user::find(args->hDevice, Kind::kDevice);
  if (device == nullptr) return STATUS_INVALID_HANDLE;
  user::KmtObject object = *device;
  object.kind = Kind::kAllocation;
  D3DKMT_CREATEALLOCATION call = *args;
  call.hDevice = os::kDeviceHandle;
  const auto& process = user::Machine::current().process();
  const std::string name =
      process.name + ".allocation" + std::to_string(process.objects.size() + 1);
  const NTSTATUS status =
      user::kernel().memory.D3DKMTCreateAllocation2(*object.process, call, name);
  if (!NT_SUCCESS(status)) return status;
  object.inner = args->pAllocationInfo2->hAllocation;
  args->pAllocationInfo2->hAllocation = user::add(object);
  return status;
}

NTSTATUS D3DKMTDestroyAllocation2(const D3DKMT_DESTROYALLOCATION2* args) {
  if (args == nullptr) return STATUS_INVALID_PARAMETER;
  const user::KmtObject* device = user::find(args->hDevice, Kind::kDevice);
  if (device == nullptr) return STATUS_INVALID_HANDLE;
  const user::Inner inner =
      user::inner_allocations(args->AllocationCount, args->phAllocationList, device->process);
  if (!NT_SUCCESS(inner.status)) return inner.status;
  D3DKMT_DESTROYALLOCATION2 call = *args;
  call.hDevice = os::kDeviceHandle;
  call.phAllocationList = inner.handles.data();
  const NTSTATUS status = user::kernel().memory.D3DKMTDestroyAllocation2(*device->process, call);
  for (UINT i = 0; i < args->AllocationCount && NT_SUCCESS(status); ++i)
    user::find(args->phAllocationList[i], Kind::kAllocation)->open = false;
  return status;
}

NTSTATUS D3DKMTCreatePagingQueue(D3DKMT_CREATEPAGINGQUEUE* args) {
  if (args == nullptr) return STATUS_INVALID_PARAMETER;
  const user::KmtObject* device = user::find(args->hDevice, Kind::kDevice);
  if (device == nullptr) return STATUS_INVALID_HANDLE;
  user::KmtObject queue = *device;
  D3DKMT_CREATEPAGINGQUEUE call = *args;
  call.hDevice = os::kDeviceHandle;
  const NTSTATUS status = user::kernel().memory.D3DKMTCreatePagingQueue(*queue.process, call);
  if (!NT_SUCCESS(status)) return status;
  queue.kind = Kind::kPagingQueue;
  queue.inner = call.hPagingQueue;
  args->hPagingQueue = user::add(queue);
  queue.kind = Kind::kSync;
  queue.inner = call.hSyncObject;
  args->hSyncObject = user::add(queue);
  args->FenceValueCPUVirtualAddress = call.FenceValueCPUVirtualAddress;
  return status;
}

NTSTATUS D3DKMTMakeResident(D3DDDI_MAKERESIDENT* args) {
  if (args == nullptr) return STATUS_INVALID_PARAMETER;
  const user::KmtObject* queue = user::find(args->hPagingQueue, Kind::kPagingQueue);
  if (queue == nullptr) return STATUS_INVALID_HANDLE;
  const user::Inner inner =
      user::inner_allocations(args->NumAllocations, args->AllocationList, queue->process);
  if (!NT_SUCCESS(inner.status)) return inner.status;
  D3DDDI_MAKERESIDENT call = *args;
  call.hPagingQueue = queue->inner;
  call.AllocationList = inner.handles.data();
  const NTSTATUS status = user::kernel().memory.D3DKMTMakeResident(*queue->process, call);
  args->PagingFenceValue = call.PagingFenceValue;
  args->NumBytesToTrim = call.NumBytesToTrim;
  return status;
}

NTSTATUS D3DKMTEvict(D3DKMT_EVICT* args) {
  if (args == nullptr) return STATUS_INVALID_PARAMETER;
  const user::KmtObject* device = user::find(args->hDevice, Kind::kDevice);
  if (device == nullptr) return STATUS_INVALID_HANDLE;
  const user::Inner inner =
      user::inner_allocations(args->NumAllocations, args->AllocationList, device->process);
  if (!NT_SUCCESS(inner.status)) return inner.status;
  D3DKMT_EVICT call = *args;
  call.hDevice = os::kDeviceHandle;
  call.AllocationList = inner.handles.data();
  const NTSTATUS status = user::kernel().memory.D3DKMTEvict(*device->process, call);
  args->NumBytesToTrim = call.NumBytesToTrim;
  return status;
}

NTSTATUS D3DKMTLock2(D3DKMT_LOCK2* args) {
  return for_allocation(args, [args](os::Process& process, D3DKMT_LOCK2& inside) {
    const NTSTATUS status = user::kernel().memory.D3DKMTLock2(process, inside);
    args->pData = inside.pData;
    return status;
  });
}

NTSTATUS D3DKMTUnlock2(const D3DKMT_UNLOCK2* args) {
  D3DKMT_UNLOCK2 call = args != nullptr ? *args : D3DKMT_UNLOCK2{};
  return for_allocation(args != nullptr ? &call : nullptr,
                        [](os::Process& process, const D3DKMT_UNLOCK2& inside) {
                          return user::kernel().memory.D3DKMTUnlock2(process, inside);
                        });
}

NTSTATUS D3DKMTLock(D3DKMT_LOCK* args) {
  return for_allocation(args, [args](os::Process& process, D3DKMT_LOCK& inside) {
    const NTSTATUS status = user::kernel().memory.D3DKMTLock(process, inside);
    args->pData = inside.pData;
    args->GpuVirtualAddress = inside.GpuVirtualAddress;
    return status;
  });
}

NTSTATUS D3DKMTUnlock(const D3DKMT_UNLOCK* args) {
  if (args == nullptr) return STATUS_INVALID_PARAMETER;
  const user::KmtObject* device = user::find(args->hDevice, Kind::kDevice);
  if (device == nullptr) return STATUS_INVALID_HANDLE;
  const user::Inner inner =
      user::inner_allocations(args->NumAllocations, args->phAllocations, device->process);
  if (!NT_SUCCESS(inner.status)) return inner.status;
  return user::kernel().memory.D3DKMTUnlock(
      *device->process, {os::kDeviceHandle, args->NumAllocations, inner.handles.data()});
}

NTSTATUS D3DKMTInvalidateCache(const D3DKMT_INVALIDATECACHE* args) {
  D3DKMT_INVALIDATECACHE call = args != nullptr ? *args : D3DKMT_INVALIDATECACHE{};
  return for_allocation(args != nullptr ? &call : nullptr,
                        [](os::Process& process, const D3DKMT_INVALIDATECACHE& inside) {
                          return user::kernel().memory.D3DKMTInvalidateCache(process, inside);
                        });
}
