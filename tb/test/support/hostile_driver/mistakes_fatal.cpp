#include <csetjmp>
#include <csignal>
#include <cstdlib>
#include <exception>
#include <unistd.h>

#include "tb/test/support/hostile_driver/mistakes.h"

namespace {

void segfault(Scene& /*scene*/) {
  volatile int* volatile nowhere = nullptr;
  *nowhere = 1;
}
int deeper(volatile int depth) {
  if (depth < 0) return 0;
  volatile char room[4096];
  room[0] = static_cast<char>(depth);
  return deeper(depth + 1) + room[0];
}
void overflow(Scene& scene) { scene.status = deeper(0); }
void endless(Scene& /*scene*/) {
  for (volatile int turn = 0;; turn = turn + 1) {
  }
}
void jump(Scene& /*scene*/) {
  static std::jmp_buf nowhere;  // never set: where it leads is anybody's guess
  std::longjmp(nowhere, 1);     // NOLINT(cert-err52-cpp)
}
void terminates(Scene& /*scene*/) noexcept { std::terminate(); }

template <int number>
void raises(Scene& /*scene*/) {
  std::raise(number);
}

constexpr Moment kFence = Moment::kCreateFence;

constexpr Mistake kTable[] = {
    {"fatal_null_in_start", "writes through null", Moment::kStartDevice, "crash", segfault},
    {"fatal_null_in_isr", "writes through null in the ISR", Moment::kInterrupt, "crash", segfault},
    {"fatal_null_in_dpc", "writes through null in the DPC", Moment::kDpc, "crash", segfault},
    {"fatal_null_in_entry", "writes through null in DriverEntry", Moment::kEntry, "crash",
     segfault},
    {"fatal_null_in_constructor", "writes through null when it is loaded", Moment::kLoad, "crash",
     segfault},
    {"fatal_exit_in_constructor", "ends the process when it is loaded", Moment::kLoad, "crash",
     [](Scene&) { std::exit(0); }},
    {"fatal_abort", "aborts", kFence, "crash", [](Scene&) { std::abort(); }},
    {"fatal_exit", "ends the process with 0", kFence, "crash", [](Scene&) { std::exit(0); }},
    {"fatal_quick_exit", "ends the process at once", kFence, "crash", [](Scene&) { _exit(0); }},
    {"fatal_terminate", "throws where nothing may be thrown", kFence, "crash", terminates},
    {"fatal_endless", "loops without end", kFence, "crash", endless},
    {"fatal_overflow", "overflows its stack", kFence, "crash", overflow},
    {"fatal_jump", "jumps to a place that was never set", kFence, "crash", jump},
    {"fatal_divide", "divides by zero", kFence, "crash", raises<SIGFPE>},
    {"fatal_illegal", "executes what is no instruction", kFence, "crash", raises<SIGILL>},
    {"fatal_bus", "raises a bus error", kFence, "crash", raises<SIGBUS>},
    {"fatal_kill", "kills its process", kFence, "crash", raises<SIGKILL>},
};

}  // namespace

Mistakes fatal_mistakes() { return {kTable, std::size(kTable)}; }
