#pragma once

#include <cstdint>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "tb/app/sweep/design.h"
#include "tb/app/sweep/plan.h"
#include "tb/app/sweep/row.h"
#include "tb/report/record/output.h"
#include "tb/run/process/journal.h"

namespace fenceline::sweep {

/// One value of a table; monostate: none.
using Cell = std::variant<std::monostate, std::uint64_t, std::string>;

/// All rows of a complete sweep, ordered by point and seed, with the same columns: point, seed,
/// varied values, result of the run, and every statistic of any run.
///
/// A run does not list statistics of events that did not happen. A statistic of a later run is
/// inserted after its predecessor there. If a run does not list a count or a number of bytes, its
/// value is 0.
class Table {
 public:
  /// @pre `index` has every run.
  Table(const Plan& plan, const Design& design, const run::JournalIndex& index);

  const std::vector<Column>& columns() const { return columns_; }
  /// Number of columns before those with figures of the runs.
  std::size_t fixed() const { return fixed_; }
  /// Passes the rows to `take` one after another.
  void for_each(const std::function<void(const Row&, const std::vector<Cell>&)>& take) const;

 private:
  using Places = std::vector<std::size_t>;
  using Statistics = std::list<Column>;

  void add_statistics(const std::string& packed);
  void number_statistics();

  const Plan& plan_;
  const Design& design_;
  const run::JournalIndex& index_;
  std::vector<Column> columns_;
  std::size_t fixed_ = 0;
  Statistics statistics_;
  std::map<std::string, Statistics::iterator> by_name_;
  std::map<std::string, Places> places_;  ///< positions of a row's numbers, by its packed columns
  std::vector<Cell> unlisted_;            ///< default values of unlisted statistics
};

/// Writes a table in the format of RFC 4180, but with line feeds.
class CsvWriter {
 public:
  /// Writes the names of the columns.
  CsvWriter(const std::vector<Column>& columns, report::Output& out);
  void add(const std::vector<Cell>& cells);

 private:
  report::Output& out_;
};

class SqliteFile;

/// Writes a table as an SQLite file: `runs` has the rows, `columns` describes them, `sweep` has the
/// properties of the whole sweep. All functions throw report::WriteError.
class SqliteWriter {
 public:
  SqliteWriter(const std::vector<Column>& columns, const std::string& path);
  ~SqliteWriter();
  SqliteWriter(const SqliteWriter&) = delete;
  SqliteWriter& operator=(const SqliteWriter&) = delete;

  void add(const std::vector<Cell>& cells);
  /// Call it last.
  void finish(const std::map<std::string, std::string>& about);

 private:
  std::unique_ptr<SqliteFile> file_;
};

}  // namespace fenceline::sweep
