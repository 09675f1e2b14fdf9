#include "tb/report/record/timeline.h"

#include <fmt/format.h>
#include <limits>

#include "tb/report/record/timeline_builder.h"

namespace fenceline::report {

using common::ObjectKind;

namespace {

constexpr const char* kTlps[] = {"posted write", "read request", "completion", "MSI-X write"};

std::string value_text(std::uint64_t value) {
  return value == std::numeric_limits<std::uint64_t>::max() ? "none" : std::to_string(value);
}

/// The object with the longest name that `agent` begins with; 0 if there is none.
std::uint32_t owner(ObjectKind kind, std::string_view agent, const Names& names) {
  std::uint32_t best = 0;
  for (std::uint32_t i = 1; i <= names.count(kind); ++i) {
    const std::string_view name = names.object(kind, i);
    const bool begins = agent.substr(0, name.size()) == name &&
                        (agent.size() == name.size() || agent[name.size()] == '.');
    if (begins && (best == 0 || name.size() > names.object(kind, best).size())) best = i;
  }
  return best;
}

}  // namespace

void Timeline::add_mark(StoryMark mark, const std::string& agent, const Names& names) {
  const std::pair<Lane, ObjectKind> owners[] = {{Lane::kEngine, ObjectKind::kEngine},
                                                {Lane::kLink, ObjectKind::kLink},
                                                {Lane::kCore, ObjectKind::kCore},
                                                {Lane::kThread, ObjectKind::kThread},
                                                {Lane::kCmp, ObjectKind::kAdapter}};
  for (const auto& [lane, kind] : owners) {
    mark.lane = lane;
    mark.object = owner(kind, agent, names);
    if (mark.object != 0) break;
  }
  instants.push_back({mark.time, story.size(), static_cast<std::uint32_t>(mark.column + 1), 0,
                      Lane::kStory, InstantKind::kStory});
  story.push_back(std::move(mark));
}

Timeline Timeline::build(const Recorder& recorder, const Names& names, std::uint64_t end_time) {
  TimelineBuilder builder(names, recorder.size());
  recorder.for_each([&](const common::Event& event, std::uint64_t) { builder.take(event); });
  for (const IdlePeriod& period : idle_periods(recorder, end_time)) builder.add_idle(period);
  return builder.finish(end_time);
}

std::string lane_name(Lane lane, std::uint32_t object, const Names& names) {
  const auto named = [&](ObjectKind kind) { return std::string(names.object(kind, object)); };
  switch (lane) {
    case Lane::kQueue:
      return named(ObjectKind::kQueue);
    case Lane::kEngine:
      return named(ObjectKind::kEngine);
    case Lane::kLog:
      return named(ObjectKind::kLog);
    case Lane::kCmp:
      return named(ObjectKind::kAdapter) + " CMP";
    case Lane::kDriver:
      return named(ObjectKind::kAdapter) + " driver";
    case Lane::kLink:
      return named(ObjectKind::kLink);
    case Lane::kCore:
      return named(ObjectKind::kCore);
    case Lane::kThread:
      return named(ObjectKind::kThread);
    case Lane::kThreadState:
      return named(ObjectKind::kThread) + " state";
    case Lane::kSystem:
      return "operating system";
    case Lane::kStory:
      return object == 0 ? "?" : kStoryColumns.at(object - 1);
    case Lane::kCount:
      break;
  }
  return "?";
}

std::string slice_title(const Slice& slice, const Names& names) {
  const auto fence = [&] { return std::string(names.object(ObjectKind::kFence, slice.fence)); };
  switch (slice.kind) {
    case SliceKind::kPacket:
      return Names::entry(names.opcodes, slice.detail, "opcode");
    case SliceKind::kSignal:
      return "signal " + fence();
    case SliceKind::kCpuSignal:
      return "CPU signal " + fence();
    case SliceKind::kGpuWait:
    case SliceKind::kCpuWait:
      return "wait " + fence();
    case SliceKind::kUpdate:
      return "MonitoredValue " + fence();
    case SliceKind::kShadowWrite:
      return "shadow " + fence();
    case SliceKind::kDdi:
      return Names::entry(names.ddis, slice.detail, "ddi");
    case SliceKind::kTransfer:
      return kTlps[(slice.detail >> 32) % std::size(kTlps)];
    case SliceKind::kIsr:
      return "ISR";
    case SliceKind::kDpc:
      return "DPC";
    case SliceKind::kIdle:
      return Names::entry(names.c_states, slice.detail, "C");
    case SliceKind::kRunning:
      return "running";
    case SliceKind::kReady:
      return "ready";
    case SliceKind::kLost:
      return "lost";
    case SliceKind::kCount:
      break;
  }
  return "?";
}

bool has_value(SliceKind kind) {
  switch (kind) {
    case SliceKind::kSignal:
    case SliceKind::kCpuSignal:
    case SliceKind::kGpuWait:
    case SliceKind::kCpuWait:
    case SliceKind::kUpdate:
    case SliceKind::kShadowWrite:
    case SliceKind::kLost:
      return true;
    default:
      return false;
  }
}

bool has_value(InstantKind kind) {
  return kind != InstantKind::kMark && kind != InstantKind::kStory;
}

std::string slice_name(const Slice& slice, const Names& names) {
  const std::string title = slice_title(slice, names);
  switch (slice.kind) {
    case SliceKind::kTransfer:
      return fmt::format("{} {} B", title, slice.detail & 0xffff'ffffu);
    case SliceKind::kLost:
      return fmt::format("{} {}", slice.detail, title);
    case SliceKind::kGpuWait:
    case SliceKind::kCpuWait:
      return fmt::format("{} >= {}", title, value_text(slice.detail));
    default:
      break;
  }
  return has_value(slice.kind) ? fmt::format("{} = {}", title, value_text(slice.detail)) : title;
}

std::string instant_title(const Instant& instant, const Names& names) {
  const auto fence = [&] { return std::string(names.object(ObjectKind::kFence, instant.fence)); };
  switch (instant.kind) {
    case InstantKind::kReleased:
      return "released " + fence();
    case InstantKind::kCmpRaises:
      return "above MonitoredValue " + fence();
    case InstantKind::kCmpSilent:
      return "not above MonitoredValue " + fence();
    case InstantKind::kRaised:
      return "interrupt raised";
    case InstantKind::kMessage:
      return "MSI-X write";
    case InstantKind::kDoorbell:
      return "doorbell";
    case InstantKind::kMark:
      return Names::entry(names.labels, instant.detail, "label");
    case InstantKind::kSuspect:
      return "fault";
    case InstantKind::kStory:
      return "step of the counterexample";
    case InstantKind::kCount:
      break;
  }
  return "?";
}

std::string instant_name(const Instant& instant, const Names& names) {
  std::string title = instant_title(instant, names);
  switch (instant.kind) {
    case InstantKind::kReleased:
      return fmt::format("{} >= {}", title, instant.detail);
    case InstantKind::kCmpRaises:
    case InstantKind::kCmpSilent:
    case InstantKind::kMessage:
      return fmt::format("{} {}", title, instant.detail);
    case InstantKind::kSuspect:
      return fmt::format("{} {:#x}", title, instant.detail);
    default:
      return title;
  }
}

std::vector<Placement> nest(const std::vector<const Slice*>& slices) {
  std::vector<Placement> rows;
  rows.reserve(slices.size());
  std::vector<std::vector<std::uint64_t>> open;  // by row: ends of the slices around, inmost last
  for (const Slice* slice : slices) {
    std::uint32_t row = 0;
    for (;; ++row) {
      if (row == open.size()) open.emplace_back();
      auto& ends = open[row];
      while (!ends.empty() && ends.back() <= slice->begin) ends.pop_back();
      if (ends.empty() || ends.back() >= slice->end) break;
    }
    rows.push_back({row, static_cast<std::uint32_t>(open[row].size())});
    open[row].push_back(slice->end);
  }
  return rows;
}

}  // namespace fenceline::report
