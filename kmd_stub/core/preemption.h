#pragma once

#include <cstdint>
#include <vector>

#include "kmd_stub/core/process.h"
#include "kmd_stub/core/state_hasher.h"
#include "kmd_stub/wddm/preemption.h"
#include "models/abi/registers.h"

namespace fenceline::kmd {

/// Slots of the device's context table. All calls at PASSIVE_LEVEL, one at a time.
class ContextSlots {
 public:
  /// 0 if none is left.
  std::uint32_t reserve();
  void release(std::uint32_t slot) { free_.push_back(slot); }

 private:
  std::uint32_t next_ = 1;
  std::vector<std::uint32_t> free_;
};

/// Register of a node. @param first that of node 0.
constexpr std::uint64_t of_node(abi::Register first, UINT node) { return first + 8ULL * node; }
bool is_engine(const Adapter& adapter, UINT node, UINT engine);
/// Ends what the node is at. @param how what abi::kEngineReset takes. False if the device does not
/// do it. IRQL: PASSIVE_LEVEL.
bool reset_node(Adapter& adapter, UINT node, std::uint64_t how);
/// A node that was reset and held goes on.
void resume_node(Adapter& adapter, UINT node);

/// Asks the OS for a context allocation and tells the device where it is. Without such services of
/// the OS, or for a driver that is not preemption aware, the context has none.
/// STATUS_INSUFFICIENT_RESOURCES without a slot, or what the OS returns. IRQL: PASSIVE_LEVEL.
NTSTATUS make_save_area(Adapter& adapter, HANDLE os_context, SaveArea& area);
void free_save_area(Adapter& adapter, const SaveArea& area);
/// Asks the OS for a device context allocation with the first context of a device that has a save
/// area, and tells the device where it is. Only with DriverCaps::device_memory, and where the OS
/// has such services. What the OS returns. IRQL: PASSIVE_LEVEL.
/// Source: WDDM, DxgkCbCreateContextAllocation: device context allocations.
NTSTATUS share_device_memory(Device& device, const SaveArea& area);
void free_device_memory(const Device& device);

// STATUS_INVALID_PARAMETER for a node that is not there.

/// Has the node stop. What is complete and reported is not preempted in hardware: then it is
/// reported here. IRQL: DISPATCH_LEVEL. Source: WDDM, DxgkDdiPreemptCommand.
NTSTATUS preempt_command(Adapter& adapter, const DXGKARG_PREEMPTCOMMAND& args);

// IRQL of the following: PASSIVE_LEVEL.

/// Nodes share nothing that a reset of one would touch, unless the device says so. Source: WDDM,
/// DxgkDdiQueryDependentEngineGroup.
NTSTATUS query_dependent_engine_group(Adapter& adapter, DXGKARG_QUERYDEPENDENTENGINEGROUP& args);
/// A node is responsive when it has nothing to do. Source: WDDM, DxgkDdiQueryEngineStatus.
NTSTATUS query_engine_status(Adapter& adapter, DXGKARG_QUERYENGINESTATUS& args);
/// Source: WDDM, DxgkDdiQueryCurrentFence.
NTSTATUS query_current_fence(Adapter& adapter, DXGKARG_QUERYCURRENTFENCE& args);
/// Ends what the node is at and empties its ring. STATUS_UNSUCCESSFUL when the device does not do
/// it. Source: WDDM, DxgkDdiResetEngine.
NTSTATUS reset_engine(Adapter& adapter, DXGKARG_RESETENGINE& args);
/// All nodes, and no interrupts. STATUS_UNSUCCESSFUL when the device does not do it.
/// Source: WDDM, DxgkDdiResetFromTimeout.
NTSTATUS reset_from_timeout(Adapter& adapter);
/// Source: WDDM, DxgkDdiRestartFromTimeout.
NTSTATUS restart_from_timeout(Adapter& adapter);

}  // namespace fenceline::kmd
