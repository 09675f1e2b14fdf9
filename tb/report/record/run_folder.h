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
  /// Opens a file for writing; tests put failing ones here.
  using OpenSink = std::function<std::unique_ptr<Sink>(const std::filesystem::path&)>;

  /// Name of the file that marks a folder as one of ours, and lists what else we wrote there.
  static constexpr const char* kMarker = ".fenceline";

  /// Makes the hidden folder, and removes those that killed runs for the same target have left. An
  /// existing target that is not empty is refused with FolderError, unless `replace` and it holds
  /// our marker and nothing that the marker does not list.
  explicit RunFolder(std::filesystem::path target, bool replace = false, OpenSink open = {});
  /// Removes the hidden folder if commit() was not reached.
  ~RunFolder();
  RunFolder(const RunFolder&) = delete;
  RunFolder& operator=(const RunFolder&) = delete;

  /// Creates a file called `name` in the folder; throws WriteError.
  std::unique_ptr<Sink> create(const std::string& name);
  /// Removes all files that have been created.
  void clear();
  /// Gives the folder its final name. Throws FolderError if the target appeared meanwhile.
  void commit();

  /// Throws FolderError where a folder exists that may not be replaced, as the constructor does.
  static void check(const std::filesystem::path& target, bool replace);

  const std::filesystem::path& target() const { return target_; }
  /// Where the files lie until commit().
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
