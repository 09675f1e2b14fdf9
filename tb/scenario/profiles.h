#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "models/top/config.h"

namespace fenceline::scenario {

/// A built-in profile: the text of scenarios/profiles/<kind>/<name>.json.
struct BuiltinProfile {
  const char* kind;  ///< "hosts", "gpus" or "chips"
  const char* name;
  std::string_view text;
};

/// All profiles. They are embedded: a run needs only the scenario file.
const std::vector<BuiltinProfile>& builtin_profiles();

/// Names of the profiles of one kind, sorted.
std::vector<std::string> profile_names(std::string_view kind);

// Every profile sets every value, so no earlier value remains.

/// Sets host and system memory from a host profile. @pre `name` is among profile_names("hosts").
void load_host_profile(const std::string& name, top::PlatformConfig& platform);

/// Sets everything except the name. @pre `name` is among profile_names("gpus").
void load_gpu_profile(const std::string& name, top::GpuConfig& gpu);

/// @pre `name` is among profile_names("chips").
void load_chip_profile(const std::string& name, engine::ChipConfig& chip);

/// The default platform of a scenario: a desktop with one discrete GPU.
const top::PlatformConfig& default_platform();

}  // namespace fenceline::scenario
