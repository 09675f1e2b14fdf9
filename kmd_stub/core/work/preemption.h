#pragma once

#include <cstdint>

#include "kmd_stub/core/process.h"
#include "kmd_stub/wddm/queues/preemption.h"
#include "models/abi/registers.h"

namespace fenceline::kmd {

/// Register of a node. @param first register of node 0.
constexpr std::uint64_t of_node(abi::Register first, UINT node) { return first + 8ULL * node; }
bool is_engine(const Adapter& adapter, UINT node, UINT engine);
/// Ends the current work of the node. @param how value of abi::kEngineReset. False if the device
/// fails. IRQL: PASSIVE_LEVEL.
bool reset_node(Adapter& adapter, UINT node, std::uint64_t how);
/// Lets a held node continue after its reset.
void resume_node(Adapter& adapter, UINT node);

/// Requests a context allocation from the OS and passes its address to the device. Without OS
/// support, or for a driver that is not preemption aware, the context has none.
/// STATUS_INSUFFICIENT_RESOURCES without a free slot, or the status of the OS. IRQL: PASSIVE_LEVEL.
NTSTATUS make_save_area(Adapter& adapter, HANDLE os_context, SaveArea& area);
void free_save_area(Adapter& adapter, const SaveArea& area);
/// For the first context of a device with a save area: requests a device context allocation from
/// the OS and passes its address to the device. Only with DriverCaps::device_memory and OS support.
/// Returns the status of the OS. IRQL: PASSIVE_LEVEL. Source: WDDM, DxgkCbCreateContextAllocation:
/// device context allocations.
NTSTATUS share_device_memory(Device& device, const SaveArea& area);
void free_device_memory(const Device& device);

// STATUS_INVALID_PARAMETER for a missing node.

/// Makes the node stop. If all its buffers are complete and reported, the driver reports the
/// preemption itself, without the hardware. IRQL: DISPATCH_LEVEL.
NTSTATUS DxgkDdiPreemptCommand(Adapter& adapter, const DXGKARG_PREEMPTCOMMAND& args);

// IRQL of the functions below: PASSIVE_LEVEL.

/// Nodes are independent unless the device reports a reset group.
NTSTATUS DxgkDdiQueryDependentEngineGroup(Adapter& adapter,
                                          DXGKARG_QUERYDEPENDENTENGINEGROUP& args);
/// A node is responsive if it has no work.
NTSTATUS DxgkDdiQueryEngineStatus(Adapter& adapter, DXGKARG_QUERYENGINESTATUS& args);
/// Source: WDDM, DxgkDdiQueryCurrentFence.
NTSTATUS DxgkDdiQueryCurrentFence(Adapter& adapter, DXGKARG_QUERYCURRENTFENCE& args);
/// Ends the current work of the node and empties its ring. STATUS_UNSUCCESSFUL if the device fails.
NTSTATUS DxgkDdiResetEngine(Adapter& adapter, DXGKARG_RESETENGINE& args);
/// Resets all nodes and stops interrupts. STATUS_UNSUCCESSFUL if the device fails.
NTSTATUS DxgkDdiResetFromTimeout(AnyAdapter any);
/// Source: WDDM, DxgkDdiRestartFromTimeout.
NTSTATUS DxgkDdiRestartFromTimeout(AnyAdapter adapter);

}  // namespace fenceline::kmd
