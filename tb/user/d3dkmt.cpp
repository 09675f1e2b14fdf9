#include "tb/user/d3dkmt.h"

#include <tuple>

namespace user = fenceline::user;
namespace os = fenceline::os;

namespace {

/// The part of the kernel that has this call.
template <typename Part, typename Args>
Part& part_with(NTSTATUS (Part::* /*call*/)(os::Process&, Args&)) {
  os::Kernel& all = user::kernel();
  return std::get<Part&>(std::tie(all.adapters, all.devices, all.native_fences, all.sync_objects,
                                  all.waits, all.contexts, all.presents, all.queues, all.memory));
}

/// Makes a call of the kernel for the device that has given out a handle.
template <auto call, typename Args>
NTSTATUS forward(Args* args, D3DKMT_HANDLE handle) {
  if (args == nullptr) return STATUS_INVALID_PARAMETER;
  os::Process* const process = user::device_of(handle);
  if (process == nullptr) return STATUS_INVALID_HANDLE;
  return (part_with(call).*call)(*process, *args);
}

/// The same by a handle of the structure.
template <auto call, typename Args, typename Of>
NTSTATUS forward(Args* args, D3DKMT_HANDLE Of::*handle) {
  return forward<call>(args, args != nullptr ? args->*handle : 0);
}

/// The same by the first of several handles.
template <auto call, typename Args, typename Of>
NTSTATUS forward(Args* args, const D3DKMT_HANDLE* Of::*handles) {
  if (args == nullptr || args->*handles == nullptr) return STATUS_INVALID_PARAMETER;
  return forward<call>(args, *(args->*handles));
}

}  // namespace

NTSTATUS D3DKMTEnumAdapters2(D3DKMT_ENUMADAPTERS2* args) {
  if (args == nullptr) return STATUS_INVALID_PARAMETER;
  const auto count = static_cast<ULONG>(user::kernel().system.adapters.size());
  const ULONG room = args->NumAdapters;
  args->NumAdapters = count;
  if (args->pAdapters == nullptr) return STATUS_SUCCESS;
  if (room < count) return STATUS_BUFFER_TOO_SMALL;
  for (ULONG i = 0; i < count; ++i) args->pAdapters[i] = {os::adapter_handle(i), {i + 1, 0}, 0};
  return STATUS_SUCCESS;
}

NTSTATUS D3DKMTQueryAdapterInfo(const D3DKMT_QUERYADAPTERINFO* args) {
  if (args == nullptr) return STATUS_INVALID_PARAMETER;
  return user::kernel().adapters.D3DKMTQueryAdapterInfo(*args);
}

NTSTATUS D3DKMTIsFeatureEnabled(D3DKMT_ISFEATUREENABLED* args) {
  if (args == nullptr) return STATUS_INVALID_PARAMETER;
  return user::kernel().adapters.D3DKMTIsFeatureEnabled(*args);
}

NTSTATUS D3DKMTCreateDevice(D3DKMT_CREATEDEVICE* args) {
  if (args == nullptr || args->Flags.Value != 0) return STATUS_INVALID_PARAMETER;
  const std::size_t adapter = static_cast<std::size_t>(args->hAdapter ^ os::kAdapterHandle) - 1;
  if (adapter >= user::kernel().system.adapters.size()) return STATUS_INVALID_HANDLE;
  user::SimulatedProcess& process = user::Machine::current().process();
  const std::size_t number = process.devices.size();
  if (number == os::kMaxDevices) return STATUS_NO_MEMORY;
  process.devices.push_back(nullptr);  // others may create devices during the call
  try {
    os::Process& made = user::kernel().devices.create_process(process.name, adapter, number);
    made.kind = process.kind;
    for (const auto& event : process.events) made.add_event(*event);
    process.devices[number] = &made;
    args->hDevice = made.device();
  } catch (const os::StartFailure&) {
    return STATUS_UNSUCCESSFUL;
  }
  return STATUS_SUCCESS;
}

NTSTATUS D3DKMTDestroyDevice(const D3DKMT_DESTROYDEVICE* args) {
  return forward<&os::DeviceCalls::D3DKMTDestroyDevice>(args, &D3DKMT_DESTROYDEVICE::hDevice);
}

NTSTATUS D3DKMTCreateNativeFence(D3DKMT_CREATENATIVEFENCE* args) {
  return forward<&os::NativeFenceCalls::D3DKMTCreateNativeFence>(
      args, &D3DKMT_CREATENATIVEFENCE::hDevice);
}

NTSTATUS D3DKMTOpenNativeFenceFromNtHandle(D3DKMT_OPENNATIVEFENCEFROMNTHANDLE* args) {
  return forward<&os::NativeFenceCalls::D3DKMTOpenNativeFenceFromNtHandle>(
      args, &D3DKMT_OPENNATIVEFENCEFROMNTHANDLE::hDevice);
}

NTSTATUS D3DKMTCreateSynchronizationObject2(D3DKMT_CREATESYNCHRONIZATIONOBJECT2* args) {
  return forward<&os::SyncObjectCalls::D3DKMTCreateSynchronizationObject2>(
      args, &D3DKMT_CREATESYNCHRONIZATIONOBJECT2::hDevice);
}

NTSTATUS D3DKMTOpenSyncObjectFromNtHandle2(D3DKMT_OPENSYNCOBJECTFROMNTHANDLE2* args) {
  return forward<&os::SyncObjectCalls::D3DKMTOpenSyncObjectFromNtHandle2>(
      args, &D3DKMT_OPENSYNCOBJECTFROMNTHANDLE2::hDevice);
}

NTSTATUS D3DKMTDestroySynchronizationObject(const D3DKMT_DESTROYSYNCHRONIZATIONOBJECT* args) {
  return forward<&os::SyncObjectCalls::D3DKMTDestroySynchronizationObject>(
      args, &D3DKMT_DESTROYSYNCHRONIZATIONOBJECT::hSyncObject);
}

NTSTATUS D3DKMTShareObjects(UINT count, const D3DKMT_HANDLE* objects, const void* /*attributes*/,
                            UINT /*desired_access*/, HANDLE* handle) {
  if (count != 1 || objects == nullptr || handle == nullptr) return STATUS_INVALID_PARAMETER;
  os::Process* const process = user::device_of(*objects);
  if (process == nullptr) return STATUS_INVALID_HANDLE;
  *handle = process->nt_handle(*objects);
  return *handle != nullptr ? STATUS_SUCCESS : STATUS_INVALID_PARAMETER;
}

NTSTATUS D3DKMTWaitForSynchronizationObjectFromCpu(
    const D3DKMT_WAITFORSYNCHRONIZATIONOBJECTFROMCPU* args) {
  return forward<&os::WaitCalls::D3DKMTWaitForSynchronizationObjectFromCpu>(
      args, &D3DKMT_WAITFORSYNCHRONIZATIONOBJECTFROMCPU::ObjectHandleArray);
}

NTSTATUS D3DKMTSignalSynchronizationObjectFromCpu(
    const D3DKMT_SIGNALSYNCHRONIZATIONOBJECTFROMCPU* args) {
  return forward<&os::WaitCalls::D3DKMTSignalSynchronizationObjectFromCpu>(
      args, &D3DKMT_SIGNALSYNCHRONIZATIONOBJECTFROMCPU::ObjectHandleArray);
}

NTSTATUS D3DKMTWaitForSynchronizationObjectFromGpu(
    const D3DKMT_WAITFORSYNCHRONIZATIONOBJECTFROMGPU* args) {
  return forward<&os::ContextCalls::D3DKMTWaitForSynchronizationObjectFromGpu>(
      args, &D3DKMT_WAITFORSYNCHRONIZATIONOBJECTFROMGPU::hContext);
}

NTSTATUS D3DKMTSignalSynchronizationObjectFromGpu(
    const D3DKMT_SIGNALSYNCHRONIZATIONOBJECTFROMGPU* args) {
  return forward<&os::ContextCalls::D3DKMTSignalSynchronizationObjectFromGpu>(
      args, &D3DKMT_SIGNALSYNCHRONIZATIONOBJECTFROMGPU::hContext);
}

NTSTATUS D3DKMTCreateContextVirtual(D3DKMT_CREATECONTEXTVIRTUAL* args) {
  return forward<&os::ContextCalls::D3DKMTCreateContextVirtual>(
      args, &D3DKMT_CREATECONTEXTVIRTUAL::hDevice);
}

NTSTATUS D3DKMTSetContextSchedulingPriority(const D3DKMT_SETCONTEXTSCHEDULINGPRIORITY* args) {
  return forward<&os::ContextCalls::D3DKMTSetContextSchedulingPriority>(
      args, &D3DKMT_SETCONTEXTSCHEDULINGPRIORITY::hContext);
}

NTSTATUS D3DKMTSubmitCommand(const D3DKMT_SUBMITCOMMAND* args) {
  return forward<&os::ContextCalls::D3DKMTSubmitCommand>(
      args, args != nullptr ? args->BroadcastContext[0] : 0);
}

NTSTATUS D3DKMTPresent(const D3DKMT_PRESENT* args) {
  return forward<&os::PresentCalls::D3DKMTPresent>(args, &D3DKMT_PRESENT::hContext);
}

NTSTATUS D3DKMTCreateHwContext(D3DKMT_CREATEHWCONTEXT* args) {
  return forward<&os::QueueCalls::D3DKMTCreateHwContext>(args, &D3DKMT_CREATEHWCONTEXT::hDevice);
}

NTSTATUS D3DKMTCreateHwQueue(D3DKMT_CREATEHWQUEUE* args) {
  return forward<&os::QueueCalls::D3DKMTCreateHwQueue>(args, &D3DKMT_CREATEHWQUEUE::hHwContext);
}

NTSTATUS D3DKMTCreateDoorbell(D3DKMT_CREATEDOORBELL* args) {
  return forward<&os::QueueCalls::D3DKMTCreateDoorbell>(args, &D3DKMT_CREATEDOORBELL::hHwQueue);
}

NTSTATUS D3DKMTConnectDoorbell(const D3DKMT_CONNECTDOORBELL* args) {
  return forward<&os::QueueCalls::D3DKMTConnectDoorbell>(args, &D3DKMT_CONNECTDOORBELL::hDoorbell);
}

NTSTATUS D3DKMTNotifyWorkSubmission(const D3DKMT_NOTIFY_WORK_SUBMISSION* args) {
  return forward<&os::QueueCalls::D3DKMTNotifyWorkSubmission>(
      args, &D3DKMT_NOTIFY_WORK_SUBMISSION::hHwQueue);
}

NTSTATUS D3DKMTSubmitCommandToHwQueue(const D3DKMT_SUBMITCOMMANDTOHWQUEUE* args) {
  return forward<&os::QueueCalls::D3DKMTSubmitCommandToHwQueue>(
      args, &D3DKMT_SUBMITCOMMANDTOHWQUEUE::hHwQueue);
}

NTSTATUS D3DKMTSubmitWaitForSyncObjectsToHwQueue(
    const D3DKMT_SUBMITWAITFORSYNCOBJECTSTOHWQUEUE* args) {
  return forward<&os::QueueCalls::D3DKMTSubmitWaitForSyncObjectsToHwQueue>(
      args, &D3DKMT_SUBMITWAITFORSYNCOBJECTSTOHWQUEUE::hHwQueue);
}

NTSTATUS D3DKMTSubmitSignalSyncObjectsToHwQueue(
    const D3DKMT_SUBMITSIGNALSYNCOBJECTSTOHWQUEUE* args) {
  return forward<&os::QueueCalls::D3DKMTSubmitSignalSyncObjectsToHwQueue>(
      args, &D3DKMT_SUBMITSIGNALSYNCOBJECTSTOHWQUEUE::BroadcastHwQueueArray);
}

NTSTATUS D3DKMTCreateAllocation2(D3DKMT_CREATEALLOCATION* args) {
  return forward<&os::MemoryCalls::D3DKMTCreateAllocation2>(args,
                                                            &D3DKMT_CREATEALLOCATION::hDevice);
}

NTSTATUS D3DKMTDestroyAllocation2(const D3DKMT_DESTROYALLOCATION2* args) {
  return forward<&os::MemoryCalls::D3DKMTDestroyAllocation2>(args,
                                                             &D3DKMT_DESTROYALLOCATION2::hDevice);
}

NTSTATUS D3DKMTCreatePagingQueue(D3DKMT_CREATEPAGINGQUEUE* args) {
  return forward<&os::MemoryCalls::D3DKMTCreatePagingQueue>(args,
                                                            &D3DKMT_CREATEPAGINGQUEUE::hDevice);
}

NTSTATUS D3DKMTMakeResident(D3DDDI_MAKERESIDENT* args) {
  return forward<&os::MemoryCalls::D3DKMTMakeResident>(args, &D3DDDI_MAKERESIDENT::hPagingQueue);
}

NTSTATUS D3DKMTEvict(D3DKMT_EVICT* args) {
  return forward<&os::MemoryCalls::D3DKMTEvict>(args, &D3DKMT_EVICT::hDevice);
}

NTSTATUS D3DKMTLock2(D3DKMT_LOCK2* args) {
  return forward<&os::MemoryCalls::D3DKMTLock2>(args, &D3DKMT_LOCK2::hDevice);
}

NTSTATUS D3DKMTUnlock2(const D3DKMT_UNLOCK2* args) {
  return forward<&os::MemoryCalls::D3DKMTUnlock2>(args, &D3DKMT_UNLOCK2::hDevice);
}

NTSTATUS D3DKMTLock(D3DKMT_LOCK* args) {
  return forward<&os::MemoryCalls::D3DKMTLock>(args, &D3DKMT_LOCK::hDevice);
}

NTSTATUS D3DKMTUnlock(const D3DKMT_UNLOCK* args) {
  return forward<&os::MemoryCalls::D3DKMTUnlock>(args, &D3DKMT_UNLOCK::hDevice);
}

NTSTATUS D3DKMTInvalidateCache(const D3DKMT_INVALIDATECACHE* args) {
  return forward<&os::MemoryCalls::D3DKMTInvalidateCache>(args, &D3DKMT_INVALIDATECACHE::hDevice);
}

NTSTATUS D3DKMTEscape(const D3DKMT_ESCAPE* args) {
  return forward<&os::AdapterCalls::D3DKMTEscape>(args, &D3DKMT_ESCAPE::hDevice);
}
