#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tb/report/record/run_report.h"
#include "tb/run/process/journal.h"

namespace fenceline::sweep {

/// A statistic of a run: a column of the table.
struct Column {
  std::string name;  ///< dotted, such as "interrupts.raised" or "gpu_wait.p99"
  std::string unit;  ///< "count", "ps", ...
  std::string meaning;
};

/// Result of one run.
struct Row {
  std::uint64_t run = 0;
  int exit_code = 0;
  /// Verdict of the run; or "invalid", "error", "crash", "endless_loop", "killed".
  std::string verdict;
  std::string reason;                     ///< first reason, or empty
  std::string broken;                     ///< broken invariants, separated by spaces
  std::optional<std::uint64_t> end_time;  ///< [ps]; none: the run did not end
  std::optional<std::uint64_t> events;
  std::vector<Column> columns;
  std::vector<std::optional<std::uint64_t>> numbers;  ///< by column; none: not measured
};

/// Row of a run that ended.
Row row_of(std::uint64_t run, const report::RunReport& report);
/// Row of a run that did not end.
Row failed_row(std::uint64_t run, int exit_code, std::string verdict, std::string reason);

run::PackedRow pack(const Row& row);
/// Columns of a packed row. Throws std::runtime_error for invalid bytes.
std::vector<Column> unpack_columns(const std::string& packed);
/// A row without its columns. Throws std::runtime_error for invalid bytes.
Row unpack_row(const std::string& packed);

}  // namespace fenceline::sweep
