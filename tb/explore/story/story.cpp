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

bool same(const OperationInstance& a, const OperationInstance& b) {
  return a.agent == b.agent && a.operation == b.operation && a.nth == b.nth;
}

bool held(const ReplayedStep& step, const std::vector<HoldRule>& holds) {
  return std::any_of(holds.begin(), holds.end(), [&](const HoldRule& hold) {
    return same(hold.operation, step.instance) || same(hold.until, step.instance);
  });
}

/// Time stands still while exploring: times in a message are numbers of steps.
std::string in_steps(const std::string& message) {
  return report::with_times(message, [](std::string_view text, const std::string& number) {
    const auto ends_with = [&](std::string_view word) {
      return text.size() >= word.size() && text.substr(text.size() - word.size()) == word;
    };
    const bool point = ends_with("at ") || ends_with("since ");
    return point ? "step " + number : number + " ps";
  });
}

}  // namespace

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
  return describe_operation(trace, step, steps, names);
}

std::vector<std::string> StoryTeller::why(const check::Violation& violation,
                                          const std::vector<ReplayedStep>& trace,
                                          const std::vector<HoldRule>& holds) const {
  std::vector<std::string> sentences{in_steps(violation.message)};
  if (holds.empty()) {
    sentences.emplace_back("It takes no delay at all: the eager order shows it.");
    return sentences;
  }
  const auto find = [&](const OperationInstance& instance) {
    for (std::size_t i = 0; i < trace.size(); ++i)
      if (same(trace[i].instance, instance)) return describe_step(trace, i);
    return steps.name(instance.agent);
  };
  std::string orders;
  const std::size_t told = std::min(holds.size(), kOrdersInWords);
  for (std::size_t i = 0; i < told; ++i)
    orders += fmt::format("{}{} before {}", orders.empty() ? "" : ", and ", find(holds[i].until),
                          find(holds[i].operation));
  if (told < holds.size())
    orders += fmt::format(", and {} more orders hold, which the story marks", holds.size() - told);
  sentences.push_back("It happens when " + orders + ".");
  return sentences;
}

std::vector<StoryLine> StoryTeller::story(const std::vector<ReplayedStep>& trace,
                                          const std::vector<HoldRule>& holds) const {
  // Walk backwards from the held steps and collect all steps that they depend on.
  std::vector<bool> needed(trace.size());
  bool any = false;
  for (std::size_t i = 0; i < trace.size(); ++i) any |= needed[i] = held(trace[i], holds);
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
    if (is_held && (lines.empty() || lines.back().step != i + 1))
      lines.push_back({i + 1, steps.name(trace[i].instance.agent),
                       common::operation_name(trace[i].instance.operation),
                       describe_operation(trace, i, steps, names), true});
  }
  return lines;
}

std::string swim_lanes(const std::vector<StoryLine>& story) {
  std::string text = "  step";
  for (const char* lane : report::kStoryColumns) text += fmt::format("  {:<{}}", lane, kLaneWidth);
  text.erase(text.find_last_not_of(' ') + 1);
  text += '\n';
  std::size_t last = 0;
  for (const StoryLine& line : story) {
    if (line.step > last + 1) text += "   ...\n";
    text += fmt::format("{:>5}{}", line.step, line.held ? "*" : " ");
    for (std::size_t i = 0; i < column_of(line.agent); ++i)
      text += fmt::format("  {:<{}}", "|", kLaneWidth);
    text += "  " + with_agent(line.agent, line.text) + "\n";
    last = line.step;
  }
  return text +
         "  (* a hold speaks of it; ... steps that tell nothing, or on which the outcome does not "
         "rest)\n";
}

}  // namespace fenceline::explore
