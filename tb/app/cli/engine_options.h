#pragma once

#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

namespace fenceline::cli {

/// Error in the command line, with its explanation.
class UsageError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Where the runs of a sweep or campaign are made.
enum class RunsOn : std::uint8_t { kThisMachine, kSlurm, kCommands };

/// Options for runs on other machines.
struct EngineOptions {
  RunsOn runs_on = RunsOn::kThisMachine;
  std::optional<std::uint64_t> shards;
  std::uint64_t at_once = 0;  ///< concurrent shards; 0: all
  std::string submit_template;
  std::vector<std::string> submit_options;
  std::string worker;  ///< work folder of the command whose shard to make; empty: this one leads
  std::string shard;   ///< "i/n"; empty: taken from the environment

  bool elsewhere() const { return runs_on != RunsOn::kThisMachine; }
};

/// A whole number from 1 to `most`; throws UsageError for other text.
std::uint64_t parse_count(const std::string& option, const std::string& text, std::uint64_t most);

}  // namespace fenceline::cli
