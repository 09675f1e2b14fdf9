#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tb/app/cli/sweep_options.h"
#include "tb/explore/search/search.h"
#include "tb/report/writers/write_run.h"
#include "tb/scenario/scenario.h"

namespace fenceline::cli {

enum class Command {
  kRun,
  kExplore,
  kValidate,
  kReplay,
  kList,
  kSchema,
  kSwitches,
  kInvariants,
  kEvents,
  kExplain,
  kStep,
  kSweep,
  kDiff,
  kShrink,
  kGenerate,
  kCampaign,
  kBite,
  kCoverage
};

/// Batch system that gets annotations of failures.
enum class Annotate { kNone, kGithub, kGitlab };

/// Options of generated scenarios.
struct GenerateOptions {
  std::string constraints;         ///< file; empty: those of the preset
  std::string preset = "default";  ///< name of built-in constraints
  std::uint64_t count = 1;
  bool schema = false;        ///< only print the schema of constraint files
  std::uint64_t runs = 1000;  ///< of a campaign
  bool steer = false;  ///< holes of the coverage raise the weights of what takes part in them
};

/// Options of a bite.
struct BiteChoice {
  std::optional<std::uint64_t> runs;  ///< limit of each target
  std::vector<std::string> only;      ///< names of targets; empty: all
  bool list = false;                  ///< only print the targets
};

/// Options of a comparison of two runs.
struct DiffOptions {
  bool all = false;  ///< print every difference
  std::string html;  ///< page to write; empty: none
};

/// A checked command line.
struct Options {
  Command command = Command::kRun;
  std::vector<std::string> inputs;     ///< as given: files, folders, patterns
  std::vector<std::string> overrides;  ///< --set: "/json/pointer=value"
  std::optional<std::uint64_t> seed;
  std::optional<std::uint64_t> stop_at;  ///< [ps]
  std::optional<scenario::PolicyKind> policy;
  bool search_each = false;                 ///< --policy search: all orders of each scenario
  std::optional<report::TraceSet> trace;    ///< empty: the default
  std::optional<report::DrawnSpan> window;  ///< of timeline.svg; default: the first slices
  std::string out;
  std::string resume;  ///< folder of an incomplete exploration
  std::string kmd;
  std::string junit;  ///< one file for all; empty: none
  Annotate annotate = Annotate::kNone;
  std::uint64_t repeat = 1;
  explore::Strategy search = explore::Strategy::kSystematic;
  std::string mutant;                       ///< in a build with FENCELINE_MUTANTS only
  std::optional<std::uint64_t> executions;  ///< limit of an exploration
  std::optional<std::uint64_t> states;
  std::optional<std::uint64_t> seconds;  ///< [s] approximate time limit of an exploration
  std::optional<std::uint64_t>
      time;  ///< [ms] limit of host time of a shrink, a campaign or a target
  std::optional<std::uint64_t> stuck;              ///< [s] limit of CPU time per step
  std::optional<unsigned> jobs;                    ///< concurrent processes
  std::optional<std::vector<std::string>> matrix;  ///< switches; empty: the scenario's own
  EngineOptions engine;
  SweepOptions sweep;
  GenerateOptions generate;
  BiteChoice bite;
  DiffOptions diff;
  std::vector<std::string> about;  ///< invariants to check; empty: all
  bool keep_holds = false;
  bool holes = false;        ///< list what was not covered
  bool reference = false;    ///< compare with the predictions of the reference
  bool verify = false;       ///< repeat the search without reductions and compare
  bool keep_states = false;  ///< keep whole states in addition to hashes
  bool force = false;
  bool quiet = false;
  bool verbose = false;
  bool json = false;
  bool live = false;  ///< serve a page with the progress
  bool progress = true;
  bool help = false;  ///< only help_text() is requested
  bool version = false;
};

/// Parses the arguments after the program's name; throws UsageError.
Options parse_options(const std::vector<std::string>& arguments);
/// Text of --help: of one command, or of the program when no command was given.
std::string help_text(const std::vector<std::string>& arguments);

}  // namespace fenceline::cli
