#include "tb/app/sweep/plan.h"

#include <fenceline_version.h>
#include <fmt/format.h>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "tb/report/record/output.h"
#include "tb/report/record/run_folder.h"
#include "tb/run/process/checksum.h"
#include "tb/scenario/shapes/sweep.h"
#include "tb/scenario/shapes/writer.h"
#include "tb/scenario/sweep_values.h"
#include "tb/scenario/text/json_tree.h"

namespace fenceline::sweep {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

namespace {

constexpr int kFormat = 1;

/// The part of the plan that determines the rows.
Json content(const Plan& plan) {
  const auto settings = scenario::ObjectCodec<scenario::SweepSettings>{}.write(plan.sweep);
  Json json{{"format", kFormat},
            {"program", "fenceline"},
            {"version", FENCELINE_VERSION},
            {"build", plan.build},
            {"name", plan.name},
            {"text", plan.text},
            {"set", plan.overrides},
            {"first_seed", plan.first_seed},
            {"stuck", plan.stuck},
            {"sweep", scenario::json_tree<Json>(settings.dump())}};
  if (plan.stop_at) json["stop_at"] = *plan.stop_at;
  return json;
}

std::string checksum_of(const Json& json) {
  return fmt::format("{:016x}", run::checksum(json.dump()));
}

scenario::SweepSettings read_settings(const std::string& text) {
  const scenario::JsonValue document = scenario::parse_json(text, WorkFolder::kPlan);
  const scenario::Source source{WorkFolder::kPlan};
  scenario::SweepSettings settings;
  scenario::ObjectCodec<scenario::SweepSettings>{}.read(scenario::Node(document, source), settings);
  scenario::check_sweep_settings(settings);
  return settings;
}

std::uint64_t checksum_of_file(const std::string& path, std::uint64_t hash) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw std::invalid_argument(fmt::format("cannot read {}", path));
  std::string block(1U << 20U, '\0');
  while (file.read(block.data(), static_cast<std::streamsize>(block.size())) || file.gcount() > 0)
    hash = run::checksum({block.data(), static_cast<std::size_t>(file.gcount())}, hash);
  return hash;
}

void make_folder(const fs::path& path) {
  std::error_code error;
  fs::create_directories(path, error);
  if (error)
    throw report::FolderError(fmt::format("cannot create {}: {}", path.string(), error.message()));
}

}  // namespace

std::string Plan::id() const {
  return fmt::format("{:016x}", run::checksum(content(*this).dump()));
}

std::string Plan::to_json() const {
  Json json = content(*this);
  json["path"] = path;
  json["kmd"] = kmd;
  json["shards"] = shards;
  json["job"] = job;
  json["replace"] = replace;
  json["checksum"] = checksum_of(json);
  return json.dump(2) + "\n";
}

Plan Plan::from_json(const std::string& text) {
  try {
    Json json = scenario::json_tree<Json>(text);
    if (json.at("format") != kFormat) throw std::invalid_argument("is of another format");
    const std::string sum = json.at("checksum").get<std::string>();
    json.erase("checksum");
    if (sum != checksum_of(json))
      throw std::invalid_argument("is not as fenceline wrote it: its checksum differs");
    Plan plan;
    plan.name = json.at("name").get<std::string>();
    plan.path = json.at("path").get<std::string>();
    plan.text = json.at("text").get<std::string>();
    plan.overrides = json.at("set").get<std::vector<std::string>>();
    plan.first_seed = json.at("first_seed").get<std::uint64_t>();
    plan.stuck = json.at("stuck").get<std::uint64_t>();
    if (json.contains("stop_at")) plan.stop_at = json["stop_at"].get<std::uint64_t>();
    plan.kmd = json.at("kmd").get<std::string>();
    plan.sweep = read_settings(json.at("sweep").dump());
    plan.build = json.at("build").get<std::string>();
    plan.shards = json.at("shards").get<std::uint64_t>();
    plan.job = json.at("job").get<std::string>();
    plan.replace = json.at("replace").get<bool>();
    if (plan.shards < 1) throw std::invalid_argument("has no shards");
    return plan;
  } catch (const Json::exception& error) {
    throw std::invalid_argument(fmt::format("is no plan of a sweep: {}", error.what()));
  } catch (const std::runtime_error& error) {  // invalid settings
    throw std::invalid_argument(fmt::format("is no plan of a sweep: {}", error.what()));
  }
}

std::string build_of(const std::string& kmd) {
  std::uint64_t hash = checksum_of_file("/proc/self/exe", run::checksum(FENCELINE_VERSION));
  if (!kmd.empty()) hash = checksum_of_file(kmd, hash);
  return fmt::format("{:016x}", hash);
}

WorkFolder WorkFolder::beside(fs::path target) {
  while (target.has_relative_path() && target.filename().empty()) target = target.parent_path();
  target += ".partial";
  return WorkFolder(fs::absolute(target));
}

void WorkFolder::create(const Plan& contents) const {
  make_folder(journals());
  make_folder(logs());
  // plan.json marks the folder as a sweep: it must appear complete or not at all.
  const fs::path beside = path_ / ".plan.json";
  report::FileSink(beside).write_whole(contents.to_json());
  std::error_code error;
  fs::rename(beside, plan(), error);
  if (error)
    throw report::FolderError(fmt::format("cannot write {}: {}", plan().string(), error.message()));
}

Plan WorkFolder::read_plan() const {
  std::ifstream file(plan(), std::ios::binary);
  if (!file) throw std::invalid_argument(fmt::format("{} has no {}", path_.string(), kPlan));
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  try {
    return Plan::from_json(text);
  } catch (const std::invalid_argument& error) {
    throw std::invalid_argument(fmt::format("{} {}", plan().string(), error.what()));
  }
}

void WorkFolder::remove() const {
  std::error_code ignored;
  fs::remove(plan(), ignored);  // first, so that the rest is no sweep any more
  fs::remove_all(path_, ignored);
}

}  // namespace fenceline::sweep
