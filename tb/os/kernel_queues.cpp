// Hardware queues of user-mode submission: context, queue, logs, doorbell.
#include "models/abi/fence_log.h"
#include "models/abi/private_data.h"
#include "tb/os/kernel.h"

namespace fenceline::os {

using common::WatchKind;

NTSTATUS Kernel::D3DKMTCreateHwQueue(Process& process, D3DKMT_CREATEHWQUEUE& args,
                                     const std::string& name, UINT node, UINT log_entries,
                                     const Backing& ring, const std::string& context) {
  enter_call();
  AdapterState& state = adapters_[process.adapter];
  if (!state.adapter->user_mode_queues()) return STATUS_NOT_SUPPORTED;
  auto queue = std::make_unique<HwQueue>();
  queue->name = name;
  queue->object = simulation_.events.add_object(common::ObjectKind::kQueue, name);
  watch(ring, 0, 8, WatchKind::kRing, queue->object, state);

  NTSTATUS status = create_progress_fence(process, *queue, args);
  if (!NT_SUCCESS(status)) return status;
  status = join_context(process, *queue, node, context.empty() ? name : context, args.Flags.Value);
  if (!NT_SUCCESS(status)) return status;
  status = create_at_driver(state, process, *queue, args);
  if (!NT_SUCCESS(status)) return status;
  status = connect_doorbell(state, process, *queue);
  if (!NT_SUCCESS(status)) return status;

  queue->logs.queue = queue->driver_handle;
  queue->logs.node = node;
  while (processes_[queue->logs.process].get() != &process) ++queue->logs.process;
  if (log_entries != 0 && state.adapter->native_fences()) {
    status = give_logs(state, process, *queue, log_entries);
    if (!NT_SUCCESS(status)) {
      destroy_at_driver(*state.adapter, *queue);
      return status;
    }
    state.logs->add(queue->logs);
  }
  objects_.alter();
  process.queues.push_back(std::move(queue));
  const auto handle = static_cast<D3DKMT_HANDLE>(process.queues.size());
  std::vector<std::shared_ptr<MonitoredFence>> origins;  // fences may come and go meanwhile
  for (const auto& [fence, local] : process.fences)
    if (local.fence->origin != nullptr && local.fence->origin->rings)
      origins.push_back(local.fence->origin);
  for (const auto& origin : origins) connect_doorbells(*origin);
  args.hHwQueue = handle;
  return STATUS_SUCCESS;
}

/// With NativeProgressFence among the flags; its values are where the scenario has those of fences.
NTSTATUS Kernel::create_progress_fence(Process& process, HwQueue& queue,
                                       D3DKMT_CREATEHWQUEUE& args) {
  if ((args.Flags.Value & D3DDDI_CREATEHWQUEUEFLAGS::kNativeProgressFence) == 0)
    return STATUS_SUCCESS;
  D3DKMT_CREATENATIVEFENCE fence{};
  const common::MemoryOrdering& homes = options_.ordering.mem;
  const NTSTATUS status = D3DKMTCreateNativeFence(process, fence, queue.name + ".progress",
                                                  homes.cv_home, homes.mv_home);
  if (!NT_SUCCESS(status)) return status;
  queue.progress_fence = args.hHwQueueProgressFence = fence.hSyncObject;
  args.HwQueueProgressFenceCPUVirtualAddress = fence.Info.NativeFenceMapping.CurrentValueCpuVa;
  args.HwQueueProgressFenceGPUVirtualAddress = fence.Info.NativeFenceMapping.CurrentValueGpuVa;
  simulation_.emit(
      event::ProgressFence{queue.object, process.fences.at(fence.hSyncObject).fence->object});
  process.fences.at(fence.hSyncObject).of_queue = true;
  return STATUS_SUCCESS;
}

NTSTATUS Kernel::create_at_driver(AdapterState& state, Process& process, HwQueue& queue,
                                  D3DKMT_CREATEHWQUEUE& args) {
  Adapter& adapter = *state.adapter;
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
  const NTSTATUS status = adapter.call(Ddi::kCreateHwQueue, [&](auto& ddi) {
    return ddi.DxgkDdiCreateHwQueue(queue.context->driver_handle, &create);
  });
  queue.driver_handle = create.hHwQueue;
  return status;
}

NTSTATUS Kernel::connect_doorbell(AdapterState& state, Process& process, HwQueue& queue) {
  DXGKARG_CREATEDOORBELL doorbell{};
  doorbell.hHwQueue = queue.driver_handle;
  doorbell.hDoorbell = &queue;
  NTSTATUS status = state.adapter->call(
      Ddi::kCreateDoorbell, [&](auto& ddi) { return ddi.DxgkDdiCreateDoorbell(&doorbell); });
  if (!NT_SUCCESS(status)) return status;
  queue.doorbell = doorbell.hDoorbell;
  if (state.doorbells != nullptr) {
    const Backing cells = allocate(process, UserDoorbell::kCellBytes, common::Home::kSysmem);
    watch(cells, UserDoorbell::kStatus, 8, WatchKind::kDoorbellStatus, queue.object, state);
    const NativeFence* progress =
        queue.progress_fence != 0 ? process.fences.at(queue.progress_fence).fence.get() : nullptr;
    state.doorbells->add(queue, cells, progress != nullptr ? progress->current_bus() : 0);
    return state.doorbells->connect(queue).value_or(STATUS_UNSUCCESSFUL);
  }
  DXGKARG_CONNECTDOORBELL connect{};
  connect.hDoorbell = queue.doorbell;
  status = state.adapter->call(Ddi::kConnectDoorbell,
                               [&](auto& ddi) { return ddi.DxgkDdiConnectDoorbell(&connect); });
  if (!NT_SUCCESS(status)) return status;
  if (!state.adapter->driver_port().good_answer(connect.KernelCpuVirtualAddress, sizeof(UINT64),
                                                Ddi::kConnectDoorbell))
    return STATUS_UNSUCCESSFUL;
  queue.doorbell_bus = to_bus_address(connect.KernelCpuVirtualAddress);
  return status;
}

NTSTATUS Kernel::D3DKMTConnectDoorbell(Process& process, D3DKMT_HANDLE handle) {
  enter_call();
  HwQueue& target = queue(process, handle);
  if (target.user_doorbell == nullptr) return STATUS_SUCCESS;
  for (;;) {
    wake(process.adapter, 0);
    if (const auto status = target.user_doorbell->of.connect(target)) return *status;
  }
}

NTSTATUS Kernel::D3DKMTNotifyWorkSubmission(Process& process, D3DKMT_HANDLE handle) {
  enter_call();
  HwQueue& target = queue(process, handle);
  if (target.user_doorbell == nullptr) return STATUS_SUCCESS;
  if (target.user_doorbell->aborted) return STATUS_DEVICE_REMOVED;
  return target.user_doorbell->of.tell_of_work(target);
}

/// A driver must take the logs of waits and of signals, and may refuse any other.
NTSTATUS Kernel::give_logs(AdapterState& state, Process& process, HwQueue& queue, UINT entries) {
  const SystemOptions& system = state.adapter->system();
  queue.has_logs = true;
  for (const auto type : {DXGK_NATIVE_FENCE_LOG_TYPE_WAITS, DXGK_NATIVE_FENCE_LOG_TYPE_SIGNALS}) {
    const bool signals = type == DXGK_NATIVE_FENCE_LOG_TYPE_SIGNALS;
    FenceLog& log = signals ? queue.logs.signals : queue.logs.waits;
    log = create_log(state, process, queue, type, entries);
    const NTSTATUS status = state.logs->set_buffer(queue.logs, log);
    if (!NT_SUCCESS(status) && system.mandatory_logs) return status;
  }
  if (system.offered_log_type == 0) return STATUS_SUCCESS;
  const auto more = static_cast<DXGK_NATIVE_FENCE_LOG_TYPE>(system.offered_log_type);
  FenceLog log = create_log(state, process, queue, more, entries);
  state.logs->set_buffer(queue.logs, log);  // refused or not, the OS goes on
  return STATUS_SUCCESS;
}

/// Takes back what was created at the driver for a queue that is not to be.
void Kernel::destroy_at_driver(Adapter& adapter, const HwQueue& queue) {
  if (queue.user_doorbell != nullptr) queue.user_doorbell->of.remove(queue);
  DXGKARG_DISCONNECTDOORBELL disconnect{};
  disconnect.hDoorbell = queue.doorbell;
  adapter.call(Ddi::kDisconnectDoorbell,
               [&](auto& ddi) { return ddi.DxgkDdiDisconnectDoorbell(&disconnect); });
  DXGKARG_DESTROYDOORBELL destroy{};
  destroy.hDoorbell = queue.doorbell;
  adapter.call(Ddi::kDestroyDoorbell,
               [&](auto& ddi) { return ddi.DxgkDdiDestroyDoorbell(&destroy); });
  adapter.call(Ddi::kDestroyHwQueue,
               [&](auto& ddi) { return ddi.DxgkDdiDestroyHwQueue(queue.driver_handle); });
  leave_context(adapter, *queue.context);
}

FenceLog Kernel::create_log(AdapterState& state, Process& process, HwQueue& queue,
                            DXGK_NATIVE_FENCE_LOG_TYPE type, UINT entries) {
  const SystemOptions& system = state.adapter->system();
  FenceLog log;
  log.type = type;
  const std::string turn =
      queue.log_generation < 2 ? "" : "#" + std::to_string(queue.log_generation / 2 + 1);
  ++queue.log_generation;
  const std::string suffix = type == DXGK_NATIVE_FENCE_LOG_TYPE_WAITS     ? ".waits"
                             : type == DXGK_NATIVE_FENCE_LOG_TYPE_SIGNALS ? ".signals"
                                                                          : ".more";
  log.object = simulation_.events.add_object(common::ObjectKind::kLog, queue.name + suffix + turn);
  log.queue = queue.object;
  simulation_.emit(event::LogMade{log.object, type, entries, queue.object});
  log.entries = entries;
  log.backing = allocate(process, fenceline::wddm::kNativeFenceLogBytes, common::Home::kSysmem);
  log.process_address = process.space->map(log.backing, true);
  // The bounds of the caps are for fences. Without maps_for_the_cmp nothing stands behind it.
  if (state.adapter->fence_caps().MapToGpuSystemProcess != FALSE)
    log.system_address =
        state.system->map_between(log.backing, true, 0, 0, system.maps_for_the_cmp);
  if (!system.protects_logs)
    process.user_pages.map(log.backing.bus_address(state.adapter->gpu()), true);
  watch(log.backing, 0, log.backing.bytes, WatchKind::kLog, log.object, state);
  return log;
}

NTSTATUS Kernel::set_log_buffers(Process& process, D3DKMT_HANDLE handle, UINT entries) {
  enter_call();
  HwQueue& target = queue(process, handle);
  if (!target.has_logs) return STATUS_NOT_SUPPORTED;
  change_logs(process, target, entries);
  return STATUS_SUCCESS;
}

void Kernel::change_logs(Process& process, HwQueue& target, UINT entries) {
  AdapterState& state = adapters_[process.adapter];
  const FenceLog waits =
      create_log(state, process, target, DXGK_NATIVE_FENCE_LOG_TYPE_WAITS, entries);
  const FenceLog signals =
      create_log(state, process, target, DXGK_NATIVE_FENCE_LOG_TYPE_SIGNALS, entries);
  if (const auto refused = state.logs->replace(target.logs, waits, signals))
    state.adapter->bug_check(VIDEO_DXGKRNL_FATAL_ERROR, {0, static_cast<std::uint32_t>(*refused)},
                             "DxgkDdiSetNativeFenceLogBuffer failed with " +
                                 std::string(fenceline::wddm::status_name(*refused)));
}

/// A trace wants every entry: logs get all that fits in a page.
/// Source: WDDM, native fence log buffers: overruns.
void Kernel::enlarge_logs() {
  std::vector<std::pair<Process*, HwQueue*>> small;  // queues may come meanwhile
  for (const auto& process : processes_)
    for (const auto& queue : process->queues)
      if (process->has_device && queue->has_logs &&
          queue->logs.signals.entries < abi::kFenceLogMaxEntries)
        small.emplace_back(process.get(), queue.get());
  for (const auto& [process, queue] : small)
    change_logs(*process, *queue, abi::kFenceLogMaxEntries);
}

}  // namespace fenceline::os
