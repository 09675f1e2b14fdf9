#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <iosfwd>
#include <optional>
#include <string>
#include <vector>

#include "tb/report/record.h"
#include "tb/report/record/run_report.h"
#include "tb/run/process/contained.h"
#include "tb/run/run_scenario.h"
#include "tb/scenario/scenario.h"

namespace fenceline::cli {

/// Scenario to load.
struct LoadRequest {
  std::string path;
  std::optional<std::string> text;  ///< the document itself; `path` then only names it in messages
  std::vector<std::string> overrides;  ///< values of --set: "/json/pointer=value", applied in order
  std::optional<std::uint64_t> seed;   ///< replaces the scenario's own seed
};

/// Functions that the program needs from other modules; tests replace them.
struct Services {
  /// Throws scenario::ScenarioError for an invalid scenario.
  std::function<scenario::Scenario(const LoadRequest&)> load;
  /// Runs a scenario: attaches `record` to the event stream, finishes it, and returns the report
  /// with verdict, reasons and exit code. Throws std::invalid_argument for an impossible request,
  /// e.g. a driver that does not load, and other exceptions for internal errors.
  std::function<report::RunReport(const scenario::Scenario&, const fenceline::run::RunOptions&,
                                  report::Record&)>
      run;
  /// Does pieces of work, each in a process of its own.
  std::function<void(const fenceline::run::Works&, const fenceline::run::Watch&)> contain;
  /// The JSON schema of scenarios.
  std::function<std::string()> schema;
};

/// Input and output of the program.
struct Console {
  std::ostream& out;
  std::ostream& err;
  bool out_is_terminal = false;
  bool err_is_terminal = false;
  std::istream* in = nullptr;  ///< commands of the user during a run; null: none
  bool in_is_terminal = false;
};

/// Exit codes of the program.
enum Exit : int {
  kExitOk = 0,            ///< all expectations are met
  kExitFailed = 1,        ///< an expectation failed, an invariant broke, a plug-in crashed
  kExitUsage = 2,         ///< usage, invalid scenario, or output folder not writable
  kExitHang = 3,          ///< hang, livelock or step limit, without a broken invariant
  kExitInternal = 4,      ///< internal error, crash outside plug-ins, or writing failed
  kExitIncomplete = 5,    ///< an exploration gave up unexpectedly
  kExitInterrupted = 130  ///< SIGINT
};

/// The more serious of two exit codes: 130, 4, 2, 1, 3, 5, 0 in this order.
int worse_exit(int one, int other);

/// The whole program: parses `arguments` (without the program's name), runs the command, returns
/// the exit code. Results go to `console.out`, everything else to `console.err`.
int run_program(const std::vector<std::string>& arguments, const Services& services,
                const Console& console);

}  // namespace fenceline::cli
