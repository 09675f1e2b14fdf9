// Where the values of fences are stored, and who may reach them.
#include "tb/os/kernel.h"

namespace fenceline::os {

using common::EventKind;
using common::Home;
using common::WatchKind;

namespace {

bool allows(UINT segments, Home home) {
  return (segments &
          (home == Home::kVram ? kmd_host::kVramSegmentBit : kmd_host::kApertureSegmentBit)) != 0;
}

}  // namespace

/// The wanted place where the driver allows it. CurrentValue of a shared fence is always in system
/// memory.
Home Kernel::storage_home(const Adapter& adapter, bool shared, Home wanted, bool monitored) const {
  if (!adapter.system().storage_rules) return wanted;
  if (shared && !monitored) return Home::kSysmem;
  const UINT segments =
      monitored ? adapter.storage().monitored_value : adapter.storage().current_value;
  if (allows(segments, wanted)) return wanted;
  return wanted == Home::kVram ? Home::kSysmem : Home::kVram;
}

/// Fences that can be shared get pages of their own; others are packed at the driver's distance.
Backing Kernel::value_storage(Process& process, bool shared, Home home, bool monitored,
                              std::uint64_t& offset) {
  const Adapter& adapter = *adapters_[process.adapter].adapter;
  const bool rules = adapter.system().storage_rules;
  offset = 0;
  if (shared && rules) return allocate(process, kPage, home);
  auto& packed =
      (monitored ? process.packed_monitored : process.packed_current)[home == Home::kVram];
  const std::uint64_t distance = monitored && rules ? adapter.monitored_distance() : 8;
  if (packed.used + distance > kPage) {
    packed.page = allocate(process, kPage, home);
    packed.used = 0;
  }
  offset = packed.used;
  packed.used += distance;
  return packed.page;
}

/// Gives both values their places and what they start with.
void Kernel::store_values(AdapterState& state, Process& process, NativeFence& fence,
                          Home current_home, Home monitored_home) {
  const Adapter& adapter = *state.adapter;
  current_home = storage_home(adapter, fence.shared, current_home, false);
  monitored_home = storage_home(adapter, fence.shared, monitored_home, true);
  fence.current = value_storage(process, fence.shared, current_home, false, fence.current_offset);
  fence.monitored =
      value_storage(process, fence.shared, monitored_home, true, fence.monitored_offset);
  HostPortModel& port = state.adapter->port();
  port.write_memory(to_kernel_address(fence.current_bus()), fence.initial_value);
  port.write_memory(to_kernel_address(fence.monitored_bus()), UINT64_MAX);
  cpu_.drain_stores();
  port.read_memory(to_kernel_address(fence.monitored_bus()));  // both stores have arrived
  watch(fence.current, fence.current_offset, 8, WatchKind::kCurrentValue, fence.object, state);
  watch(fence.monitored, fence.monitored_offset, 8, WatchKind::kMonitoredValue, fence.object,
        state);
  const common::AgentId agent = simulation_.steps.current();
  simulation_.events.emit(EventKind::kFenceCreate, agent, fence.object, fence.initial_value,
                          adapter.object(), fence.unwaits_late ? 2 : 0);
  report_storage(adapter, fence);
}

void Kernel::report_storage(const Adapter& adapter, const NativeFence& fence) {
  const auto flag = [](bool on, std::uint64_t bit) { return on ? bit : 0; };
  const StorageSegments& segments = adapter.storage();
  simulation_.events.emit(
      EventKind::kFenceStorage, simulation_.steps.current(), fence.object,
      fence.current.gpu_physical() + fence.current_offset,
      fence.monitored.gpu_physical() + fence.monitored_offset,
      flag(fence.shared, common::kStorageShared) |
          flag(allows(segments.current_value, Home::kVram), common::kStorageCurrentLocal) |
          flag(allows(segments.monitored_value, Home::kVram), common::kStorageMonitoredLocal) |
          flag(allows(segments.current_value, Home::kSysmem), common::kStorageCurrentSystem) |
          flag(allows(segments.monitored_value, Home::kSysmem), common::kStorageMonitoredSystem) |
          static_cast<std::uint64_t>(adapter.object()) << common::kStorageAdapterShift);
}

/// Maps the page of a value between the driver's bounds. Without SystemOptions::maps_for_the_cmp an
/// address of the system process is handed out and nothing stands behind it.
D3DGPU_VIRTUAL_ADDRESS Kernel::map_values(AddressSpace& space, const Adapter& adapter,
                                          const Backing& backing, bool writable) const {
  const Backing page{backing.vram, backing.address, kPage};
  const DXGK_NATIVE_FENCE_CAPS& caps = adapter.fence_caps();
  const bool mapped = !space.is_system() || adapter.system().maps_for_the_cmp;
  return space.map_between(page, writable, caps.MinimumAddress, caps.MaximumAddress, mapped);
}

NTSTATUS Kernel::touch_value(Process& process, const LocalFence& fence, common::UserTarget target,
                             std::uint64_t& value) {
  using common::UserTarget;
  const bool monitored =
      target == UserTarget::kReadMonitored || target == UserTarget::kWriteMonitored;
  const bool write = target == UserTarget::kWriteCurrent || target == UserTarget::kWriteMonitored;
  const std::uint64_t address =
      monitored ? fence.fence->monitored_bus() : fence.fence->current_bus();
  const bool allowed = process.user_pages.allows(address, write);
  simulation_.events.emit(EventKind::kUserAccess, simulation_.steps.current(), fence.fence->object,
                          static_cast<std::uint64_t>(target), allowed ? 1 : 0);
  if (!allowed) return STATUS_ACCESS_VIOLATION;
  HostPortModel& port = fence.fence->adapter->port();
  if (write)
    port.write_memory(to_kernel_address(address), value);
  else
    value = port.read_value(to_kernel_address(address), common::Operation::kReadValue,
                            monitored ? common::Reader::kOther : common::Reader::kUserPoll);
  return STATUS_SUCCESS;
}

NTSTATUS Kernel::touch_log(Process& process, Process& owner, D3DKMT_HANDLE handle, bool signals,
                           bool write, std::uint64_t& value) {
  Adapter& adapter = *adapters_[owner.adapter].adapter;
  const LogFollower::Place log =
      adapters_[owner.adapter].logs->place_of(queue(owner, handle).logs, signals);
  const std::uint64_t address = log.bus_address;
  const bool allowed = process.user_pages.allows(address, write);
  simulation_.events.emit(EventKind::kUserLogAccess, simulation_.steps.current(), log.object,
                          write ? 1 : 0, allowed ? 1 : 0, process.object);
  if (!allowed) return STATUS_ACCESS_VIOLATION;
  if (write)
    adapter.port().write_memory(to_kernel_address(address), value);
  else
    value = adapter.port().read_value(to_kernel_address(address), common::Operation::kReadValue,
                                      common::Reader::kOther);
  return STATUS_SUCCESS;
}

}  // namespace fenceline::os
