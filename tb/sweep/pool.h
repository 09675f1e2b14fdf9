#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "tb/run/watched_process.h"

namespace fenceline::sweep {

/// What became of a piece of work. One that is killed from outside is tried a second time.
struct Finished {
  std::uint64_t work = 0;
  run::Ended ended;
};

struct PoolOptions {
  unsigned jobs = 1;               ///< processes at once
  std::chrono::seconds stuck{10};  ///< of CPU time that may pass between two beats
  /// After so much CPU time a process begins nothing more, so that starting processes costs little
  /// and yet none lives long.
  std::chrono::milliseconds slice{250};
  const std::atomic<bool>* interrupted = nullptr;
};

/// Does all pieces of work in processes that are forked from this one and die with it, some pieces
/// one after another in each. Work that crashes, or never ends, takes nothing with it but its
/// process. `finished` gets each as it ends, in any order; what it throws ends everything. Returns
/// false when interrupted. @pre one thread.
bool run_pool(const std::vector<std::uint64_t>& works,
              const std::function<std::string(std::uint64_t, run::Pulse&)>& work,
              const PoolOptions& options, const std::function<void(const Finished&)>& finished);

}  // namespace fenceline::sweep
