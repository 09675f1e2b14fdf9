#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "tb/app/sweep/row.h"
#include "tb/run/process/journal.h"
#include "tb/test/support/temp_folder.h"

namespace fenceline::sweep::test_journal {

namespace fs = std::filesystem;

namespace {

/// A folder of journals that goes away.
struct Journals {
  fs::path only_file() const {
    auto it = fs::directory_iterator(path);
    return it->path();
  }
  std::string bytes() const {
    std::ifstream file(only_file(), std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  void replace(const std::string& bytes) const {
    std::ofstream(only_file(), std::ios::binary | std::ios::trunc) << bytes;
  }
  std::size_t rows() const {
    run::JournalIndex index(path);
    index.update();
    return index.size();
  }

  fenceline::support::TempFolder path;
};

Row row(std::uint64_t run, std::uint64_t value = 5) {
  Row result = failed_row(run, 0, "pass", "");
  result.columns = {{"a.b", "count", "what"}, {"c", "ps", "that"}};
  result.numbers = {value, std::nullopt};
  return result;
}

void write_two(const Journals& journals) {
  run::JournalWriter writer(journals.path, "test");
  writer.add(3, pack(row(3)));
  writer.add(1, pack(row(1)));
}

}  // namespace

TEST_CASE("a row comes back as it was", "[sweep]") {
  Row before = row(7);
  before.reason = "two\nlines, \"quoted\"";
  before.end_time = 9;
  const run::PackedRow packed = pack(before);
  const Row after = unpack_row(packed.row);
  CHECK(after.run == 7);
  CHECK(after.reason == before.reason);
  CHECK(after.end_time == std::uint64_t{9});
  CHECK_FALSE(after.events.has_value());
  CHECK(after.numbers == before.numbers);
  CHECK(unpack_columns(packed.columns)[1].name == "c");
  CHECK_THROWS(unpack_row("{}"));
  CHECK_THROWS(unpack_columns("[1]"));
}

TEST_CASE("a journal gives the rows of its runs", "[sweep]") {
  const Journals journals;
  write_two(journals);
  run::JournalIndex index(journals.path);
  index.update();
  CHECK(index.size() == 2);
  CHECK(index.has(3));
  CHECK_FALSE(index.has(2));
  CHECK(unpack_row(index.row_of(1)).run == 1);
  run::JournalWriter other(journals.path, "test");
  other.add(2, pack(row(2)));
  CHECK_FALSE(index.has(2));
  index.update();
  CHECK(unpack_row(index.row_of(2)).run == 2);
}

TEST_CASE("a line torn at any byte is not there and hurts no other", "[sweep]") {
  const Journals journals;
  write_two(journals);
  const std::string whole = journals.bytes();
  const std::size_t second = whole.find('\n', whole.find('\n') + 1) + 1;  // of run 1
  for (std::size_t length = second; length < whole.size(); ++length) {
    journals.replace(whole.substr(0, length));
    CHECK(journals.rows() == 1);
  }
  journals.replace(whole);
  CHECK(journals.rows() == 2);
}

TEST_CASE("a changed byte makes a line count as not there", "[sweep]") {
  const Journals journals;
  write_two(journals);
  const std::string whole = journals.bytes();
  for (std::size_t at = 0; at < whole.size(); ++at) {
    std::string changed = whole;
    changed[at] = static_cast<char>(changed[at] ^ 1);
    journals.replace(changed);
    CAPTURE(at);
    const std::size_t rows = journals.rows();
    CHECK(rows < 2);
    // Both rows go with the columns that they share.
    if (at < whole.find('\n')) CHECK(rows == 0);
  }
}

TEST_CASE("a line is read when all of it has come", "[sweep]") {
  const Journals journals;
  write_two(journals);
  const std::string whole = journals.bytes();
  const std::size_t half = whole.size() - 20;
  journals.replace(whole.substr(0, half));
  run::JournalIndex index(journals.path);
  index.update();
  CHECK(index.size() == 1);
  std::ofstream(journals.only_file(), std::ios::binary | std::ios::app) << whole.substr(half);
  index.update();
  CHECK(index.size() == 2);
}

TEST_CASE("a journal may be long and its lines too", "[sweep]") {
  const Journals journals;
  run::JournalWriter writer(journals.path, "test");
  Row long_one = row(2'000);
  long_one.reason = std::string(3'000'000, 'x');
  writer.add(2'000, pack(long_one));
  for (std::uint64_t run = 0; run < 2'000; ++run) {
    Row some = row(run, run);
    some.reason = std::string(1'500, 'y');
    writer.add(run, pack(some));
  }
  run::JournalIndex index(journals.path);
  index.update();
  REQUIRE(index.size() == 2'001);
  CHECK(unpack_row(index.row_of(2'000)).reason == long_one.reason);
  for (std::uint64_t run = 0; run < 2'000; ++run)
    CHECK(unpack_row(index.row_of(run)).numbers[0] == run);
}

TEST_CASE("a run that was made twice must have come out the same", "[sweep]") {
  const Journals journals;
  run::JournalWriter first(journals.path, "one");
  first.add(1, pack(row(1)));
  run::JournalWriter second(journals.path, "two");
  second.add(1, pack(row(1)));
  CHECK(journals.rows() == 1);
  run::JournalWriter third(journals.path, "three");
  third.add(1, pack(row(1, 6)));
  run::JournalIndex index(journals.path);
  CHECK_THROWS_WITH(index.update(), Catch::Contains("run 1 was made twice"));
}

}  // namespace fenceline::sweep::test_journal
