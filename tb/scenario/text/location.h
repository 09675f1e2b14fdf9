#pragma once

#include <cstdint>
#include <string>

namespace fenceline::scenario {

/// Position in the scenario file, for messages after loading.
struct Location {
  std::string pointer;     ///< JSON pointer
  std::uint32_t line = 0;  ///< 1-based; 0 for a default or --set
  std::uint32_t column = 0;
};

}  // namespace fenceline::scenario
