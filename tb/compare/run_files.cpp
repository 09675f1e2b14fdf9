#include "tb/compare/run_files.h"

#include <fmt/format.h>
#include <fstream>
#include <iterator>

#include "tb/report/writers/json_writers.h"
#include "tb/scenario/text/json_tree.h"

namespace fenceline::compare {

namespace {

std::string bytes_of(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::string bytes{std::istreambuf_iterator<char>(file), {}};
  if (!file.is_open() || file.bad())
    throw InputError(fmt::format("cannot read {}: name the folder of one run", path.string()));
  return bytes;
}

/// A JSON file of a run. @param key that only this kind of file has
Json read_json(const std::filesystem::path& path, const char* key) {
  Json json = scenario::json_tree<Json>(bytes_of(path), false);
  const auto refuse = [&](const std::string& why) {
    throw InputError(fmt::format("{}: {}", path.string(), why));
  };
  if (!json.is_object() || json.value("program", Json()) != "fenceline" || !json.contains(key))
    refuse("no run of fenceline wrote this file; diff compares folders of fenceline run");
  if (json.value("format", Json()) != report::kFormatVersion)
    refuse(fmt::format("its format is {}, and this program reads {}",
                       json.value("format", Json()).dump(), report::kFormatVersion));
  return json;
}

/// The keys of config.json in one object: those of its scenario stand beside those of the run.
Json configuration_of(const Json& config) {
  Json all = config;
  all.erase("format");
  all.erase("program");
  all.erase("scenario");
  all.update(config.at("scenario"));
  return all;
}

std::optional<PageTimeline> timeline_in(const std::filesystem::path& page) {
  if (!std::filesystem::exists(page)) return std::nullopt;
  try {
    PageTimeline timeline = read_timeline(bytes_of(page));
    // What is left out of one run may be there in the other.
    if (timeline.meta.value("thinned", 0) != 0) return std::nullopt;
    return timeline;
  } catch (const std::invalid_argument& error) {
    throw InputError(fmt::format("{}: {}", page.string(), error.what()));
  } catch (const Json::exception&) {
    throw InputError(fmt::format("{}: no run of fenceline wrote this file", page.string()));
  }
}

}  // namespace

RunFiles read_run(const std::filesystem::path& folder) {
  if (!std::filesystem::is_directory(folder))
    throw InputError(fmt::format("{} is no folder", folder.string()));
  RunFiles files;
  files.folder = folder.string();
  files.result = read_json(folder / "result.json", "ending");
  files.stats = read_json(folder / "stats.json", "counters");
  files.configuration = configuration_of(read_json(folder / "config.json", "scenario"));
  files.timeline = timeline_in(folder / "report.html");
  return files;
}

}  // namespace fenceline::compare
