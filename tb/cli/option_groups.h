#pragma once

#include <boost/program_options.hpp>

namespace fenceline::cli {

/// Groups of options; each command takes some of them.
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
  kBatch = 1024
};

/// The options of a command that takes these groups.
boost::program_options::options_description options_of(unsigned groups);

}  // namespace fenceline::cli
