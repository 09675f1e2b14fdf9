#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "tb/run/process/watched_process.h"

namespace fenceline::run {

/// Result of a piece of work. A piece that is killed from outside is tried a second time.
struct Finished {
  std::uint64_t work = 0;
  Ended ended;
};

struct PoolOptions {
  unsigned jobs = 1;               ///< concurrent processes
  std::chrono::seconds stuck{10};  ///< limit of CPU time between two beats
  /// CPU time after which a process starts no further piece. It bounds both the cost of process
  /// starts and the life of a process.
  std::chrono::milliseconds slice{250};
  const std::atomic<bool>* interrupted = nullptr;
};

/// Does all pieces of work in forked processes that die with this one. Each process does several
/// pieces in turn. A crash or an endless loop affects only its own process. `finished` gets the
/// results in any order; an exception from it ends everything. Returns false when interrupted. @pre
/// one thread.
bool run_pool(const std::vector<std::uint64_t>& works,
              const std::function<std::string(std::uint64_t, Pulse&)>& work,
              const PoolOptions& options, const std::function<void(const Finished&)>& finished);

}  // namespace fenceline::run
