#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tb/report/record/output.h"
#include "tb/report/record/timeline.h"
#include "tb/report/writers/svg_layout.h"

namespace fenceline::report {

/// The signs of a drawing, one for each kind of mark, and the words for each style and sign.
class SvgLegend {
 public:
  /// @param story a counterexample is drawn
  SvgLegend(const SvgLayout& layout, bool story);

  /// Height of the lines beyond the first two [px].
  double extra_height() const;
  void draw(Output& out) const;
  /// Draws an instant at `x` on a lane with the upper edge `top` [px]. Draws nothing for a release:
  /// the arrow ends there. @param title plain text, shown when the pointer is on the mark
  void draw_mark(const Instant& instant, double x, double top, const std::string& title,
                 Output& out) const;

 private:
  enum class Entry : std::uint8_t { kSwatch, kArrow, kMark };
  struct Item {
    Entry entry;
    std::string_view style;  ///< of a swatch or an arrow
    Instant instant;         ///< of a mark
    std::string words;
    double x = 0;
    std::size_t line = 0;
  };
  using MarkKey = std::pair<InstantKind, common::EventKind>;

  void add(Item item);
  void add_styles(const SvgLayout& layout);
  void add_marks(const SvgLayout& layout, bool story);

  std::vector<Item> items_;
  std::map<MarkKey, std::string> letters_;  ///< of marks of events
  double x_ = 0;
  std::size_t line_ = 0;
};

}  // namespace fenceline::report
