#pragma once

#include <vector>

#include "tb/os/core/ordering.h"
#include "tb/os/driver/adapter.h"

namespace fenceline::os {

/// All settings of the scenario for the OS.
struct KernelOptions {
  Ordering ordering;
  AdapterOptions adapter;
  std::vector<kmd_host::DriverCaps> driver_caps;  ///< by adapter; missing ones get the default
  bool managed_memory = false;                    ///< VidMm manages allocations; implies `contexts`
  bool contexts = false;                          ///< the OS feeds contexts, with a thread for them
};

}  // namespace fenceline::os
