#include "tb/reference/program/negotiation.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>

#include "models/abi/mutant.h"

namespace fenceline::reference {

using nlohmann::json;

namespace {

/// Native fences came with it, and need hardware scheduling.
constexpr const char* kFirstVersion = "3.2";

bool is_new_enough(const json& side) {
  return !side.contains("wddm") || side.at("wddm") == kFirstVersion ||
         abi::mutant(abi::Mutant::kOldVersionIsNative);
}

}  // namespace

bool has_cpu_events(const json& platform, const json& adapter) {
  const auto has = [](const json& side) {
    const char* const first = abi::mutant(abi::Mutant::kCpuEventsLater) ? "3.1" : "3.0";
    return !side.contains("wddm") || side.at("wddm").get<std::string>() >= first;
  };
  const json& drivers = platform.at("drivers");
  return has(platform.at("os")) &&
         std::all_of(drivers.begin(), drivers.end(), [&](const json& driver) {
           return driver.at("adapter") != adapter.at("name") || has(driver);
         });
}

bool has_native_fences(const json& platform, const json& adapter) {
  const json& os = platform.at("os");
  if (!adapter.at("native_fences") || !is_new_enough(os) || !os.at("native_fence") ||
      !os.at("hardware_scheduling"))
    return false;
  const json& drivers = platform.at("drivers");
  return std::all_of(drivers.begin(), drivers.end(), [&](const json& driver) {
    return driver.at("adapter") != adapter.at("name") ||
           (is_new_enough(driver) &&
            (driver.at("native_fence") == "negotiate" ||
             abi::mutant(abi::Mutant::kDriverCannotRefuse)) &&
            driver.at("feature_interface") && driver.at("hardware_scheduling"));
  });
}

}  // namespace fenceline::reference
