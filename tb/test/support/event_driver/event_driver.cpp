// The driver stub with a fault: for CPU events it takes the other compute node than the one that
// user mode names, so that it signals them when other work is complete.
#include <cstring>

#include "kmd_stub/ddi/entries.h"

namespace ddi = fenceline::kmd::ddi;

namespace {

constexpr UINT kBothNodes = 1 + 2;  ///< of a discrete GPU: compute0 and compute1

NTSTATUS escape(HANDLE adapter, const DXGKARG_ESCAPE* args) {
  D3DDDI_DRIVERESCAPE_CPUEVENTUSAGE usage{};
  if (args == nullptr || args->PrivateDriverDataSize != sizeof usage ||
      (args->Flags.Value & D3DDDI_ESCAPEFLAGS::kDriverKnownEscape) == 0)
    return ddi::DxgkDdiEscape(adapter, args);
  std::memcpy(&usage, args->pPrivateDriverData, sizeof usage);
  usage.Usage[1] = kBothNodes - usage.Usage[1];
  DXGKARG_ESCAPE beside = *args;
  beside.pPrivateDriverData = &usage;
  return ddi::DxgkDdiEscape(adapter, &beside);
}

}  // namespace

NTSTATUS DriverEntry(DRIVER_INITIALIZATION_DATA* data) {
  if (data == nullptr) return STATUS_INVALID_PARAMETER;
  ddi::fill_initialization_data(*data);
  data->DxgkDdiEscape = escape;
  return STATUS_SUCCESS;
}
