#pragma once

#include "kmd_stub/wddm/display.h"

namespace fenceline::kmd {

class Adapter;

/// Has another primary scanned out, from the next vertical sync on or at once.
/// STATUS_NOT_SUPPORTED without a display; STATUS_INVALID_PARAMETER for another source than 0 and
/// an address that is no page of VRAM. IRQL: device, under the interrupt lock.
/// Source: WDDM, DxgkDdiSetVidPnSourceAddress.
NTSTATUS set_vidpn_source_address(Adapter& adapter, const DXGKARG_SETVIDPNSOURCEADDRESS& args);

/// Writes the commands of a flip; none where flips go by MMIO: pDmaBuffer may be null then.
/// STATUS_NOT_SUPPORTED without a display and for all but flips; STATUS_INVALID_PARAMETER;
/// STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER. IRQL: PASSIVE_LEVEL. Source: WDDM, DxgkDdiPresent.
NTSTATUS present(Adapter& adapter, DXGKARG_PRESENT& args);

/// STATUS_NOT_IMPLEMENTED for all but vertical syncs of a display. IRQL: PASSIVE_LEVEL.
/// Source: WDDM, DxgkDdiControlInterrupt.
NTSTATUS control_interrupt(Adapter& adapter, DXGK_INTERRUPT_TYPE type, bool enable);

}  // namespace fenceline::kmd
