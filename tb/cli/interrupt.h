#pragma once

#include <atomic>

namespace fenceline::cli {

/// While it lives, the first SIGINT or SIGTERM only sets interrupted(). One that comes more than a
/// second later ends the process as usual; batch systems send several at once.
class InterruptGuard {
 public:
  InterruptGuard();
  ~InterruptGuard();
  InterruptGuard(const InterruptGuard&) = delete;
  InterruptGuard& operator=(const InterruptGuard&) = delete;
};

/// True once a guard has caught a signal.
const std::atomic<bool>& interrupted();

}  // namespace fenceline::cli
