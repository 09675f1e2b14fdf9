#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "models/top/config.h"

namespace fenceline::scenario {

/// A profile as it is built in: the text of scenarios/profiles/<kind>/<name>.json.
struct BuiltinProfile {
  const char* kind;  ///< "hosts", "gpus" or "chips"
  const char* name;
  std::string_view text;
};

/// All profiles. They are embedded, so a run needs no files beside the scenario.
const std::vector<BuiltinProfile>& builtin_profiles();

/// Names of the profiles of one kind, sorted.
std::vector<std::string> profile_names(std::string_view kind);

// Every profile gives every value, so nothing is left of the one before.

/// Sets host and system memory as the host profile says. @pre `name` is among
/// profile_names("hosts").
void load_host_profile(const std::string& name, top::PlatformConfig& platform);

/// Sets everything but the name. @pre `name` is among profile_names("gpus").
void load_gpu_profile(const std::string& name, top::GpuConfig& gpu);

/// @pre `name` is among profile_names("chips").
void load_chip_profile(const std::string& name, engine::ChipConfig& chip);

/// The platform of a scenario that says nothing about it: a desktop with one discrete GPU.
top::PlatformConfig default_platform();

}  // namespace fenceline::scenario
