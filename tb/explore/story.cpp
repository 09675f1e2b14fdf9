#include "tb/explore/story.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>

#include "tb/report/narrative.h"

namespace fenceline::explore {

using common::HoldRule;
using common::OperationInstance;

namespace {

constexpr std::array<const char*, 5> kLanes{"engine", "CMP", "on its way", "interrupt", "CPU"};
constexpr std::size_t kLaneWidth = 30;

/// Events that tell more than the name of the operation.
bool tells(common::EventKind kind) {
  using K = common::EventKind;
  switch (kind) {
    case K::kCurrentValueVisible:
    case K::kCurrentValueRead:
    case K::kCurrentValueIssued:
    case K::kMonitoredValueVisible:
    case K::kShadowIssued:
    case K::kShadowVisible:
    case K::kShadowRead:
    case K::kDecision:
    case K::kCmpDecision:
    case K::kInterruptRaised:
    case K::kMessageLost:
    case K::kMessageDelivered:
    case K::kNotify:
    case K::kNotifyAll:
    case K::kFallback:
    case K::kUpdateMonitoredCall:
    case K::kUpdateMonitoredReturn:
    case K::kWaitAdd:
    case K::kWaitRelease:
    case K::kWaitDone:
    case K::kGpuWaitPark:
    case K::kGpuWaitUnblock:
    case K::kLogEntryVisible:
    case K::kLogHeaderVisible:
    case K::kLogHeaderRead:
    case K::kLogEntryRead:
    case K::kLogEntryTorn:
    case K::kLogFlushReturn:
    case K::kFenceDestroy:
    case K::kBugCheck:
      return true;
    default:
      return false;
  }
}

bool same(const OperationInstance& a, const OperationInstance& b) {
  return a.agent == b.agent && a.operation == b.operation && a.nth == b.nth;
}

bool held(const ReplayedStep& step, const std::vector<HoldRule>& holds) {
  return std::any_of(holds.begin(), holds.end(), [&](const HoldRule& hold) {
    return same(hold.operation, step.instance) || same(hold.until, step.instance);
  });
}

std::size_t lane_of(const std::string& agent) {
  const auto has = [&](const char* part) { return agent.find(part) != std::string::npos; };
  if (has(".vram") || has(".host") || has(".pcie")) return 2;
  if (has(".cmp")) return 1;
  if (has(".isr") || has(".dpc") || has(".fallback")) return 3;
  return has("gpu") && has(".") ? 0 : 4;
}

}  // namespace

std::string StoryTeller::phrase(const ReplayedStep& step) const {
  std::string text = fmt::format("{} {}", steps.name(step.instance.agent),
                                 common::operation_name(step.instance.operation));
  for (const common::Event& event : step.events)
    if (tells(event.kind)) return text + " (" + report::describe(event, names) + ")";
  return text;
}

std::vector<std::string> StoryTeller::why(const check::Violation& violation,
                                          const std::vector<ReplayedStep>& trace,
                                          const std::vector<HoldRule>& holds) const {
  std::vector<std::string> sentences{violation.message};
  if (holds.empty()) {
    sentences.emplace_back("It takes no delay at all: the eager order shows it.");
    return sentences;
  }
  const auto find = [&](const OperationInstance& instance) {
    for (const ReplayedStep& step : trace)
      if (same(step.instance, instance)) return phrase(step);
    return steps.name(instance.agent);
  };
  std::string orders;
  for (const HoldRule& hold : holds)
    orders += fmt::format("{}{} only after {}", orders.empty() ? "" : ", and ",
                          find(hold.operation), find(hold.until));
  sentences.push_back("It takes this order: " + orders + ".");
  return sentences;
}

std::vector<StoryLine> StoryTeller::story(const std::vector<ReplayedStep>& trace,
                                          const std::vector<HoldRule>& holds) const {
  // Backwards from the held steps: whatever they depend on.
  std::vector<bool> needed(trace.size());
  bool any = false;
  for (std::size_t i = 0; i < trace.size(); ++i) any |= needed[i] = held(trace[i], holds);
  for (std::size_t later = trace.size(); later-- > 0;) {
    if (!any) needed[later] = true;
    if (!needed[later]) continue;
    for (std::size_t earlier = 0; earlier < later; ++earlier)
      needed[earlier] = needed[earlier] ||
                        trace[earlier].instance.agent == trace[later].instance.agent ||
                        conflict(trace[earlier].touched, trace[later].touched);
  }
  std::vector<StoryLine> lines;
  for (std::size_t i = 0; i < trace.size(); ++i) {
    const bool is_held = held(trace[i], holds);
    for (const common::Event& event : trace[i].events) {
      if (!tells(event.kind) || (!needed[i] && event.kind != common::EventKind::kCurrentValueRead))
        continue;
      // Who goes on from an idle point does so within the step that let him.
      lines.push_back({i + 1, steps.name(event.agent),
                       common::operation_name(trace[i].instance.operation),
                       report::describe(event, names), is_held});
    }
    if (is_held && (lines.empty() || lines.back().step != i + 1))
      lines.push_back({i + 1, steps.name(trace[i].instance.agent),
                       common::operation_name(trace[i].instance.operation), "", true});
  }
  return lines;
}

std::string swim_lanes(const std::vector<StoryLine>& story) {
  std::string text = "  step";
  for (const char* lane : kLanes) text += fmt::format("  {:<{}}", lane, kLaneWidth);
  text.erase(text.find_last_not_of(' ') + 1);
  text += '\n';
  std::size_t last = 0;
  for (const StoryLine& line : story) {
    if (line.step > last + 1) text += "   ...\n";
    last = line.step;
    const std::size_t indent = lane_of(line.agent) * (kLaneWidth + 2);
    text += fmt::format("{:>5}{} {:{}} {}: {}\n", line.step, line.held ? "*" : " ", "", indent,
                        line.agent, line.text.empty() ? line.operation : line.text);
  }
  return text;
}

}  // namespace fenceline::explore
