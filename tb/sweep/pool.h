#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace fenceline::sweep {

/// What became of a piece of work.
struct Finished {
  enum class How : std::uint8_t {
    kWell,
    kCrashed,  ///< by a fault, or by ending its process
    kEndless,  ///< it took more CPU time than allowed
    kKilled    ///< twice, and from outside: not by itself
  };
  std::uint64_t work = 0;
  How how = How::kWell;
  std::string result;
  std::string why;  ///< it did not end well, such as "SIGSEGV"
};

struct PoolOptions {
  unsigned jobs = 1;  ///< processes at once
  std::chrono::seconds most_cpu{600};
  const std::atomic<bool>* interrupted = nullptr;
};

/// Does each piece of work in a process of its own, forked from this one, which dies with it:
/// nothing that a piece of work leaves behind, or breaks, reaches another one. `finished` gets each
/// as it ends, in any order; what it throws ends everything. Returns false when interrupted.
/// @pre one thread.
bool run_pool(const std::vector<std::uint64_t>& works,
              const std::function<std::string(std::uint64_t)>& work, const PoolOptions& options,
              const std::function<void(const Finished&)>& finished);

}  // namespace fenceline::sweep
