#pragma once

#include <vector>

#include "tb/os/core/ordering.h"
#include "tb/os/driver/adapter.h"

namespace fenceline::os {

/// Everything the scenario decides about the OS.
struct KernelOptions {
  Ordering ordering;
  AdapterOptions adapter;
  std::vector<kmd_host::DriverCaps> driver_caps;  ///< by adapter; those not given are the default
  bool managed_memory = false;  ///< there are allocations that VidMm manages; implies contexts
  bool contexts = false;        ///< there are contexts that the OS feeds, and a thread for them
};

}  // namespace fenceline::os
