#include "tb/app/cli/outputs/search_progress.h"

#include <fmt/format.h>
#include <ostream>

namespace fenceline::cli {

SearchProgress::SearchProgress(const Console& console, const Options& options, std::string name)
    : console_(console),
      name_(std::move(name)),
      shown_(options.progress && console.err_is_terminal) {}

SearchProgress::~SearchProgress() {
  if (drawn_) console_.err << "\r\033[K" << std::flush;
}

void SearchProgress::update(const explore::SearchReport& report) {
  const Clock::time_point now = Clock::now();
  if (!shown_ || now - last_ < std::chrono::seconds(1)) return;
  last_ = now;
  drawn_ = true;
  console_.err << fmt::format("\r\033[K{}: {} executions, {} states, {} findings", name_,
                              report.executions, report.states, report.findings.size())
               << std::flush;
}

}  // namespace fenceline::cli
