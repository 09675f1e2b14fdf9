#include "tb/app/cli/outputs/progress.h"

#include <algorithm>
#include <fmt/format.h>
#include <ostream>

#include "tb/app/cli/commands/run_job.h"
#include "tb/app/cli/outputs/summary.h"

namespace fenceline::cli {

namespace {

constexpr std::chrono::milliseconds kFirst{500};
constexpr std::chrono::milliseconds kPeriod{100};

}  // namespace

std::uint64_t end_of(const Job& job) {
  const std::uint64_t end = job.scenario->end_time.value_or(0);
  if (!job.request.stop_at) return end;
  return end == 0 ? *job.request.stop_at : std::min(end, *job.request.stop_at);
}

Progress::Progress(const Console& console, const Options& options)
    : console_(console),
      enabled_(console.err_is_terminal && options.progress && !options.quiet),
      next_(Clock::now() + kFirst) {}

void Progress::update(const Job& job, std::size_t done, std::size_t count, std::uint64_t now) {
  if (!enabled_ || Clock::now() < next_) return;
  next_ = Clock::now() + kPeriod;
  drawn_ = true;
  console_.err << "\r\033[K";
  if (count > 1) console_.err << fmt::format("{} of {}  ", done, count);
  console_.err << fmt::format("{}: {}", job.scenario->name, readable_time(now));
  const std::uint64_t end = end_of(job);
  if (end > 0) {
    constexpr int kWidth = 30;
    const double part = std::min(1.0, static_cast<double>(now) / static_cast<double>(end));
    const int full = static_cast<int>(part * kWidth);
    console_.err << fmt::format(" [{:#<{}}{:{}}] {:.0f} %", "", full, "", kWidth - full,
                                part * 100);
  }
  console_.err << std::flush;
}

void Progress::clear() {
  if (drawn_) console_.err << "\r\033[K" << std::flush;
  drawn_ = false;
}

}  // namespace fenceline::cli
