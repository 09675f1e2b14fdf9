#include "tb/app/cli/engine_options.h"

#include <fmt/format.h>

#include "tb/app/cli/option_groups.h"
#include "tb/scenario/text/units.h"

namespace fenceline::cli {

namespace po = boost::program_options;

namespace {

constexpr std::uint64_t kMaxShards = 100'000;

RunsOn parse_engine(const std::string& text) {
  if (text == "local") return RunsOn::kThisMachine;
  if (text == "slurm") return RunsOn::kSlurm;
  if (text == "command") return RunsOn::kCommands;
  throw UsageError(fmt::format("--engine: \"{}\" is neither local, slurm nor command", text));
}

void check(const EngineOptions& options, const po::variables_map& values) {
  const bool command = options.runs_on == RunsOn::kCommands;
  if (command && options.submit_template.empty())
    throw UsageError(
        "--engine command needs --submit-template, such as 'ssh host{shard} {worker}'");
  if (!command && !options.submit_template.empty())
    throw UsageError("--submit-template goes with --engine command");
  if (command && options.submit_template.find("{worker}") == std::string::npos)
    throw UsageError("--submit-template: there is no {worker} in it, which begins a shard");
  if (!options.submit_options.empty() && options.runs_on != RunsOn::kSlurm)
    throw UsageError("--submit-option goes with --engine slurm");
  if (!options.shard.empty() && options.worker.empty())
    throw UsageError("--shard goes with --worker");
  if (options.at_once != 0 && !options.elsewhere())
    throw UsageError("--at-once goes with --engine slurm or command; see --jobs");
  if (values.count("live") != 0 && !options.worker.empty())
    throw UsageError("--live goes with the command that leads the workers, not with --worker");
}

}  // namespace

std::uint64_t parse_count(const std::string& option, const std::string& text, std::uint64_t most) {
  const auto value = scenario::whole_number(text);
  if (!value || *value < 1 || *value > most)
    throw UsageError(
        fmt::format("--{}: \"{}\" is not a whole number from 1 to {}", option, text, most));
  return *value;
}

void add_engine_options(const std::string& command, po::options_description& all) {
  const auto text = [](const char* name) { return po::value<std::string>()->value_name(name); };
  const std::string worker = "make one shard of the " + command + " that writes this folder";
  all.add_options()("engine", text("local|slurm|command"),
                    "where runs are made; default: local, on this machine")(
      "shards", text("N"), "number of parts for workers; default: 64, or the number of runs")(
      "at-once", text("N"), "concurrent shards with slurm or command; default: all")(
      "submit-option", po::value<std::vector<std::string>>()->value_name("TEXT"),
      "a further option of sbatch; may be repeated")(
      "submit-template", text("TEXT"),
      "command line that runs or submits {worker} of one {shard} of {shards} in {folder}")(
      "worker", text("DIR"), worker.c_str())(
      "shard", text("I/N"),
      "number of the shard, from 0; default: from the job array of a scheduler");
}

EngineOptions take_engine_options(const po::variables_map& values) {
  EngineOptions options;
  const auto text = [&](const char* name) -> const std::string* {
    return values.count(name) != 0 ? &values[name].as<std::string>() : nullptr;
  };
  if (const auto* it = text("engine")) options.runs_on = parse_engine(*it);
  if (const auto* it = text("shards")) options.shards = parse_count("shards", *it, kMaxShards);
  if (const auto* it = text("at-once")) options.at_once = parse_count("at-once", *it, kMaxShards);
  if (const auto* it = text("submit-template")) options.submit_template = *it;
  if (values.count("submit-option") != 0)
    options.submit_options = values["submit-option"].as<std::vector<std::string>>();
  if (const auto* it = text("worker")) options.worker = *it;
  if (const auto* it = text("shard")) options.shard = *it;
  check(options, values);
  return options;
}

}  // namespace fenceline::cli
