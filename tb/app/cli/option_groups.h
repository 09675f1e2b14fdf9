#pragma once

#include <boost/program_options.hpp>

#include "tb/app/cli/sweep_options.h"

namespace fenceline::cli {

/// Groups of options; each command uses some of them.
enum Group : unsigned {
  kLoad = 1,
  kSimulate = 2,
  kWrite = 4,
  kReport = 8,
  kSoak = 16,
  kSearch = 32,
  kByHand = 64,
  kDriver = 128,
  kSweep = 256,
  kContain = 512,
  kBatch = 1024,
  kShrink = 2048,
  kGenerate = 4096,
  kCampaign = 8192,
  kBite = 16384,
  kCover = 32768,
  kCompare = 65536,
  kLive = 131072
};

/// The options of a command with these groups.
boost::program_options::options_description options_of(unsigned groups);

/// Adds options for runs on other machines. @param command "sweep" or "campaign"
void add_engine_options(const std::string& command,
                        boost::program_options::options_description& all);
/// Reads the options of add_engine_options. Throws UsageError for options that exclude each other.
EngineOptions take_engine_options(const boost::program_options::variables_map& values);

/// Adds the options of a sweep.
void add_sweep_options(boost::program_options::options_description& all);
/// Reads the options of add_sweep_options. Throws UsageError.
SweepOptions take_sweep_options(const boost::program_options::variables_map& values);

}  // namespace fenceline::cli
