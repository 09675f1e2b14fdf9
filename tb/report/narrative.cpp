#include "tb/report/narrative.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <limits>
#include <stdexcept>
#include <string_view>

#include "models/abi/registers.h"
#include "tb/report/sentences.h"

namespace fenceline::report {

using common::Event;
using common::EventKind;
using common::ObjectKind;

namespace {

constexpr std::size_t kTimeWidth = 18;

constexpr const char* kTlps[] = {"posted write", "read request", "completion", "MSI-X write"};
constexpr const char* kLinkFaults[] = {"a message is lost", "a message is sent twice",
                                       "a message is late", "a packet is sent again"};
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
    case 'm':
      return names.object(ObjectKind::kCallSite, event.b);
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
    case 'F':
      return put_word(kLinkFaults, event.a, text);
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

std::string with_times(
    const std::string& message,
    const std::function<std::string(std::string_view before, const std::string& number)>& text) {
  constexpr std::string_view kUnit = " ps";
  constexpr const char* kDigits = "0123456789";
  const std::string_view all = message;
  std::string result;
  std::size_t done = 0;
  for (std::size_t begin = 0; (begin = all.find_first_of(kDigits, begin)) != all.npos;) {
    const std::size_t end = std::min(all.find_first_not_of(kDigits, begin), all.size());
    if (all.substr(end, kUnit.size()) == kUnit) {
      result += all.substr(done, begin - done);
      result += text(all.substr(0, begin), std::string(all.substr(begin, end - begin)));
      done = end + kUnit.size();
    }
    begin = end;
  }
  return result.append(all.substr(done));
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
