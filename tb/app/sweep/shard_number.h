#pragma once

#include <cstdint>
#include <functional>
#include <string>

namespace fenceline::sweep {

/// Reads an environment variable; null if it is not set.
using Environment = std::function<const char*(const char*)>;

/// Shard number, from 0, that a scheduler gave this task of a job array. Checks it against the
/// number of shards. Throws std::invalid_argument if no known variable is set, or if its value is
/// invalid.
std::uint64_t shard_from(const Environment& environment, std::uint64_t shards);

/// Shard number from "i/n" on the command line, i from 0. Throws std::invalid_argument.
std::uint64_t parse_shard(const std::string& text, std::uint64_t shards);

}  // namespace fenceline::sweep
