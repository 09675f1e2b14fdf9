#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "tb/app/cli/commands/commands.h"
#include "tb/report/record/run_report.h"

namespace fenceline::cli {

/// Printable result of one run. It has no pointers, because processes send it to each other.
struct Outcome {
  std::string scenario;  ///< name of the scenario
  std::string file;      ///< file of the scenario
  std::uint64_t seed = 1;
  int exit_code = 0;
  std::string verdict;               ///< empty: the run could not start
  std::vector<std::string> reasons;  ///< worst first
  std::vector<std::string> broken;   ///< ids of invariants
  std::uint64_t end_time = 0;        ///< [ps]
  std::uint64_t events = 0;
  std::uint64_t interrupts = 0;  ///< number of raised interrupts
  std::uint64_t released = 0;    ///< number of released CPU waits
  std::string title;
  std::string details;    ///< lines of print_details
  std::string latencies;  ///< latency table; empty without measurements
  std::string json;       ///< in the format of result.json
  std::string suite;      ///< element of a JUnit file
  std::string files;      ///< folder and file names, or the reason why there are none
  std::string error;      ///< set if writing failed or the run could not start
};

/// Fills `outcome` from the report of a run. @param colour for a terminal.
void describe(const report::RunReport& report, bool colour, Outcome& outcome);

/// A time with a suitable unit and at most three decimals, e.g. "12.345 us".
std::string readable_time(std::uint64_t picoseconds);

/// Prints verdict, reasons, expectations, main figures and files of one run.
void print_details(const Outcome& outcome, const Console& console);
/// Prints runs as they end: details of a single run, a table of several, or JSON.
class Results {
 public:
  enum class Style { kDetails, kTable, kJson, kJsonList };

  /// `width` is the length of the longest scenario name.
  Results(Style style, std::size_t width, const Console& console);

  void add(const Outcome& outcome);
  /// Ends the table or list.
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
