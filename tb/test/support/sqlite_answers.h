#pragma once

#include <catch2/catch.hpp>
#include <sqlite3.h>
#include <string>

namespace fenceline::support {

/// A database that a test asks.
class Database {
 public:
  explicit Database(const std::string& path) {
    REQUIRE(::sqlite3_open(path.c_str(), &database_) == SQLITE_OK);
  }
  ~Database() { ::sqlite3_close(database_); }
  Database(const Database&) = delete;
  Database& operator=(const Database&) = delete;

  /// All cells of the answer, each with a space behind it; NULL is "-".
  std::string ask(const char* question) const {
    std::string found;
    const auto add = [](void* to, int count, char** cells, char**) {
      for (int i = 0; i < count; ++i)
        *static_cast<std::string*>(to) += std::string(cells[i] == nullptr ? "-" : cells[i]) + " ";
      return 0;
    };
    REQUIRE(::sqlite3_exec(database_, question, add, &found, nullptr) == SQLITE_OK);
    return found;
  }

 private:
  sqlite3* database_ = nullptr;
};

}  // namespace fenceline::support
