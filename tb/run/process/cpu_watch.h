#pragma once

#include <chrono>
#include <cstdint>
#include <sys/types.h>

namespace fenceline::run {

/// Finds out that a process takes CPU time and does not come along. A loaded machine is no reason:
/// a process that does not run takes no CPU time.
class CpuWatch {
 public:
  /// @param most CPU time that may pass between two beats.
  explicit CpuWatch(std::chrono::nanoseconds most) : most_(most) {}

  /// True if the process has taken more since the beats last changed. To be called now and then.
  /// @param idle nothing is expected of it now.
  bool stuck(pid_t process, std::uint64_t beats, bool idle);

 private:
  const std::chrono::nanoseconds most_;
  std::uint64_t beats_ = 0;
  std::chrono::nanoseconds since_{0};
};

}  // namespace fenceline::run
