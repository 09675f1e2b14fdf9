#include "tb/app/cli/outputs/sweep_text.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <ostream>

#include "tb/report/writers/page_shell.h"

namespace fenceline::cli {

namespace {

constexpr std::chrono::milliseconds kReprintPeriod{200};

}  // namespace

SweepProgress::SweepProgress(const Console& console, const Options& options, std::string name,
                             std::uint64_t runs)
    : console_(console),
      name_(std::move(name)),
      runs_(runs),
      enabled_(console.err_is_terminal && options.progress && !options.quiet) {}

SweepProgress::~SweepProgress() {
  if (drawn_) console_.err << "\r\033[K" << std::flush;
}

std::string SweepProgress::time_left(std::uint64_t done) const {
  if (done <= first_) return {};
  const double took = std::chrono::duration<double>(Clock::now() - start_).count();
  const double left = took / static_cast<double>(done - first_) * static_cast<double>(runs_ - done);
  return ", " + readable_seconds(static_cast<std::uint64_t>(std::llround(left))) + " left";
}

void SweepProgress::update(std::uint64_t done) {
  const Clock::time_point now = Clock::now();
  if (!begun_) {
    begun_ = true;
    first_ = done;
    start_ = now;
  }
  if (!enabled_ || now < next_) return;
  next_ = now + kReprintPeriod;
  drawn_ = true;
  constexpr std::uint64_t kWidth = 30;
  const auto full = static_cast<int>(done * kWidth / std::max<std::uint64_t>(1, runs_));
  console_.err << fmt::format("\r\033[K{}: {} of {} runs [{:#<{}}{:{}}]{}", name_, done, runs_, "",
                              full, "", static_cast<int>(kWidth) - full, time_left(done))
               << std::flush;
}

std::string readable_seconds(std::uint64_t seconds) {
  if (seconds < 60) return fmt::format("{} s", seconds);
  if (seconds < 3600) return fmt::format("{} min {:02} s", seconds / 60, seconds % 60);
  return fmt::format("{} h {:02} min", seconds / 3600, seconds / 60 % 60);
}

std::string sweep_text(const sweep::Plan& plan, const sweep::Summary& summary,
                       const std::string& folder) {
  std::string text = fmt::format("sweep       {}\nruns        {}: {} points, {} seeds each\n",
                                 plan.name, summary.runs, summary.points, plan.sweep.seeds);
  std::string verdicts;
  for (const auto& [verdict, runs] : summary.verdicts)
    verdicts += fmt::format("{}{} {}", verdicts.empty() ? "" : ", ", runs, verdict);
  text += fmt::format("verdicts    {}\n", verdicts);
  for (const sweep::Summary::Failed& it : summary.named) {
    text += fmt::format("  point {} seed {}: {}", it.point, it.seed, it.verdict);
    if (!it.reason.empty()) text += ": " + it.reason;
    text += "\n";
    for (const std::string& value : it.values) text += "    " + value + "\n";
  }
  if (summary.failed > summary.named.size())
    text += fmt::format("  and {} more\n", summary.failed - summary.named.size());
  text += fmt::format("files       {}: {} {} {} {}", folder, "config.json", sweep::kResultFile,
                      sweep::kCsvFile, sweep::kSqliteFile);
  if (!report::sweep_page().shell.empty()) text += fmt::format(" {}", sweep::kPageFile);
  return text + "\n";
}

}  // namespace fenceline::cli
