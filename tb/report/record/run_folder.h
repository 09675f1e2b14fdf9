#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>

#include "tb/report/record/output.h"

namespace fenceline::report {

/// The output folder cannot be used: it exists, or its parent cannot be written.
class FolderError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// The folder of one run. Files go to a hidden folder beside the target, which takes the target's
/// name only on commit(): a run that is killed leaves nothing that looks complete.
class RunFolder {
 public:
  /// Opens a file for writing; tests replace it with failing ones.
  using OpenSink = std::function<std::unique_ptr<Sink>(const std::filesystem::path&)>;

  /// Name of the file that marks a folder as created by fenceline, and lists its other files.
  static constexpr const char* kMarker = ".fenceline";

  /// Creates the hidden folder, and removes those of killed runs for the same target. Refuses an
  /// existing non-empty target with FolderError, unless `replace` is set and the target contains
  /// our marker and only files that the marker lists.
  explicit RunFolder(std::filesystem::path target, bool replace = false, OpenSink open = {});
  /// Removes the hidden folder if commit() was not reached.
  ~RunFolder();
  RunFolder(const RunFolder&) = delete;
  RunFolder& operator=(const RunFolder&) = delete;

  /// Creates a file called `name` in the folder; throws WriteError.
  std::unique_ptr<Sink> create(const std::string& name);
  /// Removes all created files.
  void clear();
  /// Gives the folder its final name. Throws FolderError if the target appeared meanwhile.
  void commit();

  /// Throws FolderError if a folder exists that may not be replaced, as the constructor does.
  static void check(const std::filesystem::path& target, bool replace);

  const std::filesystem::path& target() const { return target_; }
  /// Place of the files until commit().
  const std::filesystem::path& hidden() const { return hidden_; }

 private:
  void make_hidden();
  void remove_stale() const;
  void write_marker();
  void swap_with_old();

  std::filesystem::path target_;
  std::filesystem::path hidden_;
  bool replace_;
  bool committed_ = false;
  int lock_ = -1;  ///< the hidden folder, locked as long as its process lives
  OpenSink open_;
};

}  // namespace fenceline::report
