#include "tb/report/writers/svg_legend.h"

#include <set>
#include <string_view>

#include "tb/report/record/timeline_words.h"
#include "tb/report/writers/junit.h"

namespace fenceline::report {

namespace {

constexpr double kFirstLine = 76, kSecondLine = 94;  ///< upper edges [px]
constexpr double kSwatch = 18, kAfter = 15;

/// Form of a mark: a path that begins `down` below the upper edge of the lane.
struct Form {
  const char* style;
  double down;
  const char* path;
};

constexpr const char* kTriangle = "l5 9 h-10 z";
constexpr const char* kDiamond = "l5 5 l-5 5 l-5 -5 z";
constexpr const char* kCircle = "m-3.5 0 a3.5 3.5 0 1 0 7 0 a3.5 3.5 0 1 0 -7 0";
constexpr const char* kFlag = "v11 l7 -5.5 z";
constexpr const char* kSquare = "h3 v6 h-6 v-6 z";

Form form_of(InstantKind kind) {
  constexpr double kMiddle = SvgLayout::kRow / 2;
  switch (kind) {
    case InstantKind::kDoorbell:
      return {"tick", 0, "v7"};
    case InstantKind::kMark:
      return {"mark", 0, kFlag};
    case InstantKind::kMessage:
      return {"alarm", kMiddle - 5, kDiamond};
    case InstantKind::kCmpRaises:
      return {"alarm", kMiddle, kCircle};
    case InstantKind::kCmpSilent:
      return {"quiet", kMiddle, kCircle};
    case InstantKind::kSaved:
    case InstantKind::kRestored:
    case InstantKind::kStopped:
      return {"state", kMiddle - 3, kSquare};
    case InstantKind::kScanOut:
      return {"screen", kMiddle - 3, kSquare};
    case InstantKind::kCacheFlush:
      return {"flush", kMiddle - 3, kSquare};
    case InstantKind::kReleased:
    case InstantKind::kStory:
    case InstantKind::kRaised:
    case InstantKind::kSuspect:
    case InstantKind::kHang:
    case InstantKind::kReset:
    case InstantKind::kCount:
      break;
  }
  return {"alarm", kMiddle - 6, kTriangle};
}

struct StyleWords {
  std::string_view style;
  const char* words;
};
constexpr StyleWords kStyles[] = {{"signal", "signal"},
                                  {"wait", "wait"},
                                  {"work", "work packet"},
                                  {"packet", "packet"},
                                  {"buffer", "buffer of a context"},
                                  {"preemption", "preemption"},
                                  {"suspended", "suspended"},
                                  {"update", "MonitoredValue"},
                                  {"pcie", "PCIe transfer"},
                                  {"isr", "ISR"},
                                  {"dpc", "DPC"},
                                  {"idle", "core sleeps"},
                                  {"running", "thread runs"},
                                  {"ready", "thread could run"},
                                  {"display", "display"},
                                  {"memory", "memory"},
                                  {"lost", "lost log entries"},
                                  {"wait open", "never ended"}};

struct MarkWords {
  InstantKind kind;
  const char* words;
};
/// One kind of each form.
constexpr MarkWords kMarks[] = {
    {InstantKind::kDoorbell, "doorbell"},
    {InstantKind::kMark, "mark of a program"},
    {InstantKind::kCmpRaises, "CMP: interrupt"},
    {InstantKind::kCmpSilent, "CMP: no interrupt"},
    {InstantKind::kMessage, "MSI-X write"},
    {InstantKind::kRaised, "interrupt raised, or a fault"},
    {InstantKind::kStopped, "state saved or restored, buffer stopped"},
    {InstantKind::kScanOut, "scan-out changes"},
    {InstantKind::kCacheFlush, "caches flushed"},
};

bool same_form(InstantKind a, InstantKind b) {
  const Form one = form_of(a), other = form_of(b);
  return std::string_view(one.style) == other.style && std::string_view(one.path) == other.path;
}

/// One line of the legend, which fills from the left.
class LegendLine {
 public:
  LegendLine(double top, Output& out) : top_(top), out_(out) {}

  double x() const { return x_; }
  /// Words beside what was drawn at x() with the given width.
  void words(double width, std::string_view text) {
    out_.print("<text x=\"{:.1f}\" y=\"{:.1f}\" class=\"note\">{}</text>\n", x_ + width + 5,
               top_ + 10, text);
    x_ += width + 5 + kAfter + SvgLayout::kLetter * static_cast<double>(text.size());
  }
  void swatch(std::string_view style, std::string_view text) {
    out_.print("<rect x=\"{:.1f}\" y=\"{}\" width=\"{}\" height=\"11\" class=\"{}\"/>\n", x_, top_,
               kSwatch, style);
    words(kSwatch, text);
  }
  void arrow(std::string_view style, std::string_view text) {
    out_.print("<path class=\"{}\" marker-end=\"url(#head)\" d=\"M{:.1f} {:.1f} h24\"/>\n", style,
               x_, top_ + 6);
    words(25, text);
  }
  void mark(InstantKind kind, std::string_view text) {
    constexpr double kHalf = 5;
    const bool at_edge = form_of(kind).down == 0;
    const double lane = at_edge ? top_ : top_ + 6 - SvgLayout::kRow / 2;
    draw_mark(kind, x_ + kHalf, lane, std::string(text), out_);
    words(2 * kHalf + 2, text);
  }

 private:
  double x_ = 16;
  double top_;
  Output& out_;
};

struct Used {
  std::set<std::string_view> styles;
  std::set<InstantKind> marks;
};

Used used_by(const SvgLayout& layout) {
  Used used;
  for (const SvgLane& lane : layout.lanes) {
    for (const auto* list : {&lane.slices, &lane.states})
      for (const Slice* slice : *list) {
        used.styles.insert(style(*slice));
        if (is_suspect(*slice)) used.styles.insert("wait open");
      }
    for (const Instant* instant : lane.instants) used.marks.insert(instant->kind);
  }
  return used;
}

}  // namespace

void draw_mark(InstantKind kind, double x, double top, const std::string& title, Output& out) {
  if (kind == InstantKind::kReleased) return;
  const Form form = form_of(kind);
  out.print("<path class=\"{}\" d=\"M{:.2f} {:.1f} {}\"><title>{}</title></path>\n", form.style, x,
            top + form.down, form.path, xml_escaped(title));
}

void draw_legend(const SvgLayout& layout, bool story, Output& out) {
  const Used used = used_by(layout);
  LegendLine first(kFirstLine, out), second(kSecondLine, out);
  for (const StyleWords& it : kStyles)
    if (used.styles.count(it.style) != 0) first.swatch(it.style, it.words);
  if (used.marks.count(InstantKind::kReleased) != 0) second.arrow("arrow", "releases");
  if (story) second.arrow("hold", "held back until");
  for (const MarkWords& it : kMarks)
    for (const InstantKind kind : used.marks)
      if (kind != InstantKind::kReleased && same_form(kind, it.kind)) {
        second.mark(it.kind, it.words);
        break;
      }
}

}  // namespace fenceline::report
