#pragma once

#include <map>
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "tb/reference/program/program.h"

namespace fenceline::reference {

/// The programs of a scenario as operations.
struct Unrolled {
  Program program;
  /// Parts about which nothing is said, by JSON pointer; "" is the whole scenario.
  std::map<std::string, std::string> silent;
};

/// Limit for operations, repeats unrolled. Larger scenarios are silent.
constexpr std::uint64_t kMaxOperations = 200'000;

/// Resolves names and unrolls repeats. Throws std::invalid_argument for a bad scenario.
Unrolled unroll(const nlohmann::json& scenario);

}  // namespace fenceline::reference
