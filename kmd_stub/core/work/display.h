#pragma once

#include "kmd_stub/wddm/display.h"

namespace fenceline::kmd {

class Adapter;

/// Changes the primary, from the next vertical sync on or at once. STATUS_NOT_SUPPORTED without a
/// display; STATUS_INVALID_PARAMETER for a source other than 0 and for an address that is no page
/// of VRAM. IRQL: device, under the interrupt lock.
NTSTATUS DxgkDdiSetVidPnSourceAddress(Adapter& adapter, const DXGKARG_SETVIDPNSOURCEADDRESS& args);

/// Writes the commands of a flip. With MMIO flips it writes none, and pDmaBuffer may be null.
/// STATUS_NOT_SUPPORTED without a display and for operations other than flips;
/// STATUS_INVALID_PARAMETER; STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER. IRQL: PASSIVE_LEVEL.
NTSTATUS DxgkDdiPresent(Adapter& adapter, DXGKARG_PRESENT& args);

/// Enables or disables vertical sync interrupts. STATUS_NOT_IMPLEMENTED for other interrupts or
/// without a display. IRQL: PASSIVE_LEVEL.
NTSTATUS DxgkDdiControlInterrupt(Adapter& adapter, DXGK_INTERRUPT_TYPE type, BOOLEAN enable);

}  // namespace fenceline::kmd
