#include "tb/report/narrative.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <limits>
#include <stdexcept>
#include <string_view>

#include "models/abi/registers.h"

namespace fenceline::report {

using common::Event;
using common::EventKind;
using common::ObjectKind;

namespace {

/// A sentence with placeholders: @ agent, % object, $a $b $c numbers, $v monitored value in a,
/// $f fence in a, $q queue in c, $t thread in c, $e engine in c, $k core in a, $K core in c,
/// $p adapter in b, $P adapter in c, $o opcode in a, $d DDI in a, $l label in a, $i IRQL in b,
/// $x a in hex, $y a as payload bytes, $T a as TLP kind, $S a as queue state, $H a as thread state,
/// $C a as C-state, $r a as acknowledged, $D c as the CMP's decision, $w c as the engine's
/// decision, $s b as NTSTATUS, $N b as flags of a signal by the CPU.
struct Sentence {
  EventKind kind;
  bool story;
  const char* text;
};

using K = EventKind;

constexpr std::size_t kTimeWidth = 18;

constexpr Sentence kSentences[] = {
    {K::kCurrentValueIssued, false, "@ issues CurrentValue $a of %"},
    {K::kCurrentValueVisible, true, "CurrentValue of % is $a"},
    {K::kCurrentValueRead, false, "@ reads CurrentValue $a of %"},
    {K::kMonitoredValueVisible, true, "MonitoredValue of % is $v for $p"},
    {K::kMonitoredValueStored, false, "@ stores MonitoredValue $v of %"},
    {K::kShadowVisible, false, "the shadow MonitoredValue of % in $p is $v"},
    {K::kShadowRead, false, "@ reads the shadow MonitoredValue $v of %"},
    {K::kWorkIssued, false, "write $a of % is issued"},
    {K::kWorkVisible, false, "write $a of % is $W"},
    {K::kSignalBegin, true, "$q begins signal $b: % to $a"},
    {K::kDecision, true, "the engine compares signal $b of % ($a) with MonitoredValue: $w"},
    {K::kCmpDecision, true, "the CMP compares CurrentValue $a of % with MonitoredValue $V: $D"},
    {K::kSignalEnd, true, "$q ends signal $b: % to $a"},
    {K::kCpuSignal, true, "the OS $N % to $a"},
    {K::kInterruptRaised, true, "the CMP of % raises an interrupt for $f at $b"},
    {K::kMessageSent, true, "an MSI-X write leaves %, vector $a"},
    {K::kMessageCoalesced, true, "% sends no MSI-X write: vector $a is already pending"},
    {K::kMessageLost, true, "% masks the interrupt of vector $a, which is lost"},
    {K::kMessageDelivered, true, "$K accepts the interrupt of %"},
    {K::kIsrBegin, true, "the ISR of % begins on $k"},
    {K::kIsrAcknowledge, false, "the ISR of % acknowledges entries $r"},
    {K::kIsrEnd, false, "the ISR of % ends on $k"},
    {K::kNotify, true, "the ISR tells the OS that % was signalled"},
    {K::kNotifyAll, true, "the ISR of % tells the OS to look at everything"},
    {K::kDpcBegin, false, "a DPC for % begins on $k"},
    {K::kDpcEnd, true, "the DPC for % ends on $k: $b waiters released"},
    {K::kSpuriousInterrupt, true, "the interrupt of % released nobody"},
    {K::kFallback, true, "the OS looks at every fence of % by itself: $b waiters released"},
    {K::kUpdateMonitoredCall, true, "the OS asks the driver to set MonitoredValue of % to $v"},
    {K::kUpdateMonitoredReturn, true, "the driver has set MonitoredValue of % to $v"},
    {K::kShadowIssued, false, "the CMP issues the shadow MonitoredValue $v of %"},
    {K::kWaitAdd, true, "$t waits for % to reach $a (wait $b)"},
    {K::kWaitRelease, true, "the OS releases $t: % reached $a (wait $b)"},
    {K::kWaitDone, true, "$t goes on: % reached $a (wait $b)"},
    {K::kWaitTimeout, true, "$t gives up waiting for % to reach $a (wait $b)"},
    {K::kGpuWaitBegin, true, "$q waits for % to reach $a"},
    {K::kGpuWaitPark, true, "$q is parked: % is below $a"},
    {K::kGpuWaitUnblock, true, "$q goes on: % reached $a"},
    {K::kLogEntryIssued, false, "an entry $a is issued to %"},
    {K::kLogEntryVisible, false, "entry $a of % is in memory, fence value $b"},
    {K::kLogHeaderIssued, false, "the header of % is issued: $x"},
    {K::kLogHeaderVisible, false, "the header of % is in memory: $x"},
    {K::kLogHeaderRead, false, "the OS reads the header of %: $x"},
    {K::kLogEntryRead, false, "the OS reads entry $a of %: fence value $b"},
    {K::kLogEntryTorn, true, "the OS reads a torn entry $a of %: fence value $b"},
    {K::kLogFlushCall, false, "the OS asks the driver to flush %"},
    {K::kLogFlushReturn, false, "the driver has flushed %"},
    {K::kLogOverrun, true, "% overran: $a entries are lost"},
    {K::kLogEntryTimes, false, "the entry of % was stamped $b when it began to wait"},
    {K::kLogRetired, true, "the OS has a new buffer in place of %"},
    {K::kSignalQueued, false, "a signal of % to $a is recorded"},
    {K::kWaitQueued, false, "a wait for % to reach $a is recorded"},
    {K::kClockCalibrated, false, "the clock of % is at $a while that of the CPU is at $b"},
    {K::kFenceCreate, true, "% is created with $a"},
    {K::kFenceOpen, true, "% is opened"},
    {K::kFenceClose, true, "% is closed"},
    {K::kFenceDestroy, true, "% is destroyed"},
    {K::kPacketBegin, false, "% begins a $o packet on $e"},
    {K::kPacketEnd, false, "% ends a $o packet on $e"},
    {K::kDoorbell, false, "the doorbell of % rings, write pointer $a"},
    {K::kQueueState, false, "% is $S"},
    {K::kPcieTransfer, false, "%: $T of $y bytes"},
    {K::kPowerState, false, "% enters $C"},
    {K::kThreadState, false, "% is $H"},
    {K::kThreadStep, false, "% begins step $a, iteration $b"},
    {K::kDdiCall, false, "% is called: $d at IRQL $b"},
    {K::kDdiReturn, false, "% returns from $d: $s"},
    {K::kBugCheck, true, "bug check $x on %"},
    {K::kIrqlViolation, true, "$d ran at IRQL $b on %; $c is required"},
    {K::kHandleViolation, true, "@ named %, which is not alive"},
    {K::kFeatureAnswer, false, "% is asked for feature $a: $x"},
    {K::kFeatureTable, false, "the driver of % asks for the table of feature $a: $s"},
    {K::kAdapterStarted, true, "% has started"},
    {K::kFenceStorage, false, "% is stored at $x"},
    {K::kUserAccess, true, "user mode touches a value of %"},
    {K::kGpuFault, true, "the CMP of % finds no translation for $x"},
    {K::kNotifyCall, false, "the driver of % notifies: $b named"},
    {K::kNotifyQueue, true, "the ISR tells the OS that % has signalled"},
    {K::kProgressFence, false, "% gets its progress fence $f"},
    {K::kBatchBad, true, "the OS signals % to $a in a batch with a bad handle"},
    {K::kLogMade, false, "% is made for $b entries"},
    {K::kLogSet, false, "the driver is given %: $x"},
    {K::kLogLevel, true, "verbose logging of % changes: $a"},
    {K::kFenceTraced, false, "% is logged for verbose traces only"},
    {K::kFenceKind, false, "% is a monitored fence of $b bits"},
    {K::kFenceMapped, false, "% is mapped for the GPU at $b"},
    {K::kEngineInterrupt, true, "% interrupts for its engine $c: cause $a"},
    {K::kContextSubmit, true, "the OS gives the driver buffer $a of %"},
    {K::kBufferComplete, true, "% reports that buffer $a is complete"},
    {K::kCrossAdapterFence, false, "% is a native fence on $p, shared with other adapters"},
    {K::kPeerDoorbell, true, "another GPU rings %: $c queues look again"},
    {K::kCpuEventCreate, true, "CPU event $a of % is created"},
    {K::kCpuEventSignal, true, "the driver of % signals CPU event $a"},
    {K::kCpuEventDestroy, true, "CPU event $a of % is destroyed"},
    {K::kAdapterPower, true, "% goes to D$a"},
    {K::kAllocationCreated, false, "% is created with $b bytes"},
    {K::kAllocationPlaced, true, "% is at place $a now"},
    {K::kAllocationLocked, true, "% is locked: $s"},
    {K::kAllocationUnlocked, true, "% is unlocked"},
    {K::kAllocationDestroyed, true, "the memory of % is free"},
    {K::kAllocationMapped, true, "user mode maps or unmaps %"},
    {K::kCpuStore, true, "the CPU stores $b at offset $a of %"},
    {K::kCpuLoad, true, "the CPU loads $b at offset $a of %"},
    {K::kGpuStore, true, "% stores $b at $x"},
    {K::kGpuCopy, true, "% copies from $x"},
    {K::kGpuTraffic, false, "% touches $b bytes at $x"},
    {K::kAddressSpace, false, "% gets the page tables of address space $a"},
    {K::kHostAperture, false, "page $a of the CPU host aperture of % shows page $b"},
    {K::kMark, true, "% reaches the mark $l"},
    {K::kQuiescent, true, "nothing is left to simulate"},
    {K::kEndOfRun, true, "the run is stopped"},
};
static_assert(std::size(kSentences) == static_cast<std::size_t>(EventKind::kCount));

constexpr const char* kTlps[] = {"posted write", "read request", "completion", "MSI-X write"};
constexpr const char* kQueueStates[] = {"idle", "ready", "running", "parked", "suspended"};
constexpr const char* kThreadStates[] = {"ready", "running", "blocked", "finished"};

/// The words of a sentence up to a placeholder, and its code; 0 behind the last words.
struct Piece {
  std::string_view words;
  char code = 0;
};
constexpr std::size_t kMostPieces = 6;
using Pieces = std::array<Piece, kMostPieces>;

constexpr Pieces cut(std::string_view rest) {
  Pieces pieces{};
  for (Piece& piece : pieces) {
    const std::size_t at = rest.find_first_of("@%$");
    piece.words = rest.substr(0, at);
    if (at == std::string_view::npos) return pieces;
    const std::size_t code = rest[at] == '$' ? at + 1 : at;
    piece.code = rest[code];
    rest.remove_prefix(code + 1);
  }
  throw std::length_error("a sentence of too many pieces");
}

/// Cut when compiled: a log has a line for each of many events.
constexpr auto kCutSentences = [] {
  std::array<Pieces, std::size(kSentences)> all{};
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = cut(kSentences[i].text);
  return all;
}();

constexpr std::size_t longest_sentence() {
  std::size_t most = 0;
  for (const Sentence& it : kSentences) most = std::max(most, std::string_view(it.text).size());
  return most;
}

/// Text that grows in memory, with the calls of Room.
struct StringText {
  void text(std::string_view piece) { string += piece; }
  void number(std::uint64_t value) { string += std::to_string(value); }

  std::string string;
};

template <typename Text, std::size_t N>
void put_word(const char* const (&words)[N], std::uint64_t index, Text& text) {
  if (index < N) return text.text(words[index]);
  text.text("state ");
  text.number(index);
}

template <typename Text>
void put_entry(const std::vector<std::string>& list, std::uint64_t index, std::string_view what,
               Text& text) {
  if (index < list.size() && !list[index].empty()) return text.text(list[index]);
  text.text(what);
  text.number(index);
}

template <typename Text>
void put_monitored(std::uint64_t value, Text& text) {
  if (value == std::numeric_limits<std::uint64_t>::max()) return text.text("none");
  text.number(value);
}

std::string_view decision(std::uint64_t c) {
  if (c >> 1 == static_cast<std::uint64_t>(common::Decider::kMonitoredUpdate))
    return (c & 1) != 0 ? "interrupt (after an update)" : "no interrupt (after an update)";
  return (c & 1) != 0 ? "interrupt (after a signal)" : "no interrupt (after a signal)";
}

/// Names that are there already; empty for another placeholder.
std::string_view known_name(char code, const Event& event, const Names& names) {
  switch (code) {
    case 'f':
      return event.a == 0 ? "an unknown fence" : names.object(ObjectKind::kFence, event.a);
    case 'q':
      return names.object(ObjectKind::kQueue, event.c);
    case 't':
      return names.object(ObjectKind::kThread, event.c & 0xFFFFFFFF);
    case 'e':
      return names.object(ObjectKind::kEngine, event.c);
    case 'k':
      return names.object(ObjectKind::kCore, event.a);
    case 'K':
      return names.object(ObjectKind::kCore, event.c);
    case 'p':
      return names.object(ObjectKind::kAdapter, event.b);
    case 'D':
      return decision(event.c);
    case 'N':
      return (event.b & 2) != 0 ? "passes on the signal of" : "signals";
    case 'W':
      return event.b == 0 ? "in memory" : "on the link";
    case 'w':
      return event.c != 0 ? "above, the CMP is told" : "not above, nobody is told";
    default:
      return {};
  }
}

template <typename Text>
void put_other(char code, const Event& event, const Names& names, Text& text) {
  switch (code) {
    case 'v':
      return put_monitored(event.a, text);
    case 'V':
      return put_monitored(event.b, text);
    case 'x':
      return text.text(fmt::format("{:#x}", event.a));
    case 's':
      return text.text(fmt::format("{:#010x}", event.b));
    case 'y':
      return text.number(event.a & 0xffff'ffffu);
    case 'T':
      return put_word(kTlps, event.a >> 32, text);
    case 'S':
      return put_word(kQueueStates, event.a, text);
    case 'H':
      return put_word(kThreadStates, event.a, text);
    case 'o':
      return put_entry(names.opcodes, event.a, "opcode", text);
    case 'd':
      return put_entry(names.ddis, event.a, "ddi", text);
    case 'r':
      if ((event.a & abi::kAcknowledgeWithoutCount) != 0) return text.text("without a count");
      text.text("up to ");
      return text.number(event.a);
    case 'l':
      return put_entry(names.labels, event.a, "label", text);
    case 'C':
      if (event.a == 0) return text.text("C0");
      return put_entry(names.c_states, event.a, "state", text);
    default:
      return text.text("?");
  }
}

template <typename Text>
void put_placeholder(char code, const Event& event, const Names& names, Text& text) {
  if (code == '@')
    return text.text(event.agent == 0 ? "somebody" : names.object(ObjectKind::kAgent, event.agent));
  if (code == '%') return text.text(names.object(common::object_kind(event.kind), event.object));
  if (code == 'a') return text.number(event.a);
  if (code == 'b') return text.number(event.b);
  if (code == 'c') return text.number(event.c);
  const std::string_view known = known_name(code, event, names);
  if (known.empty()) return put_other(code, event, names, text);
  text.text(known);
}

template <typename Text>
void put_sentence(const Event& event, const Names& names, Text& text) {
  for (const Piece& piece : kCutSentences[static_cast<std::size_t>(event.kind)]) {
    text.text(piece.words);
    if (piece.code == 0) return;
    put_placeholder(piece.code, event, names, text);
  }
}

/// A time with its unit, at the end of an array.
class TimeText {
 public:
  explicit TimeText(std::uint64_t picoseconds) {
    const bool small = picoseconds < 1'000'000;
    put(small ? " ns" : " us");
    for (int i = 0; i < (small ? 3 : 6); ++i) put_digit(picoseconds);
    put(".");
    do put_digit(picoseconds);
    while (picoseconds > 0);
  }
  /// Puts blanks in front, up to `width`.
  void widen(std::size_t width) {
    while (view().size() < width) put(" ");
  }
  std::string_view view() const { return {text_.data() + begin_, text_.size() - begin_}; }

 private:
  void put(std::string_view words) {
    begin_ -= words.size();
    words.copy(text_.data() + begin_, words.size());
  }
  void put_digit(std::uint64_t& value) {
    text_[--begin_] = static_cast<char>('0' + value % 10);
    value /= 10;
  }

  std::array<char, 32> text_;  // any time is shorter
  std::size_t begin_ = text_.size();
};

/// [bytes] that stand in place of a placeholder at most.
std::size_t longest_word(const Names& names) {
  std::size_t most = 32;  // numbers and the words of this file
  const auto look_at = [&](const std::vector<std::string>& list) {
    for (const std::string& name : list) most = std::max(most, name.size());
  };
  for (const auto& list : names.objects) look_at(list);
  for (const auto* list : {&names.ddis, &names.opcodes, &names.labels, &names.c_states})
    look_at(*list);
  return most;
}

}  // namespace

std::string exact_time(std::uint64_t picoseconds) {
  return std::string(TimeText(picoseconds).view());
}

bool is_story(EventKind kind) { return kSentences[static_cast<std::size_t>(kind)].story; }

std::string describe(const Event& event, const Names& names) {
  StringText text;
  put_sentence(event, names, text);
  return text.string;
}

std::vector<std::string> tell(const Recorder& recorder, const Names& names, std::size_t most) {
  std::vector<std::uint64_t> story;
  recorder.for_each([&](const Event& event, std::uint64_t index) {
    if (is_story(event.kind)) story.push_back(index);
  });
  std::vector<std::string> lines;
  const std::size_t head = story.size() <= most ? story.size() : most / 2;
  const std::size_t tail = story.size() <= most ? story.size() : story.size() - (most - head);
  const auto add = [&](std::size_t i) {
    const Event& event = recorder[story[i]];
    lines.push_back(
        fmt::format("{:>{}}  {}", exact_time(event.time), kTimeWidth, describe(event, names)));
  };
  for (std::size_t i = 0; i < head; ++i) add(i);
  if (tail > head)
    lines.push_back(fmt::format("{:>{}}  {} more lines", "...", kTimeWidth, tail - head));
  for (std::size_t i = tail; i < story.size(); ++i) add(i);
  if (recorder.truncated()) lines.emplace_back("  (the run went on; later events were not kept)");
  return lines;
}

void write_log(const Recorder& recorder, const Names& names, Output& out) {
  const std::size_t most =
      sizeof(TimeText) + longest_sentence() + kMostPieces * longest_word(names);
  recorder.for_each([&](const Event& event, std::uint64_t) {
    Room room = out.reserve(most);
    TimeText time(event.time);
    time.widen(kTimeWidth);
    room.text(time.view());
    room.text("  ");
    put_sentence(event, names, room);
    room.put('\n');
    out.advance(room);
  });
}

}  // namespace fenceline::report
