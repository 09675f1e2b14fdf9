#include "kmd_stub/core/queues/doorbell.h"

#include <algorithm>

#include "kmd_stub/core/adapter.h"

namespace fenceline::kmd {

void DeviceDoorbells::connect(Doorbell& doorbell) {
  const kmd_host::DriverPolicy& policy = port_.policy();
  Doorbell* victim = nullptr;
  if (doorbell.page == Doorbell::kNone) {
    std::uint32_t page = 0;
    while (page < count_ && owners_[page] != nullptr) ++page;
    if (page == count_) {
      victim = &least_recent();
      page = victim->page;
      if (policy.victim_scan == kmd_host::VictimScan::kBefore)
        queues_.scan_ring(victim->queue->slot);
      // After the doorbell has a new owner, a ring by the old queue wakes the new queue.
      if (policy.victim_first) take_away(*victim);
    }
    give(page, &doorbell);
    if (victim != nullptr && !policy.victim_first) take_away(*victim);
  }
  doorbell.connected = ++connections_;
  // The old queue may have rung in vain between the loss of its address and its status change.
  if (victim != nullptr && policy.victim_scan == kmd_host::VictimScan::kAfter)
    queues_.scan_ring(victim->queue->slot);
  if (policy.connect_scan) queues_.scan_ring(doorbell.queue->slot);
}

void DeviceDoorbells::disconnect(Doorbell& doorbell) {
  if (doorbell.page == Doorbell::kNone) return;
  give(doorbell.page, nullptr);
  doorbell.page = Doorbell::kNone;
}

Doorbell& DeviceDoorbells::least_recent() const {
  return **std::min_element(
      owners_.begin(), owners_.begin() + count_,
      [](const Doorbell* a, const Doorbell* b) { return a->connected < b->connected; });
}

void DeviceDoorbells::take_away(Doorbell& victim) const {
  victim.page = Doorbell::kNone;
  DXGKARGCB_DISCONNECTDOORBELL args{};
  args.hHwQueue = victim.queue->os_handle;
  args.hDoorbell = victim.os_handle;
  args.DisconnectReason = D3DDDI_DOORBELLSTATUS_DISCONNECTED_RETRY;
  os_.disconnect_doorbell(args);
}

void DeviceDoorbells::give(std::uint32_t page, Doorbell* doorbell) {
  owners_[page] = doorbell;
  if (doorbell != nullptr) doorbell->page = page;
  port_.write_register(abi::kDoorbellTable + 8ULL * page,
                       doorbell != nullptr ? abi::kDoorbellGiven | doorbell->queue->slot : 0);
}

/// The order of connections matters, their numbers do not.
void DeviceDoorbells::add_to(StateHasher& hasher) const {
  for (std::uint32_t page = 0; page < count_; ++page) {
    const Doorbell* owner = owners_[page];
    if (owner == nullptr) {
      hasher.add(page);
      continue;
    }
    const auto later = std::count_if(
        owners_.begin(), owners_.begin() + count_,
        [&](const Doorbell* it) { return it != nullptr && it->connected > owner->connected; });
    hasher.add(std::uint64_t{owner->queue->slot} << 32 | static_cast<std::uint32_t>(later + 1));
  }
}

NTSTATUS DxgkDdiCreateDoorbell(DXGKARG_CREATEDOORBELL& args) {
  auto* queue = from_handle<HwQueue>(args.hHwQueue);
  if (queue == nullptr) return STATUS_INVALID_HANDLE;
  if (!queue->user_mode) return STATUS_INVALID_PARAMETER;
  args.hDoorbell = queue->adapter.doorbells().create(queue, args.hDoorbell);
  ++queue->doorbells;
  return STATUS_SUCCESS;
}

NTSTATUS DxgkDdiConnectDoorbell(DXGKARG_CONNECTDOORBELL& args) {
  auto* doorbell = from_handle<Doorbell>(args.hDoorbell);
  if (doorbell == nullptr) return STATUS_INVALID_HANDLE;
  if ((args.Flags.Value & DXGKARG_CONNECTDOORBELL_FLAGS::kRequireSecondaryAddress) != 0)
    return STATUS_NOT_SUPPORTED;
  Adapter& adapter = doorbell->queue->adapter;
  DeviceDoorbells& device = adapter.device_doorbells();
  args.SecondaryKernelCpuVirtualAddress = nullptr;
  if (adapter.caps().notify_kmd) {
    args.KernelCpuVirtualAddress = adapter.unwatched_page();
    args.Status = D3DDDI_DOORBELLSTATUS_CONNECTED_NOTIFY_KMD;
    if (args.KernelCpuVirtualAddress == nullptr) return STATUS_INSUFFICIENT_RESOURCES;
    if (adapter.port().policy().connect_scan)
      adapter.queue_table().scan_ring(doorbell->queue->slot);
    return STATUS_SUCCESS;
  }
  if (device.shared()) device.connect(*doorbell);
  void* page =
      adapter.port().map_doorbell(device.shared() ? doorbell->page : doorbell->queue->slot);
  if (page == nullptr) return STATUS_INSUFFICIENT_RESOURCES;
  args.KernelCpuVirtualAddress = page;
  args.Status = D3DDDI_DOORBELLSTATUS_CONNECTED;
  return STATUS_SUCCESS;
}

NTSTATUS DxgkDdiDisconnectDoorbell(const DXGKARG_DISCONNECTDOORBELL& args) {
  auto* doorbell = from_handle<Doorbell>(args.hDoorbell);
  if (doorbell == nullptr) return STATUS_INVALID_HANDLE;
  doorbell->queue->adapter.device_doorbells().disconnect(*doorbell);
  return STATUS_SUCCESS;
}

NTSTATUS DxgkDdiDestroyDoorbell(const DXGKARG_DESTROYDOORBELL& args) {
  auto* doorbell = from_handle<Doorbell>(args.hDoorbell);
  if (doorbell == nullptr) return STATUS_INVALID_HANDLE;
  Adapter& adapter = doorbell->queue->adapter;
  adapter.device_doorbells().disconnect(*doorbell);
  --doorbell->queue->doorbells;
  adapter.doorbells().destroy(args.hDoorbell);
  return STATUS_SUCCESS;
}

NTSTATUS DxgkDdiNotifyWorkSubmission(const DXGKARG_NOTIFYWORKSUBMISSION& args) {
  const auto* queue = from_handle<HwQueue>(args.hHwQueue);
  if (queue == nullptr) return STATUS_INVALID_HANDLE;
  if (queue->adapter.caps().notify_kmd) queue->adapter.queue_table().scan_ring(queue->slot);
  return STATUS_SUCCESS;
}

}  // namespace fenceline::kmd
