#include "kmd_stub/core/fences/cpu_event.h"

#include <algorithm>
#include <cstring>

#include "kmd_stub/core/adapter.h"
#include "kmd_stub/core/queues/peer_doorbell.h"

namespace fenceline::kmd {

using abi::CpuEventUse;

NTSTATUS CpuEvents::create(const Adapter& adapter, DXGKARG_CREATECPUEVENT& args) {
  const auto* device = from_handle<Device>(args.hKmdDevice);
  if (device == nullptr || args.hDxgCpuEvent == nullptr) return STATUS_INVALID_HANDLE;
  if (&device->adapter != &adapter || args.Flags.Value != 0) return STATUS_INVALID_PARAMETER;
  const SpinLock::Guard guard(lock_);
  Named<CpuEvent>& event = storage_.emplace_back();
  event.magic = CpuEvent::kMagic;
  event.object.emplace(CpuEvent{args.hDxgCpuEvent});
  live_.push_back(&event);
  args.hKmdCpuEvent = static_cast<HandleHeader*>(&event);
  return STATUS_SUCCESS;
}

NTSTATUS CpuEvents::destroy(HANDLE handle) {
  const SpinLock::Guard guard(lock_);
  if (from_handle<CpuEvent>(handle) == nullptr) return STATUS_INVALID_HANDLE;
  auto* event = static_cast<Named<CpuEvent>*>(static_cast<HandleHeader*>(handle));
  event->magic = 0;
  live_.erase(std::remove(live_.begin(), live_.end(), event), live_.end());
  return STATUS_SUCCESS;
}

NTSTATUS CpuEvents::set_use(const D3DDDI_DRIVERESCAPE_CPUEVENTUSAGE& usage) {
  const auto use = static_cast<CpuEventUse>(usage.Usage[0]);
  if (use != CpuEventUse::kNever && use != CpuEventUse::kNow &&
      use != CpuEventUse::kBufferCompleted)
    return STATUS_INVALID_PARAMETER;
  HANDLE handle = nullptr;
  static_assert(sizeof handle == sizeof usage.hKmdCpuEvent);
  std::memcpy(&handle, &usage.hKmdCpuEvent, sizeof handle);
  const SpinLock::Guard guard(lock_);
  auto* event = from_handle<CpuEvent>(handle);
  if (event == nullptr) return STATUS_INVALID_HANDLE;
  if (use == CpuEventUse::kNow) return signal(event->os_handle);
  event->use = use;
  event->node = usage.Usage[1];
  return STATUS_SUCCESS;
}

void CpuEvents::note_completed(std::uint32_t node) {
  // Without events there is nothing to signal, so the shared state is not touched.
  if (live_.empty()) return;
  completed_.store(completed_.load() | 1U << node);
}

void CpuEvents::signal_due() {
  if (live_.empty()) return;
  std::uint32_t nodes = 0;
  os_.synchronize([&] {
    nodes = completed_.load();
    if (nodes != 0) completed_.store(0);
  });
  if (nodes == 0) return;
  std::vector<HANDLE> handles;
  {
    const SpinLock::Guard guard(lock_);
    handles = due(nodes);
    if (port_.policy().event_lock)
      for (const HANDLE handle : handles) signal(handle);
  }
  if (!port_.policy().event_lock)
    for (const HANDLE handle : handles) signal(handle);
}

/// Events that are signalled when one of these nodes completes a buffer.
std::vector<HANDLE> CpuEvents::due(std::uint32_t nodes) const {
  std::vector<HANDLE> result;
  for (const Named<CpuEvent>* event : live_)
    if (event->object->use == CpuEventUse::kBufferCompleted &&
        (nodes >> event->object->node & 1U) != 0)
      result.push_back(event->object->os_handle);
  return result;
}

NTSTATUS CpuEvents::signal(HANDLE os_handle) const {
  DXGKARGCB_SIGNALEVENT args{};
  args.hEvent = os_handle;
  args.Flags.Value = DXGKARGCB_SIGNALEVENT_FLAGS::kCpuEventObject;
  return os_.signal_event(args);
}

namespace {

/// The older way: the handle belongs to the calling process.
NTSTATUS signal_by_handle(Adapter& adapter, const DXGKARG_ESCAPE& args) {
  abi::SignalByHandle data{};
  if (args.PrivateDriverDataSize < sizeof data) return STATUS_INVALID_PARAMETER;
  std::memcpy(&data, args.pPrivateDriverData, sizeof data);
  if (data.magic != abi::kSignalByHandle) return STATUS_NOT_SUPPORTED;
  const auto* process = from_handle<Process>(args.hKmdProcessHandle);
  if (process == nullptr) return STATUS_INVALID_HANDLE;
  DXGKARGCB_SIGNALEVENT signal{};
  signal.hDxgkProcess = process->os_handle;
  std::memcpy(&signal.hEvent, &data.nt_handle, sizeof signal.hEvent);
  return adapter.os().signal_event(signal);
}

}  // namespace

NTSTATUS DxgkDdiCreateCpuEvent(Adapter& adapter, DXGKARG_CREATECPUEVENT& args) {
  return adapter.cpu_events().create(adapter, args);
}

NTSTATUS DxgkDdiDestroyCpuEvent(AnyAdapter adapter, HANDLE handle) {
  return adapter->cpu_events().destroy(handle);
}

NTSTATUS DxgkDdiEscape(Adapter& adapter, const DXGKARG_ESCAPE& args) {
  if (args.pPrivateDriverData == nullptr) return STATUS_INVALID_PARAMETER;
  if (args.hDevice == nullptr && args.hKmdProcessHandle == nullptr && args.Flags.Value == 0)
    return peer_doorbell_escape(adapter, args);
  if ((args.Flags.Value & D3DDDI_ESCAPEFLAGS::kDriverKnownEscape) == 0)
    return signal_by_handle(adapter, args);
  D3DDDI_DRIVERESCAPE_CPUEVENTUSAGE usage{};
  if (args.PrivateDriverDataSize < sizeof usage.EscapeType) return STATUS_INVALID_PARAMETER;
  std::memcpy(&usage.EscapeType, args.pPrivateDriverData, sizeof usage.EscapeType);
  if (usage.EscapeType == static_cast<D3DDDI_DRIVERESCAPETYPE>(abi::kLoggingLevelEscape))
    return set_logging_level(adapter, args);
  if (usage.EscapeType != D3DDDI_DRIVERESCAPETYPE_CPUEVENTUSAGE) return STATUS_NOT_SUPPORTED;
  if (args.PrivateDriverDataSize < sizeof usage) return STATUS_INVALID_PARAMETER;
  std::memcpy(&usage, args.pPrivateDriverData, sizeof usage);
  return adapter.cpu_events().set_use(usage);
}

}  // namespace fenceline::kmd
