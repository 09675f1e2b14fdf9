#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "tb/scenario/scenario.h"

namespace fenceline::sweep {

/// Everything that the rows of a sweep follow from, and how it is divided. Kept as plan.json in the
/// work folder, so that whoever has the folder can go on with the sweep.
struct Plan {
  std::string name;                      ///< of the scenario
  std::string path;                      ///< of the scenario, for messages
  std::string text;                      ///< the scenario's document
  std::vector<std::string> overrides;    ///< of --set
  std::uint64_t first_seed = 1;          ///< of each point
  std::optional<std::uint64_t> stop_at;  ///< [ps]
  std::string kmd;           ///< shared library with the driver; empty: the built-in one
  std::uint64_t stuck = 10;  ///< [s] of CPU time that a run may take without a step
  scenario::SweepSettings sweep;
  std::string build;         ///< checksum of the program and of the driver in its library
  std::uint64_t shards = 1;  ///< run r belongs to shard r % shards
  std::string job;           ///< name of its jobs on a scheduler, of no other sweep
  bool replace = false;      ///< the result replaces that of an earlier sweep

  /// What is left out of two plans that must come to the same table: how it is divided.
  std::string id() const;
  std::string to_json() const;
  /// Throws std::invalid_argument for what is no plan.
  static Plan from_json(const std::string& text);
};

/// Checksum of this program and of a driver in a shared library. Throws std::invalid_argument if
/// one of them cannot be read.
std::string build_of(const std::string& kmd);

/// Names inside the work folder of a sweep. It stands beside the folder of the results until these
/// are complete.
class WorkFolder {
 public:
  static constexpr const char* kPlan = "plan.json";

  explicit WorkFolder(std::filesystem::path path) : path_(std::move(path)) {}
  /// The work folder of a sweep whose results go to `target`.
  static WorkFolder beside(std::filesystem::path target);

  const std::filesystem::path& path() const { return path_; }
  std::filesystem::path plan() const { return path_ / kPlan; }
  std::filesystem::path journals() const { return path_ / "journals"; }
  std::filesystem::path logs() const { return path_ / "logs"; }
  bool exists() const { return std::filesystem::exists(plan()); }

  /// Makes the folder with its plan. Throws report::FolderError, report::WriteError.
  void create(const Plan& contents) const;
  /// Throws std::invalid_argument if there is no plan that can be read.
  Plan read_plan() const;
  void remove() const;

 private:
  std::filesystem::path path_;
};

/// Keeps everybody else from leading the sweep of a work folder.
class Lead {
 public:
  /// Throws report::FolderError if somebody leads it already.
  explicit Lead(const WorkFolder& folder);
  ~Lead();
  Lead(const Lead&) = delete;
  Lead& operator=(const Lead&) = delete;

 private:
  int file_ = -1;
};

}  // namespace fenceline::sweep
