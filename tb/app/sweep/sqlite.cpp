#include <cctype>
#include <fmt/format.h>
#include <memory>
#include <optional>
#include <set>
#include <sqlite3.h>

#include "tb/app/sweep/table.h"

namespace fenceline::sweep {

namespace {

constexpr std::size_t kMaxColumns = 2000;  ///< SQLITE_MAX_COLUMN in Debian's build
constexpr std::size_t kNamesOfRun = 2;     ///< point and seed

/// A name between double quotes.
std::string quoted(const std::string& name) {
  std::string text = "\"";
  for (const char c : name) text += c == '"' ? std::string("\"\"") : std::string(1, c);
  return text + "\"";
}

/// SQLite ignores case in names: later duplicates get a number.
std::vector<std::string> distinct_names(const std::vector<Column>& columns) {
  std::set<std::string> seen;
  std::vector<std::string> names;
  const auto folded = [](std::string name) {
    for (char& c : name) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    return name;
  };
  for (const Column& column : columns) {
    std::string name = column.name;
    for (int i = 2; !seen.insert(folded(name)).second; ++i)
      name = fmt::format("{}_{}", column.name, i);
    names.push_back(name);
  }
  return names;
}

std::string column_list(const std::vector<std::string>& names) {
  std::string list;
  for (const std::string& name : names) list += (list.empty() ? "" : ", ") + quoted(name);
  return list;
}

}  // namespace

/// The connection; every failure throws.
class Database {
 public:
  explicit Database(const std::string& path) : path_(path) {
    check(::sqlite3_open_v2(path.c_str(), &database_, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE,
                            nullptr));
    // The file is renamed when it is complete, so it needs no journal.
    run("PRAGMA journal_mode = OFF");
    run("PRAGMA synchronous = OFF");
    run("BEGIN");
  }
  ~Database() { ::sqlite3_close_v2(database_); }
  Database(const Database&) = delete;
  Database& operator=(const Database&) = delete;

  sqlite3* handle() const { return database_; }
  void run(const std::string& text) {
    check(::sqlite3_exec(database_, text.c_str(), nullptr, nullptr, nullptr));
  }
  void check(int code) const {
    if (code == SQLITE_OK || code == SQLITE_DONE || code == SQLITE_ROW) return;
    throw report::WriteError(
        fmt::format("cannot write {}: {}", path_, ::sqlite3_errmsg(database_)));
  }

 private:
  const std::string path_;
  sqlite3* database_ = nullptr;
};

/// Adds rows to one table.
class Insert {
 public:
  Insert(Database& database, const std::string& table, std::size_t columns) : database_(database) {
    std::string places = "?";
    for (std::size_t i = 1; i < columns; ++i) places += ",?";
    const std::string text = fmt::format("INSERT INTO {} VALUES ({})", table, places);
    database_.check(
        ::sqlite3_prepare_v2(database_.handle(), text.c_str(), -1, &statement_, nullptr));
  }
  ~Insert() { ::sqlite3_finalize(statement_); }
  Insert(const Insert&) = delete;
  Insert& operator=(const Insert&) = delete;

  void add(const std::vector<Cell>& cells) {
    for (std::size_t i = 0; i < cells.size(); ++i) bind(static_cast<int>(i) + 1, cells[i]);
    database_.check(::sqlite3_step(statement_));
    database_.check(::sqlite3_reset(statement_));
  }

 private:
  void bind(int place, const Cell& cell) {
    if (const auto* number = std::get_if<std::uint64_t>(&cell)) {
      // SQLite integers are signed: larger values are stored as text.
      if (*number <= INT64_MAX)
        database_.check(
            ::sqlite3_bind_int64(statement_, place, static_cast<sqlite3_int64>(*number)));
      else
        bind_text(place, std::to_string(*number));
    } else if (const auto* text = std::get_if<std::string>(&cell)) {
      bind_text(place, *text);
    } else {
      database_.check(::sqlite3_bind_null(statement_, place));
    }
  }
  void bind_text(int place, const std::string& text) {
    database_.check(::sqlite3_bind_text64(statement_, place, text.data(), text.size(),
                                          SQLITE_TRANSIENT, SQLITE_UTF8));  // NOLINT: its macro
  }

  Database& database_;
  sqlite3_stmt* statement_ = nullptr;
};

/// Some of the columns, in a table of their own.
struct Part {
  std::vector<std::size_t> columns;
  std::unique_ptr<Insert> insert;
};

/// The file with the statements that add a row. An SQLite table has at most 2,000 columns. Further
/// columns go into runs_2, runs_3 ..., which repeat the columns that identify a run.
class SqliteFile {
 public:
  SqliteFile(const std::vector<Column>& columns, const std::string& path)
      : names_(distinct_names(columns)), database_(path) {
    for (std::size_t next = 0; next < names_.size();) {
      Part part;
      for (std::size_t i = 0; next != 0 && i < kNamesOfRun; ++i) part.columns.push_back(i);
      for (; next < names_.size() && part.columns.size() < kMaxColumns; ++next)
        part.columns.push_back(next);
      const std::string table = parts_.empty() ? "runs" : fmt::format("runs_{}", parts_.size() + 1);
      std::vector<std::string> names;
      for (const std::size_t column : part.columns) names.push_back(names_[column]);
      database_.run(fmt::format("CREATE TABLE {} ({})", table, column_list(names)));
      part.insert = std::make_unique<Insert>(database_, table, names.size());
      parts_.push_back(std::move(part));
    }
    database_.run("CREATE TABLE columns (name, unit, meaning)");
    database_.run("CREATE TABLE sweep (name, value)");
    Insert insert(database_, "columns", 3);
    for (std::size_t i = 0; i < names_.size(); ++i)
      insert.add({names_[i], columns[i].unit, columns[i].meaning});
  }

  void add(const std::vector<Cell>& cells) {
    for (const Part& part : parts_) {
      std::vector<Cell> some;
      for (const std::size_t column : part.columns) some.push_back(cells[column]);
      part.insert->add(some);
    }
  }
  void finish(const std::map<std::string, std::string>& about) {
    parts_.clear();
    {
      Insert insert(database_, "sweep", 2);
      for (const auto& [name, value] : about) insert.add({name, value});
    }
    database_.run("COMMIT");
  }

 private:
  const std::vector<std::string> names_;
  Database database_;
  std::vector<Part> parts_;
};

SqliteWriter::SqliteWriter(const std::vector<Column>& columns, const std::string& path)
    : file_(std::make_unique<SqliteFile>(columns, path)) {}

SqliteWriter::~SqliteWriter() = default;

void SqliteWriter::add(const std::vector<Cell>& cells) { file_->add(cells); }

void SqliteWriter::finish(const std::map<std::string, std::string>& about) { file_->finish(about); }

}  // namespace fenceline::sweep
