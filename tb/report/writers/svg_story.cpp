#include "tb/report/writers/svg_story.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>

#include "tb/report/writers/junit.h"
#include "tb/report/writers/narrative.h"

namespace fenceline::report {

namespace {

constexpr double kLine = 18, kDisc = 7.5, kHead = 26;

/// Where the disc of a mark is; not drawn if its lane is not.
struct Disc {
  bool drawn = false;
  double x = 0;
  double y = 0;
};

/// Each disc lies on the lower edge of its lane, moved to the right where it would hide another.
std::vector<Disc> discs(const Timeline& timeline, const SvgLayout& layout) {
  std::map<const SvgLane*, double> free_from;
  std::vector<Disc> all;
  for (const StoryMark& mark : timeline.story) {
    Disc& disc = all.emplace_back();
    const SvgLane* lane = layout.find(mark.lane, mark.object);
    if (lane == nullptr || mark.time < layout.begin || mark.time > layout.end) continue;
    const auto [room, fresh] = free_from.try_emplace(lane, 0.0);
    disc = {true, std::max(layout.x(mark.time), room->second), lane->top + lane->height - 2};
    room->second = disc.x + 2 * kDisc + 1;
  }
  return all;
}

void draw_hold(const Disc& from, const Disc& to, Output& out) {
  const bool down = from.y < to.y;
  const double y1 = from.y + (down ? kDisc : -kDisc);
  const double y2 = to.y + (down ? -kDisc : kDisc) * 1.4;
  const double middle = (y1 + y2) / 2;
  out.print(
      "<path class=\"hold\" marker-end=\"url(#head)\" d=\"M{:.2f} {:.1f} C{:.2f} {:.1f} {:.2f} "
      "{:.1f} {:.2f} {:.1f}\"/>\n",
      from.x, y1, from.x, middle, to.x, middle, to.x, y2);
}

void draw_disc(double x, double y, const StoryMark& mark, Output& out) {
  out.print(
      "<circle class=\"disc{}\" cx=\"{:.2f}\" cy=\"{:.1f}\" r=\"{}\"><title>{}: {}</title></circle>"
      "<text class=\"number\" x=\"{:.2f}\" y=\"{:.1f}\" text-anchor=\"middle\">{}</text>\n",
      mark.after == StoryMark::kNone ? "" : " late", x, y, kDisc, exact_time(mark.time),
      xml_escaped(mark.text), x, y + 3.3, mark.step);
}

/// @param before the mark until which this one was held back; null: none
void draw_line(double y, const StoryMark& mark, const StoryMark* before, Output& out) {
  constexpr double kNumber = 26, kTime = 120, kColumn = 134, kText = 206;
  draw_disc(kNumber, y - 4, mark, out);
  out.print("<text class=\"note\" x=\"{}\" y=\"{:.1f}\" text-anchor=\"end\">{}</text>\n", kTime, y,
            exact_time(mark.time));
  out.print("<text class=\"note\" x=\"{}\" y=\"{:.1f}\">{}</text>\n", kColumn, y,
            kStoryColumns.at(mark.column));
  out.print("<text{} x=\"{}\" y=\"{:.1f}\">{}{}</text>\n",
            before != nullptr ? " class=\"late\"" : "", kText, y, xml_escaped(mark.text),
            before != nullptr ? fmt::format(" (held back until step {} had happened)", before->step)
                              : std::string());
}

}  // namespace

double story_height(const Timeline& timeline) {
  if (timeline.story.empty()) return 0;
  return kHead + kLine * static_cast<double>(timeline.story.size());
}

void draw_story(const Timeline& timeline, const SvgLayout& layout, Output& out) {
  const std::vector<Disc> all = discs(timeline, layout);
  for (std::size_t i = 0; i < all.size(); ++i) {
    const std::size_t after = timeline.story[i].after;
    if (after < all.size() && all[i].drawn && all[after].drawn) draw_hold(all[after], all[i], out);
  }
  for (std::size_t i = 0; i < all.size(); ++i)
    if (all[i].drawn) draw_disc(all[i].x, all[i].y, timeline.story[i], out);
  double y = layout.bottom + 40 + kHead;
  for (const StoryMark& mark : timeline.story) {
    const bool held = mark.after < timeline.story.size();
    draw_line(y, mark, held ? &timeline.story[mark.after] : nullptr, out);
    y += kLine;
  }
}

}  // namespace fenceline::report
