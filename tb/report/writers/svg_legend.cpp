#include "tb/report/writers/svg_legend.h"

#include <set>
#include <stdexcept>

#include "tb/report/record/timeline_words.h"
#include "tb/report/writers/junit.h"
#include "tb/report/writers/palette.h"

namespace fenceline::report {

namespace {

constexpr double kFirstLine = 76, kLineHeight = 18;  ///< [px]
constexpr double kSwatch = 18, kArrow = 25, kSign = 12, kAfter = 15, kLeftEdge = 16;

/// Form of a mark: a path that begins `down` below the upper edge of the lane.
struct Form {
  const char* style;
  double down;
  const char* path;
};

/// Each has a form of its own, so that nobody needs the colours. The forms are here because no
/// other output draws them; the compiler warns if a kind has none.
Form form_of(const Instant& instant) {
  constexpr double kMiddle = SvgLayout::kRow / 2;
  constexpr const char* kRing = "m-4 0 a4 4 0 1 0 8 0 a4 4 0 1 0 -8 0";
  constexpr const char* kDisc = "m-5.5 0 a5.5 5.5 0 1 0 11 0 a5.5 5.5 0 1 0 -11 0";
  switch (instant.kind) {
    case InstantKind::kDoorbell:
      return {"tick", 0, "v7"};
    case InstantKind::kMark:
      return {"mark", 0, "v11 l7 -5.5 z"};
    case InstantKind::kMessage:
      return {"alarm", kMiddle - 5, "l5 5 l-5 5 l-5 -5 z"};
    case InstantKind::kCmpRaises:
      return {"alarm", kMiddle, "m-3.5 0 a3.5 3.5 0 1 0 7 0 a3.5 3.5 0 1 0 -7 0"};
    case InstantKind::kCmpSilent:
      return {"quiet", kMiddle, kRing};
    case InstantKind::kRaised:
      return {"alarm", kMiddle - 6, "l5 9 h-10 z"};
    case InstantKind::kHang:
      return {"cross", kMiddle - 4, "m-4 0 l8 8 m0 -8 l-8 8"};
    case InstantKind::kPacketFault:
      return {"cross", kMiddle - 5, "v10 m-5 -5 h10"};
    case InstantKind::kReset:
      return {"cross", kMiddle - 4, "m3 1 a4 4 0 1 0 1 4 m0 -6 v3 h-3"};
    case InstantKind::kSaved:
      return {"state", kMiddle - 3, "h3 v6 h-6 v-6 z"};
    case InstantKind::kRestored:
      return {"empty state", kMiddle - 3, "h3 v6 h-6 v-6 z"};
    case InstantKind::kStopped:
      return {"state", kMiddle - 4, "m-4 0 h3 v8 h-3 z m5 0 h3 v8 h-3 z"};
    case InstantKind::kScanOut:
      return {"screen", kMiddle - 4, "m-6 0 h12 v6 h-5 v2 h-2 v-2 h-5 z"};
    case InstantKind::kCacheFlush:
      return {"flush", kMiddle - 3, "m-5 0 h10 l-5 8 z"};
    case InstantKind::kEvent:
      return {is_fault(instant) ? "alarm" : "mark", kMiddle, kDisc};
    case InstantKind::kReleased:
    case InstantKind::kStory:
    case InstantKind::kCount:
      break;
  }
  throw std::logic_error("a mark without a form");
}

constexpr std::string_view kOpen = "wait open";  ///< class of a slice that should have ended

/// What every mark of that kind is called.
std::string words_of(const Instant& instant) {
  if (instant.kind == InstantKind::kMark) return "mark of a program";
  std::string words = mark_words(instant);
  return is_fault(instant) ? words.append(" (fault)") : words;
}

/// "a" to "z", "A" to "Z", "aa" ...
std::string letters_of(std::size_t number) {
  constexpr std::string_view kLetters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
  std::string letters(1, kLetters[number % kLetters.size()]);
  return number < kLetters.size() ? letters : letters_of(number / kLetters.size() - 1) + letters;
}

std::set<std::string_view> used_styles(const SvgLayout& layout) {
  std::set<std::string_view> used;
  for (const SvgLane& lane : layout.lanes)
    for (const auto* list : {&lane.slices, &lane.states})
      for (const Slice* slice : *list) {
        used.insert(style(*slice));
        if (is_suspect(*slice)) used.insert(kOpen);
      }
  return used;
}

}  // namespace

SvgLegend::SvgLegend(const SvgLayout& layout, bool story) : x_(kLeftEdge) {
  add_styles(layout);
  x_ = kLeftEdge;
  ++line_;
  add_marks(layout, story);
}

void SvgLegend::add_styles(const SvgLayout& layout) {
  const std::set<std::string_view> used = used_styles(layout);
  for (const PaletteClass& it : palette())
    if (used.count(it.style) != 0) add({Entry::kSwatch, it.style, {}, it.words});
  if (used.count(kOpen) != 0) add({Entry::kSwatch, kOpen, {}, "never ended"});
}

void SvgLegend::add_marks(const SvgLayout& layout, bool story) {
  std::map<MarkKey, Instant> used;
  for (const SvgLane& lane : layout.lanes)
    for (const Instant* it : lane.instants) used.emplace(MarkKey{it->kind, it->event}, *it);
  for (const auto& [key, instant] : used) {
    if (key.first == InstantKind::kEvent) letters_.emplace(key, letters_of(letters_.size()));
    if (key.first == InstantKind::kReleased)
      add({Entry::kArrow, "arrow", {}, "releases"});
    else
      add({Entry::kMark, {}, instant, words_of(instant)});
  }
  if (story) add({Entry::kArrow, "hold", {}, "held back until"});
}

/// Begins a new line where the words would leave the drawing.
void SvgLegend::add(Item item) {
  const double sign = item.entry == Entry::kSwatch  ? kSwatch
                      : item.entry == Entry::kArrow ? kArrow
                                                    : kSign;
  const double width =
      sign + 5 + kAfter + SvgLayout::kLetter * static_cast<double>(item.words.size());
  if (x_ > kLeftEdge && x_ + width > SvgLayout::kWidth - SvgLayout::kRight) {
    x_ = kLeftEdge;
    ++line_;
  }
  item.x = x_;
  item.line = line_;
  x_ += width;
  items_.push_back(std::move(item));
}

double SvgLegend::extra_height() const {
  return line_ < 2 ? 0 : kLineHeight * static_cast<double>(line_ - 1);
}

void SvgLegend::draw(Output& out) const {
  for (const Item& it : items_) {
    const double top = kFirstLine + kLineHeight * static_cast<double>(it.line);
    double width = kSign;
    if (it.entry == Entry::kSwatch) {
      width = kSwatch;
      out.print("<rect x=\"{:.1f}\" y=\"{}\" width=\"{}\" height=\"11\" class=\"{}\"/>\n", it.x,
                top, kSwatch, it.style);
    } else if (it.entry == Entry::kArrow) {
      width = kArrow;
      out.print("<path class=\"{}\" marker-end=\"url(#head)\" d=\"M{:.1f} {:.1f} h24\"/>\n",
                it.style, it.x, top + 6);
    } else {
      const bool at_edge = form_of(it.instant).down == 0;
      draw_mark(it.instant, it.x + kSign / 2, at_edge ? top : top + 6 - SvgLayout::kRow / 2,
                it.words, out);
    }
    out.print("<text x=\"{:.1f}\" y=\"{:.1f}\" class=\"note\">{}</text>\n", it.x + width + 5,
              top + 10, it.words);
  }
}

void SvgLegend::draw_mark(const Instant& instant, double x, double top, const std::string& title,
                          Output& out) const {
  if (instant.kind == InstantKind::kReleased) return;
  const Form form = form_of(instant);
  out.print("<path class=\"{}\" d=\"M{:.2f} {:.1f} {}\"><title>{}</title></path>\n", form.style, x,
            top + form.down, form.path, xml_escaped(title));
  if (instant.kind != InstantKind::kEvent) return;
  out.print("<text x=\"{:.2f}\" y=\"{:.1f}\" class=\"letter\" text-anchor=\"middle\">{}</text>\n",
            x, top + form.down + 3, letters_.at({instant.kind, instant.event}));
}

}  // namespace fenceline::report
