#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "tb/cli/commands.h"
#include "tb/report/run_report.h"

namespace fenceline::cli {

/// One run and what the user should know of its files.
struct Outcome {
  report::RunReport report;
  std::shared_ptr<const scenario::Scenario> ran;  ///< what report.scenario points to
  std::string scenario;                           ///< name
  std::string files;                              ///< folder and names, or why there are none
  std::string error;  ///< set when writing failed or the run could not be made
  int exit_code = 0;
};

/// A time with a fitting unit and at most three decimals, e.g. "12.345 us".
std::string readable_time(std::uint64_t picoseconds);

/// All that one run came to: verdict, reasons, expectations, main figures, files.
void print_details(const Outcome& outcome, const Console& console);
/// Prints runs as they end: details of a single one, a table of several, or JSON; with --quiet only
/// what went wrong.
class Results {
 public:
  enum class Style { kDetails, kTable, kJson, kJsonList, kOnlyFailures };

  /// `width` is the length of the longest scenario name.
  Results(Style style, std::size_t width, const Console& console);

  void add(const Outcome& outcome);
  /// The end of the table or list.
  void finish();

 private:
  void add_row(const Outcome& outcome);
  void add_json(const Outcome& outcome);

  Style style_;
  std::size_t width_;
  const Console& console_;
  std::size_t count_ = 0;
  std::size_t good_ = 0;
};

}  // namespace fenceline::cli
