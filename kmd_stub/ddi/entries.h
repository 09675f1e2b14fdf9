#pragma once

#include "kmd_stub/wddm/driver.h"

/// The driver's entries in DRIVER_INITIALIZATION_DATA, as pointers to functions. Each entry checks
/// its pointers and its adapter (kmd_stub/core/entry.h) and calls the function of kmd_stub/core
/// with the same name; that function documents behaviour and status. Common errors:
/// STATUS_INVALID_PARAMETER for a null argument, STATUS_INVALID_HANDLE for a bad handle,
/// STATUS_INVALID_DEVICE_STATE before DxgkDdiStartDevice. Source: WDDM, the page of each name.
namespace fenceline::kmd::ddi {

/// Writes the version and all entries into the table. A driver built on this library calls it from
/// its own DriverEntry and replaces the entries that it implements itself. IRQL: PASSIVE_LEVEL.
void fill_initialization_data(DRIVER_INITIALIZATION_DATA& data);

#define DDI(number, name, type, version, lowest, highest) extern const type name;
#include "kmd_stub/wddm/entries.def"

}  // namespace fenceline::kmd::ddi
