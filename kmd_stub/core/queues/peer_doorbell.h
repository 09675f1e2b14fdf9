#pragma once

#include "kmd_stub/core/process.h"
#include "kmd_stub/wddm/fences/cpu_event.h"

namespace fenceline::kmd {

/// abi::PeerDoorbellEscape, an escape of the operating system itself. STATUS_NOT_SUPPORTED for
/// other data; STATUS_INVALID_HANDLE; STATUS_INVALID_PARAMETER for a fence of another adapter or a
/// peer out of range. IRQL: PASSIVE_LEVEL. Source: our own; no published driver model has it.
NTSTATUS peer_doorbell_escape(Adapter& adapter, const DXGKARG_ESCAPE& args);

}  // namespace fenceline::kmd
