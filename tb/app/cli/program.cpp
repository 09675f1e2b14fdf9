#include <algorithm>
#include <array>
#include <exception>
#include <fenceline_version.h>
#include <fmt/format.h>
#include <new>
#include <ostream>
#include <stdexcept>

#include "models/abi/mutant.h"
#include "models/common/kept_states.h"
#include "tb/app/cli/commands/bite_command.h"
#include "tb/app/cli/commands/campaign_command.h"
#include "tb/app/cli/commands/commands.h"
#include "tb/app/cli/commands/coverage_command.h"
#include "tb/app/cli/commands/diff_command.h"
#include "tb/app/cli/commands/explore_command.h"
#include "tb/app/cli/commands/generate_command.h"
#include "tb/app/cli/commands/other_commands.h"
#include "tb/app/cli/commands/run_command.h"
#include "tb/app/cli/commands/shrink_command.h"
#include "tb/app/cli/commands/step_command.h"
#include "tb/app/cli/commands/sweep_command.h"
#include "tb/app/cli/commands/word_commands.h"
#include "tb/app/cli/log.h"
#include "tb/app/cli/mutants.h"
#include "tb/app/cli/options.h"
#include "tb/explore/process/contained.h"
#include "tb/report/record/run_folder.h"
#include "tb/scenario/text/diagnostics.h"

namespace fenceline::cli {

namespace {

int run_command(const Options& options, const Services& services, const Console& console) {
  switch (options.command) {
    case Command::kRun:
      return run_scenarios(options, services, console);
    case Command::kExplore:
      return explore_scenarios(options, services, console);
    case Command::kCampaign:
      return run_campaign(options, console);
    case Command::kBite:
      return run_bite(options, console);
    case Command::kShrink:
      return shrink_scenario(options, console);
    case Command::kStep:
      return step_scenario(options, services, console);
    case Command::kSweep:
      return sweep_scenario(options, console);
    case Command::kDiff:
      return print_diff(options, console);
    case Command::kReplay:
      return replay_runs(options, services, console);
    case Command::kValidate:
      return validate_scenarios(options, services, console);
    case Command::kExplain:
      return explain_scenarios(options, services, console);
    case Command::kList:
      return list_scenarios(options, services, console);
    case Command::kSchema:
      return print_schema(services, console);
    case Command::kSwitches:
      return print_switches(options, console);
    case Command::kInvariants:
      return print_invariants(options, console);
    case Command::kGenerate:
      return generate_scenarios(options, console);
    case Command::kEvents:
      return print_events(options, console);
    case Command::kCoverage:
      return print_coverage(options, console);
  }
  return kExitInternal;
}

int run_checked(const std::vector<std::string>& arguments, const Services& services,
                const Console& console) {
  Options options = parse_options(arguments);
  if constexpr (abi::kMutants) turn_on_mutant(options);
  if (options.keep_states) {
    static common::KeptStates states;
    common::kept_states = &states;
  }
  int code = kExitOk;
  if (options.help) {
    console.out << help_text(arguments);
  } else if (options.version) {
    console.out << "fenceline " FENCELINE_VERSION "\n";
  } else {
    set_up_log(options);
    code = run_command(options, services, console);
  }
  console.out.flush();
  if (console.out.good()) return code;
  console.err << "fenceline: cannot write to standard output\n";
  return worse_exit(code, kExitInternal);
}

int failed(const Console& console, const char* message, int code) {
  console.err << "fenceline: " << message << '\n';
  return code;
}

}  // namespace

int worse_exit(int one, int other) {
  constexpr std::array<int, 7> kOrder{kExitOk,    kExitIncomplete, kExitHang,       kExitFailed,
                                      kExitUsage, kExitInternal,   kExitInterrupted};
  const auto rank = [&](int code) {
    return std::find(kOrder.begin(), kOrder.end(), code) - kOrder.begin();
  };
  return rank(one) >= rank(other) ? one : other;
}

int run_program(const std::vector<std::string>& arguments, const Services& services,
                const Console& console) {
  try {
    return run_checked(arguments, services, console);
  } catch (const UsageError& error) {
    return failed(console, error.what(), kExitUsage);
  } catch (const scenario::ScenarioError& error) {
    return failed(console, error.what(), kExitUsage);
  } catch (const report::FolderError& error) {
    return failed(console, error.what(), kExitUsage);
  } catch (const std::invalid_argument& error) {
    return failed(console, error.what(), kExitUsage);
  } catch (const explore::Interrupted& error) {
    return failed(console, error.what(), kExitInterrupted);
  } catch (const std::bad_alloc&) {
    return failed(console, "out of memory", kExitInternal);
  } catch (const std::exception& error) {
    return failed(console, error.what(), kExitInternal);
  }
}

}  // namespace fenceline::cli
