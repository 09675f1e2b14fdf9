#include "tb/report/record/timeline_words.h"

#include <array>
#include <fmt/format.h>
#include <limits>
#include <string_view>

#include "models/abi/packets.h"

namespace fenceline::report {

using common::ObjectKind;

namespace {

constexpr const char* kTlps[] = {"posted write", "read request", "completion", "MSI-X write"};

std::string value_text(std::uint64_t value) {
  return value == std::numeric_limits<std::uint64_t>::max() ? "none" : std::to_string(value);
}

/// By event::Placement.
constexpr const char* kPlacements[] = {"in a memory segment", "in the aperture", "evicted"};

bool is_work(std::uint64_t opcode) {
  return opcode == static_cast<std::uint64_t>(abi::Opcode::kDispatch) ||
         opcode == static_cast<std::uint64_t>(abi::Opcode::kCopy);
}

/// Words of a kind of slice or instant.
template <class Kind>
struct KindWords {
  Kind kind;
  const char* title;  ///< "" if each slice has another one
  const char* style;  ///< class in the style sheets
  bool has_value;     ///< `detail` is a value that is not part of the title
  bool has_fence;     ///< the name of the fence ends the title
};

constexpr KindWords<SliceKind> kSlices[] = {
    {SliceKind::kPacket, "", "packet", false, false},
    {SliceKind::kBuffer, "buffer", "buffer", true, false},
    {SliceKind::kPreemption, "preemption", "preemption", true, false},
    {SliceKind::kSuspended, "suspended", "suspended", false, false},
    {SliceKind::kSignal, "signal", "signal", true, true},
    {SliceKind::kGpuWait, "wait", "wait", true, true},
    {SliceKind::kCpuWait, "wait", "wait", true, true},
    {SliceKind::kCpuSignal, "CPU signal", "signal", true, true},
    {SliceKind::kUpdate, "MonitoredValue", "update", true, true},
    {SliceKind::kShadowWrite, "shadow", "update", true, true},
    {SliceKind::kDdi, "", "driver", false, false},
    {SliceKind::kTransfer, "", "pcie", false, false},
    {SliceKind::kIsr, "ISR", "isr", false, false},
    {SliceKind::kDpc, "DPC", "dpc", false, false},
    {SliceKind::kIdle, "", "idle", false, false},
    {SliceKind::kRunning, "running", "running", false, false},
    {SliceKind::kReady, "ready", "ready", false, false},
    {SliceKind::kLost, "lost", "lost", true, false},
    {SliceKind::kFrame, "frame", "display", true, false},
    {SliceKind::kFlip, "flip to image", "display", true, false},
    {SliceKind::kPlaced, "", "memory", false, false},
    {SliceKind::kLocked, "locked", "memory", false, false},
    {SliceKind::kDrained, "write-combined stores leave", "memory", false, false},
};

constexpr KindWords<InstantKind> kInstants[] = {
    {InstantKind::kReleased, "released", "wait", true, true},
    {InstantKind::kCmpRaises, "above MonitoredValue", "isr", true, true},
    {InstantKind::kCmpSilent, "not above MonitoredValue", "update", true, true},
    {InstantKind::kRaised, "interrupt raised", "isr", true, false},
    {InstantKind::kMessage, "MSI-X write", "isr", true, false},
    {InstantKind::kDoorbell, "doorbell", "packet", true, false},
    {InstantKind::kMark, "", "mark", false, false},
    {InstantKind::kSuspect, "fault", "suspect", true, false},
    {InstantKind::kHang, "engine hangs", "suspect", true, false},
    {InstantKind::kReset, "reset", "suspect", true, false},
    {InstantKind::kSaved, "state saved", "preemption", true, false},
    {InstantKind::kRestored, "state restored", "preemption", true, false},
    {InstantKind::kStopped, "buffer stopped", "preemption", true, false},
    {InstantKind::kScanOut, "scan-out changes", "display", true, false},
    {InstantKind::kCacheFlush, "caches flushed", "memory", true, false},
    {InstantKind::kStory, "step of the counterexample", "story", false, false},
};

template <class Kind, std::size_t count>
constexpr bool in_order(const KindWords<Kind> (&list)[count]) {
  for (std::size_t i = 0; i < count; ++i)
    if (list[i].kind != static_cast<Kind>(i)) return false;
  return count == static_cast<std::size_t>(Kind::kCount);
}
static_assert(in_order(kSlices) && in_order(kInstants), "one line for each kind, in their order");

const KindWords<SliceKind>& words_of(SliceKind kind) {
  return kSlices[static_cast<std::size_t>(kind)];
}
const KindWords<InstantKind>& words_of(InstantKind kind) {
  return kInstants[static_cast<std::size_t>(kind)];
}

/// The title of a slice or instant whose kind has one.
template <class Item>
std::string title_of(const Item& item, const Names& names) {
  const auto& words = words_of(item.kind);
  std::string title = words.title;
  if (words.has_fence) title.append(" ").append(names.object(ObjectKind::kFence, item.fence));
  return title;
}

}  // namespace

ObjectRows rows_of(ObjectKind kind) {
  switch (kind) {
    case ObjectKind::kFence:
      return {"fence", "charts of CurrentValue and MonitoredValue"};
    case ObjectKind::kQueue:
      return {"queue or context",
              "packets or buffers, signals, waits, suspensions, doorbells; a chart of its depth"};
    case ObjectKind::kLog:
      return {"fence log", "a row if it lost entries; `log.txt` has all entries"};
    case ObjectKind::kEngine:
      return {"engine",
              "packets and buffers with queue or context and process; preemptions, saved and "
              "restored states, hangs, resets"};
    case ObjectKind::kCore:
      return {"core", "idle states, ISRs, DPCs, write-combined stores that leave"};
    case ObjectKind::kThread:
      return {"thread", "waits, signals, marks; states in a row of their own"};
    case ObjectKind::kAdapter:
      return {"adapter", "rows of its CMP, its driver, its display and its flips"};
    case ObjectKind::kLink:
      return {"PCIe direction", "transfers"};
    case ObjectKind::kProcess:
      return {"process", "no row: its name stands at the work of its contexts"};
    case ObjectKind::kAgent:
      return {"agent", "no row: each acts for one of these objects"};
    case ObjectKind::kAllocation:
      return {"allocation",
              "a row if it moves, is locked or leaves caches; all count in the chart of memory"};
    case ObjectKind::kCallSite:
      return {"call site", "no row: a misuse is a mark on the driver"};
    case ObjectKind::kNone:
    case ObjectKind::kCount:
      break;
  }
  return {"none", "no object"};
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
    case Lane::kFlips:
      return named(ObjectKind::kAdapter) + " flips";
    case Lane::kDisplay:
      return named(ObjectKind::kAdapter) + " display";
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
    case Lane::kAllocation:
      return named(ObjectKind::kAllocation);
    case Lane::kStory:
      return object == 0 ? "?" : kStoryColumns.at(object - 1);
    case Lane::kCount:
      break;
  }
  return "?";
}

namespace {

constexpr std::array<const char*, static_cast<std::size_t>(StopLevel::kCount)> kStops{
    "",
    "between buffers",
    "between packets",
    "within a packet",
    "at a primitive boundary",
    "at a triangle boundary",
    "at a pixel boundary",
    "at a shader boundary",
    "at a thread group boundary",
    "at a thread boundary"};

/// ", preempted at a pixel boundary"; empty for one that was not preempted.
std::string stop_words(const Slice& slice) {
  if (slice.stop == StopLevel::kNone) return {};
  return fmt::format(", {}{}", slice.kind == SliceKind::kPreemption ? "" : "preempted ",
                     kStops.at(static_cast<std::size_t>(slice.stop)));
}

std::string plain_title(const Slice& slice, const Names& names) {
  const auto owned = [&](std::string words, const char* of) {
    if (slice.owner == 0) return words;
    words.append(of).append(names.object(ObjectKind::kQueue, slice.owner));
    if (slice.process != 0)
      words.append(" (").append(names.object(ObjectKind::kProcess, slice.process)).append(")");
    return words;
  };
  switch (slice.kind) {
    case SliceKind::kPacket:
      return owned(Names::entry(names.opcodes, slice.detail, "opcode"), " ");
    case SliceKind::kBuffer:
      return owned(title_of(slice, names), " of ");
    case SliceKind::kDdi:
      return Names::entry(names.ddis, slice.detail, "ddi");
    case SliceKind::kTransfer:
      return kTlps[(slice.detail >> 32) % std::size(kTlps)];
    case SliceKind::kIdle:
      return Names::entry(names.c_states, slice.detail, "C");
    case SliceKind::kPlaced:
      return kPlacements[slice.detail % std::size(kPlacements)];
    default:
      return title_of(slice, names);
  }
}

}  // namespace

std::string slice_title(const Slice& slice, const Names& names) {
  return plain_title(slice, names) + stop_words(slice);
}

bool has_value(SliceKind kind) { return words_of(kind).has_value; }
bool has_value(InstantKind kind) { return words_of(kind).has_value; }

namespace {

std::string plain_name(const Slice& slice, const Names& names) {
  const std::string title = plain_title(slice, names);
  switch (slice.kind) {
    case SliceKind::kTransfer:
      return fmt::format("{} {} B", title, slice.detail & 0xffff'ffffu);
    case SliceKind::kLost:
      return fmt::format("{} {}", slice.detail, title);
    case SliceKind::kGpuWait:
    case SliceKind::kCpuWait:
      return fmt::format("{} >= {}", title, value_text(slice.detail));
    case SliceKind::kBuffer:
      return fmt::format("buffer {}{}", slice.detail,
                         title.substr(std::string_view("buffer").size()));
    case SliceKind::kPreemption:
    case SliceKind::kFrame:
    case SliceKind::kFlip:
      return fmt::format("{} {}", title, slice.detail);
    default:
      break;
  }
  return has_value(slice.kind) ? fmt::format("{} = {}", title, value_text(slice.detail)) : title;
}

}  // namespace

std::string slice_name(const Slice& slice, const Names& names) {
  return plain_name(slice, names) + stop_words(slice);
}

std::string instant_title(const Instant& instant, const Names& names) {
  if (instant.kind == InstantKind::kMark)
    return Names::entry(names.labels, instant.detail, "label");
  return title_of(instant, names);
}

std::string instant_name(const Instant& instant, const Names& names) {
  std::string title = instant_title(instant, names);
  switch (instant.kind) {
    case InstantKind::kReleased:
      return fmt::format("{} >= {}", title, instant.detail);
    case InstantKind::kCmpRaises:
    case InstantKind::kCmpSilent:
    case InstantKind::kMessage:
    case InstantKind::kStopped:
      return fmt::format("{} {}", title, instant.detail);
    case InstantKind::kSaved:
    case InstantKind::kRestored:
    case InstantKind::kCacheFlush:
      return fmt::format("{} {} B", title, instant.detail);
    case InstantKind::kSuspect:
      return fmt::format("{} {:#x}", title, instant.detail);
    default:
      return title;
  }
}

bool is_suspect(const Slice& slice) {
  return slice.open && slice.lane != Lane::kThreadState && slice.lane != Lane::kDisplay &&
         slice.lane != Lane::kAllocation && slice.kind != SliceKind::kIdle;
}

const char* style(const Slice& slice) {
  const bool work = slice.kind == SliceKind::kPacket && is_work(slice.detail);
  return work ? "work" : words_of(slice.kind).style;
}

const char* style(InstantKind kind) { return words_of(kind).style; }

}  // namespace fenceline::report
