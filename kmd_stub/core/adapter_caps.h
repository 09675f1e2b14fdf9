#pragma once

#include "kmd_stub/wddm/adapter_caps.h"
#include "kmd_stub/wddm/interrupt.h"
#include "kmd_stub/wddm/memory/memory.h"

namespace fenceline::kmd {

class Adapter;

// IRQL of all: PASSIVE_LEVEL, except calibrate_gpu_clock.

/// Answers DRIVERCAPS, QUERYSEGMENT4, GPUMMUCAPS, PAGETABLELEVELDESC (input: the level, a UINT),
/// USERMODESUBMISSION_CAPS and, with the feature, NATIVE_FENCE_CAPS. STATUS_NOT_SUPPORTED for other
/// types; STATUS_BUFFER_TOO_SMALL, STATUS_INVALID_PARAMETER.
NTSTATUS DxgkDdiQueryAdapterInfo(Adapter& adapter, const DXGKARG_QUERYADAPTERINFO& args);

/// STATUS_INVALID_PARAMETER for a node that does not exist.
NTSTATUS DxgkDdiGetNodeMetadata(const Adapter& adapter, UINT node_and_adapter,
                                DXGKARG_GETNODEMETADATA& args);

/// Segments in which a fence's values may be stored. STATUS_NOT_SUPPORTED for other standard
/// allocations, and for a driver that reports the segments elsewhere; STATUS_INVALID_PARAMETER.
/// Source: WDDM, D3DKMDT_STANDARDALLOCATION_FENCESTORAGE.
NTSTATUS DxgkDdiGetStandardAllocationDriverData(
    const Adapter& adapter, const DXGKARG_GETSTANDARDALLOCATIONDRIVERDATA& args);

/// Samples the GPU clock. The port has no performance counter: CpuClockCounter is 0 and the caller
/// takes its own next to the call. STATUS_INVALID_PARAMETER for a bad node or engine. IRQL:
/// DISPATCH_LEVEL.
NTSTATUS DxgkDdiCalibrateGpuClock(Adapter& adapter, UINT32 node, UINT32 engine,
                                  DXGKARG_CALIBRATEGPUCLOCK& args);

}  // namespace fenceline::kmd
