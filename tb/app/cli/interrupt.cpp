#include "tb/app/cli/interrupt.h"

#include <csignal>
#include <cstdint>
#include <ctime>

namespace fenceline::cli {

namespace {

std::atomic<bool> caught{false};
static_assert(std::atomic<bool>::is_always_lock_free, "a signal handler may only set such");

/// [s] monotonic time of the first_signal signal
std::atomic<std::int64_t> first_signal{0};

std::int64_t seconds() {
  timespec now{};
  ::clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec;
}

extern "C" void remember_signal(int signal) {
  if (!caught.exchange(true)) {
    first_signal.store(seconds());
  } else if (seconds() > first_signal.load() + 1) {
    std::signal(signal, SIG_DFL);
    ::raise(signal);
  }
}

}  // namespace

InterruptGuard::InterruptGuard() {
  caught.store(false);
  std::signal(SIGINT, remember_signal);
  std::signal(SIGTERM, remember_signal);
}

InterruptGuard::~InterruptGuard() {
  std::signal(SIGINT, SIG_DFL);
  std::signal(SIGTERM, SIG_DFL);
}

const std::atomic<bool>& interrupted() { return caught; }

}  // namespace fenceline::cli
