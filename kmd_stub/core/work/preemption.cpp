#include "kmd_stub/core/work/preemption.h"

#include "kmd_stub/core/adapter.h"
#include "kmd_stub/core/memory/segments.h"
#include "models/abi/preemption.h"

namespace fenceline::kmd {

namespace {

constexpr SIZE_T kDeviceMemoryBytes = 4096;
constexpr UINT kAboveAllIds = 1'000'000;

/// Requests memory for contexts of the device from the OS, in VRAM or the aperture. An error leaves
/// nothing allocated; STATUS_NOT_SUPPORTED: the OS has none for such a context. @param own out: the
/// driver's own handle of the allocation.
NTSTATUS create_memory(Adapter& adapter, DXGKARGCB_CREATECONTEXTALLOCATION& args, HANDLE& own) {
  args.ContextAllocationFlags.Value |= DXGK_CREATECONTEXTALLOCATIONFLAGS::kMapGpuVirtualAddress;
  args.SupportedSegmentSet = 1U << (kVramSegment - 1) | 1U << (kApertureSegment - 1);
  args.EvictionSegmentSet = 1U << (kApertureSegment - 1);
  args.PreferredSegment = kVramSegment;
  args.hDriverAllocation = own = adapter.allocations().create(adapter, args.Size);
  const NTSTATUS status = adapter.os().create_context_allocation(args);
  if (NT_SUCCESS(status)) return status;
  adapter.allocations().destroy(own);
  own = nullptr;
  return status;
}

/// True if a reset must hold the node: no queue of a context that it loses may begin again.
bool must_hold(Adapter& adapter, UINT node) {
  if (has_hw_contexts(adapter, node)) return true;
  bool shared = false;
  if (adapter.submission().fed(node))
    adapter.os().synchronize([&] { shared = shares_node(adapter, node); });
  return shared;
}

}  // namespace

bool is_engine(const Adapter& adapter, UINT node, UINT engine) {
  return node < adapter.node_count() && engine == 0;
}

bool reset_node(Adapter& adapter, UINT node, std::uint64_t how) {
  kmd_host::HostPort& port = adapter.port();
  port.write_register(of_node(abi::kEngineReset, node), how);
  return port.poll_register(of_node(abi::kEngineReset, node), abi::kEngineResetDone);
}

void resume_node(Adapter& adapter, UINT node) {
  adapter.port().write_register(of_node(abi::kEngineResume, node), 1);
}

/// Passes earlier reports of the device on to the OS. The OS ignores them during a reset.
void drain_reports(Adapter& adapter) {
  if (adapter.caps().drains_resets) adapter.drain_reports();
}

NTSTATUS make_save_area(Adapter& adapter, HANDLE os_context, SaveArea& area) {
  if ((adapter.caps().scheduling & DXGK_VIDSCHCAPS::kPreemptionAware) == 0) return STATUS_SUCCESS;
  DXGKARGCB_CREATECONTEXTALLOCATION args{};
  args.hContext = os_context;
  args.Size = abi::kSavedStateOffset + adapter.hardware().state_bytes;
  const NTSTATUS status = create_memory(adapter, args, area.own);
  if (!NT_SUCCESS(status)) return status == STATUS_NOT_SUPPORTED ? STATUS_SUCCESS : status;
  area.allocation = args.hAllocation;
  area.slot = adapter.context_slots().take().value_or(0);
  if (area.slot == 0) {
    adapter.os().destroy_context_allocation(area.allocation);
    adapter.allocations().destroy(area.own);
    return STATUS_INSUFFICIENT_RESOURCES;
  }
  adapter.port().write_register(abi::kContextTable + 8ULL * area.slot, args.GpuVirtualAddress);
  return STATUS_SUCCESS;
}

void free_save_area(Adapter& adapter, const SaveArea& area) {
  if (area.slot == 0) return;
  adapter.port().write_register(abi::kContextTable + 8ULL * area.slot, 0);
  if (adapter.caps().device_memory)
    adapter.port().write_register(abi::kDeviceTable + 8ULL * area.slot, 0);
  adapter.context_slots().release(area.slot);
  adapter.os().destroy_context_allocation(area.allocation);
  adapter.allocations().destroy(area.own);
}

NTSTATUS share_device_memory(Device& device, const SaveArea& area) {
  Adapter& adapter = device.adapter;
  if (!adapter.caps().device_memory || area.slot == 0) return STATUS_SUCCESS;
  if (device.allocation == nullptr) {
    DXGKARGCB_CREATECONTEXTALLOCATION args{};
    args.ContextAllocationFlags.Value = DXGK_CREATECONTEXTALLOCATIONFLAGS::kSharedAcrossContexts;
    args.hDevice = device.os_handle;
    args.Size = kDeviceMemoryBytes;
    const NTSTATUS status = create_memory(adapter, args, device.own);
    if (!NT_SUCCESS(status)) return status == STATUS_NOT_SUPPORTED ? STATUS_SUCCESS : status;
    device.allocation = args.hAllocation;
    device.shared = args.GpuVirtualAddress;
  }
  adapter.port().write_register(abi::kDeviceTable + 8ULL * area.slot, device.shared);
  return STATUS_SUCCESS;
}

void free_device_memory(const Device& device) {
  if (device.allocation == nullptr) return;
  device.adapter.os().destroy_context_allocation(device.allocation);
  device.adapter.allocations().destroy(device.own);
}

NTSTATUS DxgkDdiPreemptCommand(Adapter& adapter, const DXGKARG_PREEMPTCOMMAND& args) {
  if (!is_engine(adapter, args.NodeOrdinal, args.EngineOrdinal)) return STATUS_INVALID_PARAMETER;
  bool reported = false;
  adapter.os().synchronize([&] {
    const UINT last = adapter.interrupts().submitted(args.NodeOrdinal);
    // A held node is silent: the device reports the preemption when the node has been resumed.
    if (adapter.interrupts().completed(args.NodeOrdinal) != last ||
        adapter.interrupts().holds(args.NodeOrdinal))
      return;
    reported = true;
    adapter.interrupts().notify_preempted(args.NodeOrdinal, args.PreemptionFenceId, last);
    adapter.os().queue_dpc();
  });
  if (!reported)
    adapter.port().write_register(of_node(abi::kPreempt, args.NodeOrdinal), args.PreemptionFenceId);
  return STATUS_SUCCESS;
}

NTSTATUS DxgkDdiQueryDependentEngineGroup(Adapter& adapter,
                                          DXGKARG_QUERYDEPENDENTENGINEGROUP& args) {
  if (!is_engine(adapter, args.NodeOrdinal, args.EngineOrdinal)) return STATUS_INVALID_PARAMETER;
  const std::uint64_t group =
      adapter.caps().names_dependents ? adapter.port().read_register(abi::kResetGroup) : 0;
  args.DependentNodeOrdinalMask = 1ULL << args.NodeOrdinal;
  if ((group >> args.NodeOrdinal & 1U) != 0) args.DependentNodeOrdinalMask |= group;
  return STATUS_SUCCESS;
}

NTSTATUS DxgkDdiQueryEngineStatus(Adapter& adapter, DXGKARG_QUERYENGINESTATUS& args) {
  if (!is_engine(adapter, args.NodeOrdinal, args.EngineOrdinal)) return STATUS_INVALID_PARAMETER;
  bool idle = false;
  adapter.os().synchronize([&] {
    idle = adapter.interrupts().completed(args.NodeOrdinal) ==
           adapter.interrupts().submitted(args.NodeOrdinal);
  });
  args.EngineStatus.Value = idle ? DXGK_ENGINESTATUS::kResponsive : 0;
  return STATUS_SUCCESS;
}

NTSTATUS DxgkDdiQueryCurrentFence(Adapter& adapter, DXGKARG_QUERYCURRENTFENCE& args) {
  if (!is_engine(adapter, args.NodeOrdinal, args.EngineOrdinal)) return STATUS_INVALID_PARAMETER;
  adapter.drain_interrupts();
  adapter.os().synchronize(
      [&] { args.CurrentFence = adapter.interrupts().completed(args.NodeOrdinal); });
  return STATUS_SUCCESS;
}

NTSTATUS DxgkDdiResetEngine(Adapter& adapter, DXGKARG_RESETENGINE& args) {
  if (!is_engine(adapter, args.NodeOrdinal, args.EngineOrdinal)) return STATUS_INVALID_PARAMETER;
  if (adapter.caps().engine_reset == kmd_host::EngineReset::kFails) return STATUS_UNSUCCESSFUL;
  const bool held = must_hold(adapter, args.NodeOrdinal);
  if (adapter.submission().fed(args.NodeOrdinal) &&
      !reset_node(adapter, args.NodeOrdinal, held ? abi::kResetAllAndHold : 1))
    return STATUS_UNSUCCESSFUL;
  drain_reports(adapter);
  const auto ended =
      static_cast<UINT>(adapter.port().read_register(of_node(abi::kSubmission, args.NodeOrdinal)));
  args.LastAbortedFenceId = adapter.submission().given_since_reset(args.NodeOrdinal, ended)
                                ? ended
                                : adapter.interrupts().completed(args.NodeOrdinal);
  if (adapter.caps().engine_reset == kmd_host::EngineReset::kWrongFence)
    args.LastAbortedFenceId += kAboveAllIds;
  bool shared = false;
  // Later buffers are submitted again. A paging buffer keeps its id, so its id must not count as
  // complete.
  adapter.os().synchronize([&] {
    adapter.interrupts().set_completed(args.NodeOrdinal, args.LastAbortedFenceId);
    adapter.interrupts().note_submitted(args.NodeOrdinal, args.LastAbortedFenceId);
    shared = shares_node(adapter, args.NodeOrdinal);
  });
  if (shared) lose_ended(adapter, args.NodeOrdinal);
  if (held) resume_node(adapter, args.NodeOrdinal);
  return STATUS_SUCCESS;
}

NTSTATUS DxgkDdiResetFromTimeout(AnyAdapter any) {
  Adapter& adapter = any.adapter;
  if (adapter.caps().adapter_reset == kmd_host::AdapterReset::kFails) return STATUS_UNSUCCESSFUL;
  adapter.interrupts().stop();
  for (UINT node = 0; node < adapter.node_count(); ++node) {
    const bool held = must_hold(adapter, node);
    const bool runs = held || adapter.submission().fed(node);
    if (runs && !reset_node(adapter, node, held ? abi::kResetAllAndHold : 1))
      return STATUS_UNSUCCESSFUL;
    lose_hw_contexts(adapter, node);
    adapter.submission().note_reset(node, adapter.interrupts().submitted(node));
    bool shared = false;
    adapter.os().synchronize([&] {
      adapter.interrupts().set_completed(node, adapter.interrupts().submitted(node));
      shared = runs && shares_node(adapter, node);
    });
    if (shared) lose_ended(adapter, node, DXGK_INVALIDATEHWCONTEXTFLAGS::kCollateralDamage);
    if (held) resume_node(adapter, node);
  }
  adapter.scheduled_contexts().not_reset = 0;
  drain_reports(adapter);
  return STATUS_SUCCESS;
}

NTSTATUS DxgkDdiRestartFromTimeout(AnyAdapter adapter) {
  adapter->interrupts().enable();
  return STATUS_SUCCESS;
}

}  // namespace fenceline::kmd
