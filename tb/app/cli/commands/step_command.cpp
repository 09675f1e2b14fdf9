#include "tb/app/cli/commands/step_command.h"

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <istream>
#include <optional>
#include <ostream>

#include "tb/app/cli/commands/explored_runs.h"
#include "tb/app/cli/commands/run_job.h"
#include "tb/app/cli/inputs.h"
#include "tb/app/cli/interrupt.h"
#include "tb/app/cli/outputs/output_places.h"
#include "tb/app/cli/outputs/summary.h"
#include "tb/explore/search/bytes.h"
#include "tb/explore/walk.h"
#include "tb/report/record/output.h"
#include "tb/report/writers/json_writers.h"
#include "tb/scenario/text/units.h"

namespace fenceline::cli {

namespace {

using explore::Walk;
using scenario::Scenario;

constexpr std::uint64_t kMaxSteps = 20'000;
constexpr const char* kExpected =
    "expected the number or name of an agent of the list, or one of: Enter n g b r w s q ?";
constexpr const char* kHelp =
    "  NUMBER or NAME  that agent takes its step\n"
    "  Enter, n        the default order: what is on its way arrives first, then the CMP goes on,\n"
    "                  engines, threads, DPCs, interrupts\n"
    "  g N             N choices by default\n"
    "  b               back to the choice before\n"
    "  r               restart: back to the first choice\n"
    "  w               what waits and what is pending\n"
    "  s FILE          save the choices so far, then the default order, for fenceline replay\n"
    "  q               leave\n"
    "  end of input    the default order to the end\n"
    "  In lists * marks the default; behind the number of a step > marks one that was a choice.\n";

/// A hang and a bug check are ends of a run, not broken rules.
bool is_invariant(const check::Violation& it) {
  return it.invariant != explore::kHang && it.invariant != explore::kBugCheck;
}

/// `text` without the leading agent name.
std::string without(const std::string& agent, const std::string& text) {
  return text.compare(0, agent.size() + 1, agent + " ") == 0 ? text.substr(agent.size() + 1) : text;
}

/// One input line: its first word and the rest.
struct Line {
  std::string word;
  std::string argument;

  explicit Line(const std::string& text) {
    constexpr const char* kBlank = " \t\r";
    const auto begin = text.find_first_not_of(kBlank);
    if (begin == std::string::npos) return;
    const auto end = std::min(text.find_first_of(kBlank, begin), text.size());
    word = text.substr(begin, end - begin);
    const auto next = text.find_first_not_of(kBlank, end);
    if (next != std::string::npos)
      argument = text.substr(next, text.find_last_not_of(kBlank) + 1 - next);
  }
};

/// The dialogue about one scenario.
///
/// A simulation cannot run inside another one. Saving a file needs a run of its own: the dialogue
/// then leaves its stage and returns to the same choice in a new one.
class Dialogue {
 public:
  Dialogue(const Scenario& free, const std::string& kmd, const Console& console, run::Pulse& pulse)
      : free_(free), kmd_(kmd), console_(console), pulse_(pulse) {}

  /// Agents of all steps in order; none if the user left before the end of the run.
  std::optional<std::vector<std::string>> run() {
    do {
      save_to_.clear();
      explore::Stage stage(free_, kmd_, kMaxSteps, explore::Memory::kCheckers);
      stage.play([&] {
        Walk walk(stage);
        for (const std::size_t way : taken_) take(walk, way);
        talk(walk);
      });
      if (!save_to_.empty()) save();
    } while (!save_to_.empty());
    if (left_) return std::nullopt;
    return trace_;
  }

 private:
  /// Runs until the user is done or requests another simulation.
  void talk(Walk& walk) {
    if (taken_.empty()) print_latest(walk);
    print_choice(walk);
    while (std::optional<std::string> line = read()) {
      if (!obey(walk, Line(*line))) return;
    }
    finish(walk, true);
    trace_ = walk.trace();
  }

  void take(Walk& walk, std::size_t way) {
    pulse_.beat(0);
    walk.take(way);
  }

  std::optional<std::string> read() {
    console_.out << "> " << std::flush;
    std::string line;
    if (console_.in == nullptr || !std::getline(*console_.in, line)) {
      console_.out << "(end of input)\n";
      return std::nullopt;
    }
    if (!console_.in_is_terminal) console_.out << line << '\n';
    return line;
  }

  /// Executes an input line. False if the dialogue ends.
  bool obey(Walk& walk, const Line& line) {
    const std::string& word = line.word;
    const bool at_end = walk.ways().empty();
    if (word == "q" || (at_end && (word.empty() || word == "n"))) {
      left_ = !at_end;
      trace_ = walk.trace();
      return false;
    }
    if (word == "?") return say(kHelp);
    if (word == "w") return print_waiting(walk);
    if (word == "b" || word == "r") return go_back(walk, word == "b");
    if (word == "s")
      return line.argument.empty() ? say("s: expected a file name\n") : save(walk, line);
    if (word == "g") return go(walk, line);
    if (const std::optional<std::size_t> way = way_of(walk, word)) {
      take(walk, *way);
      print_latest(walk);
      print_choice(walk);
      return true;
    }
    return say(std::string(kExpected) + "\n");
  }

  static std::optional<std::size_t> way_of(Walk& walk, const std::string& word) {
    const auto& ways = walk.ways();
    if (ways.empty()) return std::nullopt;
    if (word.empty() || word == "n") return walk.by_default();
    if (const std::optional<std::size_t> number = scenario::whole_number(word)) {
      if (*number == 0 || *number > ways.size()) return std::nullopt;
      return *number - 1;
    }
    const auto named = std::find_if(ways.begin(), ways.end(),
                                    [&](const explore::Way& way) { return way.agent == word; });
    if (named == ways.end()) return std::nullopt;
    return static_cast<std::size_t>(named - ways.begin());
  }

  bool go(Walk& walk, const Line& line) {
    const std::optional<std::size_t> count = scenario::whole_number(line.argument);
    if (!count) return say("g: expected a number of choices, such as g 5\n");
    for (std::size_t i = 0; i < *count && !walk.ways().empty(); ++i) {
      take(walk, walk.by_default());
      print_latest(walk);
    }
    print_choice(walk);
    return true;
  }

  bool go_back(Walk& walk, bool one) {
    if (walk.taken().empty()) return say("this is the first choice\n");
    if (one)
      walk.back();
    else
      walk.restart();
    print_choice(walk);
    return true;
  }

  void finish(Walk& walk, bool aloud) {
    if (walk.ways().empty()) return;
    while (!walk.ways().empty()) {
      take(walk, walk.by_default());
      if (aloud) print_latest(walk);
    }
    if (aloud) print_choice(walk);
  }

  bool save(Walk& walk, const Line& line) {
    taken_ = walk.taken();
    save_to_ = line.argument;
    finish(walk, false);
    trace_ = walk.trace();
    return false;
  }

  void save() {
    try {
      if (std::filesystem::exists(save_to_))
        throw std::runtime_error(save_to_ + " is there already");
      const report::RunReport report = run_in_order(free_, kmd_, trace_);
      const std::string text = report::repro_json(report);
      report::FileSink(save_to_).write_whole(text);
      say(fmt::format("saved {}: after {} choices by default, {}\n", save_to_, taken_.size(),
                      report.verdict));
    } catch (const std::exception& error) {
      say(fmt::format("not saved: {}\n", error.what()));
    }
  }

  bool say(const std::string& text) {
    console_.out << text;
    return true;
  }

  bool print_waiting(Walk& walk) {
    const std::vector<std::string> lines = walk.waiting();
    if (lines.empty()) say("  nobody waits, and nothing is pending\n");
    for (const std::string& line : lines) say("  " + line + "\n");
    return true;
  }

  void print_latest(Walk& walk) {
    for (const explore::WalkedStep& step : walk.latest())
      for (const std::string& event : step.events)
        say(fmt::format("{:>5}{} {}\n", step.number, step.chosen ? '>' : ' ', event));
  }

  void print_choice(Walk& walk) {
    const auto& ways = walk.ways();
    const std::vector<check::Violation> broken = walk.broken();
    for (std::size_t i = printed_; i < broken.size(); ++i)
      say(fmt::format("{}{}: {}\n", is_invariant(broken[i]) ? "broken " : "", broken[i].invariant,
                      broken[i].message));
    printed_ = broken.size();
    if (ways.empty()) {
      say(fmt::format("the run is over after {} steps; Enter for the verdict\n", walk.steps()));
      return;
    }
    const std::size_t chosen = walk.by_default();
    say(fmt::format("choice {}, after step {}\n", walk.taken().size() + 1, walk.steps()));
    for (std::size_t i = 0; i < ways.size(); ++i)
      say(fmt::format("{:>3}{} {}: {} - {}\n", i + 1, i == chosen ? '*' : ' ', ways[i].agent,
                      ways[i].operation, without(ways[i].agent, ways[i].text)));
  }

  const Scenario& free_;
  const std::string& kmd_;
  const Console& console_;
  run::Pulse& pulse_;               ///< beats at each choice
  std::vector<std::size_t> taken_;  ///< choices that lead to the current point, for a new stage
  std::vector<std::string> trace_;
  std::string save_to_;
  std::size_t printed_ = 0;  ///< number of problems printed so far
  bool left_ = false;
};

}  // namespace

namespace {

/// Runs the dialogue in a process of its own.
run::Ended talk(const Job& job, const Options& options, const Services& services,
                const Console& console) {
  run::Ended result;
  run::Works works;
  works.count = 1;
  works.work = [&](std::size_t /*number*/, run::Pulse& pulse) {
    const run::Simulating simulating(&pulse);
    const auto trace = Dialogue(*job.scenario, options.kmd, console, pulse).run();
    console.out.flush();
    return explore::to_bytes(trace);
  };
  works.ended = [&](std::size_t /*number*/, run::Ended ended) { result = std::move(ended); };
  console.out.flush();
  services.contain(works, watch_of(options));
  return result;
}

}  // namespace

int step_scenario(const Options& options, const Services& services, const Console& console) {
  const InterruptGuard guard;
  const std::vector<std::string> files = expand_inputs(options.inputs);
  if (files.size() != 1) throw UsageError("step: one scenario at a time");
  Job job;
  job.file = files[0];
  job.scenario = std::make_shared<Scenario>(
      free_scenario(services.load(load_request(files[0], options)), options.keep_holds));
  job.request.seed = job.scenario->seed;
  job.request.policy = job.scenario->policy;
  job.request.kmd = options.kmd;
  job.folder = options.out;
  check_output_folders({job.folder}, options.force);
  const run::Ended talked = talk(job, options, services, console);
  if (interrupted().load()) return kExitInterrupted;
  if (talked.how != run::Ended::How::kWell) {
    const Outcome outcome = outcome_of_death(job, talked, options, console);
    console.out << '\n';
    print_details(outcome, console);
    return outcome.exit_code;
  }
  std::optional<std::vector<std::string>> trace;
  explore::from_bytes(talked.result, trace);
  if (!trace) {
    console.out << "left before the end: nothing is judged\n";
    return kExitOk;
  }
  job.request.trace = *trace;
  int code = kExitInterrupted;
  run_jobs({job}, options, services, console, [&](const Outcome& outcome) {
    console.out << '\n';
    print_details(outcome, console);
    code = outcome.exit_code;
  });
  return code;
}

}  // namespace fenceline::cli
