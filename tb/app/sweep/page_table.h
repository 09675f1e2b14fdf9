#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "tb/app/sweep/table.h"

namespace fenceline::sweep {

/// Mean of a figure over the seeds of a point, and half of its 95 % confidence interval (Student's
/// t). A mean of no runs, and the interval of fewer than two, is not a number.
struct Estimate {
  float mean;
  float half;
};
Estimate estimate(const std::vector<double>& values);

/// The rows of a sweep that its page shows, column by column. A page shows so many rows as fit
/// `most_cells`: of more it leaves out points at regular distances, but keeps runs that failed.
///
/// bytes() has numbers in LEB128, one column after the other, and then the means of each column
/// with means. A cell is 0 for none; of a column with words, the place of its word and 1; otherwise
/// the difference to the last number of the column, in zigzag form, and 1. Means are 32-bit floats,
/// the lowest byte first: one of each point, then the half interval of each point.
class PageTable {
 public:
  static constexpr std::uint64_t kMostCells = 2'000'000;
  static constexpr std::uint64_t kMostFailed = 1'000;  ///< of points that are left out

  /// @param fixed number of leading columns, which are shown even if their cells are all equal;
  /// the figures of runs follow
  PageTable(std::vector<Column> columns, std::size_t fixed, const Design& design,
            std::uint64_t most_cells = kMostCells);

  /// Adds the next row. @pre rows come in the order of the table
  void add(const Row& row, std::vector<Cell> cells);
  /// Call it after the last row.
  void finish() { close_point(); }

  std::uint64_t rows() const { return rows_; }
  const std::vector<std::uint64_t>& points() const { return points_; }  ///< those with a row
  nlohmann::ordered_json columns() const;                               ///< that are shown
  nlohmann::ordered_json same() const;  ///< the others: name, value and meaning
  std::string bytes() const;

 private:
  struct Shown {
    Column column;
    bool measured = false;  ///< a figure of runs
    std::vector<Cell> cells;
    std::vector<double> values;  ///< of the runs of a point that passed
    std::vector<Estimate> estimates;
  };

  bool varies(const Shown& shown) const;
  bool has_means(const Shown& shown) const;
  void close_point();

  const Design& design_;
  const std::size_t fixed_;
  std::uint64_t stride_ = 1;
  std::vector<Shown> columns_;
  std::uint64_t rows_ = 0;
  std::uint64_t extra_ = 0;  ///< failed runs of points that are left out
  std::optional<std::uint64_t> point_;
  bool point_shown_ = false;
  std::vector<std::uint64_t> points_;
};

}  // namespace fenceline::sweep
