#pragma once

#include <cstdint>
#include <functional>
#include <string>

namespace fenceline::sweep {

/// Reads a variable of the environment; null where there is none.
using Environment = std::function<const char*(const char*)>;

/// The number of the shard, from 0, that a scheduler gave this task of a job array, and checks that
/// the sweep has so many. Throws std::invalid_argument if no variable that is known says so, or one
/// says something else.
std::uint64_t shard_from(const Environment& environment, std::uint64_t shards);

/// The number of a shard as "i/n" on the command line, i from 0. Throws std::invalid_argument.
std::uint64_t parse_shard(const std::string& text, std::uint64_t shards);

}  // namespace fenceline::sweep
