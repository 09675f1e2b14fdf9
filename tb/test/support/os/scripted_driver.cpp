#include "tb/test/support/os/scripted_driver.h"

namespace fenceline::support {

NTSTATUS ScriptedDriver::entry(DRIVER_INITIALIZATION_DATA* table) {
  const NTSTATUS status = DriverEntry(table);
#define DDI(number, name, type, version, lowest, highest) Entry<os::Ddi::name, type>::put(*table);
#include "kmd_stub/wddm/entries.def"
  if (change_table) change_table(*table);
  return status;
}

}  // namespace fenceline::support
