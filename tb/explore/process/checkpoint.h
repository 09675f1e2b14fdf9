#pragma once

#include <string>
#include <vector>

namespace fenceline::explore {

/// A search that has stopped before its end, for a later process of the same program.
struct Checkpoint {
  /// Name of the file in the folder of an exploration.
  static constexpr const char* kFile = "checkpoint";

  std::string scenario;            ///< its effective JSON
  std::string kmd;                 ///< shared library with the driver; empty: the built-in one
  bool keep_holds = false;         ///< of the search
  std::vector<std::string> about;  ///< invariants that count; empty: all
  std::string state;               ///< Exploration::left

  /// Content of the file: compressed, with a checksum, and bound to this program and driver.
  std::string file() const;
  /// Throws std::invalid_argument for an incomplete checkpoint, or one of another program or
  /// driver.
  static Checkpoint of(const std::string& file);
};

}  // namespace fenceline::explore
