// Contexts that the OS feeds: their buffers, and the waits and signals between those.
#include <algorithm>
#include <utility>

#include "models/abi/page_table.h"
#include "tb/os/kernel.h"

namespace fenceline::os {

ContextQueue* Kernel::context(Process& process, D3DKMT_HANDLE handle) {
  objects_.read();
  const std::size_t index = static_cast<std::size_t>(handle ^ kContextHandle) - 1;
  if ((handle & kContextHandle) == 0 || index >= process.contexts.size()) return nullptr;
  return process.contexts[index];
}

NTSTATUS Kernel::D3DKMTCreateContextVirtual(Process& process, D3DKMT_CREATECONTEXTVIRTUAL& args,
                                            const std::string& name) {
  enter_call();
  if (args.hDevice != kDeviceHandle || !process.has_device || args.Flags.Value != 0)
    return STATUS_INVALID_PARAMETER;
  if (contexts_ == nullptr) return STATUS_NOT_SUPPORTED;
  D3DKMT_CREATECONTEXT create{};
  create.NodeOrdinal = args.NodeOrdinal;
  const NTSTATUS status =
      create_context(process, create, DXGK_CREATECONTEXTFLAGS::kVirtualAddressing, name);
  args.hContext = create.hContext;
  return status;
}

NTSTATUS Kernel::create_context(Process& process, D3DKMT_CREATECONTEXT& args, UINT flags,
                                const std::string& name) {
  AdapterState& state = adapters_[process.adapter];
  DXGKARG_CREATECONTEXT create{};
  create.hContext = &process;
  create.NodeOrdinal = args.NodeOrdinal;
  create.EngineAffinity = 1;
  create.Flags.Value = flags;
  const NTSTATUS status = state.adapter->call(Ddi::kCreateContext, [&](auto& ddi) {
    return ddi.DxgkDdiCreateContext(process.space->device(), &create);
  });
  if (!NT_SUCCESS(status)) return status;
  objects_.alter();
  process.contexts.push_back(
      &contexts_->create(*state.adapter, name, args.NodeOrdinal, create.hContext));
  process.contexts.back()->owner = &process;
  const auto made = process.states_made.find(simulation_.steps.current());
  if (made != process.states_made.end()) {
    VideoMemory::join(*process.contexts.back(), *made->second);
    for (const auto& shared : process.device_states)
      VideoMemory::join(*process.contexts.back(), *shared);
    process.states_made.erase(made);
  }
  process.contexts.back()->process = process.object;
  args.hContext = kContextHandle | static_cast<D3DKMT_HANDLE>(process.contexts.size());
  args.NoPatchingRequired =
      (create.ContextInfo.Caps.Value & DXGK_CONTEXTINFO_CAPS::kNoPatchingRequired) != 0 ? TRUE
                                                                                        : FALSE;
  return STATUS_SUCCESS;
}

/// The driver wants memory for the state of a context: in VRAM, and mapped for the process.
NTSTATUS Kernel::create_context_allocation(DXGKARGCB_CREATECONTEXTALLOCATION& args) {
  const bool shared = (args.ContextAllocationFlags.Value &
                       DXGK_CREATECONTEXTALLOCATIONFLAGS::kSharedAcrossContexts) != 0;
  if (shared != (args.hContext == nullptr)) return STATUS_INVALID_PARAMETER;
  if (shared) return create_device_allocation(args);
  const auto has = [&](const Process& process) {
    return suspends_contexts() &&
           std::any_of(process.hw_contexts.begin(), process.hw_contexts.end(),
                       [&](const auto& context) { return context.get() == args.hContext; });
  };
  const auto owner = std::find_if(processes_.begin(), processes_.end(), [&](const auto& process) {
    return process.get() == args.hContext || has(*process);
  });
  // A context that only carries the page tables of a process is never given work.
  if (owner == processes_.end()) return STATUS_NOT_SUPPORTED;
  if (args.Size == 0) return STATUS_INVALID_PARAMETER;
  AdapterState& state = adapters_[(*owner)->adapter];
  // Memory for the state of a hardware context stays where it is.
  if (state.memory != nullptr && owner->get() == args.hContext) {
    std::unique_ptr<Allocation>& made = (*owner)->states.emplace_back();
    Allocation* const of_context = (made = std::make_unique<Allocation>(simulation_.steps)).get();
    const NTSTATUS status = state.memory->create_state(**owner, args, *of_context);
    args.GpuVirtualAddress = of_context->gpu_address;
    args.hAllocation = of_context;
    (*owner)->states_made[simulation_.steps.current()] = of_context;
    return status;
  }
  constexpr std::uint64_t page = abi::kPageBytes;
  const Backing backing =
      allocate(**owner, (args.Size + page - 1) / page * page, common::Home::kVram);
  args.GpuVirtualAddress = (*owner)->space->map(backing, true);
  args.hAllocation = owner->get();
  return STATUS_SUCCESS;
}

/// The same for all contexts of a device. The system device has none.
NTSTATUS Kernel::create_device_allocation(DXGKARGCB_CREATECONTEXTALLOCATION& args) {
  const auto owner = std::find_if(processes_.begin(), processes_.end(), [&](const auto& process) {
    return args.hDevice != nullptr && process->space.get() == args.hDevice;
  });
  if (owner == processes_.end() || args.Size == 0) return STATUS_INVALID_PARAMETER;
  AdapterState& state = adapters_[(*owner)->adapter];
  if (state.memory == nullptr) return STATUS_NOT_SUPPORTED;
  Allocation& made =
      *(*owner)->device_states.emplace_back(std::make_unique<Allocation>(simulation_.steps));
  const NTSTATUS status = state.memory->create_state(**owner, args, made);
  args.GpuVirtualAddress = made.gpu_address;
  args.hAllocation = &made;
  return status;
}

NTSTATUS Kernel::D3DKMTSetContextSchedulingPriority(
    Process& process, const D3DKMT_SETCONTEXTSCHEDULINGPRIORITY& args) {
  enter_call();
  constexpr INT kMost = 7;
  ContextQueue* target = context(process, args.hContext);
  if (target == nullptr) return STATUS_INVALID_HANDLE;
  if (args.Priority < -kMost || args.Priority > kMost) return STATUS_INVALID_PARAMETER;
  contexts_->set_priority(*target, args.Priority);
  return STATUS_SUCCESS;
}

abi::AdapterPrivateData Kernel::user_driver_data(Process& process) {
  abi::AdapterPrivateData data{};
  Adapter& adapter = *adapters_[process.adapter].adapter;
  DXGKARG_QUERYADAPTERINFO query{};
  query.Type = DXGKQAITYPE_UMDRIVERPRIVATE;
  query.pOutputData = &data;
  query.OutputDataSize = sizeof data;
  adapter.call(Ddi::kQueryAdapterInfo,
               [&](auto& ddi) { return ddi.DxgkDdiQueryAdapterInfo(adapter.handle(), &query); });
  return data;
}

NTSTATUS Kernel::D3DKMTSubmitCommand(Process& process, const D3DKMT_SUBMITCOMMAND& args,
                                     const std::vector<D3DDDI_ALLOCATIONLIST>& listed) {
  enter_call();
  if (args.BroadcastContextCount != 1 || args.Commands % 8 != 0 || args.CommandLength % 8 != 0)
    return STATUS_INVALID_PARAMETER;
  ContextQueue* target = context(process, args.BroadcastContext[0]);
  if (target == nullptr) return STATUS_INVALID_HANDLE;
  if (target->ended) return STATUS_DEVICE_REMOVED;
  wake(process.adapter, 0);
  std::vector<Allocation*> used;
  if (contexts_->on_listed)
    for (const D3DDDI_ALLOCATIONLIST& one : listed) {
      Allocation* const known = allocation(process, one.hAllocation);
      if (known == nullptr) return STATUS_INVALID_HANDLE;
      used.push_back(known);
    }
  for (Allocation* one : used) {
    ++one->listed;
    one->unlisted.clear();
  }
  const NTSTATUS status = contexts_->submit(*target, args.Commands, args.CommandLength, used);
  if (!NT_SUCCESS(status))  // the device went into error while the thread waited for room
    for (Allocation* one : used)
      if (--one->listed == 0) one->unlisted.set();
  return status;
}

/// For native fences, too: they support all calls that there are for monitored ones.
NTSTATUS Kernel::D3DKMTWaitForSynchronizationObjectFromGpu(
    Process& process, const D3DKMT_WAITFORSYNCHRONIZATIONOBJECTFROMGPU& args) {
  enter_call();
  ContextQueue* target = context(process, args.hContext);
  if (target == nullptr || args.ObjectCount == 0) return STATUS_INVALID_HANDLE;
  const MonitoredPoints found =
      monitored_points(process, args.ObjectCount, args.ObjectHandleArray,
                       args.MonitoredFenceValueArray, SynchronizationFlags::kNoWait);
  if (!NT_SUCCESS(found.status)) return found.status;
  if (!found.any) {
    const auto natives =
        points(process, args.ObjectCount, args.ObjectHandleArray, args.MonitoredFenceValueArray);
    if (natives.empty()) return STATUS_INVALID_HANDLE;
    for (const auto& point : natives)
      contexts_->wait(*target, FenceScheduler::Point{point.fence, point.value},
                      waits_.next_number());
    return STATUS_SUCCESS;
  }
  if (const NTSTATUS status = monitored_.check(found.points); !NT_SUCCESS(status)) return status;
  for (const auto& point : found.points)
    contexts_->wait(*target, MonitoredFences::Point{point.fence, point.value},
                    waits_.next_number());
  return STATUS_SUCCESS;
}

NTSTATUS Kernel::D3DKMTSignalSynchronizationObjectFromGpu(
    Process& process, const D3DKMT_SIGNALSYNCHRONIZATIONOBJECTFROMGPU& args) {
  enter_call();
  ContextQueue* target = context(process, args.hContext);
  if (target == nullptr || args.ObjectCount == 0) return STATUS_INVALID_HANDLE;
  const MonitoredPoints found =
      monitored_points(process, args.ObjectCount, args.ObjectHandleArray,
                       args.MonitoredFenceValueArray, SynchronizationFlags::kNoSignal);
  if (!NT_SUCCESS(found.status)) return found.status;
  if (!found.any) {
    std::vector<FenceScheduler::Point> natives;
    for (const auto& point :
         points(process, args.ObjectCount, args.ObjectHandleArray, args.MonitoredFenceValueArray))
      natives.push_back({point.fence, point.value});
    if (natives.empty()) return STATUS_INVALID_HANDLE;
    contexts_->signal(*target, std::move(natives));
    return STATUS_SUCCESS;
  }
  // What a context was given names the fence itself, and goes on when the handle is closed.
  std::vector<MonitoredFences::Point> named;
  for (const auto& point : found.points) named.push_back({point.fence, point.value});
  contexts_->signal(*target, std::move(named));
  return STATUS_SUCCESS;
}

/// Every hardware queue here is fed by user mode, and the OS has no queue in front of it in which a
/// wait could stand. Source: WDDM, D3DDDI_CREATEHWQUEUEFLAGS.UserModeSubmission.
NTSTATUS Kernel::D3DKMTSubmitWaitForSyncObjectsToHwQueue(
    Process& process, const D3DKMT_SUBMITWAITFORSYNCOBJECTSTOHWQUEUE& args) {
  enter_call();
  if (args.hHwQueue == 0 || args.hHwQueue > process.queues.size()) return STATUS_INVALID_HANDLE;
  return STATUS_INVALID_PARAMETER;
}

NTSTATUS Kernel::D3DKMTSubmitSignalSyncObjectsToHwQueue(
    Process& process, const D3DKMT_SUBMITSIGNALSYNCOBJECTSTOHWQUEUE& args) {
  enter_call();
  for (UINT i = 0; i < args.BroadcastHwQueueCount; ++i)
    if (args.BroadcastHwQueueArray[i] == 0 || args.BroadcastHwQueueArray[i] > process.queues.size())
      return STATUS_INVALID_HANDLE;
  return STATUS_INVALID_PARAMETER;
}

}  // namespace fenceline::os
