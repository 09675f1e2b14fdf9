#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <exception>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "tb/app/cli/commands/commands.h"
#include "tb/app/cli/live/live_server.h"
#include "tb/app/cli/options.h"

namespace fenceline::cli {

/// A part of the live page as JSON: a table, or a list if `columns` is {""}. @param note text
/// below the rows; empty: none
nlohmann::ordered_json live_part(const std::string& title, const std::vector<std::string>& columns,
                                 nlohmann::ordered_json rows, const std::string& note = {});

/// Text below a list of which so many rows are shown; empty if that is all.
std::string more_text(std::uint64_t all, std::size_t shown);

/// What the live page shows.
struct LiveView {
  std::string title;
  std::uint64_t done = 0;
  std::uint64_t all = 0;  ///< 0: no progress bar
  std::string unit;       ///< of both; empty: the bar shows the share alone
  std::vector<std::pair<std::string, nlohmann::ordered_json>> facts;  ///< texts and whole numbers
  std::vector<nlohmann::ordered_json> parts;                          ///< of live_part
};

/// The live page of a command. Without --live it does nothing. To be made before any process that
/// simulates, so that none holds anything of it.
class Live {
 public:
  /// No page.
  Live() = default;
  /// Prints the address of the page. Throws UsageError.
  Live(const Options& options, const Console& console, std::string command);
  /// The page says that the command is over, was interrupted, or has failed by an exception.
  ~Live();
  Live(const Live&) = delete;
  Live& operator=(const Live&) = delete;

  bool on() const { return server_ != nullptr; }
  /// It is on, and the last state is old enough for a new one.
  bool due() const;
  void show(LiveView view);
  /// The command is now at something that has no progress to show: the page shows it at once.
  void enter(const std::string& stage);
  /// A fact about the end, such as the verdict: it is shown from now on.
  void add_result(const std::string& name, const std::string& value);

 private:
  using Clock = std::chrono::steady_clock;

  std::string state(const char* word);

  const std::string command_;
  const Clock::time_point start_ = Clock::now();
  const int exceptions_ = std::uncaught_exceptions();  ///< in flight when the command began
  std::unique_ptr<LiveServer> server_;
  LiveView view_;
  std::vector<std::pair<std::string, std::string>> results_;
  std::string stage_;
  std::uint64_t number_ = 0;  ///< of the last state
  Clock::time_point shown_{};
};

/// Speed of a count over the last seconds.
class LiveRate {
 public:
  /// The count is `count` now. Returns its growth per second; 0 as long as that is unknown.
  double of(std::uint64_t count);

 private:
  using Clock = std::chrono::steady_clock;
  std::deque<std::pair<Clock::time_point, std::uint64_t>> samples_;
};

/// "12.5 per second"; "unknown" for 0.
std::string rate_text(double rate);
/// "about 3 min 20 s, if ..."; for a rest of work at a rate. @param rate per second
std::string time_left_text(std::uint64_t rest, double rate);

}  // namespace fenceline::cli
