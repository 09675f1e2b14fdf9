#include "tb/report/record/timeline_words.h"

#include <array>
#include <fmt/format.h>
#include <limits>
#include <stdexcept>
#include <string_view>

#include "models/abi/packets.h"
#include "tb/report/record/shown_events.h"

namespace fenceline::report {

using common::ObjectKind;

namespace {

std::string value_text(std::uint64_t value) {
  return value == std::numeric_limits<std::uint64_t>::max() ? "none" : std::to_string(value);
}

/// The word that the sentence of an event has for a value of a field.
template <class E>
std::string word_in(std::string_view field, std::uint64_t value) {
  const event::Description& of = common::description(common::kKindOf<E>);
  return std::string(common::word_of(common::format_of(of, field), value));
}

bool is_work(std::uint64_t opcode) {
  return opcode == static_cast<std::uint64_t>(abi::Opcode::kDispatch) ||
         opcode == static_cast<std::uint64_t>(abi::Opcode::kDraw) ||
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
  Category category;
};

constexpr KindWords<SliceKind> kSlices[] = {
    {SliceKind::kPacket, "", "packet", false, false, Category::kPacket},
    {SliceKind::kBuffer, "buffer", "buffer", true, false, Category::kPacket},
    {SliceKind::kPreemption, "preemption", "preemption", true, false, Category::kPacket},
    {SliceKind::kSuspended, "suspended", "suspended", false, false, Category::kPacket},
    {SliceKind::kSignal, "signal", "signal", true, true, Category::kSignal},
    {SliceKind::kGpuWait, "wait", "wait", true, true, Category::kWait},
    {SliceKind::kCpuWait, "wait", "wait", true, true, Category::kWait},
    {SliceKind::kCpuSignal, "CPU signal", "signal", true, true, Category::kSignal},
    {SliceKind::kUpdate, "MonitoredValue", "update", true, true, Category::kWait},
    {SliceKind::kShadowWrite, "shadow", "update", true, true, Category::kWait},
    {SliceKind::kDdi, "", "driver", false, false, Category::kCpu},
    {SliceKind::kTransfer, "", "pcie", false, false, Category::kPcie},
    {SliceKind::kWrongTransfer, "", "suspect", false, false, Category::kPcie},
    {SliceKind::kIsr, "ISR", "isr", false, false, Category::kInterrupt},
    {SliceKind::kDpc, "DPC", "dpc", false, false, Category::kInterrupt},
    {SliceKind::kIdle, "", "idle", false, false, Category::kCpu},
    {SliceKind::kRunning, "running", "running", false, false, Category::kCpu},
    {SliceKind::kReady, "ready", "ready", false, false, Category::kCpu},
    {SliceKind::kLost, "lost", "lost", true, false, Category::kSignal},
    {SliceKind::kFrame, "frame", "display", true, false, Category::kCpu},
    {SliceKind::kFlip, "flip to image", "display", true, false, Category::kCpu},
    {SliceKind::kPlaced, "", "memory", false, false, Category::kCpu},
    {SliceKind::kLocked, "locked", "memory", false, false, Category::kCpu},
    {SliceKind::kDrained, "write-combined stores leave", "memory", false, false, Category::kCpu},
    {SliceKind::kPower, "D", "idle", true, false, Category::kCpu},
};

constexpr KindWords<InstantKind> kInstants[] = {
    {InstantKind::kReleased, "released", "wait", true, true, Category::kWait},
    {InstantKind::kCmpRaises, "above MonitoredValue", "isr", true, true, Category::kInterrupt},
    {InstantKind::kCmpSilent, "not above MonitoredValue", "update", true, true,
     Category::kInterrupt},
    {InstantKind::kRaised, "interrupt raised", "isr", true, false, Category::kInterrupt},
    {InstantKind::kMessage, "MSI-X write", "isr", true, false, Category::kInterrupt},
    {InstantKind::kDoorbell, "doorbell", "packet", true, false, Category::kPacket},
    {InstantKind::kMark, "", "mark", false, false, Category::kCpu},
    {InstantKind::kHang, "engine hangs", "suspect", true, false, Category::kInterrupt},
    {InstantKind::kPacketFault, "packet cannot be executed", "suspect", true, false,
     Category::kInterrupt},
    {InstantKind::kReset, "reset", "suspect", true, false, Category::kInterrupt},
    {InstantKind::kSaved, "state saved", "preemption", true, false, Category::kInterrupt},
    {InstantKind::kRestored, "state restored", "preemption", true, false, Category::kInterrupt},
    {InstantKind::kStopped, "buffer stopped", "preemption", true, false, Category::kInterrupt},
    {InstantKind::kScanOut, "scan-out changes", "display", true, false, Category::kInterrupt},
    {InstantKind::kCacheFlush, "caches flushed", "memory", true, false, Category::kInterrupt},
    {InstantKind::kStory, "step of the counterexample", "story", false, false, Category::kStory},
    {InstantKind::kEvent, "", "", false, false, Category::kCpu},
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

/// Category of an event that is a mark.
Category category_of(Lane lane) {
  if (lane == Lane::kQueue || lane == Lane::kEngine) return Category::kPacket;
  if (lane == Lane::kCmp || lane == Lane::kDriver) return Category::kInterrupt;
  return lane == Lane::kLink ? Category::kPcie : Category::kCpu;
}

/// The title of a slice or instant whose kind has one.
template <class Item>
std::string title_of(const Item& item, const Names& names) {
  const auto& words = words_of(item.kind);
  std::string title = words.title;
  if (words.has_fence && item.fence == 0) title += " (unknown fence)";
  if (words.has_fence && item.fence != 0)
    title.append(" ").append(names.object(ObjectKind::kFence, item.fence));
  return title;
}

}  // namespace

ObjectRows rows_of(ObjectKind kind) {
  switch (kind) {
    case ObjectKind::kFence:
      return {"fence",
              "charts of CurrentValue and MonitoredValue; a row if others open it, or it is closed "
              "or destroyed"};
    case ObjectKind::kQueue:
      return {"queue or context",
              "packets or buffers, signals, waits, suspensions, doorbells, dropped work; a chart "
              "of its "
              "depth"};
    case ObjectKind::kLog:
      return {"fence log", "a row if it lost entries; `log.txt` has all entries"};
    case ObjectKind::kEngine:
      return {
          "engine",
          "packets and buffers with queue or context and process; compares with MonitoredValue, "
          "preemptions, saved and restored states, hangs, resets"};
    case ObjectKind::kCore:
      return {
          "core",
          "idle states, interrupts that arrive or are lost, ISRs, DPCs, write-combined stores that "
          "leave"};
    case ObjectKind::kThread:
      return {"thread", "waits, signals, marks; states in a row of their own"};
    case ObjectKind::kAdapter:
      return {
          "adapter",
          "rows of its CMP, its driver, its display and its flips; of its power if it leaves D0"};
    case ObjectKind::kLink:
      return {"PCIe direction", "transfers, faults"};
    case ObjectKind::kProcess:
      return {"process", "no row: its name stands at the work of its contexts"};
    case ObjectKind::kAgent:
      return {"agent", "no row: each acts for one of these objects"};
    case ObjectKind::kAllocation:
      return {"allocation",
              "a row if it moves, is locked, mapped or leaves caches; the charts of memory count "
              "all that the memory manager places, but no rings, logs, fence values and page "
              "tables: they are never moved, and no event tells that they are taken"};
    case ObjectKind::kCallSite:
      return {"call site", "no row: a misuse is a mark on the driver"};
    case ObjectKind::kNone:
    case ObjectKind::kCount:
      break;
  }
  return {"none", "no object"};
}

namespace {

/// The object of a lane, and the words behind the name of the object.
struct LaneWords {
  Lane lane;
  ObjectKind object;
  const char* words;
};

constexpr LaneWords kLanes[] = {{Lane::kStory, ObjectKind::kNone, ""},
                                {Lane::kQueue, ObjectKind::kQueue, ""},
                                {Lane::kEngine, ObjectKind::kEngine, ""},
                                {Lane::kFence, ObjectKind::kFence, ""},
                                {Lane::kLog, ObjectKind::kLog, ""},
                                {Lane::kCmp, ObjectKind::kAdapter, " CMP"},
                                {Lane::kDriver, ObjectKind::kAdapter, " driver"},
                                {Lane::kPower, ObjectKind::kAdapter, " power"},
                                {Lane::kDisplay, ObjectKind::kAdapter, " display"},
                                {Lane::kFlips, ObjectKind::kAdapter, " flips"},
                                {Lane::kLink, ObjectKind::kLink, ""},
                                {Lane::kCore, ObjectKind::kCore, ""},
                                {Lane::kThread, ObjectKind::kThread, ""},
                                {Lane::kThreadState, ObjectKind::kThread, " state"},
                                {Lane::kSystem, ObjectKind::kNone, ""},
                                {Lane::kAllocation, ObjectKind::kAllocation, ""}};
static_assert(std::size(kLanes) == static_cast<std::size_t>(Lane::kCount));

const LaneWords& words_of(Lane lane) {
  const LaneWords& words = kLanes[static_cast<std::size_t>(lane)];
  if (words.lane != lane) throw std::logic_error("the lanes are not in their order");
  return words;
}

}  // namespace

std::string placement_words(event::Placement placement) {
  return word_in<event::AllocationPlaced>("placement", static_cast<std::uint64_t>(placement));
}

ObjectKind object_of_lane(Lane lane) { return words_of(lane).object; }

std::string lane_name(Lane lane, std::uint32_t object, const Names& names) {
  if (lane == Lane::kStory) return object == 0 ? "?" : kStoryColumns.at(object - 1);
  if (lane == Lane::kSystem) return "operating system";
  const LaneWords& words = words_of(lane);
  return std::string(names.object(words.object, object)) + words.words;
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
      return word_in<event::PcieTransfer>("kind", slice.detail >> 32);
    case SliceKind::kWrongTransfer:
      return fmt::format("{}: {}", word_in<event::PcieTransfer>("kind", slice.detail >> 32 & 0xff),
                         word_in<event::LinkFault>("kind", slice.detail >> 40));
    case SliceKind::kIdle:
      return Names::entry(names.c_states, slice.detail, "C");
    case SliceKind::kPlaced:
      return placement_words(static_cast<event::Placement>(slice.detail));
    default:
      return title_of(slice, names);
  }
}

}  // namespace

std::string slice_title(const Slice& slice, const Names& names) {
  return plain_title(slice, names) + stop_words(slice);
}

bool has_value(SliceKind kind) { return words_of(kind).has_value; }
bool has_value(const Instant& instant) {
  return instant.kind == InstantKind::kEvent ? has_number(instant.event)
                                             : words_of(instant.kind).has_value;
}

namespace {

std::string plain_name(const Slice& slice, const Names& names) {
  const std::string title = plain_title(slice, names);
  switch (slice.kind) {
    case SliceKind::kTransfer:
    case SliceKind::kWrongTransfer:
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
    case SliceKind::kPower:
      return fmt::format("{}{}", title, slice.detail);
    default:
      break;
  }
  return has_value(slice.kind) ? fmt::format("{} = {}", title, value_text(slice.detail)) : title;
}

}  // namespace

std::string slice_name(const Slice& slice, const Names& names) {
  return plain_name(slice, names) + stop_words(slice);
}

namespace {

/// A mark of a fence on the lane of another object names the fence.
std::string of_fence(std::string words, const Instant& instant, const Names& names) {
  if (instant.fence != 0) words.append(" ").append(names.object(ObjectKind::kFence, instant.fence));
  return words;
}

}  // namespace

std::string instant_title(const Instant& instant, const Names& names) {
  if (instant.kind == InstantKind::kMark)
    return Names::entry(names.labels, instant.detail, "label");
  if (instant.kind == InstantKind::kEvent)
    return of_fence(mark_title(instant.event, instant.detail, names), instant, names);
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
    case InstantKind::kEvent:
      return has_value(instant)
                 ? title.append(" ").append(mark_number(instant.event, instant.detail))
                 : title;
    default:
      return title;
  }
}

bool is_suspect(const Slice& slice) {
  return slice.open && slice.lane != Lane::kThreadState && slice.lane != Lane::kDisplay &&
         slice.lane != Lane::kAllocation && slice.lane != Lane::kPower &&
         slice.kind != SliceKind::kIdle && slice.kind != SliceKind::kSuspended;
}

std::string mark_words(const Instant& instant) {
  return instant.kind == InstantKind::kEvent ? event_words(instant.event)
                                             : words_of(instant.kind).title;
}

bool is_fault(const Instant& instant) { return style(instant) == std::string_view("suspect"); }

Category category(const Slice& slice) { return words_of(slice.kind).category; }

Category category(const Instant& instant) {
  return instant.kind == InstantKind::kEvent ? category_of(instant.lane)
                                             : words_of(instant.kind).category;
}

const char* style(const Slice& slice) {
  const bool work = slice.kind == SliceKind::kPacket && is_work(slice.detail);
  return work ? "work" : words_of(slice.kind).style;
}

const char* style(const Instant& instant) {
  return instant.kind == InstantKind::kEvent ? event_mark(instant.event)->style
                                             : words_of(instant.kind).style;
}

}  // namespace fenceline::report
