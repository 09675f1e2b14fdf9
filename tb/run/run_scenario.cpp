#include "tb/run/run_scenario.h"

#include <algorithm>
#include <memory>
#include <optional>

#include "fenceline_version.h"
#include "models/top/gpu.h"
#include "tb/run/expectations.h"
#include "tb/run/machine/initial_state.h"
#include "tb/run/machine/scenario_machine.h"
#include "tb/run/policies.h"
#include "tb/run/process/last_words.h"
#include "tb/run/simulated.h"
#include "tb/run/standstill.h"

namespace fenceline::run {

using report::Ending;
using report::RunReport;

namespace {

constexpr std::uint64_t kSlice = common::kMillisecond;  ///< between two looks
constexpr std::uint64_t kLookEvery = 256;               ///< [steps]; the same within a slice

/// One run: everything that lives as long as its simulation.
class Run {
 public:
  Run(const scenario::Scenario& scenario, const RunOptions& options, report::Record& record)
      : options_(options),
        record_(record),
        simulating_(options.pulse),
        simulated_(scenario, options.kmd),
        whereabouts_(simulation_),
        standstill_(simulation_.steps, scenario.limits) {
    whereabouts_.attach(simulation_.events);
    standstill_.attach(simulation_.events);
    simulation_.steps.set_lookout(kLookEvery, [this] { return look(); });
    machine_.on_ready = [this] {
      record_.attach(simulation_.events, initial_state(machine_));
      if (options_.observer != nullptr) options_.observer->ready(machine_);
      sc_core::sc_pause();  // limits count from here, so no slice may run past it
    };
    machine_.run_programs = [this] { explore(); };
    report_.scenario = &scenario;
    report_.version = FENCELINE_VERSION;
    report_.kmd = options.kmd;
    report_.seed = options.seed;
    if (options_.observer != nullptr) options_.observer->built(machine_);
  }

  RunReport run() {
    simulate();
    finish();
    return std::move(report_);
  }

 private:
  bool timed() const {
    return options_.policy == scenario::PolicyKind::kTiming && options_.choices.empty() &&
           options_.trace.empty();
  }

  void explore() {
    if (timed()) return;
    if (!options_.choices.empty()) {
      ReplayPolicy replay(simulation_.steps, options_.choices);
      take_steps(replay);
      report_.choices = options_.choices;
      report_.races = replay.races();
      choices_left_ = replay.left();
    } else if (!options_.trace.empty()) {
      FollowPolicy follow(simulation_.steps, options_.trace);
      take_steps(follow);
      report_.choices = follow.choices();
    } else {
      RandomPolicy random(simulation_.steps, options_.seed, options_.keep_choices);
      take_steps(random);
      report_.choices = random.choices();
      report_.races = random.races();
    }
    explored_ = true;
    sc_core::sc_stop();
  }

  void take_steps(common::Policy& policy) {
    const AskedPolicy::Ask ask = [this](const common::Candidate& step) {
      beat();
      return !wants_stop() && (!options_.before_step || options_.before_step(step));
    };
    AskedPolicy asked(policy, ask);
    steps_ = simulation_.steps.explore(asked, options_.max_steps);
    if (steps_ >= options_.max_steps) ended_ = Ending::kStepLimit;
  }

  void beat() const {
    if (options_.pulse != nullptr) options_.pulse->beat(simulation_.steps.now());
  }
  bool wants_stop() const { return options_.pulse != nullptr && options_.pulse->stopped(); }

  /// False if the run is to end here.
  bool look() {
    beat();
    if (ended_ || wants_stop()) return false;
    if (machine_.started() && options_.observer != nullptr)
      options_.observer->passing(machine_, simulated_.history);
    if (standstill_.found())
      ended_ = machine_.somebody_polls()                         ? Ending::kLivelock
               : !machine_.started() || somebody_waits(machine_) ? Ending::kHang
                                                                 : Ending::kCompleted;
    else if (simulation_.steps.beats() >= report_.scenario->limits.steps)
      ended_ = Ending::kStepLimit;
    return !ended_;
  }

  /// Time left until the run is to stop by the clock; no value if it is not.
  std::optional<std::uint64_t> time_left() const {
    std::optional<std::uint64_t> left;
    if (!machine_.started() || !timed()) return left;
    const std::uint64_t now = simulation_.steps.now();
    for (const auto& limit : {options_.stop_at, report_.scenario->end_time})
      if (limit) left = std::min(left.value_or(UINT64_MAX), *limit > now ? *limit - now : 0);
    return left;
  }

  /// Simulates `time` [ps] at most; false when the run has ended.
  bool advance(std::uint64_t time) {
    sc_core::sc_start(sc_core::sc_time::from_value(time), sc_core::SC_EXIT_ON_STARVATION);
    if (simulation_.steps.failure() || explored_ || !look()) return false;
    return sc_core::sc_pending_activity();
  }

  void simulate() {
    // The kernel knows of nothing pending before every process has run once.
    bool more = advance(0);
    while (more) {
      const std::uint64_t next = sc_core::sc_time_to_pending_activity().value();
      const std::optional<std::uint64_t> left = time_left();
      if (left && next > *left) {
        if (*left > 0) sc_core::sc_start(sc_core::sc_time::from_value(*left));
        return;
      }
      // A slice reaches the next activity at least: else the kernel would not move.
      std::uint64_t slice = std::max(kSlice, next);
      if (left) slice = std::min(slice, *left);
      more = advance(slice);
    }
  }

  Ending ending() {
    if (const std::exception_ptr failure = simulation_.steps.failure()) {
      try {
        std::rethrow_exception(failure);
      } catch (const os::BugCheck& bug_check) {
        report_.bug_check = dump(bug_check);
        return Ending::kBugCheck;
      } catch (const std::invalid_argument& error) {  // it asks for more than there is
        throw std::invalid_argument(machine_.place_of(simulation_.steps.current()) + error.what());
      }
    }
    if (ended_) return *ended_;
    const bool pending = !explored_ && sc_core::sc_pending_activity();
    if (!pending && !machine_.started()) return Ending::kHang;
    const bool waits = pending ? somebody_waits(machine_) : simulated_.rest() != Rest::kNobody;
    if (pending && options_.stop_at && simulation_.steps.now() >= *options_.stop_at)
      return Ending::kStopped;
    const auto& end_time = report_.scenario->end_time;
    if (pending && (!end_time || simulation_.steps.now() < *end_time))
      return Ending::kStopped;  // interrupted
    return waits ? Ending::kHang : Ending::kCompleted;
  }

  static report::StopReport dump(const os::BugCheck& bug_check) {
    const os::StopParameters& p = bug_check.parameters();
    return {bug_check.code(),
            fenceline::wddm::bug_check_name(bug_check.code()),
            {p.first, p.second, p.third, p.fourth},
            bug_check.what()};
  }

  void add_adapters() {
    for (std::size_t i = 0; i < machine_.platform().gpu_count(); ++i) {
      report::AdapterStart& start = report_.adapters.emplace_back();
      start.adapter = report_.scenario->platform.gpus[i].name;
      if (const auto& failure = machine_.kernel().system.adapters[i].failure) {
        start.how = os::start_rule_name(failure->rule());
        start.explanation = failure->what();
      } else {
        start.native_fences = machine_.kernel().adapter(i).native_fences();
      }
    }
  }

  void finish() {
    report_.ending = ending();
    report_.began = machine_.started();
    if (choices_left_ > 0)
      throw HiddenNondeterminism("hidden nondeterminism: the run has ended, and " +
                                 std::to_string(choices_left_) + " recorded choices are left");
    const bool quiet = !ended_ && report_.ending != Ending::kStopped &&
                       report_.ending != Ending::kBugCheck &&
                       (explored_ || !sc_core::sc_pending_activity());
    if (!explored_)
      for (std::size_t i = 0; i < machine_.platform().core_count(); ++i)
        machine_.platform().core(i).finish();
    if (quiet) machine_.kernel().memory.report_content();
    if (quiet)
      simulation_.events.emit(0, event::Quiescent());
    else
      simulation_.events.emit(0, event::EndOfRun());
    simulated_.checkers.finish();
    report_.violations = simulated_.checkers.violations();
    report_.exercised = simulated_.checkers.exercised();
    report_.end_time = simulation_.steps.now();
    fill_names();
    record_.finish(simulation_.events, report_);
    add_counters();
    add_adapters();
    for (const auto& fence : machine_.objects.fences())
      report_.fences.push_back({fence->name, machine_.objects.current_value(*fence),
                                machine_.objects.monitored_value(*fence)});
    report_.holds_open = !simulation_.steps.held().empty();
    report_.waiting = explain_waiting(machine_, simulated_.history);
    if (options_.observer != nullptr) options_.observer->ended(machine_, report_);
    judge(machine_, report_);
  }

  void add_counters() {
    const auto add = [&](const char* name, const char* meaning, std::uint64_t value) {
      report_.counters.push_back({name, "count", meaning, value});
    };
    if (explored_) {
      add("explore.steps", "steps taken since the programs started", steps_);
      add("explore.choice_points", "steps at which two or more agents could go on",
          simulation_.steps.choice_points());
    }
    for (std::size_t i = 0; i < machine_.platform().gpu_count(); ++i) {
      const auto& processor = machine_.platform().gpu(i).command_processor();
      add((report_.scenario->platform.gpus[i].name + ".wait_reads").c_str(),
          "reads of CurrentValue through the fabric by queues that wait", processor.wait_reads());
      add((report_.scenario->platform.gpus[i].name + ".faults").c_str(),
          "packets that no engine could execute", processor.faults());
    }
  }

  void fill_names() {
    for (std::size_t i = 0; i < os::kDdiCount; ++i)
      record_.names.ddis.emplace_back(os::ddi_info(static_cast<os::Ddi>(i)).name);
    record_.names.labels = machine_.labels();
    record_.names.c_states = {"C0"};
    for (const host::CState& state : report_.scenario->platform.host.c_states)
      record_.names.c_states.push_back(state.name);
  }

  const RunOptions& options_;
  report::Record& record_;
  const Simulating simulating_;
  Simulated simulated_;
  common::Simulation& simulation_ = simulated_.simulation;
  Whereabouts whereabouts_;
  Standstill standstill_;
  ScenarioMachine& machine_ = simulated_.machine;
  RunReport report_;
  std::optional<Ending> ended_;  ///< not by itself
  bool explored_ = false;
  std::size_t choices_left_ = 0;  ///< of a replay
  std::uint64_t steps_ = 0;
};

}  // namespace

RunReport run_scenario(const scenario::Scenario& scenario, const RunOptions& options,
                       report::Record& record) {
  return Run(scenario, options, record).run();
}

}  // namespace fenceline::run
