#pragma once

#include <string>

#include "tb/app/pcie_bench/measure.h"

namespace fenceline::pcie_bench {

/// One job of the program: a machine, and what to measure on it.
struct Job {
  MachineConfig machine;
  Measurement measurement;
};

/// Reads a job from JSON text: objects `link`, `memory`, `iommu`, `sockets`, `device`, `core`, each
/// with what it changes of the defaults, and `measure`. Times are in nanoseconds, with a fraction.
/// @throws std::invalid_argument with the JSON pointer for an unknown key, a wrong type or a value
/// out of range, and with the position where the text is no JSON.
Job read_job(const std::string& text);

}  // namespace fenceline::pcie_bench
