#include "tb/cli/progress.h"

#include <algorithm>
#include <fmt/format.h>
#include <ostream>

#include "tb/cli/run_job.h"
#include "tb/cli/summary.h"

namespace fenceline::cli {

namespace {

constexpr std::chrono::milliseconds kFirst{500};
constexpr std::chrono::milliseconds kPeriod{100};

}  // namespace

Progress::Progress(const Console& console, const Options& options, std::string scenario,
                   const Job& job)
    : console_(console),
      scenario_(std::move(scenario)),
      enabled_(console.err_is_terminal && options.progress && !options.quiet),
      next_(Clock::now() + kFirst) {
  end_ = job.scenario->end_time.value_or(0);
  if (job.request.stop_at) {
    end_ = end_ == 0 ? *job.request.stop_at : std::min(end_, *job.request.stop_at);
  }
}

void Progress::update(std::uint64_t now) {
  if (!enabled_ || Clock::now() < next_) return;
  next_ = Clock::now() + kPeriod;
  drawn_ = true;
  console_.err << fmt::format("\r\033[K{}: {}", scenario_, readable_time(now));
  if (end_ > 0) {
    constexpr int kWidth = 30;
    const double part = std::min(1.0, static_cast<double>(now) / static_cast<double>(end_));
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
