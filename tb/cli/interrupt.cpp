#include "tb/cli/interrupt.h"

#include <csignal>

namespace fenceline::cli {

namespace {

std::atomic<bool> caught{false};
static_assert(std::atomic<bool>::is_always_lock_free, "a signal handler may only set such");

extern "C" void remember_signal(int signal) {
  caught.store(true);
  std::signal(signal, SIG_DFL);
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
