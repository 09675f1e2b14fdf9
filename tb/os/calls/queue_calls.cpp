#include "tb/os/calls/queue_calls.h"

#include <algorithm>
#include <cstring>

#include "models/abi/private_data.h"

namespace fenceline::os {

using common::WatchKind;

namespace {

/// Where the driver is told that the ring is, for reports only; null if that is no fixed memory.
const Backing* ring_of(const Process& process, const D3DKMT_CREATEHWQUEUE& args) {
  abi::QueuePrivateData data{};
  if (args.pPrivateDriverData == nullptr || args.PrivateDriverDataSize < sizeof data)
    return nullptr;
  std::memcpy(&data, args.pPrivateDriverData, sizeof data);
  const Backing* const ring = process.fixed_memory(data.ring_address);
  return ring != nullptr && ring->bytes >= data.ring_bytes ? ring : nullptr;
}

/// User address of a doorbell that queues share. It never changes, whatever the OS maps there.
void* user_address(const UserDoorbell& doorbell) {
  constexpr std::uint64_t kAddress = 256;  // unused space within the cells
  return to_kernel_address(doorbell.cells.address + kAddress);
}

}  // namespace

NTSTATUS QueueCalls::D3DKMTCreateHwContext(Process& process, D3DKMT_CREATEHWCONTEXT& args) {
  if (args.hDevice != process.device() || !process.has_device || args.Flags.Value != 0)
    return STATUS_INVALID_PARAMETER;
  contexts_.plan(process, system_.name_for(process, "context"), args.NodeOrdinal);
  args.hHwContext = process.own(kHwContextHandle, process.hw_contexts.size());
  return STATUS_SUCCESS;
}

NTSTATUS QueueCalls::D3DKMTCreateHwQueue(Process& process, D3DKMT_CREATEHWQUEUE& args) {
  system_.enter_call();
  AdapterState& state = system_.of(process);
  if (!state.adapter->user_mode_queues()) return STATUS_NOT_SUPPORTED;
  HwContext* const context = process.hw_context(args.hHwContext);
  if (context == nullptr || !process.has_device) return STATUS_INVALID_HANDLE;
  if (process.in_error) return STATUS_DEVICE_REMOVED;
  const Backing* const ring = ring_of(process, args);
  if (ring == nullptr) return STATUS_INVALID_PARAMETER;
  auto queue = std::make_unique<HwQueue>();
  queue->name = system_.name_for(process, "queue");
  queue->object = system_.simulation.events.add_object(common::ObjectKind::kQueue, queue->name);
  memory_.watch(*ring, 0, 8, WatchKind::kRing, queue->object, state);
  const NTSTATUS status = create_parts(process, *queue, *context, args);
  if (!NT_SUCCESS(status)) {
    take_back(process, *queue);
    return status;
  }
  system_.objects.alter();
  process.queues.push_back(std::move(queue));
  const D3DKMT_HANDLE handle = process.own(kHwQueueHandle, process.queues.size());
  peers_.connect_all(process);
  args.hHwQueue = handle;
  return STATUS_SUCCESS;
}

NTSTATUS QueueCalls::create_parts(Process& process, HwQueue& queue, HwContext& context,
                                  D3DKMT_CREATEHWQUEUE& args) {
  const UINT log_entries = system_.threads.current().options.log_entries;
  NTSTATUS status = create_progress_fence(process, queue, args);
  if (NT_SUCCESS(status)) status = contexts_.join(process, queue, context, args.Flags.Value);
  if (NT_SUCCESS(status)) status = create_at_driver(process, queue, args);
  if (NT_SUCCESS(status)) status = create_doorbell(process, queue);
  if (NT_SUCCESS(status)) status = add_logs(process, queue, log_entries);
  return status;
}

/// Without entries the queue has no logs.
NTSTATUS QueueCalls::add_logs(Process& process, HwQueue& queue, UINT entries) {
  AdapterState& state = system_.of(process);
  queue.logs.queue = queue.driver_handle;
  queue.logs.node = queue.context->node;
  while (system_.processes[queue.logs.process].get() != &process) ++queue.logs.process;
  if (entries == 0 || !state.adapter->native_fences()) return STATUS_SUCCESS;
  const NTSTATUS status = logs_.give(process, queue, entries);
  if (NT_SUCCESS(status)) state.logs->add(queue.logs);
  return status;
}

/// With NativeProgressFence among the flags; its values are where the scenario has those of fences.
NTSTATUS QueueCalls::create_progress_fence(Process& process, HwQueue& queue,
                                           D3DKMT_CREATEHWQUEUE& args) {
  if ((args.Flags.Value & D3DDDI_CREATEHWQUEUEFLAGS::kNativeProgressFence) == 0)
    return STATUS_SUCCESS;
  D3DKMT_CREATENATIVEFENCE fence{};
  fence.hDevice = process.device();
  const WithOptions named(system_.threads, {queue.name + ".progress"});
  const NTSTATUS status = fences_.D3DKMTCreateNativeFence(process, fence);
  if (!NT_SUCCESS(status)) return status;
  queue.progress_fence = args.hHwQueueProgressFence = fence.hSyncObject;
  args.HwQueueProgressFenceCPUVirtualAddress = fence.Info.NativeFenceMapping.CurrentValueCpuVa;
  args.HwQueueProgressFenceGPUVirtualAddress = fence.Info.NativeFenceMapping.CurrentValueGpuVa;
  system_.simulation.emit(
      event::ProgressFence{queue.object, process.fences.at(fence.hSyncObject).fence->object});
  process.fences.at(fence.hSyncObject).of_queue = true;
  return STATUS_SUCCESS;
}

NTSTATUS QueueCalls::create_at_driver(Process& process, HwQueue& queue,
                                      D3DKMT_CREATEHWQUEUE& args) {
  Adapter& adapter = *system_.of(process).adapter;
  DXGKARG_CREATEHWQUEUE create{};
  create.hHwQueue = &queue;
  create.Flags.Value = args.Flags.Value | D3DDDI_CREATEHWQUEUEFLAGS::kUserModeSubmission;
  create.PrivateDriverDataSize = args.PrivateDriverDataSize;
  create.pPrivateDriverData = args.pPrivateDriverData;
  if (queue.progress_fence != 0) {
    const NativeFence& fence = *process.fences.at(queue.progress_fence).fence;
    create.hHwQueueNativeProgressFence = fence.driver_handle;
    create.HwQueueProgressFenceCPUVirtualAddress =
        adapter.driver_port().give(fence.current_bus(), sizeof(UINT64));
    create.HwQueueProgressFenceGPUVirtualAddress = args.HwQueueProgressFenceGPUVirtualAddress;
  }
  const NTSTATUS status =
      adapter.call<Ddi::DxgkDdiCreateHwQueue>(queue.context->driver_handle, &create);
  if (NT_SUCCESS(status)) queue.driver_handle = create.hHwQueue;
  return status;
}

NTSTATUS QueueCalls::create_doorbell(Process& process, HwQueue& queue) {
  AdapterState& state = system_.of(process);
  DXGKARG_CREATEDOORBELL doorbell{};
  doorbell.hHwQueue = queue.driver_handle;
  doorbell.hDoorbell = &queue;
  NTSTATUS status = state.adapter->call<Ddi::DxgkDdiCreateDoorbell>(&doorbell);
  if (!NT_SUCCESS(status)) return status;
  queue.doorbell = doorbell.hDoorbell;
  if (state.doorbells != nullptr) return share_doorbell(process, queue);
  DXGKARG_CONNECTDOORBELL connect{};
  connect.hDoorbell = queue.doorbell;
  status = state.adapter->call<Ddi::DxgkDdiConnectDoorbell>(&connect);
  if (!NT_SUCCESS(status)) return status;
  if (!state.adapter->driver_port().good_answer(connect.KernelCpuVirtualAddress, sizeof(UINT64),
                                                Ddi::DxgkDdiConnectDoorbell))
    return STATUS_UNSUCCESSFUL;
  queue.doorbell_bus = to_bus_address(connect.KernelCpuVirtualAddress);
  return status;
}

/// The queue gets a place for its status, and one of the doorbells that queues share.
NTSTATUS QueueCalls::share_doorbell(Process& process, HwQueue& queue) {
  AdapterState& state = system_.of(process);
  const Backing cells = memory_.allocate(process, UserDoorbell::kCellBytes, common::Home::kSysmem);
  memory_.watch(cells, UserDoorbell::kStatus, 8, WatchKind::kDoorbellStatus, queue.object, state);
  const NativeFence* progress =
      queue.progress_fence != 0 ? process.fences.at(queue.progress_fence).fence.get() : nullptr;
  state.doorbells->add(queue, cells, progress != nullptr ? progress->current_bus() : 0);
  return connect(process, queue);
}

NTSTATUS QueueCalls::D3DKMTCreateDoorbell(Process& process, D3DKMT_CREATEDOORBELL& args) {
  const HwQueue* const queue = process.hw_queue(args.hHwQueue);
  if (queue == nullptr) return STATUS_INVALID_HANDLE;
  if (args.Flags.Value != 0) return STATUS_NOT_SUPPORTED;
  args.DoorbellCPUVirtualAddress = to_kernel_address(queue->doorbell_bus);
  if (const UserDoorbell* shared = queue->user_doorbell.get()) {
    args.DoorbellCPUVirtualAddress = user_address(*shared);
    args.DoorbellStatusCPUVirtualAddress = to_kernel_address(shared->status_bus());
    args.HwQueueProgressFenceLastQueuedValueCPUVirtualAddress =
        to_kernel_address(shared->last_queued_bus());
  }
  args.hDoorbell = args.hHwQueue;
  return STATUS_SUCCESS;
}

const HwQueue* QueueCalls::queue_of_doorbell(const Process& process, const void* address) {
  const auto found =
      std::find_if(process.queues.begin(), process.queues.end(), [address](const auto& queue) {
        return queue->user_doorbell != nullptr && user_address(*queue->user_doorbell) == address;
      });
  return found != process.queues.end() ? found->get() : nullptr;
}

NTSTATUS QueueCalls::D3DKMTConnectDoorbell(Process& process, const D3DKMT_CONNECTDOORBELL& args) {
  if (args.Flags.Value != 0) return STATUS_INVALID_PARAMETER;
  system_.enter_call();
  HwQueue* const target = process.hw_queue(args.hDoorbell);
  if (target == nullptr) return STATUS_INVALID_HANDLE;
  if (target->user_doorbell == nullptr) return STATUS_SUCCESS;
  return connect(process, *target);
}

/// The adapter may go to sleep again before the doorbell is connected.
NTSTATUS QueueCalls::connect(Process& process, HwQueue& queue) {
  for (;;) {
    system_.of(process).power->wake();
    if (const auto status = queue.user_doorbell->of.connect(queue)) return *status;
  }
}

NTSTATUS QueueCalls::D3DKMTNotifyWorkSubmission(Process& process,
                                                const D3DKMT_NOTIFY_WORK_SUBMISSION& args) {
  if (args.Flags.Value != 0) return STATUS_INVALID_PARAMETER;
  system_.enter_call();
  HwQueue* const target = process.hw_queue(args.hHwQueue);
  if (target == nullptr) return STATUS_INVALID_HANDLE;
  if (target->user_doorbell == nullptr) return STATUS_SUCCESS;
  if (target->user_doorbell->aborted) return STATUS_DEVICE_REMOVED;
  return target->user_doorbell->of.tell_of_work(*target);
}

/// Takes back the parts of a queue whose creation has failed, the last one first.
void QueueCalls::take_back(Process& process, const HwQueue& queue) {
  Adapter& adapter = *system_.of(process).adapter;
  if (queue.doorbell != nullptr) destroy_doorbell(adapter, queue);
  if (queue.driver_handle != nullptr) adapter.call<Ddi::DxgkDdiDestroyHwQueue>(queue.driver_handle);
  if (queue.context != nullptr) HwContexts::leave(adapter, *queue.context);
  if (queue.progress_fence != 0) fences_.close(process, process.fences.find(queue.progress_fence));
}

void QueueCalls::destroy_doorbell(Adapter& adapter, const HwQueue& queue) {
  const UserDoorbell* const shared = queue.user_doorbell.get();
  if (shared != nullptr) shared->of.remove(queue);
  if (shared != nullptr ? shared->connected : queue.doorbell_bus != 0) {
    DXGKARG_DISCONNECTDOORBELL disconnect{};
    disconnect.hDoorbell = queue.doorbell;
    adapter.call<Ddi::DxgkDdiDisconnectDoorbell>(&disconnect);
  }
  DXGKARG_DESTROYDOORBELL destroy{};
  destroy.hDoorbell = queue.doorbell;
  adapter.call<Ddi::DxgkDdiDestroyDoorbell>(&destroy);
}

NTSTATUS QueueCalls::D3DKMTSubmitCommandToHwQueue(Process& process,
                                                  const D3DKMT_SUBMITCOMMANDTOHWQUEUE& args) {
  return process.hw_queue(args.hHwQueue) != nullptr ? STATUS_NOT_SUPPORTED : STATUS_INVALID_HANDLE;
}

NTSTATUS QueueCalls::D3DKMTSubmitWaitForSyncObjectsToHwQueue(
    Process& process, const D3DKMT_SUBMITWAITFORSYNCOBJECTSTOHWQUEUE& args) {
  system_.enter_call();
  return process.hw_queue(args.hHwQueue) != nullptr ? STATUS_INVALID_PARAMETER
                                                    : STATUS_INVALID_HANDLE;
}

NTSTATUS QueueCalls::D3DKMTSubmitSignalSyncObjectsToHwQueue(
    Process& process, const D3DKMT_SUBMITSIGNALSYNCOBJECTSTOHWQUEUE& args) {
  system_.enter_call();
  for (UINT i = 0; i < args.BroadcastHwQueueCount; ++i)
    if (process.hw_queue(args.BroadcastHwQueueArray[i]) == nullptr) return STATUS_INVALID_HANDLE;
  return STATUS_INVALID_PARAMETER;
}

}  // namespace fenceline::os
