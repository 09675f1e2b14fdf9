#pragma once

#include <cstdint>

#include "kmd_stub/wddm/allocation.h"

namespace fenceline::kmd {

class Adapter;

/// Makes pages of the VRAM BAR show pages of the memory segment; a page that shows another one
/// shows the new one from then on. The device has done it on return.
///
/// STATUS_NOT_SUPPORTED if the segment has no CpuHostAperture; STATUS_INVALID_HANDLE for a bad
/// hAllocation; STATUS_INVALID_PARAMETER for another segment or adapter, no pages, a missing list,
/// a page outside window or segment, or a page of the window named twice. No page has changed then.
/// IRQL: PASSIVE_LEVEL. Source: WDDM, DxgkDdiMapCpuHostAperture.
NTSTATUS map_cpu_host_aperture(Adapter& adapter, const DXGKARG_MAPCPUHOSTAPERTURE& args);

/// The pages of the BAR lead nowhere on return. Errors as above.
/// IRQL: PASSIVE_LEVEL. Source: WDDM, DxgkDdiUnmapCpuHostAperture.
NTSTATUS unmap_cpu_host_aperture(Adapter& adapter, const DXGKARG_UNMAPCPUHOSTAPERTURE& args);

/// Pages of the window; 0 if all of VRAM is in the BAR and there is none.
std::uint32_t host_aperture_pages(const Adapter& adapter);

/// Has the device translate the BAR, if there is a window. After start and in D0 again.
void enable_host_aperture(Adapter& adapter);

}  // namespace fenceline::kmd
