#pragma once

#include <cstdint>
#include <functional>
#include <map>
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
class Table {
 public:
  /// @pre `index` has every run.
  Table(const Plan& plan, const Design& design, const JournalIndex& index);

  const std::vector<Column>& columns() const { return columns_; }
  /// Hands over the rows one after another.
  void for_each(const std::function<void(const Row&, const std::vector<Cell>&)>& take) const;

 private:
  void add_statistics(const std::string& packed);

  const Plan& plan_;
  const Design& design_;
  const JournalIndex& index_;
  std::vector<Column> columns_;
  std::map<std::string, std::size_t> places_;  ///< of the statistics, by name
};

/// Writes a table as RFC 4180 says, but with line feeds.
void write_csv(const Table& table, report::Output& out);

/// Writes a table as an SQLite file: `runs` has the rows, `columns` what their figures are, `sweep`
/// what is known of all. Throws report::WriteError.
void write_sqlite(const Table& table, const std::map<std::string, std::string>& about,
                  const std::string& path);

}  // namespace fenceline::sweep
