#include "kmd_stub/ddi/entries.h"

#include "kmd_stub/core/adapter_caps.h"
#include "kmd_stub/core/entry.h"
#include "kmd_stub/core/memory/host_aperture.h"
#include "kmd_stub/core/memory/page_tables.h"
#include "kmd_stub/core/work/display.h"
#include "kmd_stub/core/work/patching.h"

namespace fenceline::kmd::ddi {

#define DDI(number, name, type, version, lowest, highest) \
  constexpr type name = kEntry<type, kmd::name>;
#include "kmd_stub/wddm/entries.def"

void fill_initialization_data(DRIVER_INITIALIZATION_DATA& data) {
  constexpr ULONG kNewest = DXGKDDI_INTERFACE_VERSION_WDDM3_2;
  if (data.Version == 0 || data.Version > kNewest) data.Version = kNewest;
#define DDI(number, name, type, version, lowest, highest) \
  if (data.Version >= DXGKDDI_INTERFACE_VERSION_##version) data.name = name;
#include "kmd_stub/wddm/entries.def"
}

}  // namespace fenceline::kmd::ddi
