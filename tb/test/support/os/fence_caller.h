#pragma once

#include <catch2/catch.hpp>
#include <optional>
#include <vector>

#include "tb/os/kernel.h"

namespace fenceline::support {

/// A process with the calls about fences that it makes.
struct FenceCaller {
  using Handles = std::vector<D3DKMT_HANDLE>;
  using Values = std::vector<UINT64>;
  using Flags = D3DDDI_SYNCHRONIZATIONOBJECT_FLAGS;
  static constexpr UINT kCrossAdapter =
      Flags::kCrossAdapter | Flags::kShared | Flags::kNtSecuritySharing;
  static constexpr UINT kShared = Flags::kShared | Flags::kNtSecuritySharing;

  explicit FenceCaller(os::Kernel& of, std::size_t adapter = 0)
      : kernel(of), process(of.devices.create_process("app", adapter)) {}

  NTSTATUS create_monitored(D3DKMT_HANDLE& handle, UINT flags = 0, UINT64 initial = 0) {
    D3DKMT_CREATESYNCHRONIZATIONOBJECT2 args{};
    args.hDevice = process.device();
    args.Info.Type = D3DDDI_MONITORED_FENCE;
    args.Info.Flags.Value = flags;
    args.Info.MonitoredFence.InitialFenceValue = initial;
    const NTSTATUS status = kernel.sync_objects.D3DKMTCreateSynchronizationObject2(process, args);
    handle = args.hSyncObject;
    return status;
  }
  NTSTATUS create_native(D3DKMT_HANDLE& handle, UINT flags = 0, UINT64 initial = 0) {
    D3DKMT_CREATENATIVEFENCE args{};
    args.hDevice = process.device();
    args.Info.Flags.Value = flags;
    args.Info.InitialFenceValue = initial;
    const NTSTATUS status = kernel.native_fences.D3DKMTCreateNativeFence(process, args);
    handle = args.hSyncObject;
    return status;
  }
  /// An event of the process, as an object that the driver signals.
  NTSTATUS create_cpu_event(D3DKMT_HANDLE& handle, os::KernelEvent& event) {
    D3DKMT_CREATESYNCHRONIZATIONOBJECT2 args{};
    args.hDevice = process.device();
    args.Info.Type = D3DDDI_CPU_NOTIFICATION;
    args.Info.Flags.Value = Flags::kSignalByKmd;
    args.Info.CPUNotification.Event = process.add_event(event);
    const NTSTATUS status = kernel.sync_objects.D3DKMTCreateSynchronizationObject2(process, args);
    handle = args.hSyncObject;
    return status;
  }
  D3DKMT_HANDLE monitored(UINT flags = 0, UINT64 initial = 0) {
    D3DKMT_HANDLE handle = 0;
    REQUIRE(create_monitored(handle, flags, initial) == STATUS_SUCCESS);
    return handle;
  }
  D3DKMT_HANDLE native(UINT flags = 0, UINT64 initial = 0) {
    D3DKMT_HANDLE handle = 0;
    REQUIRE(create_native(handle, flags, initial) == STATUS_SUCCESS);
    return handle;
  }
  D3DKMT_HANDLE cpu_event(os::KernelEvent& event) {
    D3DKMT_HANDLE handle = 0;
    REQUIRE(create_cpu_event(handle, event) == STATUS_SUCCESS);
    return handle;
  }
  NTSTATUS destroy(D3DKMT_HANDLE handle) {
    return kernel.sync_objects.D3DKMTDestroySynchronizationObject(process, {handle});
  }
  /// @param event null: the thread waits for at most a microsecond
  NTSTATUS wait(const Handles& handles, const Values& values, bool any = false,
                HANDLE event = nullptr) {
    D3DKMT_WAITFORSYNCHRONIZATIONOBJECTFROMCPU args{};
    args.ObjectCount = static_cast<UINT>(handles.size());
    args.ObjectHandleArray = handles.data();
    args.FenceValueArray = values.data();
    args.hAsyncEvent = event;
    args.Flags.Value = any ? D3DDDI_WAITFORSYNCHRONIZATIONOBJECTFROMCPU_FLAGS::kWaitAny : 0;
    os::CallOptions options;
    options.limit = common::kMicrosecond;
    const os::WithOptions scope(kernel.system.threads, options);
    return kernel.waits.D3DKMTWaitForSynchronizationObjectFromCpu(process, args);
  }
  NTSTATUS signal(const Handles& handles, const Values& values) {
    D3DKMT_SIGNALSYNCHRONIZATIONOBJECTFROMCPU args{};
    args.ObjectCount = static_cast<UINT>(handles.size());
    args.ObjectHandleArray = handles.data();
    args.FenceValueArray = values.data();
    return kernel.waits.D3DKMTSignalSynchronizationObjectFromCpu(process, args);
  }
  /// The fence of a handle, with its waiters.
  os::Fence& fence(D3DKMT_HANDLE handle) {
    if (const os::SyncObject* object = process.sync_object(handle)) return *object->fence;
    os::NativeFence& native = *process.fence(handle)->fence;
    if (native.origin != nullptr) return *native.origin;
    return native;
  }
  std::uint64_t value(D3DKMT_HANDLE handle) {
    const os::Fence& of = fence(handle);
    return of.adapter->port().read_memory(os::to_kernel_address(of.current_bus()));
  }

  os::Kernel& kernel;
  os::Process& process;
};

}  // namespace fenceline::support
