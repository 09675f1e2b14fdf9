#include "tb/scenario/checks/bounds.h"

#include <algorithm>
#include <limits>
#include <set>
#include <utility>

#include "tb/scenario/checks/bounds_waits.h"

namespace fenceline::scenario {

namespace {

/// Rounds of a repeat; 1 if they depend on an outer repeat.
std::uint64_t rounds_of(const Expression& count) {
  return count.is_constant() ? count.constant() : 1;
}

Size size_of_commands(const Commands& commands) {
  Size size;
  for (const Command& command : commands) {
    size.signals += std::holds_alternative<SignalCommand>(command.what) ? 1 : 0;
    if (const auto* repeat = std::get_if<RepeatCommands>(&command.what))
      size.signals += size_of_commands(repeat->body).signals * rounds_of(repeat->count);
  }
  return size;
}

Size size_of_steps(const Steps& steps) {
  Size size;
  for (const Step& step : steps) {
    const auto is = [&step](auto kind) {
      return std::holds_alternative<decltype(kind)>(step.what) ? 1U : 0U;
    };
    size.waiters += is(WaitStep()) + is(PollStep());
    size.signals += is(SignalStep()) + is(GpuSignalStep()) + is(SignalElsewhereStep());
    if (const auto* submit = std::get_if<SubmitStep>(&step.what))
      size.signals += size_of_commands(submit->commands).signals;
    if (const auto* repeat = std::get_if<RepeatStep>(&step.what)) {
      const Size body = size_of_steps(repeat->body);
      const std::uint64_t rounds = rounds_of(repeat->count);
      size.signals += body.signals * rounds;
      size.waiters += body.waiters * rounds;
    }
  }
  return size;
}

/// The remaining budget while programs are processed.
struct Budget {
  std::uint64_t signals;
  std::uint64_t waiters;

  bool allows(const Size& size) const { return size.signals <= signals && size.waiters <= waiters; }
  void take(const Size& size) {
    signals -= size.signals;
    waiters -= size.waiters;
  }
  /// Number of allowed rounds of that size; at most `most`.
  std::uint64_t rounds(const Size& size, std::uint64_t most) const {
    if (size.signals != 0) most = std::min(most, signals / size.signals);
    if (size.waiters != 0) most = std::min(most, waiters / size.waiters);
    return most;
  }
};

Size size_of_item(const Command& command) { return size_of_commands({command}); }
Size size_of_item(const Step& step) { return size_of_steps({step}); }
Size size_of_body(const Commands& body) { return size_of_commands(body); }
Size size_of_body(const Steps& body) { return size_of_steps(body); }

/// Cuts a list before the first item beyond the budget. A repeat may keep some of its rounds. False
/// if it was cut.
template <typename Repeat, typename List>
bool cut(List& list, Budget& budget) {
  for (auto it = list.begin(); it != list.end(); ++it) {
    const Size size = size_of_item(*it);
    if (budget.allows(size)) {
      budget.take(size);
      continue;
    }
    if (auto* repeat = std::get_if<Repeat>(&it->what)) {
      const Size body = size_of_body(repeat->body);
      const std::uint64_t rounds = budget.rounds(body, rounds_of(repeat->count));
      budget.take({body.signals * rounds, body.waiters * rounds, 0, 0});
      repeat->count = Expression(rounds);
      if (rounds != 0) ++it;
    }
    list.erase(it, list.end());
    return false;
  }
  return true;
}

/// Cuts steps. A step that submits commands may keep some of them.
void cut_steps(Steps& steps, Budget& budget) {
  for (auto it = steps.begin(); it != steps.end(); ++it) {
    auto* submit = std::get_if<SubmitStep>(&it->what);
    Steps one{*it};
    if (submit == nullptr ? cut<RepeatStep>(one, budget)
                          : cut<RepeatCommands>(submit->commands, budget))
      continue;
    if (submit == nullptr && !one.empty()) *it++ = one.front();
    if (submit != nullptr && !submit->commands.empty()) ++it;
    steps.erase(it, steps.end());
    return;
  }
}

/// Keeps as many threads with the same steps as the budget allows. False if there is only one
/// thread, or if none fits: its steps must then be cut.
bool cut_threads(Program& program, Budget& budget) {
  if (program.count == 1) return false;
  const Size steps = size_of_steps(program.steps);
  const std::uint64_t kept = budget.rounds(steps, program.count);
  program.count = static_cast<std::uint32_t>(std::max<std::uint64_t>(kept, 1));
  budget.take({steps.signals * kept, steps.waiters * kept, 0, 0});
  return kept != 0;
}

/// Queues, as (process, name).
using QueueNames = std::set<std::pair<std::string, std::string>>;

void drop_submits(Steps& steps, const std::string& process, const QueueNames& kept) {
  const auto dropped = [&](const Step& step) {
    const auto* submit = std::get_if<SubmitStep>(&step.what);
    return submit != nullptr && kept.count({process, submit->context.value_or(submit->queue)}) == 0;
  };
  steps.erase(std::remove_if(steps.begin(), steps.end(), dropped), steps.end());
  for (Step& step : steps)
    if (auto* repeat = std::get_if<RepeatStep>(&step.what))
      drop_submits(repeat->body, process, kept);
}

/// Removes the work of all but the first `count` queues.
void drop_queues(Scenario& scenario, std::uint64_t count) {
  QueueNames kept;
  for (const Process& process : scenario.processes)
    for (const Queue& queue : process.queues)
      if (kept.size() < count) kept.insert({process.name, queue.name});
  for (const Process& process : scenario.processes)
    for (const Context& context : process.contexts)
      if (kept.size() < count) kept.insert({process.name, context.name});
  for (Program& program : scenario.programs) {
    drop_submits(program.steps, program.process, kept);
    if (program.queue && kept.count({program.process, *program.queue}) == 0)
      program.commands.clear();
  }
}

void drop_empty(Scenario& scenario) {
  const auto empty = [](const Program& program) {
    return program.commands.empty() && program.steps.empty();
  };
  auto& programs = scenario.programs;
  programs.erase(std::remove_if(programs.begin(), programs.end(), empty), programs.end());
}

}  // namespace

Size size_of(const Scenario& scenario) {
  Size size;
  size.pending = std::numeric_limits<std::uint64_t>::max();
  for (const Program& program : scenario.programs) {
    const Size steps = size_of_steps(program.steps);
    size.signals += size_of_commands(program.commands).signals + steps.signals * program.count;
    size.waiters += steps.waiters * program.count;
  }
  for (const Process& process : scenario.processes)
    size.queues += process.queues.size() + process.contexts.size();
  if (scenario.explore.bounds.queues)
    size.queues = std::min(size.queues, *scenario.explore.bounds.queues);
  for (const auto& gpu : scenario.platform.gpus)
    size.pending = std::min<std::uint64_t>(size.pending, gpu.fabric.fifo_depth);
  return size;
}

void apply_bounds(Scenario& scenario) {
  const ExploreBounds& bounds = scenario.explore.bounds;
  const Scenario whole = scenario;
  if (bounds.queues) drop_queues(scenario, *bounds.queues);
  if (bounds.pending)
    for (auto& gpu : scenario.platform.gpus)
      gpu.fabric.fifo_depth = static_cast<std::uint32_t>(*bounds.pending);
  constexpr auto kAny = std::numeric_limits<std::uint64_t>::max();
  Budget budget{bounds.signals.value_or(kAny), bounds.waiters.value_or(kAny)};
  for (Program& program : scenario.programs) {
    cut<RepeatCommands>(program.commands, budget);
    if (!cut_threads(program, budget)) cut_steps(program.steps, budget);
  }
  end_before_lost_waits(whole, scenario);
  drop_empty(scenario);
}

}  // namespace fenceline::scenario
