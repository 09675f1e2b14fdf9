#include "tb/app/cli/sweep_options.h"

#include <cctype>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <string_view>

#include "tb/app/cli/option_groups.h"
#include "tb/scenario/shapes/sweep.h"
#include "tb/scenario/sweep_values.h"
#include "tb/scenario/text/diagnostics.h"
#include "tb/scenario/text/json_document.h"
#include "tb/scenario/text/units.h"

namespace fenceline::cli {

namespace po = boost::program_options;

namespace {

/// Splits `text` at commas outside strings, lists and objects.
std::vector<std::string> split_values(const std::string& text) {
  std::vector<std::string> words(1);
  int depth = 0;
  bool quoted = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '"') quoted = !quoted;
    if (!quoted && (c == '[' || c == '{')) ++depth;
    if (!quoted && (c == ']' || c == '}')) --depth;
    if (c == ',' && !quoted && depth == 0) {
      words.emplace_back();
      continue;
    }
    words.back() += c;
    if (c == '\\' && quoted && i + 1 < text.size()) words.back() += text[++i];
  }
  return words;
}

/// JSON text of a word; a word that is not JSON is a string.
std::string json_text(const std::string& word) {
  try {
    return scenario::json_of(scenario::parse_json(word, "--vary"));
  } catch (const scenario::ScenarioError&) {
    return nlohmann::json(word).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  }
}

/// Takes a number such as 7, 2.5 or 10us from the front of `text`; empty if there is none.
std::string take_quantity(std::string_view& text) {
  const auto count = [&text](std::size_t from, const auto& is) {
    std::size_t end = from;
    while (end < text.size() && is(static_cast<unsigned char>(text[end]))) ++end;
    return end - from;
  };
  const auto digit = [](unsigned char c) { return std::isdigit(c) != 0; };
  const auto unit = [](unsigned char c) { return std::isalpha(c) != 0 || c == '/'; };
  std::size_t length = count(0, digit);
  if (length == 0) return {};
  if (length < text.size() && text[length] == '.')
    if (const std::size_t behind = count(length + 1, digit); behind > 0) length += 1 + behind;
  length += count(length, unit);
  std::string taken(text.substr(0, length));
  text.remove_prefix(length);
  return taken;
}

/// Parses a range: FROM..TO, FROM..TO:STEP or FROM..TO*FACTOR. False for other text.
bool parse_range(const std::string& text, scenario::Variation& variation) {
  std::string_view rest = text;
  const std::string from = take_quantity(rest);
  if (from.empty() || rest.substr(0, 2) != "..") return false;
  rest.remove_prefix(2);
  const std::string to = take_quantity(rest);
  const bool goes_on = rest.size() > 1 && (rest[0] == ':' || rest[0] == '*');
  if (to.empty() || (!rest.empty() && !goes_on)) return false;
  const std::string by(rest.substr(goes_on ? 1 : 0));
  variation.from = json_text(from);
  variation.to = json_text(to);
  if (goes_on && rest[0] == ':') variation.step = json_text(by);
  if (goes_on && rest[0] == '*') variation.factor = parse_count("vary", by, 1'000'000);
  if (variation.factor == std::uint64_t{1})
    throw UsageError(fmt::format("--vary: \"{}\": a factor is at least 2", text));
  return true;
}

scenario::SweepDesign parse_design(const std::string& text) {
  for (const auto& it : scenario::kSweepDesigns)
    if (text == it.text) return it.value;
  throw UsageError(fmt::format("--design: \"{}\" is neither cartesian, list nor random", text));
}

void check(const SweepOptions& options, const po::variables_map& values) {
  if (values.count("live") != 0 && options.plan)
    throw UsageError("--live goes with the command that leads the sweep, not with --plan");
  if (values.count("worker") == 0) return;
  for (const char* other : {"vary", "design", "points", "seeds", "engine", "shards", "plan", "out",
                            "resume", "set", "seed", "kmd", "policy", "stop-at", "stuck", "input"})
    if (values.count(other) != 0)
      throw UsageError(fmt::format("--worker takes the sweep as it was begun: no {}{}",
                                   other == std::string("input") ? "" : "--",
                                   other == std::string("input") ? "scenario" : other));
}

}  // namespace

void add_sweep_options(po::options_description& all) {
  const auto text = [](const char* name) { return po::value<std::string>()->value_name(name); };
  const auto texts = [](const char* name) {
    return po::value<std::vector<std::string>>()->value_name(name);
  };
  all.add_options()(
      "vary", texts("POINTER=VALUES"),
      "values at a JSON pointer: a,b,c or FROM..TO:STEP or FROM..TO*FACTOR; may be repeated")(
      "design", text("cartesian|list|random"),
      "points: all combinations, the nth value of each list, or random ones; default: the "
      "scenario's")("points", text("N"), "points of a random design")(
      "seeds", text("N"), "runs per point, with consecutive seeds")(
      "out", text("DIR"), "write the table to a new folder; without: CSV to standard output")(
      "force", "replace the folder of an earlier sweep, finished or not")(
      "resume", text("DIR"), "resume the sweep that writes this folder")(
      "jobs", text("N"), "concurrent processes; default: number of cores, one with slurm")(
      "stuck", text("SECONDS"),
      "CPU time without a step after which a run is ended as an endless loop; default: 10")(
      "plan", "only create DIR.partial, for workers that you start");
  add_engine_options("sweep", all);
}

SweepOptions take_sweep_options(const po::variables_map& values) {
  SweepOptions options;
  const auto text = [&](const char* name) -> const std::string* {
    return values.count(name) != 0 ? &values[name].as<std::string>() : nullptr;
  };
  if (values.count("vary") != 0)
    for (const std::string& it : values["vary"].as<std::vector<std::string>>())
      options.vary.push_back(parse_variation(it));
  if (const auto* it = text("design")) options.design = parse_design(*it);
  if (const auto* it = text("points"))
    options.points = parse_count("points", *it, scenario::kMaxSweepRuns);
  if (const auto* it = text("seeds"))
    options.seeds = parse_count("seeds", *it, scenario::kMaxSweepRuns);
  options.plan = values.count("plan") != 0;
  check(options, values);
  return options;
}

scenario::Variation parse_variation(const std::string& text) {
  const std::size_t equals = text.find('=');
  scenario::Variation variation;
  variation.pointer = text.substr(0, equals);
  if (equals == std::string::npos || !scenario::json_pointer().matches(variation.pointer))
    throw UsageError(fmt::format(
        "--vary: \"{}\" is not POINTER=VALUES, such as /platform/host/cores=2,4,8", text));
  const std::string rest = text.substr(equals + 1);
  if (parse_range(rest, variation)) return variation;
  for (const std::string& word : split_values(rest)) {
    if (word.empty())
      throw UsageError(fmt::format("--vary: a value of {} is missing", variation.pointer));
    variation.values.push_back(json_text(word));
    if (!scenario::can_be_kept(variation.values.back()))
      throw UsageError(fmt::format("--vary: {} is larger than any number that can be kept", word));
  }
  return variation;
}

}  // namespace fenceline::cli
