#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace fenceline::run {

// A journal is a text file. Only one process appends to it, and lines never change:
//
//   <checksum of the rest, 16 hex digits> C <key, 16 hex digits> <columns>
//   <checksum of the rest, 16 hex digits> R <run> <key of its columns> <row>
//
// A line torn by a kill or a full disk does not match its checksum and is ignored. A row whose
// columns are not above it is ignored too.

/// A row as bytes, in two parts, because nearly all rows of a table have the same columns.
struct PackedRow {
  std::string columns;
  std::string row;
};
/// Key of a row's packed columns.
std::uint64_t columns_key(const std::string& columns);

/// The journal of one process. The first row creates its file.
class JournalWriter {
 public:
  /// @param label part of the file name, e.g. the number of the shard.
  JournalWriter(std::filesystem::path folder, std::string label);
  ~JournalWriter();
  JournalWriter(const JournalWriter&) = delete;
  JournalWriter& operator=(const JournalWriter&) = delete;

  /// Appends a row. After return the row survives this process. Throws report::WriteError.
  void add(std::uint64_t run, const PackedRow& row);

 private:
  void open();
  void append(const std::string& line);

  const std::filesystem::path folder_;
  const std::string label_;
  std::filesystem::path path_;
  int file_ = -1;
  std::set<std::uint64_t> columns_;  ///< keys of the columns in the file
};

/// All rows in the journals of a folder.
class JournalIndex {
 public:
  explicit JournalIndex(std::filesystem::path folder) : folder_(std::move(folder)) {}
  ~JournalIndex();
  JournalIndex(const JournalIndex&) = delete;
  JournalIndex& operator=(const JournalIndex&) = delete;

  /// Reads new rows. Throws std::runtime_error if two rows of a run differ: a run must not depend
  /// on the process that makes it.
  void update();
  bool has(std::uint64_t run) const { return places_.count(run) != 0; }
  std::size_t size() const { return places_.size(); }
  /// Packed columns of a run's row. @pre has(run).
  const std::string& columns_of(std::uint64_t run) const;
  /// Packed row of a run. @pre has(run). Throws std::runtime_error if its file is no longer
  /// readable.
  std::string row_of(std::uint64_t run) const;

 private:
  struct Place {
    std::size_t file = 0;
    std::uint64_t offset = 0;  ///< offset of the row's text
    std::uint64_t size = 0;
    std::uint64_t checksum = 0;
    std::uint64_t columns = 0;  ///< key
  };
  struct File {
    std::filesystem::path path;
    std::uint64_t read = 0;           ///< bytes in whole lines
    std::set<std::uint64_t> columns;  ///< keys of the columns in the file
  };

  int open(std::size_t file) const;
  void read_new(std::size_t file);
  void take_line(std::size_t file, std::string_view line, std::uint64_t offset);
  void take_row(std::size_t file, std::string_view text, std::uint64_t offset);

  const std::filesystem::path folder_;
  std::vector<File> files_;
  std::map<std::string, std::size_t> known_;  ///< by name
  std::map<std::uint64_t, std::string> columns_;
  std::map<std::uint64_t, Place> places_;  ///< by run
  mutable int open_ = -1;                  ///< the file read last
  mutable std::size_t opened_ = 0;
};

}  // namespace fenceline::run
