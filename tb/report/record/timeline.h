#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "tb/report/record/names.h"

namespace fenceline::report {

/// Kind of a lane. Its `object` is a number in the matching ObjectKind.
enum class Lane : std::uint8_t {
  kStory,  ///< the story of a counterexample; object = column + 1
  kQueue,  ///< hardware queues and contexts
  kEngine,
  kFence,    ///< only fences that are opened by others, closed or destroyed
  kLog,      ///< only logs that lost entries or were touched by user mode
  kCmp,      ///< object = adapter
  kDriver,   ///< DDI calls; object = adapter
  kPower,    ///< only adapters that leave D0; object = adapter
  kDisplay,  ///< frames; object = adapter
  kFlips,    ///< object = adapter
  kLink,
  kCore,
  kThread,
  kThreadState,
  kSystem,      ///< signals by the CPU outside of threads of programs; object is 0
  kAllocation,  ///< only allocations that move, are locked or leave caches
  kCount
};

enum class SliceKind : std::uint8_t {
  kPacket,         ///< detail = opcode
  kBuffer,         ///< a DMA buffer of a context runs; detail = its number in the context
  kPreemption,     ///< from DxgkDdiPreemptCommand to its acknowledgement; detail = its id
  kSuspended,      ///< the context of a queue is suspended
  kSignal,         ///< detail = value
  kGpuWait,        ///< detail = value
  kCpuWait,        ///< detail = value
  kCpuSignal,      ///< detail = value
  kUpdate,         ///< DxgkDdiUpdateMonitoredValues; detail = value
  kShadowWrite,    ///< the CMP's shadow write under way; detail = value
  kDdi,            ///< detail = index of the DDI
  kTransfer,       ///< detail = TlpKind << 32 | bytes
  kWrongTransfer,  ///< a fault befell it; detail = (LinkFaultKind << 8 | TlpKind) << 32 | bytes
  kIsr,
  kDpc,
  kIdle,     ///< a core sleeps; detail = C-state
  kRunning,  ///< a thread runs
  kReady,    ///< a thread could run
  kLost,     ///< log entries written in this span are lost; detail = their number
  kFrame,    ///< from one vertical sync to the next; detail = its number
  kFlip,     ///< from the request for a flip to the notification; detail = number of the image
  kPlaced,   ///< detail = event::Placement
  kLocked,
  kDrained,  ///< a core sends its write-combined stores
  kPower,    ///< an adapter is in a state below D0; detail = D-state
  kCount
};

/// True if the low 32 bits of its detail are bytes, and the others words.
constexpr bool is_transfer(SliceKind kind) {
  return kind == SliceKind::kTransfer || kind == SliceKind::kWrongTransfer;
}

/// Where an engine stopped for a preemption: between pieces of work, or at a level of its
/// granularity within one.
enum class StopLevel : std::uint8_t {
  kNone,  ///< not preempted
  kBuffers,
  kPackets,
  kOther,  ///< within a packet of another kind
  kPrimitive,
  kTriangle,
  kPixel,
  kShader,
  kThreadGroup,
  kThread,
  kCount
};

/// A span of time. `end` is exclusive; it may equal `begin`.
struct Slice {
  std::uint64_t begin = 0;  ///< [ps]
  std::uint64_t end = 0;    ///< [ps]
  std::uint64_t detail = 0;
  std::uint32_t object = 0;
  std::uint32_t fence = 0;    ///< 0 if none
  std::uint32_t owner = 0;    ///< on an engine: the queue or context whose work it is; else 0
  std::uint32_t process = 0;  ///< of the owner, if it is a context of a process; else 0
  Lane lane = Lane::kQueue;
  SliceKind kind = SliceKind::kPacket;
  bool open = false;                  ///< it lasted to the end of the run
  StopLevel stop = StopLevel::kNone;  ///< of preemptions, and of buffers and packets that they end
  std::uint32_t place = 0;            ///< of its cause: number in Timeline::places, from 1; 0: none
};

enum class InstantKind : std::uint8_t {
  kReleased,   ///< a wait is satisfied; object as its wait
  kCmpRaises,  ///< the CMP's compare asks for an interrupt
  kCmpSilent,  ///< the CMP's compare asks for none
  kRaised,     ///< an interrupt is asked for
  kMessage,    ///< an MSI-X write leaves
  kDoorbell,
  kMark,         ///< detail = label
  kHang,         ///< an engine hangs
  kPacketFault,  ///< an engine cannot execute a packet
  kReset,        ///< an engine or the adapter was reset
  kSaved,        ///< the state of a context goes to memory; detail = bytes
  kRestored,     ///< the state of a context comes from memory; detail = bytes
  kStopped,      ///< a buffer leaves the engine before its end; detail = its number
  kScanOut,      ///< the display changes to another image
  kCacheFlush,   ///< caches let lines go; detail = bytes
  kStory,        ///< a step of a counterexample; detail = its index in Timeline::story
  kEvent,        ///< an event of record/shown_events.h; detail = its value
  kCount
};

struct Instant {
  std::uint64_t time = 0;  ///< [ps]
  std::uint64_t detail = 0;
  std::uint32_t object = 0;
  std::uint32_t fence = 0;
  Lane lane = Lane::kQueue;
  InstantKind kind = InstantKind::kReleased;
  common::EventKind event{};  ///< of kEvent
  std::uint32_t place = 0;    ///< as in a slice
};

/// A signal that released a wait. Members are indices into slices and instants.
struct Flow {
  std::size_t signal;
  std::size_t wait;
  std::size_t release;  ///< the kReleased instant, not before the signal began
};

/// Columns of the story of a counterexample.
constexpr std::array<const char*, 5> kStoryColumns{"engine", "CMP", "on its way", "interrupt",
                                                   "CPU"};

/// A line of the story of a counterexample that also happened on the cycle timeline.
struct StoryMark {
  static constexpr std::size_t kNone = ~std::size_t{0};

  std::uint64_t time = 0;  ///< [ps]
  std::size_t step = 0;    ///< its number in the counterexample
  std::size_t column = 0;  ///< in kStoryColumns
  Lane lane = Lane::kStory;
  std::uint32_t object = 0;
  std::string text;
  std::size_t after = kNone;  ///< index of the mark until which it was held back
};

/// A quantity that changes in steps: a value of a fence, memory in use, or work of a queue.
struct ValueSeries {
  std::string name;   ///< e.g. "app/frame CurrentValue"
  const char* group;  ///< heading: "Fence values", "Memory" or "Queue depth"
  const char* unit;   ///< "", "bytes", "commands" or "buffers"
  std::vector<std::pair<std::uint64_t, std::uint64_t>> points;  ///< time [ps], value from then on
};

/// Part of a run. `end` is exclusive.
struct DrawnSpan {
  std::uint64_t begin = 0;  ///< [ps]
  std::uint64_t end = 0;    ///< [ps]
};

/// A program, step, command or object in the scenario file.
struct ScenarioPlace {
  std::uint32_t line = 0;  ///< from 1; 0: it comes from an option
  std::uint32_t column = 0;
  std::string object;  ///< the name of its rows, titles and series; empty: it has none
};

/// The record of a run as spans and instants on lanes, and as quantities over time.
struct Timeline {
  std::vector<Slice> slices;  ///< by begin
  std::vector<Instant> instants;
  std::vector<Flow> flows;
  std::vector<StoryMark> story;  ///< in the order of time; empty but for counterexamples
  std::vector<ValueSeries> series;
  std::vector<ScenarioPlace> places;  ///< empty if the scenario is not known
  std::uint64_t end_time = 0;         ///< [ps]

  /// Adds a line of the story of a counterexample: a mark on the lane of its agent, and an instant.
  /// Sets `mark.lane` and `mark.object`.
  void add_mark(StoryMark mark, const std::string& agent, const Names& names);
};

/// Place of a slice on its lane: its row, and the number of slices of that row that enclose it.
struct Placement {
  std::uint32_t row;
  std::uint32_t depth;
};
/// Distributes slices of one lane over rows so that those of a row nest. Greedy: the first row that
/// fits. @pre sorted by begin,
/// longer ones first, as in Timeline.
std::vector<Placement> nest(const std::vector<const Slice*>& slices);

}  // namespace fenceline::report
