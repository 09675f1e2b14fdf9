#include "tb/os/calls/user_access.h"

namespace fenceline::os {

std::uint64_t UserAccess::read(Process& process, const void* address, event::Reader reader) {
  const auto shared = process.shared_addresses.find(reinterpret_cast<std::uint64_t>(address));
  const void* kernel =
      shared != process.shared_addresses.end() ? to_kernel_address(shared->second) : address;
  const bool cached = process.cached_pages.count(to_bus_address(kernel) / kPage) != 0;
  return system_.of(process).adapter->port().read_value(kernel, common::Operation::kReadValue,
                                                        reader, cached);
}

std::uint64_t UserAccess::read_value(Process& process, const Fence& fence, const void* address) {
  const std::uint64_t word = read(process, address, event::Reader::kUserPoll);
  if (fence.kind == Fence::Kind::kNative) return word;
  return system_.monitored.whole(static_cast<const MonitoredFence&>(fence), word);
}

NTSTATUS UserAccess::touch_value(Process& process, const LocalFence& fence,
                                 event::UserTarget target, std::uint64_t& value) {
  using event::UserTarget;
  const bool monitored =
      target == UserTarget::kReadMonitored || target == UserTarget::kWriteMonitored;
  const bool write = target == UserTarget::kWriteCurrent || target == UserTarget::kWriteMonitored;
  const std::uint64_t address =
      monitored ? fence.fence->monitored_bus() : fence.fence->current_bus();
  const bool allowed = process.user_pages.allows(address, write);
  system_.simulation.emit(event::UserAccess{fence.fence->object, target, allowed});
  if (!allowed) return STATUS_ACCESS_VIOLATION;
  HostPortModel& port = fence.fence->adapter->port();
  if (write)
    port.write_memory(to_kernel_address(address), value);
  else
    value = port.read_value(to_kernel_address(address), common::Operation::kReadValue,
                            monitored ? event::Reader::kOther : event::Reader::kUserPoll);
  return STATUS_SUCCESS;
}

NTSTATUS UserAccess::touch_log(Process& process, Process& owner, D3DKMT_HANDLE handle, bool signals,
                               bool write, std::uint64_t& value) {
  Adapter& adapter = *system_.of(owner).adapter;
  const LogFollower::Place log =
      system_.of(owner).logs->place_of(owner.queue(handle).logs, signals);
  const std::uint64_t address = log.bus_address;
  const bool allowed = process.user_pages.allows(address, write);
  system_.simulation.emit(event::UserLogAccess{log.object, write, allowed, process.object});
  if (!allowed) return STATUS_ACCESS_VIOLATION;
  if (write)
    adapter.port().write_memory(to_kernel_address(address), value);
  else
    value = adapter.port().read_value(to_kernel_address(address), common::Operation::kReadValue,
                                      event::Reader::kOther);
  return STATUS_SUCCESS;
}

NTSTATUS UserAccess::touch_memory(Process& process, std::uint64_t address, bool write,
                                  std::uint64_t& value) {
  for (const auto& one : process.managed) {
    if (one == nullptr || !one->exists) continue;
    const std::uint64_t offset = address - one->user_address;
    if (offset < one->pages * kPage)
      return system_.of(process).memory->locks().touch(*one, offset & ~7ULL, write, value);
  }
  return STATUS_ACCESS_VIOLATION;
}

}  // namespace fenceline::os
