// Adapters, devices, fences, waits and signals.
#include "tb/user/d3dkmt.h"

#include "tb/user/handles.h"

namespace user = fenceline::user;
namespace os = fenceline::os;
using Kind = user::KmtObject::Kind;

namespace fenceline::user {

Inner inner_sync_objects(UINT count, const D3DKMT_HANDLE* handles, os::Process* of) {
  Inner inner;
  inner.process = of;
  if (count == 0 || handles == nullptr) inner.status = STATUS_INVALID_PARAMETER;
  for (UINT i = 0; i < count && NT_SUCCESS(inner.status); ++i) {
    const KmtObject* object = find(handles[i], KmtObject::Kind::kSync);
    if (object == nullptr) {
      inner.status = STATUS_INVALID_HANDLE;
    } else if (inner.process != nullptr && inner.process != object->process) {
      inner.status = STATUS_INVALID_PARAMETER;
    } else {
      inner.process = object->process;
      inner.handles.push_back(object->inner);
    }
  }
  return inner;
}

}  // namespace fenceline::user

NTSTATUS D3DKMTEnumAdapters2(D3DKMT_ENUMADAPTERS2* args) {
  if (args == nullptr) return STATUS_INVALID_PARAMETER;
  const auto count = static_cast<ULONG>(user::Machine::current().platform().gpu_count());
  const ULONG room = args->NumAdapters;
  args->NumAdapters = count;
  if (args->pAdapters == nullptr) return STATUS_SUCCESS;
  if (room < count) return STATUS_BUFFER_TOO_SMALL;
  for (ULONG i = 0; i < count; ++i) {
    user::KmtObject adapter;
    adapter.adapter = i;
    args->pAdapters[i] = {user::add(adapter), {i + 1, 0}, 0};
  }
  return STATUS_SUCCESS;
}

NTSTATUS D3DKMTCreateDevice(D3DKMT_CREATEDEVICE* args) {
  if (args == nullptr || args->Flags.Value != 0) return STATUS_INVALID_PARAMETER;
  const user::KmtObject* adapter = user::find(args->hAdapter, Kind::kAdapter);
  if (adapter == nullptr) return STATUS_INVALID_HANDLE;
  user::SimulatedProcess& process = user::Machine::current().process();
  user::KmtObject device;
  device.kind = Kind::kDevice;
  device.adapter = adapter->adapter;
  try {
    device.process = &user::kernel().devices.create_process(process.name, adapter->adapter);
  } catch (const os::StartFailure&) {
    return STATUS_UNSUCCESSFUL;
  }
  device.process->kind = process.kind;
  for (const auto& event : process.events) device.process->add_event(*event);
  args->hDevice = user::add(device);
  return STATUS_SUCCESS;
}

NTSTATUS D3DKMTDestroyDevice(const D3DKMT_DESTROYDEVICE* args) {
  user::KmtObject* device = args != nullptr ? user::find(args->hDevice, Kind::kDevice) : nullptr;
  if (device == nullptr) return STATUS_INVALID_HANDLE;
  const NTSTATUS status = user::kernel().devices.D3DKMTDestroyDevice(*device->process);
  if (NT_SUCCESS(status)) device->open = false;
  return status;
}

namespace {

/// Calls the OS to create a synchronisation object and translates handles between the process and
/// the OS.
template <typename Args, typename Call>
NTSTATUS make_sync(Args* args, Call call) {
  if (args == nullptr) return STATUS_INVALID_PARAMETER;
  const user::KmtObject* device = user::find(args->hDevice, Kind::kDevice);
  if (device == nullptr) return STATUS_INVALID_HANDLE;
  user::KmtObject object = *device;
  object.kind = Kind::kSync;
  const D3DKMT_HANDLE outer = args->hDevice;
  args->hDevice = os::kDeviceHandle;
  const NTSTATUS status = call(*object.process);
  args->hDevice = outer;
  if (!NT_SUCCESS(status)) return status;
  object.inner = args->hSyncObject;
  args->hSyncObject = user::add(object);
  return status;
}

std::string next_name(const char* kind) {
  const auto& process = user::Machine::current().process();
  return process.name + "." + kind + std::to_string(process.objects.size() + 1);
}

}  // namespace

NTSTATUS D3DKMTCreateNativeFence(D3DKMT_CREATENATIVEFENCE* args) {
  return make_sync(args, [&](os::Process& process) {
    const auto& homes = user::kernel().options().ordering.mem;
    return user::kernel().native_fences.D3DKMTCreateNativeFence(process, *args, next_name("fence"),
                                                                homes.cv_home, homes.mv_home);
  });
}

NTSTATUS D3DKMTOpenNativeFenceFromNtHandle(D3DKMT_OPENNATIVEFENCEFROMNTHANDLE* args) {
  return make_sync(args, [&](os::Process& process) {
    return user::kernel().native_fences.D3DKMTOpenNativeFenceFromNtHandle(process, *args);
  });
}

NTSTATUS D3DKMTCreateSynchronizationObject2(D3DKMT_CREATESYNCHRONIZATIONOBJECT2* args) {
  return make_sync(args, [&](os::Process& process) {
    return user::kernel().sync_objects.D3DKMTCreateSynchronizationObject2(process, *args,
                                                                          next_name("fence"));
  });
}

NTSTATUS D3DKMTOpenSyncObjectFromNtHandle2(D3DKMT_OPENSYNCOBJECTFROMNTHANDLE2* args) {
  return make_sync(args, [&](os::Process& process) {
    return user::kernel().sync_objects.D3DKMTOpenSyncObjectFromNtHandle2(process, *args);
  });
}

NTSTATUS D3DKMTDestroySynchronizationObject(const D3DKMT_DESTROYSYNCHRONIZATIONOBJECT* args) {
  user::KmtObject* object = args != nullptr ? user::find(args->hSyncObject, Kind::kSync) : nullptr;
  if (object == nullptr) return STATUS_INVALID_HANDLE;
  const NTSTATUS status = user::kernel().sync_objects.D3DKMTDestroySynchronizationObject(
      *object->process, {object->inner});
  if (NT_SUCCESS(status)) object->open = false;
  return status;
}

NTSTATUS D3DKMTShareObjects(UINT count, const D3DKMT_HANDLE* objects, const void* /*attributes*/,
                            UINT /*desired_access*/, HANDLE* handle) {
  if (count != 1 || objects == nullptr || handle == nullptr) return STATUS_INVALID_PARAMETER;
  const user::KmtObject* object = user::find(*objects, Kind::kSync);
  if (object == nullptr) return STATUS_INVALID_HANDLE;
  *handle = object->process->nt_handle(object->inner);
  return *handle != nullptr ? STATUS_SUCCESS : STATUS_INVALID_PARAMETER;
}

NTSTATUS D3DKMTWaitForSynchronizationObjectFromCpu(
    const D3DKMT_WAITFORSYNCHRONIZATIONOBJECTFROMCPU* args) {
  if (args == nullptr || args->FenceValueArray == nullptr) return STATUS_INVALID_PARAMETER;
  const user::Inner inner = user::inner_sync_objects(args->ObjectCount, args->ObjectHandleArray);
  if (!NT_SUCCESS(inner.status)) return inner.status;
  D3DKMT_WAITFORSYNCHRONIZATIONOBJECTFROMCPU call = *args;
  call.ObjectHandleArray = inner.handles.data();
  user::Machine::Thread& thread = user::Machine::current().thread();
  return user::kernel().waits.D3DKMTWaitForSynchronizationObjectFromCpu(
      *inner.process, call, thread.object, *thread.event, nullptr);
}

NTSTATUS D3DKMTSignalSynchronizationObjectFromCpu(
    const D3DKMT_SIGNALSYNCHRONIZATIONOBJECTFROMCPU* args) {
  if (args == nullptr || args->FenceValueArray == nullptr) return STATUS_INVALID_PARAMETER;
  const user::Inner inner = user::inner_sync_objects(args->ObjectCount, args->ObjectHandleArray);
  if (!NT_SUCCESS(inner.status)) return inner.status;
  D3DKMT_SIGNALSYNCHRONIZATIONOBJECTFROMCPU call = *args;
  call.ObjectHandleArray = inner.handles.data();
  return user::kernel().waits.D3DKMTSignalSynchronizationObjectFromCpu(*inner.process, call);
}

namespace {

/// Calls the OS for a context and fences of the same device.
template <typename Args, typename Call>
NTSTATUS for_context(const Args* args, Call call) {
  if (args == nullptr || args->MonitoredFenceValueArray == nullptr) return STATUS_INVALID_PARAMETER;
  const user::KmtObject* context = user::find(args->hContext, Kind::kContext);
  if (context == nullptr) return STATUS_INVALID_HANDLE;
  const user::Inner inner =
      user::inner_sync_objects(args->ObjectCount, args->ObjectHandleArray, context->process);
  if (!NT_SUCCESS(inner.status)) return inner.status;
  Args inside = *args;
  inside.hContext = context->inner;
  inside.ObjectHandleArray = inner.handles.data();
  return call(*context->process, inside);
}

}  // namespace

NTSTATUS D3DKMTWaitForSynchronizationObjectFromGpu(
    const D3DKMT_WAITFORSYNCHRONIZATIONOBJECTFROMGPU* args) {
  return for_context(args, [](os::Process& process, const auto& inside) {
    return user::kernel().contexts.D3DKMTWaitForSynchronizationObjectFromGpu(process, inside);
  });
}

NTSTATUS D3DKMTSignalSynchronizationObjectFromGpu(
    const D3DKMT_SIGNALSYNCHRONIZATIONOBJECTFROMGPU* args) {
  return for_context(args, [](os::Process& process, const auto& inside) {
    return user::kernel().contexts.D3DKMTSignalSynchronizationObjectFromGpu(process, inside);
  });
}
