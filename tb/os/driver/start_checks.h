#pragma once

#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>

#include "kmd_stub/wddm/wddm.h"
#include "tb/os/core/system_options.h"

namespace fenceline::os {

/// Why an adapter did not start.
enum class StartRule : std::uint8_t {
  kCallFailed,      ///< a call of the driver failed
  kVersion,         ///< the driver was built for a newer OS
  kNotEnabled,      ///< native fences are advertised, and the OS has not enabled them
  kCapsDependency,  ///< a capability needs another one that is missing
  kAtomics,         ///< native fences on a device that splits 64-bit stores
  kStride,          ///< distance between MonitoredValues is no multiple of 8
  kAddressBounds,   ///< no room between the bounds for mappings of fences
  kMissingDdi,      ///< native fences are advertised, and an entry for them is missing
  kSegments,        ///< a value of a fence has no segment that the CPU reaches
  kMemoryLimit,     ///< the device does not reach all of system memory
  kCount
};
/// As scenarios write it, e.g. "not_enabled".
const char* start_rule_name(StartRule rule);

/// The adapter does not start. Thrown by Adapter::start.
class StartFailure : public std::runtime_error {
 public:
  StartFailure(StartRule rule, const std::string& why) : std::runtime_error(why), rule_(rule) {}
  StartRule rule() const { return rule_; }

 private:
  StartRule rule_;
};

/// Segments that fence storage may be in: bits as AllocationInfo has them, 1 VRAM, 2 aperture.
struct StorageSegments {
  UINT current_value = 2;
  UINT monitored_value = 2;
};

/// Answers of the driver at start.
struct DriverAnswers {
  DXGK_DRIVERCAPS caps{};
  DXGK_NATIVE_FENCE_CAPS fence_caps{};
  StorageSegments storage;
  bool has_fence_entries = false;     ///< the eight entries of native fences are in its table
  bool enabled = false;               ///< native fences, by the OS for this adapter
  std::uint64_t system_memory = 0;    ///< [bytes]
  unsigned virtual_address_bits = 0;  ///< of the GPU
};

struct BrokenRule {
  StartRule rule;
  std::string why;
};

/// The first rule that the driver breaks; none if it may start. Source: WDDM, DXGK_DRIVERCAPS,
/// DXGK_VIDSCHCAPS, DXGK_NATIVE_FENCE_CAPS; readings.
std::optional<BrokenRule> find_broken_rule(const SystemOptions& system,
                                           const DriverAnswers& answers);

/// Newest DXGKDDI_INTERFACE_VERSION that an OS of this version knows.
ULONG interface_version(DXGK_WDDMVERSION wddm);
/// "WDDM 3.2".
std::string wddm_text(DXGK_WDDMVERSION wddm);

}  // namespace fenceline::os
