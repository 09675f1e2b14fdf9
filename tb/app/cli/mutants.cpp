#include "tb/app/cli/mutants.h"

#include <algorithm>
#include <fmt/format.h>

namespace fenceline::cli {

namespace {

using abi::Mutant;

constexpr const char* kHardware = "hardware";
constexpr const char* kDriver = "driver";
constexpr const char* kOperatingSystem = "operating system";
constexpr const char* kUserMode = "user-mode driver";

}  // namespace

const std::vector<MutantInfo>& mutant_infos() {
  static const std::vector<MutantInfo> all{
#define FAULT(name, room, fault, what, scenario) {#name, room, Mutant::fault, "", what},
#define SWITCHED(name, room, value, what, scenario) {#name, room, Mutant::kNone, value, what},
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
    throw UsageError(fmt::format("--mutant: there is no {}; {} to {} are there", options.mutant,
                                 all.front().name, all.back().name));
  abi::set_mutant(it->fault);
  if (*it->ordering != '\0')
    options.overrides.push_back(fmt::format("/platform/ordering/{}", it->ordering));
}

}  // namespace fenceline::cli
