#include "tb/explore/story/story.h"

#include <algorithm>
#include <fmt/format.h>
#include <string_view>

#include "tb/report/record/timeline.h"
#include "tb/report/writers/narrative.h"

namespace fenceline::explore {

using common::HoldRule;
using common::OperationInstance;

namespace {

constexpr std::size_t kLaneWidth = 12;
/// A sentence with more orders than this is not read; the story marks all held steps.
constexpr std::size_t kOrdersInWords = 4;

bool held(const ReplayedStep& step, const std::vector<HoldRule>& holds) {
  return std::any_of(holds.begin(), holds.end(), [&](const HoldRule& hold) {
    return same(hold.operation, step.instance) || same(hold.until, step.instance);
  });
}

/// True if the steps meet in memory, and not in the state of a block, a core or the OS.
bool meet_in_memory(const ReplayedStep& first, const ReplayedStep& second) {
  return std::any_of(first.touched.begin(), first.touched.end(), [&](const auto& access) {
    return common::Footprint::place_of(access.location) == common::Place::kMemory &&
           std::any_of(second.touched.begin(), second.touched.end(), [&](const auto& other) {
             return other.location == access.location && (other.write || access.write);
           });
  });
}

/// Marks the line of each of the two steps that says what decides. A step begins with its accesses
/// to memory; what it does with the state of its block comes last.
void mark_decisive(const std::vector<ReplayedStep>& trace, const OrderedSteps& decisive,
                   std::vector<StoryLine>& lines) {
  if (decisive.first == 0) return;
  const bool first = meet_in_memory(trace[decisive.first - 1], trace[decisive.second - 1]);
  for (const std::size_t step : {decisive.first, decisive.second}) {
    StoryLine* line = nullptr;
    for (StoryLine& one : lines)
      if (one.step == step && (line == nullptr || !first)) line = &one;
    if (line != nullptr) line->decides = true;
  }
}

}  // namespace

std::string title_of(const check::Violation& violation) {
  if (violation.name == violation.invariant) return violation.name;
  return violation.invariant + " " + violation.name;
}

std::string in_steps(const std::string& message) {
  return report::with_times(message, [](std::string_view text, const std::string& number) {
    const auto ends_with = [&](std::string_view word) {
      return text.size() >= word.size() && text.substr(text.size() - word.size()) == word;
    };
    const bool point = ends_with("at ") || ends_with("since ");
    return point ? "step " + number : number + " ps";
  });
}

std::size_t column_of(const std::string& agent) {
  const auto has = [&](const char* part) { return agent.find(part) != std::string::npos; };
  if (has(".vram") || has(".host") || has(".pcie")) return 2;
  if (has(".cmp")) return 1;
  if (has(".isr") || has(".dpc") || has(".fallback")) return 3;
  return has("gpu") && has(".") ? 0 : 4;
}

std::string StoryTeller::describe_step(const std::vector<ReplayedStep>& trace,
                                       std::size_t step) const {
  for (const common::Event& event : trace[step].events)
    if (explains(event.kind)) return report::describe(event, names);
  return describe_operation(trace, step, steps, names, places);
}

std::vector<std::string> StoryTeller::why(const check::Violation& violation,
                                          const std::vector<ReplayedStep>& trace,
                                          const std::vector<HoldRule>& holds,
                                          const OrderedSteps& decisive) const {
  std::vector<std::string> sentences{in_steps(violation.message)};
  if (holds.empty()) {
    sentences.emplace_back(
        "No write has to be held back: it happens even if each write arrives at once.");
    return sentences;
  }
  const auto find = [&](const OperationInstance& instance) {
    const std::size_t number = number_of(trace, instance);
    return number == 0 ? steps.name(instance.agent) : describe_step(trace, number - 1);
  };
  std::vector<HoldRule> sorted = holds;
  std::stable_partition(sorted.begin(), sorted.end(), [&](const HoldRule& hold) {
    return decisive.first != 0 && number_of(trace, hold.until) == decisive.first &&
           number_of(trace, hold.operation) == decisive.second;
  });
  std::string orders;
  const std::size_t told = std::min(sorted.size(), kOrdersInWords);
  for (std::size_t i = 0; i < told; ++i)
    orders += fmt::format("{}{} before {}", orders.empty() ? "" : ", and ", find(sorted[i].until),
                          find(sorted[i].operation));
  if (told < holds.size())
    orders += fmt::format(", and {} more orders hold, which the story marks", holds.size() - told);
  sentences.push_back("It happens when " + orders + ".");
  return sentences;
}

std::vector<StoryLine> StoryTeller::story(const std::vector<ReplayedStep>& trace,
                                          const std::vector<HoldRule>& holds,
                                          const OrderedSteps& decisive) const {
  const auto named = [&](std::size_t i) {
    return i + 1 == decisive.first || i + 1 == decisive.second || held(trace[i], holds);
  };
  // Walk backwards from the named steps and collect all steps that they depend on.
  std::vector<bool> needed(trace.size());
  bool any = false;
  for (std::size_t i = 0; i < trace.size(); ++i) any |= needed[i] = named(i);
  for (std::size_t later = trace.size(); later-- > 0;) {
    if (!any) needed[later] = true;
    if (!needed[later]) continue;
    for (std::size_t earlier = 0; earlier < later; ++earlier)
      needed[earlier] = needed[earlier] ||
                        trace[earlier].instance.agent == trace[later].instance.agent ||
                        earlier + 1 == trace[later].possible ||
                        conflict(trace[earlier].touched, trace[later].touched);
  }
  std::vector<StoryLine> lines;
  const auto last = std::find(needed.rbegin(), needed.rend(), true).base() - needed.begin();
  for (std::size_t i = 0; i < static_cast<std::size_t>(last); ++i) {
    const bool is_held = held(trace[i], holds);
    for (const common::Event& event : trace[i].events) {
      if (!explains(event.kind) || (!needed[i] && !event.is<event::CurrentValueRead>())) continue;
      // An event may come from an agent other than that of the step: an idle agent goes on within
      // the step that woke it.
      lines.push_back({i + 1, steps.name(event.agent),
                       common::operation_name(trace[i].instance.operation),
                       report::describe(event, names), is_held});
    }
    const bool told = named(i) || (needed[i] && rings_peer(trace, i, places));
    if (told && (lines.empty() || lines.back().step != i + 1))
      lines.push_back({i + 1, steps.name(trace[i].instance.agent),
                       common::operation_name(trace[i].instance.operation),
                       describe_operation(trace, i, steps, names, places), is_held});
  }
  mark_decisive(trace, decisive, lines);
  return lines;
}

OrderedSteps decisive_race(const std::vector<ReplayedStep>& trace, std::size_t inevitable,
                           const std::vector<OrderedSteps>& held) {
  if (inevitable == 0 || inevitable > trace.size()) return {};
  const ReplayedStep& step = trace[inevitable - 1];
  for (std::size_t later = inevitable; later < trace.size(); ++later)
    if (trace[later].instance.agent != step.instance.agent && trace[later].possible < inevitable &&
        conflict(trace[later].touched, step.touched))
      return {inevitable, later + 1};
  for (const OrderedSteps& it : held)
    if (it.first == inevitable) return it;
  return {};
}

OmittedSteps Counterexample::omitted_before(std::size_t line) const {
  const std::size_t from = line == 0 ? 0 : story[line - 1].step;
  const std::size_t to = line < story.size() ? story[line].step - 1 : steps;
  OmittedSteps omitted;
  for (std::size_t i = from; i < to && i < trace.size(); ++i) {
    ++omitted.count;
    auto& agents = omitted.agents;
    if (std::find(agents.begin(), agents.end(), trace[i]) == agents.end())
      agents.push_back(trace[i]);
  }
  return omitted;
}

std::string omitted_text(const OmittedSteps& omitted) {
  return fmt::format("{} step{} of {}", omitted.count, omitted.count == 1 ? "" : "s",
                     fmt::join(omitted.agents, ", "));
}

namespace {

const char* mark_of(const Counterexample& found, const StoryLine& line) {
  if (line.step == found.decisive.first || line.step == found.decisive.second) return "!";
  return line.held ? "*" : " ";
}

}  // namespace

std::string swim_lanes(const Counterexample& found) {
  std::string text = "  step";
  for (const char* lane : report::kStoryColumns) text += fmt::format("  {:<{}}", lane, kLaneWidth);
  text.erase(text.find_last_not_of(' ') + 1);
  text += '\n';
  const auto omitted = [&](std::size_t line) {
    const OmittedSteps steps = found.omitted_before(line);
    return steps.count == 0 ? std::string() : "   ... " + omitted_text(steps) + "\n";
  };
  for (std::size_t i = 0; i < found.story.size(); ++i) {
    const StoryLine& line = found.story[i];
    text += omitted(i) + fmt::format("{:>5}{}", line.step, mark_of(found, line));
    for (std::size_t column = 0; column < column_of(line.agent); ++column)
      text += fmt::format("  {:<{}}", "|", kLaneWidth);
    text += "  " + with_agent(line.agent, line.text) + "\n";
  }
  text += omitted(found.story.size());
  for (const std::string& line : found.at_end) text += "  end   " + line + "\n";
  return text +
         "  (! the order of these two steps decides it; * a hold fixes the order of this step; "
         "... steps left out: the violation does not depend on them, or they have nothing to "
         "print)\n";
}

}  // namespace fenceline::explore
