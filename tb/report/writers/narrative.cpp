#include "tb/report/writers/narrative.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <limits>
#include <stdexcept>
#include <string_view>

#include "kmd_stub/wddm/fences/native_fence.h"
#include "models/abi/registers.h"

namespace fenceline::report {

using common::Event;
using common::EventKind;
using common::ObjectKind;

namespace {

constexpr std::size_t kTimeWidth = 18;

/// Format of a placeholder; see event::Words.
enum class How : std::uint8_t {
  kNothing,  ///< the sentence is over
  kAgent,
  kPlain,
  kHex,
  kStatus,
  kMonitored,
  kAcknowledged,
  kKnown,
  kSignal,
  kOpcode,
  kDdi,
  kLabel,
  kCState,
  kChoice
};
struct Format {
  std::string_view name;
  How how;
};
constexpr Format kFormats[] = {{"hex", How::kHex},
                               {"status", How::kStatus},
                               {"monitored", How::kMonitored},
                               {"acknowledged", How::kAcknowledged},
                               {"known", How::kKnown},
                               {"signal", How::kSignal},
                               {"opcode", How::kOpcode},
                               {"ddi", How::kDdi},
                               {"label", How::kLabel},
                               {"c_state", How::kCState}};

/// The words of a sentence up to a placeholder, and the field of the placeholder.
struct Piece {
  std::string_view words;
  How how = How::kNothing;
  event::Field field{};
  std::string_view choices;
};
constexpr std::size_t kMaxPieces = 7;
using Pieces = std::array<Piece, kMaxPieces>;

event::Field find_field(const event::Description& of, std::string_view name) {
  for (std::size_t i = 0; i < of.count; ++i)
    if (of.fields[i].name == name) return of.fields[i];
  throw std::invalid_argument("a sentence names no field of its event");
}

constexpr How find_format(std::string_view name) {
  for (const Format& format : kFormats)
    if (format.name == name) return format.how;
  throw std::invalid_argument("a sentence names no format");
}

void fill(Piece& piece, const event::Description& of, std::string_view placeholder) {
  if (placeholder == "agent") {
    piece.how = How::kAgent;
    return;
  }
  const std::size_t end = std::min(placeholder.find_first_of(":|"), placeholder.size());
  piece.field = find_field(of, placeholder.substr(0, end));
  piece.how = How::kPlain;
  if (end == placeholder.size()) return;
  const std::string_view remaining = placeholder.substr(end + 1);
  piece.how = placeholder[end] == '|' ? How::kChoice : find_format(remaining);
  if (piece.how == How::kChoice) piece.choices = placeholder.substr(end);
}

Pieces cut(const event::Description& of) {
  std::string_view remaining = of.words.sentence;
  Pieces pieces{};
  for (Piece& piece : pieces) {
    const std::size_t open = remaining.find('{');
    piece.words = remaining.substr(0, open);
    if (open == std::string_view::npos) return pieces;
    const std::size_t close = remaining.find('}', open);
    fill(piece, of, remaining.substr(open + 1, close - open - 1));
    remaining.remove_prefix(close + 1);
  }
  throw std::length_error("a sentence of too many pieces");
}

/// The sentences of all events, cut into pieces once: a log has many lines.
const std::array<Pieces, event::All::kCount>& sentences() {
  static const auto all = [] {
    std::array<Pieces, event::All::kCount> pieces{};
    for (std::size_t i = 0; i < pieces.size(); ++i) pieces[i] = cut(event::kDescriptions[i]);
    return pieces;
  }();
  return all;
}

std::size_t longest_sentence() {
  std::size_t most = 0;
  for (const event::Description& it : event::kDescriptions)
    most = std::max(most, std::string_view(it.words.sentence).size());
  return most;
}

/// Text in memory with the interface of Room.
struct StringText {
  void text(std::string_view piece) { string += piece; }
  void number(std::uint64_t value) { string += std::to_string(value); }

  std::string string;
};

template <typename Text>
void put_entry(const std::vector<std::string>& list, std::uint64_t index, std::string_view what,
               Text& text) {
  if (index < list.size() && !list[index].empty()) return text.text(list[index]);
  text.text(what);
  text.number(index);
}

/// The word of that number in "|zero|one|two".
template <typename Text>
void put_choice(std::string_view choices, std::uint64_t index, Text& text) {
  if (const std::string_view word = common::word_of(choices, index); !word.empty())
    return text.text(word);
  text.text("state ");
  text.number(index);
}

template <typename Text>
void put_plain(const event::Field& field, std::uint64_t value, const Names& names, Text& text) {
  if (field.object == ObjectKind::kNone) return text.number(value);
  text.text(names.object(field.object, value));
}

template <typename Text>
void put_acknowledged(std::uint64_t value, Text& text) {
  if ((value & abi::kAcknowledgeWithoutCount) != 0) return text.text("without a count");
  text.text("up to ");
  text.number(value);
}

template <typename Text>
void put_c_state(std::uint64_t value, const Names& names, Text& text) {
  if (value == 0) return text.text("C0");
  put_entry(names.c_states, value, "state", text);
}

template <typename Text>
void put_field(const Piece& piece, std::uint64_t value, const Names& names, Text& text) {
  using Flags = DXGK_UPDATECURRENTVALUESFROMCPU_FLAGS;
  switch (piece.how) {
    case How::kHex:
      return text.text(fmt::format("{:#x}", value));
    case How::kStatus:
      return text.text(fmt::format("{:#010x}", value));
    case How::kMonitored:
      if (value == std::numeric_limits<std::uint64_t>::max()) return text.text("none");
      return text.number(value);
    case How::kAcknowledged:
      return put_acknowledged(value, text);
    case How::kKnown:
      if (value == 0) return text.text("an unknown fence");
      return put_plain(piece.field, value, names, text);
    case How::kSignal:
      return text.text((value & Flags::kNotificationOnly) != 0 ? "passes on the signal of"
                                                               : "signals");
    case How::kOpcode:
      return put_entry(names.opcodes, value, "opcode", text);
    case How::kDdi:
      return put_entry(names.ddis, value, "ddi", text);
    case How::kLabel:
      return put_entry(names.labels, value, "label", text);
    case How::kCState:
      return put_c_state(value, names, text);
    case How::kChoice:
      return put_choice(piece.choices, value, text);
    default:
      return put_plain(piece.field, value, names, text);
  }
}

template <typename Text>
void put_sentence(const Event& event, const Names& names, Text& text) {
  for (const Piece& piece : sentences()[static_cast<std::size_t>(event.kind)]) {
    text.text(piece.words);
    if (piece.how == How::kNothing) return;
    if (piece.how == How::kAgent)
      text.text(event.agent == 0 ? "somebody" : names.object(ObjectKind::kAgent, event.agent));
    else
      put_field(piece, piece.field.place.of(event.record()), names, text);
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

/// [bytes] Upper limit of the text for a placeholder.
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

bool is_story(EventKind kind) { return common::description(kind).is(event::kStory); }

std::string describe(const Event& event, const Names& names) {
  StringText text;
  put_sentence(event, names, text);
  return text.string;
}

std::vector<std::string> tell(const Recorder& recorder, const Names& names, std::size_t max) {
  std::vector<std::uint64_t> story;
  recorder.for_each([&](const Event& event, std::uint64_t index) {
    if (is_story(event.kind)) story.push_back(index);
  });
  std::vector<std::string> lines;
  const std::size_t head = story.size() <= max ? story.size() : max / 2;
  const std::size_t tail = story.size() <= max ? story.size() : story.size() - (max - head);
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
  const std::size_t most = sizeof(TimeText) + longest_sentence() + kMaxPieces * longest_word(names);
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
