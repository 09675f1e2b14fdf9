#include "tb/app/cli/inputs.h"

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <glob.h>
#include <unordered_set>

#include "tb/app/cli/options.h"

namespace fenceline::cli {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t kMaxEntries = 100'000;  ///< limit of folder entries to search

std::vector<std::string> files_below(const std::string& folder) {
  std::vector<std::string> found;
  std::error_code error;
  fs::recursive_directory_iterator it(folder, error);
  std::size_t seen = 0;
  for (; it != fs::recursive_directory_iterator(); it.increment(error)) {
    if (error) break;
    if (++seen > kMaxEntries)
      throw UsageError(fmt::format("more than {} files below {}: name the folder of the scenarios",
                                   kMaxEntries, folder));
    const std::string name = it->path().filename().string();
    std::error_code gone;  // files that vanish or dangling links are no scenarios
    if (it->is_directory(gone) && (name == "schema" || name == "profiles" || name[0] == '.')) {
      it.disable_recursion_pending();
    } else if (it->path().extension() == ".json" && it->is_regular_file(gone)) {
      found.push_back(it->path().string());
    }
  }
  if (error)
    throw UsageError(fmt::format("cannot read all folders below {}: {}", folder, error.message()));
  std::sort(found.begin(), found.end());
  return found;
}

std::vector<std::string> matches(const std::string& pattern) {
  glob_t result{};
  std::vector<std::string> found;
  if (::glob(pattern.c_str(), 0, nullptr, &result) == 0) {
    found.assign(result.gl_pathv, result.gl_pathv + result.gl_pathc);  // sorted by glob
  }
  ::globfree(&result);
  return found;
}

std::vector<std::string> expand(const std::string& input) {
  std::error_code ignored;
  if (fs::is_directory(input, ignored)) {
    auto found = files_below(input);
    if (found.empty()) throw UsageError(fmt::format("no scenario (*.json) below {}", input));
    return found;
  }
  if (fs::exists(input, ignored) || input.find_first_of("*?[") == std::string::npos) return {input};
  auto found = matches(input);
  if (found.empty()) throw UsageError(fmt::format("nothing matches {}", input));
  return found;
}

}  // namespace

std::string read_text(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::string text{std::istreambuf_iterator<char>(file), {}};
  if (!file) throw UsageError(fmt::format("cannot read {}", path));
  return text;
}

std::string shipped_scenarios() {
  std::string here = "scenarios";
  std::error_code error;
  if (fs::is_directory(here, error)) return here;
  const fs::path program = fs::read_symlink("/proc/self/exe", error).parent_path();
  for (const char* way : {"../share/fenceline/scenarios", "../../../scenarios"})
    if (const fs::path found = fs::weakly_canonical(program / way, error);
        fs::is_directory(found, error))
      return found.string();
  return here;
}

std::vector<std::string> expand_inputs(const std::vector<std::string>& inputs) {
  std::vector<std::string> files;
  std::unordered_set<std::string> seen;
  for (const std::string& input : inputs) {
    for (std::string& file : expand(input)) {
      if (seen.insert(file).second) files.push_back(std::move(file));
    }
  }
  return files;
}

}  // namespace fenceline::cli
