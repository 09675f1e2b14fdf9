#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>

#include "tb/app/cli/options.h"
#include "tb/app/sweep/engine.h"

namespace fenceline::cli {

/// Workers of a sweep or campaign.
struct Workers {
  std::string words;             ///< command and options of a worker, as a shell takes them
  std::filesystem::path folder;  ///< the work folder, absolute
  std::string job;               ///< name of their jobs on a scheduler
  sweep::ShardedWork work;
};

/// Shards of so many runs: as chosen, or the default number.
std::uint64_t shards_of(const Options& options, std::uint64_t runs);
/// The shard that this worker makes: chosen, or from the environment. Throws std::invalid_argument.
std::uint64_t shard_of(const Options& options, std::uint64_t shards);

/// Has workers elsewhere make all missing runs, as the options say. False when interrupted. Throws
/// std::runtime_error when it gives up.
bool run_workers(const Workers& workers, const Options& options,
                 const sweep::SupervisionOptions& supervision);

}  // namespace fenceline::cli
