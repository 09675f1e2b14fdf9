#include "tb/os/calls/context_calls.h"

#include <utility>

namespace fenceline::os {

NTSTATUS ContextCalls::D3DKMTCreateContextVirtual(Process& process,
                                                  D3DKMT_CREATECONTEXTVIRTUAL& args) {
  system_.enter_call();
  if (args.hDevice != process.device() || !process.has_device || args.Flags.Value != 0)
    return STATUS_INVALID_PARAMETER;
  D3DKMT_CREATECONTEXT plain{};
  plain.NodeOrdinal = args.NodeOrdinal;
  const NTSTATUS status = create(process, plain, DXGK_CREATECONTEXTFLAGS::kVirtualAddressing);
  args.hContext = plain.hContext;
  return status;
}

NTSTATUS ContextCalls::D3DKMTCreateContext(Process& process, D3DKMT_CREATECONTEXT& args) {
  system_.enter_call();
  if (args.hDevice != process.device() || !process.has_device || args.Flags != 0)
    return STATUS_INVALID_PARAMETER;
  return create(process, args, 0);
}

NTSTATUS ContextCalls::create(Process& process, D3DKMT_CREATECONTEXT& args, UINT flags) {
  if (system_.contexts == nullptr) return STATUS_NOT_SUPPORTED;
  if (process.in_error) return STATUS_DEVICE_REMOVED;
  AdapterState& state = system_.of(process);
  DXGKARG_CREATECONTEXT context{};
  context.hContext = &process;
  context.NodeOrdinal = args.NodeOrdinal;
  context.EngineAffinity = 1;
  context.Flags.Value = flags;
  const NTSTATUS status =
      state.adapter->call<Ddi::DxgkDdiCreateContext>(process.space->device(), &context);
  if (!NT_SUCCESS(status)) return status;
  system_.objects.alter();
  process.contexts.push_back(&system_.contexts->table.create(
      *state.adapter, system_.name_for(process, "context"), args.NodeOrdinal, context.hContext));
  process.contexts.back()->owner = &process;
  const auto made = process.states_made.find(system_.simulation.steps.current());
  if (made != process.states_made.end()) {
    VideoMemory::join(*process.contexts.back(), *made->second);
    for (const auto& shared : process.device_states)
      VideoMemory::join(*process.contexts.back(), *shared);
    process.states_made.erase(made);
  }
  process.contexts.back()->process = process.object;
  args.hContext = process.own(kContextHandle, process.contexts.size());
  args.NoPatchingRequired =
      (context.ContextInfo.Caps.Value & DXGK_CONTEXTINFO_CAPS::kNoPatchingRequired) != 0 ? TRUE
                                                                                         : FALSE;
  return STATUS_SUCCESS;
}

NTSTATUS ContextCalls::D3DKMTSetContextSchedulingPriority(
    Process& process, const D3DKMT_SETCONTEXTSCHEDULINGPRIORITY& args) {
  system_.enter_call();
  constexpr INT kMost = 7;
  ContextQueue* target = process.context(args.hContext);
  if (target == nullptr) return STATUS_INVALID_HANDLE;
  if (args.Priority < -kMost || args.Priority > kMost) return STATUS_INVALID_PARAMETER;
  system_.contexts->table.set_priority(*target, args.Priority);
  return STATUS_SUCCESS;
}

NTSTATUS ContextCalls::D3DKMTSubmitCommand(Process& process, const D3DKMT_SUBMITCOMMAND& args) {
  system_.enter_call();
  if (args.BroadcastContextCount != 1 || args.Commands % 8 != 0 || args.CommandLength % 8 != 0)
    return STATUS_INVALID_PARAMETER;
  ContextQueue* target = process.context(args.BroadcastContext[0]);
  if (target == nullptr) return STATUS_INVALID_HANDLE;
  if (target->ended) return STATUS_DEVICE_REMOVED;
  system_.of(process).power->wake();
  std::vector<Allocation*> used;
  if (system_.contexts->table.on_listed)
    for (const D3DDDI_ALLOCATIONLIST& one : system_.threads.current().options.used) {
      Allocation* const known = process.allocation(one.hAllocation);
      if (known == nullptr) return STATUS_INVALID_HANDLE;
      used.push_back(known);
    }
  for (Allocation* one : used) {
    ++one->listed;
    one->unlisted.clear();
  }
  const NTSTATUS status =
      system_.contexts->submission.submit(*target, args.Commands, args.CommandLength, used);
  if (!NT_SUCCESS(status))  // the device went into error while the thread waited for room
    for (Allocation* one : used)
      if (--one->listed == 0) one->unlisted.set();
  return status;
}

NTSTATUS ContextCalls::D3DKMTWaitForSynchronizationObjectFromGpu(
    Process& process, const D3DKMT_WAITFORSYNCHRONIZATIONOBJECTFROMGPU& args) {
  system_.enter_call();
  ContextQueue* target = process.context(args.hContext);
  if (target == nullptr || args.ObjectCount == 0) return STATUS_INVALID_HANDLE;
  const FencePoints fences =
      fence_points(process, args.ObjectCount, args.ObjectHandleArray, args.MonitoredFenceValueArray,
                   SynchronizationFlags::kNoWait);
  if (!NT_SUCCESS(fences.status)) return fences.status;
  // A waiting context names the fence itself, and still waits after the handle is closed.
  const auto queue_waits = [&](const auto& points) {
    for (const auto& point : points)
      system_.contexts->submission.wait(
          *target, std::decay_t<decltype(point)>{point.fence, point.value}, waits_.next_number());
    return STATUS_SUCCESS;
  };
  if (fences.monitored.empty()) return queue_waits(fences.native);
  const NTSTATUS status = system_.monitored.check(fences.monitored);
  return NT_SUCCESS(status) ? queue_waits(fences.monitored) : status;
}

NTSTATUS ContextCalls::D3DKMTSignalSynchronizationObjectFromGpu(
    Process& process, const D3DKMT_SIGNALSYNCHRONIZATIONOBJECTFROMGPU& args) {
  system_.enter_call();
  ContextQueue* target = process.context(args.hContext);
  if (target == nullptr || args.ObjectCount == 0) return STATUS_INVALID_HANDLE;
  FencePoints fences = fence_points(process, args.ObjectCount, args.ObjectHandleArray,
                                    args.MonitoredFenceValueArray, SynchronizationFlags::kNoSignal);
  if (!NT_SUCCESS(fences.status)) return fences.status;
  // As above: the context names the fence, not the handle.
  const auto queue_signal = [&](auto& points) {
    for (auto& point : points) point.through = nullptr;
    system_.contexts->submission.signal(*target, std::move(points));
    return STATUS_SUCCESS;
  };
  return fences.monitored.empty() ? queue_signal(fences.native) : queue_signal(fences.monitored);
}

}  // namespace fenceline::os
