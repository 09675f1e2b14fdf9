#pragma once

#include <cstdint>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <string>

namespace fenceline::reference {

/// Values of the counters of all repeats around a step or command, by name.
using Counters = std::map<std::string, std::uint64_t>;

/// Value of a number or of an expression such as "${i}*2+1", modulo 2^64.
/// Throws std::invalid_argument for a bad expression or an unknown counter.
std::uint64_t evaluate(const nlohmann::json& expression, const Counters& counters);

/// Bytes of a size such as "4KiB". Throws std::invalid_argument.
std::uint64_t bytes_of(const nlohmann::json& size);

/// Seconds of a duration such as "250ns". Throws std::invalid_argument.
double seconds_of(const std::string& duration);

}  // namespace fenceline::reference
