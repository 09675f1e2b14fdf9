#include "tb/os/vidsch/log_buffers.h"

#include "models/abi/fence_log.h"

namespace fenceline::os {

NTSTATUS LogBuffers::give(Process& process, HwQueue& queue, UINT entries) {
  AdapterState& state = system_.of(process);
  const SystemOptions& system = state.adapter->system();
  queue.has_logs = true;
  for (const auto type : {DXGK_NATIVE_FENCE_LOG_TYPE_WAITS, DXGK_NATIVE_FENCE_LOG_TYPE_SIGNALS}) {
    const bool signals = type == DXGK_NATIVE_FENCE_LOG_TYPE_SIGNALS;
    FenceLog& log = signals ? queue.logs.signals : queue.logs.waits;
    log = create(process, queue, type, entries);
    const NTSTATUS status = state.logs->set_buffer(queue.logs, log);
    if (!NT_SUCCESS(status) && system.mandatory_logs) return status;
  }
  if (system.offered_log_type == 0) return STATUS_SUCCESS;
  const auto more = static_cast<DXGK_NATIVE_FENCE_LOG_TYPE>(system.offered_log_type);
  FenceLog log = create(process, queue, more, entries);
  state.logs->set_buffer(queue.logs, log);  // the OS continues, also after a refusal
  return STATUS_SUCCESS;
}

FenceLog LogBuffers::create(Process& process, HwQueue& queue, DXGK_NATIVE_FENCE_LOG_TYPE type,
                            UINT entries) {
  AdapterState& state = system_.of(process);
  const SystemOptions& system = state.adapter->system();
  FenceLog log;
  log.type = type;
  const std::string turn =
      queue.log_generation < 2 ? "" : "#" + std::to_string(queue.log_generation / 2 + 1);
  ++queue.log_generation;
  const std::string suffix = type == DXGK_NATIVE_FENCE_LOG_TYPE_WAITS     ? ".waits"
                             : type == DXGK_NATIVE_FENCE_LOG_TYPE_SIGNALS ? ".signals"
                                                                          : ".more";
  log.object =
      system_.simulation.events.add_object(common::ObjectKind::kLog, queue.name + suffix + turn);
  log.queue = queue.object;
  system_.simulation.emit(event::LogMade{log.object, type, entries, queue.object});
  log.entries = entries;
  log.backing =
      memory_.allocate(process, fenceline::wddm::kNativeFenceLogBytes, common::Home::kSysmem);
  log.process_address = process.space->map(log.backing, true);
  // The bounds of the caps are for fences. Without maps_for_the_cmp the address has no mapping.
  if (state.adapter->fence_caps().MapToGpuSystemProcess != FALSE)
    log.system_address =
        state.system->map_between(log.backing, true, 0, 0, system.maps_for_the_cmp);
  if (!system.protects_logs)
    process.user_pages.map(log.backing.bus_address(state.adapter->gpu()), true);
  memory_.watch(log.backing, 0, log.backing.bytes, common::WatchKind::kLog, log.object, state);
  return log;
}

NTSTATUS LogBuffers::set(Process& process, D3DKMT_HANDLE handle, UINT entries) {
  system_.enter_call();
  HwQueue& target = process.queue(handle);
  if (!target.has_logs) return STATUS_NOT_SUPPORTED;
  change(process, target, entries);
  return STATUS_SUCCESS;
}

void LogBuffers::change(Process& process, HwQueue& target, UINT entries) {
  AdapterState& state = system_.of(process);
  const FenceLog waits = create(process, target, DXGK_NATIVE_FENCE_LOG_TYPE_WAITS, entries);
  const FenceLog signals = create(process, target, DXGK_NATIVE_FENCE_LOG_TYPE_SIGNALS, entries);
  if (const auto refused = state.logs->replace(target.logs, waits, signals))
    state.adapter->bug_check(VIDEO_DXGKRNL_FATAL_ERROR, {0, static_cast<std::uint32_t>(*refused)},
                             "DxgkDdiSetNativeFenceLogBuffer failed with " +
                                 std::string(fenceline::wddm::status_name(*refused)));
}

void LogBuffers::enlarge_all() {
  std::vector<std::pair<Process*, HwQueue*>> small;  // queues may be added meanwhile
  for (const auto& process : system_.processes)
    for (const auto& queue : process->queues)
      if (process->has_device && queue->has_logs &&
          queue->logs.signals.entries < abi::kFenceLogMaxEntries)
        small.emplace_back(process.get(), queue.get());
  for (const auto& [process, queue] : small) change(*process, *queue, abi::kFenceLogMaxEntries);
}

}  // namespace fenceline::os
