#pragma once

#include <atomic>

namespace fenceline::cli {

/// While it exists, the first SIGINT or SIGTERM only sets interrupted(). A signal more than one
/// second later ends the process as usual. The delay is needed because batch systems send several
/// signals at once.
class InterruptGuard {
 public:
  InterruptGuard();
  ~InterruptGuard();
  InterruptGuard(const InterruptGuard&) = delete;
  InterruptGuard& operator=(const InterruptGuard&) = delete;
};

/// True after a guard caught a signal.
const std::atomic<bool>& interrupted();

}  // namespace fenceline::cli
