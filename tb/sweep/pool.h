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
              const std::function<std::string(std::uint64_t)>& work, const PoolOptions& options,
              const std::function<void(const Finished&)>& finished);

}  // namespace fenceline::sweep
