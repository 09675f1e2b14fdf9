#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "tb/scenario/scenario.h"

namespace fenceline::sweep {

/// All inputs of a sweep's rows, and its division into shards. Kept as plan.json in the work
/// folder, so that any process with the folder can continue the sweep.
struct Plan {
  std::string name;                      ///< of the scenario
  std::string path;                      ///< of the scenario, for messages
  std::string text;                      ///< the scenario's document
  std::vector<std::string> overrides;    ///< values of --set
  std::uint64_t first_seed = 1;          ///< for each point
  std::optional<std::uint64_t> stop_at;  ///< [ps]
  std::string kmd;           ///< shared library with the driver; empty: the built-in one
  std::uint64_t stuck = 10;  ///< [s] limit of CPU time per step of a run
  scenario::SweepSettings sweep;
  std::string build;         ///< checksum of the program and of the driver library
  std::uint64_t shards = 1;  ///< run r belongs to shard r % shards
  std::string job;           ///< unique name of its jobs on a scheduler
  bool replace = false;      ///< the result replaces that of an earlier sweep

  /// Identifies the table: two plans with the same id give the same rows, however they are divided.
  std::string id() const;
  std::string to_json() const;
  /// Throws std::invalid_argument for an invalid plan.
  static Plan from_json(const std::string& text);
};

/// Checksum of this program and of a driver in a shared library. Throws std::invalid_argument if
/// one of them cannot be read.
std::string build_of(const std::string& kmd);

/// File names in the work folder of a sweep. The work folder is next to the result folder until the
/// results are complete.
class WorkFolder {
 public:
  static constexpr const char* kPlan = "plan.json";

  explicit WorkFolder(std::filesystem::path path) : path_(std::move(path)) {}
  /// The work folder of a sweep with results in `target`.
  static WorkFolder beside(std::filesystem::path target);

  const std::filesystem::path& path() const { return path_; }
  std::filesystem::path plan() const { return path_ / kPlan; }
  std::filesystem::path journals() const { return path_ / "journals"; }
  std::filesystem::path logs() const { return path_ / "logs"; }
  bool exists() const { return std::filesystem::exists(plan()); }

  /// Creates the folder with its plan. Throws report::FolderError, report::WriteError.
  void create(const Plan& contents) const;
  /// Throws std::invalid_argument if there is no readable plan.
  Plan read_plan() const;
  void remove() const;

 private:
  std::filesystem::path path_;
};

}  // namespace fenceline::sweep
