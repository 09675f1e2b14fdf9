#pragma once

#include <cstdint>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "tb/report/output.h"
#include "tb/sweep/design.h"
#include "tb/sweep/journal.h"
#include "tb/sweep/plan.h"

namespace fenceline::sweep {

/// One value of a table; nothing where there is none.
using Cell = std::variant<std::monostate, std::uint64_t, std::string>;

/// All rows of a complete sweep, in the order of their points and seeds, under one set of columns:
/// point, seed, what varies, how the run ended, and every statistic that some run has.
///
/// Runs do not list what did not happen in them. A statistic of a later run stands behind the one
/// that it follows there, and a count or a number of bytes that a run does not list is 0 there.
class Table {
 public:
  /// @pre `index` has every run.
  Table(const Plan& plan, const Design& design, const JournalIndex& index);

  const std::vector<Column>& columns() const { return columns_; }
  /// Hands over the rows one after another.
  void for_each(const std::function<void(const Row&, const std::vector<Cell>&)>& take) const;

 private:
  using Places = std::vector<std::size_t>;
  using Statistics = std::list<Column>;

  void add_statistics(const std::string& packed);
  void number_statistics();

  const Plan& plan_;
  const Design& design_;
  const JournalIndex& index_;
  std::vector<Column> columns_;
  Statistics statistics_;
  std::map<std::string, Statistics::iterator> by_name_;
  std::map<std::string, Places> places_;  ///< of the numbers of a row, by its packed columns
  std::vector<Cell> unlisted_;            ///< what a row has where it lists nothing
};

/// Writes a table as RFC 4180 says, but with line feeds.
class CsvWriter {
 public:
  /// Writes the names of the columns.
  CsvWriter(const std::vector<Column>& columns, report::Output& out);
  void add(const std::vector<Cell>& cells);

 private:
  report::Output& out_;
};

class SqliteFile;

/// Writes a table as an SQLite file: `runs` has the rows, `columns` what their figures are, `sweep`
/// what is known of all. Everything throws report::WriteError.
class SqliteWriter {
 public:
  SqliteWriter(const std::vector<Column>& columns, const std::string& path);
  ~SqliteWriter();
  SqliteWriter(const SqliteWriter&) = delete;
  SqliteWriter& operator=(const SqliteWriter&) = delete;

  void add(const std::vector<Cell>& cells);
  /// The last thing.
  void finish(const std::map<std::string, std::string>& about);

 private:
  std::unique_ptr<SqliteFile> file_;
};

}  // namespace fenceline::sweep
