#pragma once

#include <map>
#include <string>
#include <vector>

namespace fenceline::cli {

/// Throws UsageError unless a file can be written at `path`. Called before the first run, so that
/// long runs do not lose their results. Leaves the file system unchanged. @param option option that
/// names the file, for the message
void check_output_file(const std::string& option, const std::string& path);

/// `name` at its first use, then `name`-2 and so on, because outputs must not share a folder.
std::string numbered(const std::string& name, std::map<std::string, int>& used);

/// Throws report::FolderError unless report::RunFolder can write each of these folders. Empty names
/// are skipped.
void check_output_folders(const std::vector<std::string>& folders, bool replace);

}  // namespace fenceline::cli
