// Where the values of fences are stored, and who may reach them.
#include <algorithm>

#include "tb/os/kernel.h"

namespace fenceline::os {

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

Process::Packed& Kernel::packed(Process& process, Home home, bool monitored) {
  return (monitored ? process.packed_monitored : process.packed_current)[home == Home::kVram];
}

/// Fences that can be shared get pages of their own; others are packed at the driver's distance.
Backing Kernel::value_storage(Process& process, bool shared, Home home, bool monitored,
                              std::uint64_t& offset) {
  objects_.footprint(true);
  const Adapter& adapter = *adapters_[process.adapter].adapter;
  const bool rules = adapter.system().storage_rules;
  offset = 0;
  if (shared && rules) return allocate(process, kPage, home, true);
  Process::Packed& packed = this->packed(process, home, monitored);
  if (!packed.returned.empty()) {
    const auto [page, at] = packed.returned.back();
    packed.returned.pop_back();
    offset = at;
    return page;
  }
  const std::uint64_t distance = monitored && rules ? adapter.monitored_distance() : 8;
  if (packed.used + distance > kPage) {
    packed.page = allocate(process, kPage, home, true);
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
  if (!fence.shared || !adapter.system().storage_rules) fence.packed_in = &process;
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
  simulation_.events.emit(agent, event::FenceCreate{fence.object, fence.initial_value,
                                                    adapter.object(), fence.flags_told()});
  report_storage(adapter, fence);
}

void Kernel::report_storage(const Adapter& adapter, const NativeFence& fence) {
  const auto flag = [](bool on, std::uint64_t bit) { return on ? bit : 0; };
  const StorageSegments& segments = adapter.storage();
  simulation_.emit(event::FenceStorage{
      fence.object, fence.current.gpu_physical() + fence.current_offset,
      fence.monitored.gpu_physical() + fence.monitored_offset,
      flag(fence.shared, common::kStorageShared) |
          flag(allows(segments.current_value, Home::kVram), common::kStorageCurrentLocal) |
          flag(allows(segments.monitored_value, Home::kVram), common::kStorageMonitoredLocal) |
          flag(allows(segments.current_value, Home::kSysmem), common::kStorageCurrentSystem) |
          flag(allows(segments.monitored_value, Home::kSysmem), common::kStorageMonitoredSystem),
      adapter.object()});
}

/// A process has closed a fence; with `last` it is gone. What it leaves is used again later.
void Kernel::retire(Process& process, const std::shared_ptr<Fence>& fence, bool last,
                    GpuMappings mappings) {
  RetiredFences::Entry entry{last ? fence : nullptr, std::move(mappings)};
  if (last)
    entry.mappings.insert(entry.mappings.end(), fence->system_mappings.begin(),
                          fence->system_mappings.end());
  for (const Process* user : last ? fence->users : std::vector<Process*>{&process})
    for (const auto& mark : marks_of(*user)) entry.submitted.push_back(mark);
  objects_.alter();
  retired_.add(std::move(entry));
  const bool reachable = std::all_of(adapters_.begin(), adapters_.end(), [](const auto& state) {
    state.power->read();
    return state.powered && !state.changing_power;
  });
  if (reachable) reclaim(retired_.take());
}

/// First the page tables, then the GPUs forget what they have translated; only then may somebody
/// else get addresses and memory.
void Kernel::reclaim(const std::vector<RetiredFences::Entry>& entries) {
  std::vector<AddressSpace*> spaces;
  for (const auto& entry : entries)
    for (const GpuMapping& mapping : entry.mappings) {
      mapping.space->unmap(mapping.address);
      if (std::find(spaces.begin(), spaces.end(), mapping.space) == spaces.end())
        spaces.push_back(mapping.space);
    }
  for (AddressSpace* space : spaces) space->flush_tlb();
  for (const auto& entry : entries) {
    for (const GpuMapping& mapping : entry.mappings) mapping.space->give_back(mapping.address);
    if (entry.fence == nullptr) continue;
    give_back(*entry.fence);
  }
}

/// Nobody can name the fence any more.
void Kernel::give_back(const Fence& fence) {
  if (fence.kind == Fence::Kind::kMonitored) {
    monitored_.forget(static_cast<const MonitoredFence&>(fence));
  } else {
    const auto& native = static_cast<const NativeFence&>(fence);
    give_back(fence, native.monitored, native.monitored_offset, true);
    if (native.origin != nullptr) return;
  }
  give_back(fence, fence.current, fence.current_offset, false);
}

void Kernel::give_back(const Fence& fence, const Backing& page, std::uint64_t offset,
                       bool monitored) {
  auto& memory =
      page.vram ? fence.adapter->gpu().vram().memory() : platform_.system_memory().memory();
  memory.watches().remove(page.gpu_physical() + offset);
  simulation_.emit(event::FenceStorageFree{fence.object, page.gpu_physical() + offset,
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
  const auto of = std::find_if(adapters_.begin(), adapters_.end(), [&](const AdapterState& state) {
    return state.adapter.get() == fence.adapter;
  });
  (page.vram ? *of->vram_pages : system_pages_).give_back(page.address);
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
  simulation_.emit(event::UserAccess{fence.fence->object, target, allowed});
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
  simulation_.emit(event::UserLogAccess{log.object, write, allowed, process.object});
  if (!allowed) return STATUS_ACCESS_VIOLATION;
  if (write)
    adapter.port().write_memory(to_kernel_address(address), value);
  else
    value = adapter.port().read_value(to_kernel_address(address), common::Operation::kReadValue,
                                      common::Reader::kOther);
  return STATUS_SUCCESS;
}

}  // namespace fenceline::os
