#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "tb/app/sweep/table.h"
#include "tb/run/process/journal.h"
#include "tb/test/support/sqlite_answers.h"
#include "tb/test/support/temp_folder.h"

namespace fenceline::sweep::test_table {

namespace {

using Names = std::vector<std::string>;

using Folder = support::TempFolder;

/// A run that ended at time 9, with the statistics of these names: "x" counts, "x.ps" is a time.
Row row(std::uint64_t run, const Names& names) {
  Row result = failed_row(run, 0, "pass", "");
  result.end_time = 9;
  result.events = 1;
  for (const std::string& name : names) {
    const bool time = name.size() > 3 && name.substr(name.size() - 3) == ".ps";
    result.columns.push_back({name, time ? "ps" : "count", "what"});
    result.numbers.emplace_back(5);
  }
  return result;
}

/// Of three runs, in the order in which they are made.
struct Made {
  explicit Made(const std::vector<Row>& rows) {
    plan.sweep.seeds = rows.size();
    const Folder folder;
    // As on several machines: each row in a journal of its own.
    for (const Row& it : rows)
      run::JournalWriter(folder.path(), "m" + std::to_string(it.run)).add(it.run, pack(it));
    run::JournalIndex index(folder.path());
    index.update();
    const Design design(plan.sweep);
    const Table table(plan, design, index);
    for (const Column& it : table.columns()) names.push_back(it.name);
    table.for_each([this](const Row&, const std::vector<Cell>& cells) {
      std::string text;
      for (std::size_t i = 0; i < cells.size(); ++i) {
        if (i < kFixed) continue;
        const auto* number = std::get_if<std::uint64_t>(&cells[i]);
        text += (number != nullptr ? std::to_string(*number) : "-") + " ";
      }
      lines.push_back(text);
    });
    names.erase(names.begin(), names.begin() + kFixed);
  }
  static constexpr std::size_t kFixed = 8;  ///< columns before the statistics

  Plan plan;
  Names names;
  Names lines;
};

}  // namespace

TEST_CASE("a figure that the first run lacks still gets its column", "[sweep]") {
  const Made made(
      {row(0, {"a", "d", "e.ps"}), row(1, {"a", "b", "c.ps", "d"}), row(2, {"z", "d"})});
  CHECK(made.names == Names{"z", "a", "b", "c.ps", "d", "e.ps"});
  // What counts is 0 where it did not happen; a time is not known.
  CHECK(made.lines == Names{"0 5 0 - 5 5 ", "0 5 5 5 5 - ", "5 0 0 - 5 - "});
}

TEST_CASE("the columns do not depend on the order in which runs are made", "[sweep]") {
  const Row first = row(0, {"a", "d"});
  const Row second = row(1, {"a", "b", "d"});
  const Row third = row(2, {"a", "c", "d"});
  const Made one({first, second, third});
  const Made other({third, first, second});
  CHECK(one.names == Names{"a", "c", "b", "d"});
  CHECK(other.names == one.names);
  CHECK(other.lines == one.lines);
}

TEST_CASE("a run that came to no end has counted nothing", "[sweep]") {
  const Made made({failed_row(0, 4, "crash", "SIGSEGV"), row(1, {"a"})});
  CHECK(made.lines == Names{"- ", "5 "});
}

TEST_CASE("columns that are too many for a table of sqlite go to further ones", "[sweep]") {
  constexpr std::size_t kColumns = 4500;
  std::vector<Column> columns{{"point", "number", ""}, {"seed", "number", ""}};
  while (columns.size() < kColumns)
    columns.push_back({"c" + std::to_string(columns.size()), "count", ""});
  const Folder folder;
  const std::string path = (folder.path() / "sweep.sqlite").string();
  {
    SqliteWriter writer(columns, path);
    for (std::uint64_t run = 0; run < 2; ++run) {
      std::vector<Cell> cells{run, run + 7};
      while (cells.size() < kColumns) cells.emplace_back(std::uint64_t{cells.size() + run});
      writer.add(cells);
    }
    writer.finish({});
  }
  const support::Database database(path);
  const auto ask = [&](const char* question) { return database.ask(question); };
  CHECK(ask("SELECT c1999 FROM runs") == "1999 2000 ");
  CHECK(ask("SELECT point, seed, c2000, c3997 FROM runs_2 WHERE seed = 8") == "1 8 2001 3998 ");
  CHECK(ask("SELECT c2, c3998, c4499 FROM runs JOIN runs_3 USING (point, seed) WHERE point = 0") ==
        "2 3998 4499 ");
  CHECK(ask("SELECT count(*) FROM columns") == "4500 ");
}

}  // namespace fenceline::sweep::test_table
