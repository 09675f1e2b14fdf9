#include "tb/app/cli/live/live.h"

#include <cmath>
#include <fmt/format.h>
#include <ostream>

#include "tb/app/cli/interrupt.h"
#include "tb/app/cli/outputs/sweep_text.h"

namespace fenceline::cli {

using nlohmann::ordered_json;

namespace {
constexpr std::chrono::milliseconds kBetweenStates{250};
constexpr std::chrono::seconds kRated{5};  ///< a rate is that of this time
}  // namespace

ordered_json live_part(const std::string& title, const std::vector<std::string>& columns,
                       ordered_json rows, const std::string& note) {
  ordered_json part = {{"title", title}, {"columns", columns}, {"rows", std::move(rows)}};
  if (part["rows"].is_null()) part["rows"] = ordered_json::array();
  if (!note.empty()) part["note"] = note;
  return part;
}

std::string more_text(std::uint64_t all, std::size_t shown) {
  return all > shown ? fmt::format("and {} more", all - shown) : "";
}

Live::Live(const Options& options, const Console& console, std::string command)
    : command_(std::move(command)) {
  if (!options.live) return;
  server_ = std::make_unique<LiveServer>();
  console.err << "fenceline: live page at " << server_->address() << '\n' << std::flush;
}

Live::~Live() {
  if (!on()) return;
  const bool failed = std::uncaught_exceptions() > exceptions_;
  try {
    server_->show_last(state(interrupted() ? "interrupted" : failed ? "failed" : "over"));
  } catch (const std::exception&) {  // without memory there is no last state
  }
}

bool Live::due() const { return on() && Clock::now() - shown_ >= kBetweenStates; }

void Live::show(LiveView view) {
  if (!on()) return;
  view_ = std::move(view);
  stage_.clear();
  server_->show(state("running"));
  shown_ = Clock::now();
}

void Live::enter(const std::string& stage) {
  if (!on()) return;
  stage_ = stage;
  server_->show(state("running"));
}

void Live::add_result(const std::string& name, const std::string& value) {
  if (on()) results_.emplace_back(name, value);
}

std::string Live::state(const char* word) {
  ordered_json facts = ordered_json::array();
  for (const auto& [name, value] : results_) facts.push_back({name, value});
  if (!stage_.empty() && std::string(word) == "running") facts.push_back({"stage", stage_});
  for (const auto& [name, value] : view_.facts) facts.push_back({name, value});
  const double seconds = std::chrono::duration<double>(Clock::now() - start_).count();
  ordered_json state = {{"command", command_}, {"title", view_.title}, {"state", word},
                        {"number", ++number_}, {"seconds", seconds},   {"facts", facts},
                        {"parts", view_.parts}};
  if (view_.all != 0)
    state["progress"] = {{"done", view_.done}, {"all", view_.all}, {"unit", view_.unit}};
  // Names of drivers and files may hold any bytes.
  return state.dump(-1, ' ', false, ordered_json::error_handler_t::replace);
}

double LiveRate::of(std::uint64_t count) {
  const Clock::time_point now = Clock::now();
  if (!samples_.empty() && count < samples_.back().second) samples_.clear();
  samples_.emplace_back(now, count);
  while (samples_.size() > 2 && now - samples_[1].first >= kRated) samples_.pop_front();
  const double time = std::chrono::duration<double>(now - samples_.front().first).count();
  return time <= 0 ? 0 : static_cast<double>(count - samples_.front().second) / time;
}

std::string rate_text(double rate) {
  if (rate <= 0) return "unknown";
  return rate < 10 ? fmt::format("{:.1f} per second", rate)
                   : fmt::format("{:.0f} per second", rate);
}

std::string time_left_text(std::uint64_t rest, double rate) {
  constexpr double kLongest = 1e9;  ///< [s]
  if (rest == 0) return "nothing";
  const double seconds = rate <= 0 ? kLongest : static_cast<double>(rest) / rate;
  if (seconds >= kLongest) return "unknown";
  return fmt::format("about {}, at this rate",
                     readable_seconds(static_cast<std::uint64_t>(std::llround(seconds))));
}

}  // namespace fenceline::cli
