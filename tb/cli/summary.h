#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "tb/cli/commands.h"
#include "tb/report/run_report.h"

namespace fenceline::cli {

/// What is to be said of one run. It has no pointers: one process sends it to another.
struct Outcome {
  std::string scenario;  ///< name
  std::string file;      ///< that it was loaded from
  std::uint64_t seed = 1;
  int exit_code = 0;
  std::string verdict;               ///< empty: the run could not be made
  std::vector<std::string> reasons;  ///< worst first
  std::vector<std::string> broken;   ///< ids of invariants
  std::uint64_t end_time = 0;        ///< [ps]
  std::uint64_t events = 0;
  std::uint64_t interrupts = 0;  ///< raised
  std::uint64_t released = 0;    ///< waits by the CPU
  std::string title;
  std::string details;    ///< lines of print_details
  std::string latencies;  ///< its table, empty if nothing was measured
  std::string json;       ///< as result.json
  std::string suite;      ///< as the element of a JUnit file
  std::string files;      ///< folder and names, or why there are none
  std::string error;      ///< set when writing failed or the run could not be made
};

/// Fills `outcome` with what is to be said of the run that ended with `report`.
/// @param colour for a terminal.
void describe(const report::RunReport& report, bool colour, Outcome& outcome);

/// A time with a fitting unit and at most three decimals, e.g. "12.345 us".
std::string readable_time(std::uint64_t picoseconds);

/// All that one run came to: verdict, reasons, expectations, main figures, files.
void print_details(const Outcome& outcome, const Console& console);
/// Prints runs as they end: details of a single one, a table of several, or JSON.
class Results {
 public:
  enum class Style { kDetails, kTable, kJson, kJsonList };

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
