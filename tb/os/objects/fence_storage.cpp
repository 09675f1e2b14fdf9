#include "tb/os/objects/fence_storage.h"

namespace fenceline::os {

using common::Home;
using common::WatchKind;

namespace {

bool allows(UINT segments, Home home) {
  return (segments &
          (home == Home::kVram ? kmd_host::kVramSegmentBit : kmd_host::kApertureSegmentBit)) != 0;
}

}  // namespace

/// The wanted home if the driver allows it. CurrentValue of a shared fence is always in system
/// memory.
Home FenceStorage::home_of(const Adapter& adapter, bool shared, Home wanted, bool monitored) const {
  if (!adapter.system().storage_rules) return wanted;
  if (shared && !monitored) return Home::kSysmem;
  const UINT segments =
      monitored ? adapter.storage().monitored_value : adapter.storage().current_value;
  if (allows(segments, wanted)) return wanted;
  return wanted == Home::kVram ? Home::kSysmem : Home::kVram;
}

Process::Packed& FenceStorage::packed(Process& process, Home home, bool monitored) {
  return (monitored ? process.packed_monitored : process.packed_current)[home == Home::kVram];
}

/// Fences that can be shared get pages of their own; others are packed at the driver's distance.
Backing FenceStorage::place(Process& process, bool shared, Home home, bool monitored,
                            std::uint64_t& offset) {
  system_.objects.footprint(true);
  const Adapter& adapter = *system_.of(process).adapter;
  const bool rules = adapter.system().storage_rules;
  offset = 0;
  if (shared && rules) return memory_.allocate(process, kPage, home, true);
  Process::Packed& packed = FenceStorage::packed(process, home, monitored);
  if (!packed.returned.empty()) {
    const auto [page, at] = packed.returned.back();
    packed.returned.pop_back();
    offset = at;
    return page;
  }
  const std::uint64_t distance = monitored && rules ? adapter.monitored_distance() : 8;
  if (packed.used + distance > kPage) {
    packed.page = memory_.allocate(process, kPage, home, true);
    packed.used = 0;
  }
  offset = packed.used;
  packed.used += distance;
  return packed.page;
}

void FenceStorage::store(AdapterState& state, Process& process, NativeFence& fence,
                         Home current_home, Home monitored_home) {
  const Adapter& adapter = *state.adapter;
  current_home = home_of(adapter, fence.shared, current_home, false);
  monitored_home = home_of(adapter, fence.shared, monitored_home, true);
  if (!fence.shared || !adapter.system().storage_rules) fence.packed_in = &process;
  fence.current = place(process, fence.shared, current_home, false, fence.current_offset);
  fence.monitored = place(process, fence.shared, monitored_home, true, fence.monitored_offset);
  HostPortModel& port = state.adapter->port();
  port.write_memory(to_kernel_address(fence.current_bus()), fence.initial_value);
  port.write_memory(to_kernel_address(fence.monitored_bus()), UINT64_MAX);
  system_.cpu.drain_stores();
  port.read_memory(to_kernel_address(fence.monitored_bus()));  // both stores have arrived
  memory_.watch(fence.current, fence.current_offset, 8, WatchKind::kCurrentValue, fence.object,
                state);
  memory_.watch(fence.monitored, fence.monitored_offset, 8, WatchKind::kMonitoredValue,
                fence.object, state);
  system_.simulation.emit(event::FenceCreate{fence.object, fence.initial_value, adapter.object(),
                                             fence.creation_flags()});
  report(adapter, fence);
}

void FenceStorage::store_monitored(AdapterState& state, Process& process, NativeFence& fence,
                                   Home monitored_home) {
  const Home home = home_of(*state.adapter, true, monitored_home, true);
  if (!state.adapter->system().storage_rules) fence.packed_in = &process;
  fence.monitored = place(process, true, home, true, fence.monitored_offset);
  HostPortModel& port = state.adapter->port();
  port.write_memory(to_kernel_address(fence.monitored_bus()), fence.monitored_value);
  system_.cpu.drain_stores();
  port.read_memory(to_kernel_address(fence.monitored_bus()));  // the store has arrived
  memory_.watch(fence.monitored, fence.monitored_offset, 8, WatchKind::kMonitoredValue,
                fence.object, state);
  system_.simulation.emit(
      event::CrossAdapterFence{fence.object, fence.origin->rings, state.adapter->object()});
  report(*state.adapter, fence);
}

void FenceStorage::report(const Adapter& adapter, const NativeFence& fence) {
  const auto flag = [](bool on, std::uint64_t bit) { return on ? bit : 0; };
  const StorageSegments& segments = adapter.storage();
  system_.simulation.emit(event::FenceStorage{
      fence.object, fence.current.gpu_physical() + fence.current_offset,
      fence.monitored.gpu_physical() + fence.monitored_offset,
      flag(fence.shared, event::kStorageShared) |
          flag(allows(segments.current_value, Home::kVram), event::kStorageCurrentLocal) |
          flag(allows(segments.monitored_value, Home::kVram), event::kStorageMonitoredLocal) |
          flag(allows(segments.current_value, Home::kSysmem), event::kStorageCurrentSystem) |
          flag(allows(segments.monitored_value, Home::kSysmem), event::kStorageMonitoredSystem),
      adapter.object()});
}

void FenceStorage::give_back(const Fence& fence) {
  if (fence.kind == Fence::Kind::kMonitored) {
    system_.monitored.forget(static_cast<const MonitoredFence&>(fence));
  } else {
    const auto& native = static_cast<const NativeFence&>(fence);
    give_back(fence, native.monitored, native.monitored_offset, true);
    if (native.origin != nullptr) return;
  }
  give_back(fence, fence.current, fence.current_offset, false);
}

void FenceStorage::give_back(const Fence& fence, const Backing& page, std::uint64_t offset,
                             bool monitored) {
  memory_.unwatch(page, offset, *fence.adapter);
  system_.simulation.emit(event::FenceStorageFree{fence.object, page.gpu_physical() + offset,
                                                  fence.adapter->object(), !monitored});
  if (fence.packed_in != nullptr) {
    const Home home = page.vram ? Home::kVram : Home::kSysmem;
    packed(*fence.packed_in, home, monitored).returned.emplace_back(page, offset);
    return;
  }
  const std::uint64_t bus = page.bus_address(fence.adapter->gpu());
  for (Process* user : fence.users) {
    user->user_pages.unmap(bus);
    user->cached_pages.erase(bus / kPage);
  }
  memory_.give_back(*fence.adapter, page);
}

D3DGPU_VIRTUAL_ADDRESS FenceStorage::map(AddressSpace& space, const Adapter& adapter,
                                         const Backing& backing, bool writable) const {
  const Backing page{backing.vram, backing.address, kPage};
  const DXGK_NATIVE_FENCE_CAPS& caps = adapter.fence_caps();
  const bool mapped = !space.is_system() || adapter.system().maps_for_the_cmp;
  return space.map_between(page, writable, caps.MinimumAddress, caps.MaximumAddress, mapped);
}

}  // namespace fenceline::os
