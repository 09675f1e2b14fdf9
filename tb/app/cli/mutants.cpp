#include "tb/app/cli/mutants.h"

#include <algorithm>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <string_view>

#include "tb/reference/predict.h"

namespace fenceline::cli {

namespace {

using abi::Mutant;

constexpr const char* kHardware = "hardware";
constexpr const char* kDriver = "driver";
constexpr const char* kOperatingSystem = "operating system";
constexpr const char* kUserMode = "user-mode driver";
constexpr const char* kReference = "reference";

}  // namespace

const std::vector<MutantInfo>& mutant_infos() {
  static const std::vector<MutantInfo> all{
#define FAULT(name, room, fault, what, scenario) \
  {#name, room, Mutant::fault, "", what, (room) == std::string_view(kReference)},
#define BACKED(name, room, fault, value, what, scenario) \
  {#name, room, Mutant::fault, value, what, false},
#define SWITCHED(name, room, value, what, scenario) \
  {#name, room, Mutant::kNone, value, what, false},
#include "models/abi/mutants.def"
  };
  return all;
}

void turn_on_mutant(Options& options) {
  if (options.mutant.empty()) return;
  const std::vector<MutantInfo>& all = mutant_infos();
  const auto it = std::find_if(all.begin(), all.end(),
                               [&](const MutantInfo& info) { return options.mutant == info.name; });
  if (!options.kmd.empty()) throw UsageError("--mutant goes with the built-in driver only");
  if (it == all.end())
    throw UsageError(fmt::format("--mutant: there is no {}; models/abi/mutants.def has all names",
                                 options.mutant));
  abi::set_mutant(it->fault);
  if (*it->ordering != '\0')
    options.overrides.push_back(fmt::format("/platform/ordering/{}", it->ordering));
}

reference::Outcome predict_with(Mutant fault, const nlohmann::json& scenario) {
  struct Off {
    Off() = default;
    Off(const Off&) = delete;
    Off& operator=(const Off&) = delete;
    ~Off() { abi::set_mutant(Mutant::kNone); }
  };
  const Off off;
  abi::set_mutant(fault);
  return reference::predict(scenario);
}

}  // namespace fenceline::cli
