// Fences of a scenario: native ones, monitored ones, and what the calls for them return.
#include <algorithm>
#include <cstring>

#include "models/abi/private_data.h"
#include "tb/run/machine/objects.h"

namespace fenceline::run {

namespace {

using Flags = D3DDDI_SYNCHRONIZATIONOBJECT_FLAGS;

UINT flags_of(const scenario::Fence& fence) {
  UINT flags = 0;
  for (const std::uint32_t flag : fence.flags) flags |= flag;
  return flags;
}

UINT sharing(const scenario::Fence& fence) {
  UINT flags = 0;
  if (fence.shared || fence.cross_adapter) flags |= Flags::kShared | Flags::kNtSecuritySharing;
  if (fence.cross_adapter) flags |= Flags::kCrossAdapter;
  return flags;
}

template <typename Bytes>
std::uint32_t slot_of(const Bytes& private_data) {
  abi::FencePrivateData data{};
  std::memcpy(&data, private_data, sizeof data);
  return data.fence_slot;
}

}  // namespace

NTSTATUS Objects::make_native(ProcessState& state, const scenario::Fence& fence,
                              user::UserFence& result) {
  D3DKMT_CREATENATIVEFENCE args{};
  args.hDevice = state.process->device();
  args.Info.InitialFenceValue = fence.initial_value;
  if (fence.intra_gpu) args.Info.Type = D3DDDI_NATIVEFENCE_TYPE_INTRA_GPU;
  constexpr UINT kOfNative = Flags::kUnwaitCpuWaitersOnlyOnDestroy | Flags::kNoSignalMaxValueOnTdr;
  args.Info.Flags.Value = sharing(fence) | (flags_of(fence) & kOfNative);
  const os::WithOptions placed(kernel_.system.threads,
                               {fence.name, fence.current_value_home, fence.monitored_value_home});
  const NTSTATUS status = kernel_.native_fences.D3DKMTCreateNativeFence(*state.process, args);
  result.handle = args.hSyncObject;
  result.slot = slot_of(args.PrivateDriverData);
  result.current_value = args.Info.NativeFenceMapping.CurrentValueGpuVa;
  result.current_value_cpu = args.Info.NativeFenceMapping.CurrentValueCpuVa;
  return status;
}

NTSTATUS Objects::open_native(ProcessState& state, HANDLE handle, user::UserFence& result) {
  D3DKMT_OPENNATIVEFENCEFROMNTHANDLE args{};
  args.hDevice = state.process->device();
  args.hNtHandle = handle;
  const NTSTATUS status =
      kernel_.native_fences.D3DKMTOpenNativeFenceFromNtHandle(*state.process, args);
  result.handle = args.hSyncObject;
  result.slot = slot_of(args.PrivateDriverData);
  result.current_value = args.NativeFenceMapping.CurrentValueGpuVa;
  result.current_value_cpu = args.NativeFenceMapping.CurrentValueCpuVa;
  return status;
}

NTSTATUS Objects::make_monitored(ProcessState& state, const scenario::Fence& fence,
                                 user::UserFence& result) {
  D3DKMT_CREATESYNCHRONIZATIONOBJECT2 args{};
  args.hDevice = state.process->device();
  args.Info.Type = D3DDDI_MONITORED_FENCE;
  args.Info.Flags.Value = flags_of(fence) | sharing(fence);
  args.Info.MonitoredFence.InitialFenceValue = fence.initial_value;
  const os::WithOptions named(kernel_.system.threads, {fence.name});
  const NTSTATUS status =
      kernel_.sync_objects.D3DKMTCreateSynchronizationObject2(*state.process, args);
  result.handle = args.hSyncObject;
  result.current_value = args.Info.MonitoredFence.FenceValueGPUVirtualAddress;
  result.current_value_cpu = args.Info.MonitoredFence.FenceValueCPUVirtualAddress;
  return status;
}

NTSTATUS Objects::open_monitored(ProcessState& state, const scenario::Fence& fence, HANDLE handle,
                                 user::UserFence& result) {
  D3DKMT_OPENSYNCOBJECTFROMNTHANDLE2 args{};
  args.hNtHandle = handle;
  args.hDevice = state.process->device();
  args.Flags.Value = flags_of(fence);
  const NTSTATUS status =
      kernel_.sync_objects.D3DKMTOpenSyncObjectFromNtHandle2(*state.process, args);
  result.handle = args.hSyncObject;
  result.current_value = args.MonitoredFence.FenceValueGPUVirtualAddress;
  result.current_value_cpu = args.MonitoredFence.FenceValueCPUVirtualAddress;
  return status;
}

/// By the call that the adapter has for the fence; one that was never made has no handle.
NTSTATUS Objects::open_shared(ProcessState& state, const scenario::Fence& fence,
                              user::UserFence& result, const char*& call) {
  const std::size_t slash = fence.open->find('/');
  ProcessState& owner = process(fence.open->substr(0, slash));
  const auto theirs = owner.fences.find(fence.open->substr(slash + 1));
  HANDLE handle = nullptr;
  if (owner.process != nullptr && theirs != owner.fences.end())
    handle = owner.process->nt_handle(theirs->second.handle);
  const auto opened = kernel_.system.shared_fence(handle);
  const bool native = kernel_.adapter(state.process->adapter).native_fences() &&
                      (opened == nullptr || opened->kind == os::Fence::Kind::kNative ||
                       static_cast<const os::MonitoredFence&>(*opened).native ||
                       owner.process->adapter != state.process->adapter);
  call = native ? "D3DKMTOpenNativeFenceFromNtHandle" : "D3DKMTOpenSyncObjectFromNtHandle2";
  return native ? open_native(state, handle, result) : open_monitored(state, fence, handle, result);
}

NTSTATUS Objects::create_fence(ProcessState& state, const scenario::Fence& fence) {
  user::UserFence result;
  NTSTATUS status = STATUS_SUCCESS;
  const char* call = "D3DKMTCreateNativeFence";
  if (fence.open) {
    status = open_shared(state, fence, result, call);
  } else if (fence.monitored) {
    call = "D3DKMTCreateSynchronizationObject2";
    status = make_monitored(state, fence, result);
  } else {
    status = make_native(state, fence, result);
  }
  checks_.check_status(fence.at.pointer, call, status, fence.status);
  if (!NT_SUCCESS(status)) return status;
  const os::SyncObject* object = state.process->sync_object(result.handle);
  result.monitored = object != nullptr;
  result.narrow = object != nullptr && object->fence->narrow;
  result.traced = fence.traced;
  names_.alter();
  state.fences[fence.name] = result;
  fences_[state.config->name + "/" + fence.name] =
      object != nullptr ? std::shared_ptr<const os::Fence>(object->fence)
                        : state.process->fence(result.handle)->fence;
  if (fence.traced)
    kernel_.simulation().emit(
        event::FenceTraced{state.process->fence(result.handle)->fence->object});
  return status;
}

}  // namespace fenceline::run
