#include "tb/run/process/cpu_watch.h"

#include <ctime>

namespace fenceline::run {

bool CpuWatch::stuck(pid_t process, std::uint64_t beats, bool idle) {
  clockid_t clock{};
  timespec used{};
  if (clock_getcpuclockid(process, &clock) != 0 || clock_gettime(clock, &used) != 0) return false;
  const auto now = std::chrono::seconds(used.tv_sec) + std::chrono::nanoseconds(used.tv_nsec);
  if (beats != beats_ || idle) {
    beats_ = beats;
    since_ = now;
    return false;
  }
  return now - since_ > most_;
}

}  // namespace fenceline::run
