#include "tb/app/sweep/shard_number.h"

#include <cstring>
#include <fmt/format.h>
#include <optional>
#include <stdexcept>

#include "tb/scenario/text/units.h"

namespace fenceline::sweep {

namespace {

/// Environment variable in which a scheduler passes the number of an array task.
struct Variable {
  const char* name;
  std::uint64_t first;  ///< number of the first task
};

constexpr Variable kVariables[] = {
    {"FENCELINE_SHARD", 0},      // for scripts of users
    {"SLURM_ARRAY_TASK_ID", 0},  // with --engine slurm
    {"LSB_JOBINDEX", 1},         // LSF: tasks count from 1
    {"PBS_ARRAY_INDEX", 0},      // PBS Professional, OpenPBS
    {"PBS_ARRAYID", 0},          // TORQUE
    {"SGE_TASK_ID", 1},          // Grid Engine: tasks count from 1
};

std::uint64_t checked(std::uint64_t shard, std::uint64_t shards, const std::string& from) {
  if (shard < shards) return shard;
  throw std::invalid_argument(
      fmt::format("{}: the sweep has {} shards, numbered from 0", from, shards));
}

}  // namespace

std::uint64_t shard_from(const Environment& environment, std::uint64_t shards) {
  if (const char* count = environment("FENCELINE_SHARDS"))
    if (scenario::whole_number(count) != shards)
      throw std::invalid_argument(
          fmt::format("FENCELINE_SHARDS={}: the sweep has {} shards", count, shards));
  for (const Variable& variable : kVariables) {
    const char* text = environment(variable.name);
    // Outside of arrays Grid Engine sets "undefined" and LSF sets 0.
    if (text == nullptr || std::strcmp(text, "undefined") == 0) continue;
    const auto value = scenario::whole_number(text);
    if (value && *value < variable.first) continue;
    if (!value)
      throw std::invalid_argument(fmt::format("{}={}: not a whole number", variable.name, text));
    return checked(*value - variable.first, shards, fmt::format("{}={}", variable.name, text));
  }
  std::string names;
  for (const Variable& variable : kVariables)
    names += (names.empty() ? "" : ", ") + std::string(variable.name);
  throw std::invalid_argument("--worker: which shard? Give --shard i/n, or one of " + names);
}

std::uint64_t parse_shard(const std::string& text, std::uint64_t shards) {
  const std::size_t slash = text.find('/');
  const auto shard = scenario::whole_number(text.substr(0, slash));
  const auto count = slash == std::string::npos ? std::optional(shards)
                                                : scenario::whole_number(text.substr(slash + 1));
  if (!shard || !count)
    throw std::invalid_argument(fmt::format("--shard: \"{}\" is not i/n, such as 0/8", text));
  if (*count != shards)
    throw std::invalid_argument(
        fmt::format("--shard: the sweep has {} shards, not {}", shards, *count));
  return checked(*shard, shards, "--shard " + text);
}

}  // namespace fenceline::sweep
