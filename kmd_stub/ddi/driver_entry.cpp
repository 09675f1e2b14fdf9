#include "kmd_stub/ddi/entries.h"

NTSTATUS DriverEntry(DRIVER_INITIALIZATION_DATA* data) {
  if (data == nullptr) return STATUS_INVALID_PARAMETER;
  fenceline::kmd::ddi::fill_initialization_data(*data);
  return STATUS_SUCCESS;
}
