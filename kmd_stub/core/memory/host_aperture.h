#pragma once

#include <cstdint>

#include "kmd_stub/wddm/memory/allocation.h"

namespace fenceline::kmd {

class Adapter;

/// Maps pages of the VRAM BAR to pages of the memory segment. A mapped page gets the new mapping.
/// The device has done it on return.
///
/// STATUS_NOT_SUPPORTED if the segment has no CpuHostAperture; STATUS_INVALID_HANDLE for a bad
/// hAllocation; STATUS_INVALID_PARAMETER for another segment or adapter, no pages, a missing list,
/// a page outside window or segment, or a repeated window page. An error changes no page. IRQL:
/// PASSIVE_LEVEL.
NTSTATUS DxgkDdiMapCpuHostAperture(Adapter& adapter, const DXGKARG_MAPCPUHOSTAPERTURE& args);

/// On return the pages of the BAR are not mapped. Errors as above. IRQL: PASSIVE_LEVEL.
NTSTATUS DxgkDdiUnmapCpuHostAperture(Adapter& adapter, const DXGKARG_UNMAPCPUHOSTAPERTURE& args);

/// Number of pages of the window; 0 without a window, if the BAR covers all of VRAM.
std::uint32_t host_aperture_pages(const Adapter& adapter);

/// Enables the translation of the BAR if there is a window. Call after start and on return to D0.
void enable_host_aperture(Adapter& adapter);

}  // namespace fenceline::kmd
