#include "tb/report/writers/svg.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "models/common/steps/time.h"
#include "tb/report/record/timeline_words.h"
#include "tb/report/writers/junit.h"
#include "tb/report/writers/narrative.h"
#include "tb/report/writers/palette.h"
#include "tb/report/writers/svg_layout.h"
#include "tb/report/writers/svg_legend.h"
#include "tb/report/writers/svg_story.h"

namespace fenceline::report {

namespace {

constexpr std::size_t kMaxArrows = 400;
constexpr std::size_t kMaxInstants = 2000;

/// Beside the fills of the palette.
constexpr const char* kStyle =
    R"svg(text { font: 11px "DejaVu Sans", "Segoe UI", Arial, sans-serif; fill: #263238; }
.h1 { font-size: 16px; font-weight: bold; } .note { fill: #546e7a; } .bad { fill: #b71c1c; }
.group { font-weight: bold; fill: #455a64; } .lane { fill: #f5f7f8; } .grid { stroke: #dde3e6; }
.in { fill: #ffffff; }
.wait, .buffer, .display, .memory { stroke: #455a64; stroke-width: 0.4; }
.lost { fill: url(#hatch); stroke: #37474f; stroke-width: 0.6; }
.open { stroke: #b71c1c; stroke-width: 1.2; stroke-dasharray: 4 2; }
.arrow { fill: none; stroke: #a70044; stroke-width: 1.2; stroke-opacity: 0.75; }
.tick { stroke: #37474f; stroke-width: 1.2; } .alarm { fill: #c62828; }
.cross { fill: none; stroke: #c62828; stroke-width: 2; }
.quiet { fill: #ffffff; stroke: #546e7a; stroke-width: 1.5; }
.state { fill: #782665; stroke: #782665; } .screen { fill: #6b5a1e; } .flush { fill: #3d4a9a; }
.empty { fill: #ffffff; stroke-width: 1.5; }
.letter { font-size: 8px; font-weight: bold; fill: #ffffff; }
.disc { fill: #263238; } .disc.late { fill: #b71c1c; }
.number { font-size: 9px; font-weight: bold; fill: #ffffff; } .late { fill: #b71c1c; }
.hold { fill: none; stroke: #b71c1c; stroke-width: 1.4; stroke-dasharray: 5 3; }
</style>
)svg";

constexpr const char* kDefinitions = R"svg(<defs>
<pattern id="hatch" width="6" height="6" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
<rect width="6" height="6" fill="#eceff1"/><line x1="0" y1="0" x2="0" y2="6" stroke="#37474f" stroke-width="2"/>
</pattern>
<marker id="head" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto">
<path d="M0 0 L8 4 L0 8 z" fill="#a70044"/></marker>
</defs>
)svg";

/// Labels on the hatched style are dark, too.
bool has_dark_label(std::string_view style) { return style == "lost" || is_light(style); }

/// A unit that keeps the numbers of the axis short.
struct AxisUnit {
  const char* name;
  std::uint64_t size;  ///< [ps]
};

AxisUnit unit_for(std::uint64_t step) {
  constexpr AxisUnit kUnits[] = {{"s", common::kSecond},
                                 {"ms", common::kMillisecond},
                                 {"\xC2\xB5s", common::kMicrosecond},
                                 {"ns", common::kNanosecond}};
  for (const AxisUnit& unit : kUnits) {
    if (step >= unit.size / 10) return unit;
  }
  return {"ps", 1};
}

/// Good to four digits: for headings.
std::string round_time(std::uint64_t time) {
  const AxisUnit unit = unit_for(time / 10);
  return fmt::format("{:.4g} {}", static_cast<double>(time) / static_cast<double>(unit.size),
                     unit.name);
}

/// 1, 2 or 5 times a power of ten: about `range` / 12.
std::uint64_t axis_step(std::uint64_t range) {
  std::uint64_t step = 1;
  for (unsigned i = 0; step < range / 12; ++i) step = i % 3 == 1 ? step / 2 * 5 : step * 2;
  return step;
}

class SvgWriter {
 public:
  SvgWriter(const Timeline& timeline, const RunReport& report, const Names& names, Output& out,
            const std::optional<DrawnSpan>& window)
      : timeline_(timeline),
        report_(report),
        names_(names),
        out_(out),
        layout_(timeline, names, window),
        legend_(layout_, !timeline.story.empty()) {
    layout_.move_down(legend_.extra_height());
  }

  void write();

 private:
  void header();
  void axis();
  void lane_frame(const SvgLane& lane);
  void lane_content(const SvgLane& lane);
  void slice(const Slice& slice, double top, double height, double& drawn_to);
  void label(const Slice& slice, double left, double right, double middle);
  void instant(const Instant& instant, const SvgLane& lane, double& drawn_to);
  void arrows();
  void text(double x, double y, const char* style, const std::string& words,
            const char* anchor = "start");
  std::string notes() const;

  const Timeline& timeline_;
  const RunReport& report_;
  const Names& names_;
  Output& out_;
  SvgLayout layout_;
  SvgLegend legend_;
  std::size_t instants_ = 0;
};

void SvgWriter::text(double x, double y, const char* style, const std::string& words,
                     const char* anchor) {
  out_.print("<text x=\"{:.1f}\" y=\"{:.1f}\" class=\"{}\" text-anchor=\"{}\">{}</text>\n", x, y,
             style, anchor, xml_escaped(words));
}

std::string SvgWriter::notes() const {
  std::string words = fmt::format("{} to {} of {} simulated", round_time(layout_.begin),
                                  round_time(std::min(layout_.end, timeline_.end_time)),
                                  round_time(timeline_.end_time));
  if (layout_.left_out_slices > 0) {
    words +=
        fmt::format("; {} later slices are not drawn: see trace.pftrace", layout_.left_out_slices);
  }
  if (layout_.left_out_lanes > 0) {
    words += fmt::format("; {} lanes are not drawn", layout_.left_out_lanes);
  }
  return words;
}

void SvgWriter::header() {
  const double height = layout_.bottom + 46 + story_height(timeline_);
  out_.print(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<svg xmlns=\"http://www.w3.org/2000/svg\" "
      "width=\"{0:.0f}\" height=\"{1:.0f}\" viewBox=\"0 0 {0:.0f} {1:.0f}\" role=\"img\">\n",
      SvgLayout::kWidth, height);
  const std::string name = report_.scenario == nullptr ? "run" : report_.scenario->name;
  const std::string title = report_.scenario == nullptr ? "" : report_.scenario->title;
  out_.print("<title>{}: fence timeline</title>\n", xml_escaped(name));
  out_.text("<style>\n");
  out_.text(palette_style());
  out_.text(kStyle);
  out_.text(kDefinitions);
  out_.print("<rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n");
  text(16, 26, "h1", title.empty() ? name : name + ": " + title);
  const bool good = report_.exit_code == 0;
  std::string verdict = report_.verdict;
  if (!report_.reasons.empty()) verdict += ": " + report_.reasons[0];
  verdict = with_times(verdict, [](std::string_view /*before*/, const std::string& number) {
    return round_time(std::stoull(number));
  });
  text(16, 46, good ? "note" : "bad", verdict.substr(0, 220));
  text(16, 64, "note", notes());
}

void SvgWriter::axis() {
  const std::uint64_t step = axis_step(layout_.end - layout_.begin);
  const AxisUnit unit = unit_for(step);
  const double top = layout_.top, bottom = layout_.bottom;
  for (std::uint64_t t = (layout_.begin + step - 1) / step * step; t <= layout_.end; t += step) {
    const double x = layout_.x(t);
    out_.print(
        "<line class=\"grid\" x1=\"{0:.2f}\" x2=\"{0:.2f}\" y1=\"{1:.1f}\" y2=\"{2:.1f}\"/>\n", x,
        top, bottom);
    const double value = static_cast<double>(t) / static_cast<double>(unit.size);
    const std::string words = fmt::format("{:.6g} {}", value, unit.name);
    text(x, top - 5, "note", words, "middle");
    text(x, bottom + 14, "note", words, "middle");
  }
  text(SvgLayout::kLeft, bottom + 32, "note", "simulated time");
}

void SvgWriter::lane_frame(const SvgLane& lane) {
  if (lane.group != nullptr) text(16, lane.top - 6, "group", lane.group);
  out_.print("<rect class=\"lane\" x=\"{}\" y=\"{:.1f}\" width=\"{}\" height=\"{:.1f}\"/>\n",
             SvgLayout::kLeft, lane.top, SvgLayout::kWidth - SvgLayout::kLeft - SvgLayout::kRight,
             lane.height);
  constexpr std::size_t kMaxLetters = 25;
  const std::string name = lane.name.size() <= kMaxLetters
                               ? lane.name
                               : "..." + lane.name.substr(lane.name.size() - kMaxLetters + 3);
  text(SvgLayout::kLeft - 8, lane.top + 15, "", name, "end");
}

void SvgWriter::label(const Slice& slice, double left, double right, double middle) {
  const std::string full = slice_name(slice, names_);
  const std::string brief = full.substr(0, full.find(' '));
  const std::string marked = is_suspect(slice) ? full + ", never ended" : full;
  for (const std::string& words : {marked, full, brief}) {
    if (static_cast<double>(words.size()) * SvgLayout::kLetter + 8 > right - left) continue;
    text((left + right) / 2, middle + 4, has_dark_label(style(slice)) ? "" : "in", words, "middle");
    return;
  }
}

void SvgWriter::slice(const Slice& slice, double top, double height, double& drawn_to) {
  const double left = layout_.x(slice.begin);
  const double right = std::max(layout_.x(slice.end), left + 1.5);
  if (right <= drawn_to) return;  // hidden by its neighbour
  drawn_to = right - left < 3 ? right : std::max(drawn_to, left);
  out_.print(
      "<rect class=\"{}{}\" x=\"{:.2f}\" y=\"{:.1f}\" width=\"{:.2f}\" "
      "height=\"{:.1f}\"><title>{}: "
      "{} to {}{}</title></rect>\n",
      style(slice), is_suspect(slice) ? " open" : "", left, top, right - left, height,
      xml_escaped(slice_name(slice, names_)), exact_time(slice.begin), exact_time(slice.end),
      is_suspect(slice) ? ", never ended" : "");
  if (height > 10) label(slice, left, right, top + height / 2);
}

void SvgWriter::instant(const Instant& instant, const SvgLane& lane, double& drawn_to) {
  const double x = layout_.x(instant.time);
  if (x < drawn_to || ++instants_ > kMaxInstants) return;
  legend_.draw_mark(instant, x, lane.top,
                    fmt::format("{}: {}", instant_name(instant, names_), exact_time(instant.time)),
                    out_);
  drawn_to = x + 1.5;
}

void SvgWriter::lane_content(const SvgLane& lane) {
  constexpr double kInset = 3;
  std::map<std::pair<std::uint32_t, std::uint32_t>, double> drawn;  // by row and depth
  for (std::size_t i = 0; i < lane.slices.size(); ++i) {
    const Placement& place = lane.places[i];
    const double inset = 2 + kInset * std::min<std::uint32_t>(place.depth, 2);
    slice(*lane.slices[i], lane.top + place.row * SvgLayout::kRow + inset,
          SvgLayout::kRow - 2 * inset, drawn[{place.row, place.depth}]);
  }
  double states_to = 0;
  for (const Slice* state : lane.states) {
    slice(*state, lane.top + lane.height - SvgLayout::kStateStrip, SvgLayout::kStateStrip - 1,
          states_to);
  }
  double instants_to = 0;
  for (const Instant* it : lane.instants) instant(*it, lane, instants_to);
}

void SvgWriter::arrows() {
  std::size_t drawn = 0;
  for (const Flow& flow : timeline_.flows) {
    const Slice& signal = timeline_.slices[flow.signal];
    const Instant& release = timeline_.instants[flow.release];
    const SvgLane* from = layout_.find(signal.lane, signal.object);
    const SvgLane* to = layout_.find(release.lane, release.object);
    if (release.time > layout_.end || from == nullptr || to == nullptr) continue;
    if (++drawn > kMaxArrows) break;
    const bool down = from->top < to->top;
    const double x1 = layout_.x(std::min(signal.end, release.time)), x2 = layout_.x(release.time);
    const double y1 = down ? from->top + SvgLayout::kRow : from->top + 2;
    const double y2 = down ? to->top + 3 : to->top + SvgLayout::kRow - 3;
    const double middle = (y1 + y2) / 2;
    out_.print(
        "<path class=\"arrow\" marker-end=\"url(#head)\" d=\"M{:.2f} {:.1f} C{:.2f} {:.1f} {:.2f} "
        "{:.1f} {:.2f} {:.1f}\"/>\n",
        x1, y1, x1, middle, x2, middle, x2, y2);
  }
}

void SvgWriter::write() {
  header();
  legend_.draw(out_);
  for (const SvgLane& lane : layout_.lanes) lane_frame(lane);
  axis();
  for (const SvgLane& lane : layout_.lanes) lane_content(lane);
  arrows();
  draw_story(timeline_, layout_, out_);
  out_.text("</svg>\n");
}

}  // namespace

void write_svg(const Timeline& timeline, const RunReport& report, const Names& names, Output& out,
               const std::optional<DrawnSpan>& window) {
  SvgWriter(timeline, report, names, out, window).write();
}

}  // namespace fenceline::report
