#include "tb/report/narrative.h"

#include <fmt/format.h>
#include <limits>
#include <string_view>

namespace fenceline::report {

using common::Event;
using common::EventKind;
using common::ObjectKind;

namespace {

/// A sentence with placeholders: @ agent, % object, $a $b $c numbers, $v monitored value in a,
/// $f fence in a, $q queue in c, $t thread in c, $e engine in c, $k core in a, $K core in c,
/// $p adapter in b, $P adapter in c, $o opcode in a, $d DDI in a, $l label in a, $i IRQL in b,
/// $x a in hex, $y a as payload bytes, $T a as TLP kind, $S a as queue state, $H a as thread state,
/// $C a as C-state, $D c as the CMP's decision, $w c as the engine's decision, $s b as NTSTATUS.
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
    {K::kShadowVisible, false, "the shadow MonitoredValue of % in $p is $v"},
    {K::kShadowRead, false, "@ reads the shadow MonitoredValue $v of %"},
    {K::kSignalBegin, true, "$q begins signal $b: % to $a"},
    {K::kDecision, true, "the engine compares signal $b of % ($a) with MonitoredValue: $w"},
    {K::kCmpDecision, true, "the CMP compares CurrentValue $a of % with MonitoredValue $V: $D"},
    {K::kSignalEnd, true, "$q ends signal $b: % to $a"},
    {K::kCpuSignal, true, "the OS signals % to $a"},
    {K::kInterruptRaised, true, "the CMP of % raises an interrupt for $f at $b"},
    {K::kMessageSent, true, "an MSI-X write leaves %, vector $a"},
    {K::kMessageCoalesced, true, "% sends no MSI-X write: vector $a is already pending"},
    {K::kMessageDelivered, true, "$K accepts the interrupt of %"},
    {K::kIsrBegin, true, "the ISR of % begins on $k"},
    {K::kIsrAcknowledge, false, "the ISR acknowledges up to $a"},
    {K::kIsrEnd, false, "the ISR of % ends on $k"},
    {K::kNotify, true, "the ISR tells the OS that % was signalled"},
    {K::kNotifyAll, true, "the ISR of % tells the OS to look at everything"},
    {K::kDpcBegin, false, "a DPC for % begins on $k"},
    {K::kDpcEnd, true, "the DPC for % ends on $k: $b waiters released"},
    {K::kSpuriousInterrupt, true, "the interrupt of % released nobody"},
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
    {K::kMark, true, "% reaches the mark $l"},
    {K::kQuiescent, true, "nothing is left to simulate"},
    {K::kEndOfRun, true, "the run is stopped"},
};
static_assert(std::size(kSentences) == static_cast<std::size_t>(EventKind::kCount));

constexpr const char* kTlps[] = {"posted write", "read request", "completion", "MSI-X write"};
constexpr const char* kQueueStates[] = {"idle", "ready", "running", "parked", "suspended"};
constexpr const char* kThreadStates[] = {"ready", "running", "blocked", "finished"};

template <std::size_t N>
std::string word(const char* const (&words)[N], std::uint64_t index) {
  return index < N ? words[index] : fmt::format("state {}", index);
}

std::string monitored(std::uint64_t value) {
  if (value == std::numeric_limits<std::uint64_t>::max()) return "none";
  return std::to_string(value);
}

std::string decision(std::uint64_t c) {
  const bool update = c >> 1 == static_cast<std::uint64_t>(common::Decider::kMonitoredUpdate);
  return fmt::format("{} ({})", (c & 1) != 0 ? "interrupt" : "no interrupt",
                     update ? "after an update" : "after a signal");
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
    case 'w':
      return event.c != 0 ? "above, the CMP is told" : "not above, nobody is told";
    default:
      return {};
  }
}

std::string other_text(char code, const Event& event, const Names& names) {
  switch (code) {
    case 'v':
      return monitored(event.a);
    case 'V':
      return monitored(event.b);
    case 'x':
      return fmt::format("{:#x}", event.a);
    case 's':
      return fmt::format("{:#010x}", event.b);
    case 'y':
      return std::to_string(event.a & 0xffff'ffffu);
    case 'T':
      return word(kTlps, event.a >> 32);
    case 'S':
      return word(kQueueStates, event.a);
    case 'H':
      return word(kThreadStates, event.a);
    case 'D':
      return decision(event.c);
    case 'o':
      return Names::entry(names.opcodes, event.a, "opcode");
    case 'd':
      return Names::entry(names.ddis, event.a, "ddi");
    case 'l':
      return Names::entry(names.labels, event.a, "label");
    case 'C':
      return event.a == 0 ? "C0" : Names::entry(names.c_states, event.a, "state");
    default:
      return "?";
  }
}

void append_number(std::uint64_t value, std::string& text) {
  const fmt::format_int digits(value);
  text.append(digits.data(), digits.size());
}

void append_placeholder(char code, const Event& event, const Names& names, std::string& text) {
  if (code == 'a') return append_number(event.a, text);
  if (code == 'b') return append_number(event.b, text);
  if (code == 'c') return append_number(event.c, text);
  const std::string_view known = known_name(code, event, names);
  if (known.empty()) {
    text += other_text(code, event, names);
  } else {
    text += known;
  }
}

void append_sentence(const Event& event, const Names& names, std::string& text) {
  std::string_view rest = kSentences[static_cast<std::size_t>(event.kind)].text;
  for (std::size_t at; (at = rest.find_first_of("@%$")) != std::string_view::npos;) {
    text += rest.substr(0, at);
    const char sign = rest[at];
    if (sign == '@') {
      text += event.agent == 0 ? "somebody" : names.object(ObjectKind::kAgent, event.agent);
    } else if (sign == '%') {
      text += names.object(common::object_kind(event.kind), event.object);
    } else {
      append_placeholder(rest[++at], event, names, text);
    }
    rest.remove_prefix(at + 1);
  }
  text += rest;
}

}  // namespace

std::string exact_time(std::uint64_t picoseconds) {
  if (picoseconds < 1'000'000) {
    return fmt::format("{}.{:03} ns", picoseconds / 1000, picoseconds % 1000);
  }
  return fmt::format("{}.{:06} us", picoseconds / 1'000'000, picoseconds % 1'000'000);
}

bool is_story(EventKind kind) { return kSentences[static_cast<std::size_t>(kind)].story; }

std::string describe(const Event& event, const Names& names) {
  std::string text;
  append_sentence(event, names, text);
  return text;
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
  std::string line;
  recorder.for_each([&](const Event& event, std::uint64_t) {
    const std::string time = exact_time(event.time);
    line.assign(time.size() < kTimeWidth ? kTimeWidth - time.size() : 0, ' ');
    line += time;
    line += "  ";
    append_sentence(event, names, line);
    line += '\n';
    out.text(line);
  });
}

}  // namespace fenceline::report
