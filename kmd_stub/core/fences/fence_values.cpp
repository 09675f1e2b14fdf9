#include "kmd_stub/core/adapter.h"
#include "kmd_stub/core/fences/native_fence.h"
#include "models/abi/mutant.h"

namespace fenceline::kmd {

namespace {

/// The fences of a batch, all of the same adapter.
struct Batch {
  HANDLE* fences;
  void** addresses;
  UINT count;

  NativeFence& fence(UINT i) const { return *from_handle<NativeFence>(fences[i]); }
  Adapter& adapter() const { return fence(0).adapter; }
  FenceTable& table() const { return adapter().fence_table(); }
};

NTSTATUS check_handles(const Batch& batch) {
  if (batch.fences == nullptr) return STATUS_INVALID_PARAMETER;
  const Adapter* adapter = nullptr;
  for (UINT i = 0; i < batch.count; ++i) {
    const auto* fence = from_handle<NativeFence>(batch.fences[i]);
    if (fence == nullptr) return STATUS_INVALID_HANDLE;
    if (adapter != nullptr && adapter != &fence->adapter) return STATUS_INVALID_PARAMETER;
    adapter = &fence->adapter;
  }
  return STATUS_SUCCESS;
}

NTSTATUS check_stores(const Batch& batch, const UINT64* values) {
  if (values == nullptr || batch.addresses == nullptr) return STATUS_INVALID_PARAMETER;
  for (UINT i = 0; i < batch.count; ++i)
    if (batch.addresses[i] == nullptr) return STATUS_INVALID_PARAMETER;
  return STATUS_SUCCESS;
}

/// Stores the values. They are visible to the device on return, unless the barrier is switched off.
void store(const Batch& batch, const UINT64* values) {
  kmd_host::HostPort& port = batch.adapter().port();
  for (UINT i = 0; i < batch.count; ++i) port.write_memory(batch.addresses[i], values[i]);
  if (port.policy().store_barrier) port.memory_barrier();
}

void kick(const Batch& batch, UINT flags) {
  const bool always = (flags & DXGK_UPDATECURRENTVALUESFROMCPU_FLAGS::kAlwaysSignaled) != 0;
  const UINT told = abi::mutant(abi::Mutant::kKicksOne) ? 1 : batch.count;
  for (UINT i = 0; i < told; ++i)
    batch.table().kick(batch.fence(i).slot, always ? abi::kKickAlwaysSignaled : 0);
  // On return of the read the device knows, and no later signal writes the fence.
  if (always) batch.adapter().port().read_register(abi::kInterruptEnable);
}

/// Variant without a check of the whole batch: members before a bad one take effect.
NTSTATUS update_one_by_one(const Batch& batch, const UINT64* values, UINT flags) {
  const bool stores = (flags & DXGK_UPDATECURRENTVALUESFROMCPU_FLAGS::kNotificationOnly) == 0;
  if (stores && (values == nullptr || batch.addresses == nullptr)) return STATUS_INVALID_PARAMETER;
  for (UINT i = 0; i < batch.count; ++i) {
    const Batch one{batch.fences + i, stores ? batch.addresses + i : nullptr, 1};
    if (const NTSTATUS status = check_handles(one); !NT_SUCCESS(status)) return status;
    if (stores) store(one, values + i);
    kick(one, flags);
  }
  return STATUS_SUCCESS;
}

/// Variant of a driver that assumes that its nodes become idle.
void wait_for_nodes(Adapter& adapter) {
  for (UINT node = 0; node < adapter.node_count(); ++node) {
    DXGKARG_QUERYENGINESTATUS args{};
    args.NodeOrdinal = node;
    while (NT_SUCCESS(DxgkDdiQueryEngineStatus(adapter, args)) && args.EngineStatus.Value == 0)
      adapter.port().read_register(abi::kInterruptEnable);  // spends time
  }
}

}  // namespace

NTSTATUS DxgkDdiUpdateMonitoredValues(const DXGKARG_UPDATEMONITOREDVALUES& args) {
  const Batch batch{args.NativeFenceArray, args.MonitoredValueKernelCpuVa, args.NumFences};
  if (batch.count == 0) return STATUS_SUCCESS;
  if (const NTSTATUS status = check_handles(batch); !NT_SUCCESS(status)) return status;
  if (const NTSTATUS status = check_stores(batch, args.UpdatedValueArray); !NT_SUCCESS(status))
    return status;
  store(batch, args.UpdatedValueArray);
  if (batch.adapter().port().policy().va_cached)
    for (UINT i = 0; i < batch.count; ++i) batch.fence(i).monitored_value = batch.addresses[i];
  for (UINT i = 0; i < batch.count; ++i) batch.table().post_monitored_update(batch.fence(i).slot);
  kmd_host::HostPort& port = batch.adapter().port();
  const kmd_host::UpdateAnswer answer = port.policy().umv_ack;
  if (answer == kmd_host::UpdateAnswer::kPosted) port.read_register(abi::kInterruptEnable);
  if (answer != kmd_host::UpdateAnswer::kDone) return STATUS_SUCCESS;
  // The CMP counts an update when no CurrentValue that was compared with the old value is in
  // flight.
  return batch.table().wait_monitored_updates() ? STATUS_SUCCESS : STATUS_UNSUCCESSFUL;
}

NTSTATUS DxgkDdiUpdateCurrentValuesFromCpu(const DXGKARG_UPDATECURRENTVALUESFROMCPU& args) {
  const Batch batch{args.NativeFenceArray, args.CurrentValueKernelCpuVa, args.NumFences};
  const UINT flags = args.Flags.Value;
  if (batch.count == 0) return STATUS_SUCCESS;
  const auto* first = batch.fences != nullptr ? from_handle<NativeFence>(batch.fences[0]) : nullptr;
  if (first != nullptr && !first->adapter.port().policy().batch_checked)
    return update_one_by_one(batch, args.UpdatedValueArray, flags);
  if (const NTSTATUS status = check_handles(batch); !NT_SUCCESS(status)) return status;
  if ((flags & DXGK_UPDATECURRENTVALUESFROMCPU_FLAGS::kNotificationOnly) != 0) {
    kick(batch, flags);
    return STATUS_SUCCESS;
  }
  if (const NTSTATUS status = check_stores(batch, args.UpdatedValueArray); !NT_SUCCESS(status))
    return status;
  const bool in_order = batch.adapter().port().policy().ucv_order;
  if (!in_order) kick(batch, flags);
  store(batch, args.UpdatedValueArray);
  if (in_order) kick(batch, flags);
  if (batch.adapter().caps().waits_for_nodes) wait_for_nodes(batch.adapter());
  return STATUS_SUCCESS;
}

}  // namespace fenceline::kmd
