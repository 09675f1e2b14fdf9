#include "tb/scenario/checks/bounds_waits.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>

namespace fenceline::scenario {

namespace {

/// Fence or event: its process and name. For an opened fence, those of the original.
using Key = std::pair<std::string, std::string>;

const Process* process_of(const Scenario& scenario, const std::string& name) {
  for (const Process& process : scenario.processes)
    if (process.name == name || (name.empty() && scenario.processes.size() == 1)) return &process;
  return nullptr;
}

Key fence_key(const Scenario& scenario, const std::string& process_name, const std::string& name) {
  const Process* process = process_of(scenario, process_name);
  if (process == nullptr) return {process_name, name};
  for (const Fence& fence : process->fences) {
    if (fence.name != name || !fence.open) continue;
    const std::size_t slash = fence.open->find('/');
    return {fence.open->substr(0, slash), fence.open->substr(slash + 1)};
  }
  return {process->name, name};
}

/// Signals and set events of the programs. Of a repeat only the first and the last round are used,
/// because values are linear in its counter.
class Sources {
 public:
  explicit Sources(const Scenario& scenario) : scenario_(scenario) {
    for (const Program& program : scenario.programs) {
      process_ = program.process;
      Counters counters;
      add(program.commands, counters);
      for (std::uint64_t index : {std::uint64_t{0}, std::uint64_t{program.count} - 1}) {
        if (!program.counter.empty()) counters[program.counter] = index;
        add(program.steps, counters);
      }
    }
  }

  /// Null if no step signals the fence.
  const std::uint64_t* highest(const Key& fence) const {
    const auto found = highest_.find(fence);
    return found != highest_.end() ? &found->second : nullptr;
  }
  bool sets(const Key& event) const { return events_.count(event) != 0; }
  /// Whether all waits have the same sources in both.
  bool same_as(const Sources& other) const {
    return highest_ == other.highest_ && events_ == other.events_;
  }

 private:
  void add(const FencePoint& point, const Counters& counters) {
    std::uint64_t& value = highest_[fence_key(scenario_, process_, point.fence)];
    value = std::max(value, point.value.evaluate(counters));
  }
  template <typename Repeat, typename Body>
  void add_rounds(const Repeat& repeat, const Body& body, Counters& counters) {
    const std::uint64_t count = repeat.count.evaluate(counters);
    if (count == 0) return;
    for (const std::uint64_t round : {std::uint64_t{0}, count - 1}) {
      if (!repeat.counter.empty()) counters[repeat.counter] = round;
      add(body, counters);
    }
    counters.erase(repeat.counter);
  }
  void add(const Commands& commands, Counters& counters) {
    for (const Command& command : commands) {
      if (const auto* signal = std::get_if<SignalCommand>(&command.what))
        add(signal->point, counters);
      if (const auto* repeat = std::get_if<RepeatCommands>(&command.what))
        add_rounds(*repeat, repeat->body, counters);
    }
  }
  void add(const Steps& steps, Counters& counters) {
    for (const Step& step : steps) {
      if (const auto* signal = std::get_if<SignalStep>(&step.what))
        for (const FencePoint& point : signal->points) add(point, counters);
      if (const auto* signal = std::get_if<GpuSignalStep>(&step.what)) add(signal->point, counters);
      if (const auto* signal = std::get_if<SignalElsewhereStep>(&step.what))
        add(signal->point, counters);
      if (const auto* submit = std::get_if<SubmitStep>(&step.what)) add(submit->commands, counters);
      if (const auto* repeat = std::get_if<RepeatStep>(&step.what))
        add_rounds(*repeat, repeat->body, counters);
      add_events(step);
    }
  }
  void add_events(const Step& step) {
    const auto set = [this](const std::string& event) { events_.insert({process_, event}); };
    if (const auto* wait = std::get_if<WaitStep>(&step.what); wait != nullptr && wait->event)
      set(*wait->event);
    if (const auto* made = std::get_if<CreateCpuEventStep>(&step.what)) set(made->event);
    if (const auto* passed = std::get_if<PassHandleStep>(&step.what)) set(passed->event);
  }

  const Scenario& scenario_;
  std::string process_;
  std::map<Key, std::uint64_t> highest_;
  std::set<Key> events_;
};

/// Cuts one program before its first lost wait.
class Cutter {
 public:
  Cutter(const Scenario& scenario, const Sources& before, const Sources& after, std::string process)
      : scenario_(scenario), before_(before), after_(after), process_(std::move(process)) {}

  /// True if something was cut.
  template <typename List>
  bool cut(List& list) {
    for (auto it = list.begin(); it != list.end(); ++it) {
      if (!cut_item(*it)) continue;
      if (!keeps(*it))
        list.erase(it, list.end());
      else
        list.erase(it + 1, list.end());
      return true;
    }
    return false;
  }
  Counters& counters() { return counters_; }

 private:
  bool lost(const FencePoint& point) const {
    const Key key = fence_key(scenario_, process_, point.fence);
    const std::uint64_t value = point.value.evaluate(counters_);
    const std::uint64_t* could = before_.highest(key);
    const std::uint64_t* can = after_.highest(key);
    return could != nullptr && *could >= value && (can == nullptr || *can < value);
  }
  bool lost(const WaitStep& wait) const {
    if (wait.timeout) return false;
    const auto is = [this](const FencePoint& point) { return lost(point); };
    return wait.any ? std::all_of(wait.points.begin(), wait.points.end(), is)
                    : std::any_of(wait.points.begin(), wait.points.end(), is);
  }
  bool lost(const WaitEventStep& wait) const {
    const Key key{process_, wait.event};
    return !wait.timeout && before_.sets(key) && !after_.sets(key);
  }
  /// True if a part of the cut item is left.
  static bool keeps(const Step& step) {
    if (const auto* submit = std::get_if<SubmitStep>(&step.what)) return !submit->commands.empty();
    const auto* repeat = std::get_if<RepeatStep>(&step.what);
    return repeat != nullptr && !repeat->body.empty();
  }
  static bool keeps(const Command& command) {
    const auto* repeat = std::get_if<RepeatCommands>(&command.what);
    return repeat != nullptr && !repeat->body.empty();
  }
  /// Keeps the rounds before the first one with a lost wait.
  template <typename Repeat>
  bool cut_repeat(Repeat& repeat) {
    const std::uint64_t count = repeat.count.evaluate(counters_);
    for (std::uint64_t round = 0; round < count; ++round) {
      if (!repeat.counter.empty()) counters_[repeat.counter] = round;
      auto tried = repeat.body;
      if (!cut(tried)) continue;
      repeat.count = Expression(round);
      if (round == 0) repeat.body.clear();
      counters_.erase(repeat.counter);
      return true;
    }
    counters_.erase(repeat.counter);
    return false;
  }
  bool cut_item(Command& command) {
    if (const auto* wait = std::get_if<WaitCommand>(&command.what)) return lost(wait->point);
    auto* repeat = std::get_if<RepeatCommands>(&command.what);
    return repeat != nullptr && cut_repeat(*repeat);
  }
  bool cut_item(Step& step) {
    if (const auto* wait = std::get_if<WaitStep>(&step.what)) return lost(*wait);
    if (const auto* wait = std::get_if<WaitEventStep>(&step.what)) return lost(*wait);
    if (const auto* poll = std::get_if<PollStep>(&step.what))
      return !poll->timeout && lost(poll->point);
    if (const auto* wait = std::get_if<GpuWaitStep>(&step.what)) return lost(wait->point);
    if (auto* submit = std::get_if<SubmitStep>(&step.what)) return cut(submit->commands);
    auto* repeat = std::get_if<RepeatStep>(&step.what);
    return repeat != nullptr && cut_repeat(*repeat);
  }

  const Scenario& scenario_;
  const Sources& before_;
  const Sources& after_;
  const std::string process_;
  Counters counters_;
};

}  // namespace

void end_before_lost_waits(const Scenario& whole, Scenario& cut) {
  const Sources before(whole);
  for (bool again = true; again;) {
    again = false;
    const Sources after(cut);
    if (after.same_as(before)) return;  // a loop of many rounds need not be looked through
    for (Program& program : cut.programs) {
      Cutter cutter(cut, before, after, program.process);
      if (!program.counter.empty()) cutter.counters()[program.counter] = program.count - 1;
      again = cutter.cut(program.commands) || again;
      again = cutter.cut(program.steps) || again;
    }
  }
}

}  // namespace fenceline::scenario
