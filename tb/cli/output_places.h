#pragma once

#include <string>
#include <vector>

namespace fenceline::cli {

/// Throws UsageError unless a file can be written at `path`. Called before anything runs: results
/// that took long must have a place to go to. Leaves the file system as it is.
/// @param option that names the file, for the message
void check_output_file(const std::string& option, const std::string& path);

/// Throws report::FolderError unless report::RunFolder can write each of these folders. Empty names
/// are no folders.
void check_output_folders(const std::vector<std::string>& folders, bool replace);

}  // namespace fenceline::cli
