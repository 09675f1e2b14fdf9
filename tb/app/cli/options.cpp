#include "tb/app/cli/options.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <sstream>

#include "models/abi/mutant.h"
#include "models/common/kept_states.h"
#include "tb/app/cli/option_groups.h"
#include "tb/report/writers/fst.h"
#include "tb/scenario/text/diagnostics.h"
#include "tb/scenario/text/units.h"

namespace fenceline::cli {

namespace po = boost::program_options;

namespace {

constexpr std::uint64_t kMaxRepeats = 1'000'000;
constexpr std::uint64_t kMaxRuns = 1'000'000'000;  ///< of a campaign
constexpr std::uint64_t kMaxJobs = 1024;
constexpr std::uint64_t kMaxSeconds = 86'400;

struct CommandInfo {
  const char* name;
  Command command;
  unsigned groups;
  const char* inputs;  ///< as printed in the usage; empty: none
  bool needs_input;
  const char* summary;
};

constexpr std::array<CommandInfo, 18> kCommands{{
    {"run", Command::kRun,
     kLoad | kDriver | kSimulate | kWrite | kReport | kSoak | kContain | kBatch | kLive,
     "SCENARIO...", true, "run scenarios and check what they expect"},
    {"explore", Command::kExplore, kLoad | kReport | kDriver | kSearch | kBatch | kLive,
     "SCENARIO...", true,
     "run scenarios in every order that the hardware may take: PROVED, or what breaks and why"},
    {"sweep", Command::kSweep, kLoad | kDriver | kSimulate | kReport | kSweep | kLive, "SCENARIO",
     true, "run a scenario with many values of what is in it, and make one table of all runs"},
    {"shrink", Command::kShrink, kLoad | kDriver | kContain | kShrink, "SCENARIO", true,
     "make a scenario that fails as small as possible"},
    {"step", Command::kStep, kLoad | kByHand | kWrite | kContain, "SCENARIO", true,
     "run a scenario choice by choice, as you decide; type ? for help"},
    {"validate", Command::kValidate, kLoad | kReport, "SCENARIO...", true,
     "load scenarios and check them without running"},
    {"explain", Command::kExplain, kLoad | kDriver | kSimulate | kContain, "SCENARIO...", true,
     "run a scenario and tell its story: what happened, and why who waits"},
    {"replay", Command::kReplay, kWrite | kReport | kDriver | kContain, "REPRO.json...", true,
     "repeat a failed run from its repro.json"},
    {"diff", Command::kDiff, kCompare, "DIR DIR", true, "compare the output folders of two runs"},
    {"list", Command::kList, kReport, "[SCENARIO...]", false,
     "list scenarios with their titles; default: the folder scenarios"},
    {"generate", Command::kGenerate, kGenerate, "", false,
     "make scenarios at random, within constraints"},
    {"campaign", Command::kCampaign, kLoad | kDriver | kReport | kContain | kCampaign | kLive, "",
     false, "run many generated scenarios, group what fails, and make each kind of failure small"},
    {"bite", Command::kBite, kDriver | kReport | kContain | kBite, "", false,
     "run campaigns on designs with one known fault each, and say which faults are found"},
    {"coverage", Command::kCoverage, kReport | kCover, "DIR...", true,
     "add up what campaigns have covered, and list what they have not"},
    {"schema", Command::kSchema, 0, "", false, "print the JSON schema of scenarios"},
    {"switches", Command::kSwitches, kReport, "", false,
     "list the ordering switches with their values, from the weakest design to the strongest"},
    {"invariants", Command::kInvariants, kReport, "", false,
     "list the invariants that the checkers watch"},
    {"events", Command::kEvents, kReport, "", false,
     "list the events that a run can have, with their fields"},
}};

const CommandInfo* find_command(const std::string& name) {
  const auto it = std::find_if(kCommands.begin(), kCommands.end(),
                               [&](const CommandInfo& info) { return info.name == name; });
  return it == kCommands.end() ? nullptr : &*it;
}

std::uint64_t parse_number(const std::string& option, const std::string& text) {
  if (const auto value = scenario::whole_number(text)) return *value;
  throw UsageError(
      fmt::format("--{}: \"{}\" is not a whole number from 0 to 2^64-1", option, text));
}

void check_override(const std::string& text) {
  if (!text.empty() && text[0] == '/' && text.find('=') != std::string::npos) return;
  throw UsageError(fmt::format(
      "--set: \"{}\" is not POINTER=VALUE, such as /platform/ordering/gpu.load_hoist=true", text));
}

std::uint64_t parse_time(const std::string& option, const std::string& text) {
  try {
    return scenario::parse_duration(text);
  } catch (const std::invalid_argument& error) {
    throw UsageError(fmt::format("--{}: {}", option, error.what()));
  }
}

void take_policy(const std::string& text, Options& options) {
  const bool searches =
      options.command == Command::kCampaign || options.command == Command::kShrink;
  options.search_each = searches && text == "search";
  if (options.search_each) return;
  for (const auto& [word, kind] : scenario::kPolicies)
    if (text == word) {
      options.policy = kind;
      return;
    }
  throw UsageError(fmt::format("--policy: \"{}\" is neither {}", text,
                               searches ? "timing, random nor search" : "timing nor random"));
}

Annotate parse_annotate(const std::string& text) {
  if (text == "github") return Annotate::kGithub;
  if (text == "gitlab") return Annotate::kGitlab;
  throw UsageError(fmt::format("--annotate: \"{}\" is neither github nor gitlab", text));
}

explore::Strategy parse_strategy(const std::string& text) {
  using explore::Strategy;
  for (const Strategy it : {Strategy::kSystematic, Strategy::kPct, Strategy::kRandom})
    if (text == strategy_name(it)) return it;
  throw UsageError(fmt::format("--search: \"{}\" is neither systematic, pct nor random", text));
}

std::vector<std::string> split_list(const std::string& text) {
  std::vector<std::string> words;
  std::istringstream all(text);
  for (std::string word; std::getline(all, word, ',');)
    if (!word.empty()) words.push_back(word);
  return words;
}

/// --bounds is a short form of --set under /explore/bounds.
std::vector<std::string> parse_bounds(const std::string& text) {
  std::vector<std::string> overrides;
  for (const std::string& word : split_list(text)) {
    if (word.find('=') == std::string::npos)
      throw UsageError(fmt::format("--bounds: \"{}\" is not NAME=NUMBER, such as signals=2", word));
    overrides.push_back("/explore/bounds/" + word);
  }
  return overrides;
}

report::TraceSet parse_trace(const std::string& text) {
  try {
    return report::TraceSet::parse(text);
  } catch (const std::invalid_argument& error) {
    throw UsageError(fmt::format("--trace: {}", error.what()));
  }
}

/// "10us..25us".
report::DrawnSpan parse_window(const std::string& text) {
  const std::size_t dots = text.find("..");
  if (dots == std::string::npos)
    throw UsageError(fmt::format("--window: \"{}\" is not FROM..TO, such as 10us..25us", text));
  const report::DrawnSpan span{parse_time("window", text.substr(0, dots)),
                               parse_time("window", text.substr(dots + 2))};
  if (span.begin >= span.end)
    throw UsageError(fmt::format("--window: \"{}\" does not end after its begin", text));
  return span;
}

GenerateOptions take_generate_options(const po::variables_map& values) {
  GenerateOptions options;
  if (values.count("constraints") != 0)
    options.constraints = values["constraints"].as<std::string>();
  options.schema = values.count("schema") != 0;
  options.steer = values.count("steer") != 0;
  if (values.count("preset") != 0) options.preset = values["preset"].as<std::string>();
  if (values.count("constraints") + values.count("preset") > 1)
    throw UsageError("--constraints and --preset exclude each other");
  if (values.count("runs") != 0)
    options.runs = parse_count("runs", values["runs"].as<std::string>(), kMaxRuns);
  if (values.count("count") == 0) return options;
  options.count = parse_count("count", values["count"].as<std::string>(), kMaxRepeats);
  if (values.count("out") == 0) throw UsageError("--count needs --out: name a folder");
  return options;
}

BiteChoice take_bite_options(const po::variables_map& values) {
  BiteChoice options;
  if (values.count("runs") != 0)
    options.runs = parse_count("runs", values["runs"].as<std::string>(), kMaxRuns);
  if (values.count("only") != 0) options.only = split_list(values["only"].as<std::string>());
  options.list = values.count("list") != 0;
  return options;
}

DiffOptions take_diff_options(const po::variables_map& values) {
  DiffOptions options;
  options.all = values.count("all") != 0;
  if (values.count("html") == 0) return options;
  options.html = values["html"].as<std::string>();
  if (options.html.empty()) throw UsageError("--html: no file named");
  return options;
}

void take_flags(const po::variables_map& values, Options& options) {
  options.keep_holds = values.count("keep-holds") != 0;
  options.holes = values.count("holes") != 0;
  options.reference = values.count("reference") != 0;
  options.verify = values.count("verify") != 0;
  options.keep_states = values.count("keep-states") != 0;
  options.force = values.count("force") != 0;
  options.quiet = values.count("quiet") != 0;
  options.verbose = values.count("verbose") != 0;
  options.json = values.count("json") != 0;
  options.live = values.count("live") != 0;
  options.progress = values.count("no-progress") == 0;
}

void take_values(const po::variables_map& values, Options& options) {
  const auto text = [&](const char* name) -> const std::string* {
    return values.count(name) != 0 ? &values[name].as<std::string>() : nullptr;
  };
  if (values.count("set") != 0) {
    options.overrides = values["set"].as<std::vector<std::string>>();
    for (const std::string& it : options.overrides) check_override(it);
  }
  if (const auto* it = text("seed")) options.seed = parse_number("seed", *it);
  if (const auto* it = text("stop-at")) options.stop_at = parse_time("stop-at", *it);
  if (const auto* it = text("time")) options.time = parse_time("time", *it) / common::kMillisecond;
  if (const auto* it = text("policy")) take_policy(*it, options);
  if (const auto* it = text("trace")) options.trace = parse_trace(*it);
  if (const auto* it = text("window")) options.window = parse_window(*it);
  if (const auto* it = text("repeat")) options.repeat = parse_number("repeat", *it);
  if (const auto* it = text("out")) options.out = *it;
  if (const auto* it = text("kmd")) options.kmd = *it;
  if (const auto* it = text("junit")) options.junit = *it;
  if (const auto* it = text("annotate")) options.annotate = parse_annotate(*it);
  if (const auto* it = text("search")) options.search = parse_strategy(*it);
  if constexpr (abi::kMutants)
    if (const auto* it = text("mutant")) options.mutant = *it;
  if (const auto* it = text("executions")) options.executions = parse_number("executions", *it);
  if (const auto* it = text("states")) options.states = parse_number("states", *it);
  if (const auto* it = text("resume")) options.resume = *it;
  if (const auto* it = text("seconds")) options.seconds = parse_count("seconds", *it, kMaxSeconds);
  if (const auto* it = text("stuck")) options.stuck = parse_count("stuck", *it, kMaxSeconds);
  if (const auto* it = text("jobs"))
    options.jobs = static_cast<unsigned>(parse_count("jobs", *it, kMaxJobs));
  if (const auto* it = text("bounds")) {
    const std::vector<std::string> bounds = parse_bounds(*it);
    options.overrides.insert(options.overrides.end(), bounds.begin(), bounds.end());
  }
  if (const auto* it = text("steps")) options.overrides.push_back("/explore/steps=" + *it);
  if (const auto* it = text("matrix")) options.matrix = split_list(*it);
  if (const auto* it = text("about")) options.about = split_list(*it);
  options.engine = take_engine_options(values);
  if (options.command == Command::kSweep) options.sweep = take_sweep_options(values);
  options.generate = take_generate_options(values);
  options.bite = take_bite_options(values);
  options.diff = take_diff_options(values);
  take_flags(values, options);
}

void check_window(const Options& options) {
  if (options.out.empty())
    throw UsageError("--window goes with --out: it is the part that timeline.svg shows");
  if (options.trace && !options.trace->svg)
    throw UsageError("--window needs svg in --trace: it is the part that timeline.svg shows");
}

void check_values(const po::variables_map& values, const Options& options) {
  if (options.quiet && options.verbose)
    throw UsageError("--quiet and --verbose exclude each other");
  if (options.repeat < 1 || options.repeat > kMaxRepeats) {
    throw UsageError(fmt::format("--repeat: from 1 to {}", kMaxRepeats));
  }
  if (values.count("out") != 0 && options.out.empty()) throw UsageError("--out: no folder named");
  if (values.count("kmd") != 0 && options.kmd.empty()) throw UsageError("--kmd: no file named");
  if (values.count("junit") != 0 && options.junit.empty())
    throw UsageError("--junit: no file named");
  if (options.keep_states && !common::kCanKeepStates)
    throw UsageError(
        "--keep-states: this program keeps none; build one with -DFENCELINE_KEEP_STATES=ON, as the "
        "preset o0 does");
  if (options.verify && options.search != explore::Strategy::kSystematic)
    throw UsageError("--verify compares systematic searches: it takes no other --search");
  if (!options.resume.empty() &&
      (options.matrix || options.search != explore::Strategy::kSystematic))
    throw UsageError("--resume takes neither --matrix nor another --search");
  if (options.force && options.out.empty()) throw UsageError("--force goes with --out");
  if (options.trace && (options.trace->any() || options.trace->repro) && options.out.empty()) {
    throw UsageError("--trace needs --out: name the folder that the files go to");
  }
  if (options.window) check_window(options);
  if (options.trace && options.trace->fst && !report::can_write_fst()) {
    throw UsageError("--trace fst needs the program vcd2fst, which comes with GTKWave");
  }
}

std::vector<std::string> option_names(const po::options_description& known) {
  std::vector<std::string> names;
  for (const auto& option : known.options()) names.push_back("--" + option->long_name());
  return names;
}

/// Parses everything after the name of the command.
po::variables_map parse_rest(const CommandInfo& info, const std::vector<std::string>& rest) {
  po::options_description known = options_of(info.groups);
  po::options_description all;
  all.add(known).add_options()("input", po::value<std::vector<std::string>>());
  po::positional_options_description positional;
  positional.add("input", -1);
  namespace style = po::command_line_style;
  const int strict = style::default_style & ~style::allow_guessing;
  po::variables_map values;
  try {
    po::store(po::command_line_parser(rest).options(all).positional(positional).style(strict).run(),
              values);
  } catch (const po::unknown_option& error) {
    const std::string hint = scenario::did_you_mean(error.get_option_name(), option_names(known));
    throw UsageError(fmt::format("\"{}\" has no option {}{}{}", info.name, error.get_option_name(),
                                 hint.empty() ? "" : "; ", hint));
  } catch (const po::error& error) {
    throw UsageError(error.what());
  }
  return values;
}

const CommandInfo& command_of(const std::string& name) {
  if (const CommandInfo* info = find_command(name)) return *info;
  std::vector<std::string> names;
  names.reserve(kCommands.size());
  for (const CommandInfo& it : kCommands) names.emplace_back(it.name);
  const std::string hint = scenario::did_you_mean(name, names);
  throw UsageError(
      fmt::format("no command \"{}\"; {}", name, hint.empty() ? "see fenceline --help" : hint));
}

bool is_help(const std::string& word) { return word == "--help" || word == "-h"; }

}  // namespace

Options parse_options(const std::vector<std::string>& arguments) {
  Options options;
  if (arguments.empty()) throw UsageError("no command; see fenceline --help");
  const std::string& first = arguments.front();
  options.help = is_help(first) || first == "help";
  options.version = first == "--version";
  if (options.help || options.version) return options;
  const CommandInfo& info = command_of(first);
  options.command = info.command;
  const po::variables_map values = parse_rest(info, {arguments.begin() + 1, arguments.end()});
  options.help = values.count("help") != 0;
  if (options.help) return options;
  take_values(values, options);
  if (values.count("input") != 0) options.inputs = values["input"].as<std::vector<std::string>>();
  check_values(values, options);
  if (info.needs_input && options.inputs.empty() && options.resume.empty() &&
      options.engine.worker.empty()) {
    throw UsageError(fmt::format("{}: no input; usage: fenceline {} {} [options]", info.name,
                                 info.name, info.inputs));
  }
  if (info.inputs[0] == '\0' && !options.inputs.empty()) {
    throw UsageError(fmt::format("{} takes no file", info.name));
  }
  return options;
}

std::string help_text(const std::vector<std::string>& arguments) {
  const CommandInfo* info = arguments.empty() ? nullptr : find_command(arguments.front());
  if (info == nullptr && arguments.size() > 1) info = find_command(arguments[1]);  // "help run"
  std::ostringstream text;
  if (info != nullptr) {
    text << fmt::format("Usage: fenceline {} {}{}[options]\n\n  {}\n\n", info->name, info->inputs,
                        info->inputs[0] == '\0' ? "" : " ", info->summary)
         << options_of(info->groups);
    return text.str();
  }
  text << "fenceline: a model of a GPU's synchronisation hardware with a WDDM driver stub\n\n"
          "Usage: fenceline COMMAND [FILES] [options]\n\nCommands:\n";
  for (const CommandInfo& it : kCommands) text << fmt::format("  {:<9} {}\n", it.name, it.summary);
  text << "\nOptions of a command: fenceline COMMAND --help\n"
          "Files may be files, folders (searched for *.json) or quoted patterns.\n\n"
          "Exit codes:\n"
          "  0    all expectations hold\n"
          "  1    an expectation failed, an invariant broke that was not expected to, a driver "
          "given\n"
          "       with --kmd crashed or did not come to an end, or a replay was not reproduced\n"
          "  2    usage, invalid scenario, or an output folder that cannot be used\n"
          "  3    hang, livelock, or the most steps that a run may take, and no invariant is "
          "broken\n"
          "  4    internal error, a crash outside the driver included, or writing failed\n"
          "  5    an exploration gave up before every order was looked at\n"
          "  130  interrupted\n"
          "Of several runs the most serious counts: 130, 4, 2, 1, 3, 5, 0 in this order.\n";
  return text.str();
}

}  // namespace fenceline::cli
