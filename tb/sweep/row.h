#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tb/report/run_report.h"

namespace fenceline::sweep {

/// A statistic of a run: a column of the table.
struct Column {
  std::string name;  ///< dotted, such as "interrupts.raised" or "gpu_wait.p99"
  std::string unit;  ///< "count", "ps", ...
  std::string meaning;
};

/// What one run came to.
struct Row {
  std::uint64_t run = 0;
  int exit_code = 0;
  std::string verdict;  ///< as of a run; or "invalid", "error", "crash", "endless_loop", "killed"
  std::string reason;   ///< the first one, or empty
  std::string broken;   ///< invariants, with spaces between
  std::optional<std::uint64_t> end_time;  ///< [ps]; none: there was no end
  std::optional<std::uint64_t> events;
  std::vector<Column> columns;
  std::vector<std::optional<std::uint64_t>> numbers;  ///< by column; none: nothing was measured
};

/// The row of a run that came to an end.
Row row_of(std::uint64_t run, const report::RunReport& report);
/// The row of a run that did not.
Row failed_row(std::uint64_t run, int exit_code, std::string verdict, std::string reason);

/// A row as bytes, in two pieces: nearly all rows of a sweep have the same columns.
struct PackedRow {
  std::string columns;
  std::string row;
};

PackedRow pack(const Row& row);
/// The columns of a packed row. Throws std::runtime_error for what is none.
std::vector<Column> unpack_columns(const std::string& packed);
/// A row but for its columns. Throws std::runtime_error for what is none.
Row unpack_row(const std::string& packed);
/// Names the columns of a packed row.
std::uint64_t columns_key(const std::string& columns);

}  // namespace fenceline::sweep
