#include "tb/report/writers/palette.h"

#include <cmath>
#include <fmt/format.h>

namespace fenceline::report {

namespace {

struct PaletteColour {
  std::string_view style;
  std::uint32_t rgb;
};
constexpr PaletteColour kPalette[] = {
#include <fenceline_palette.inc>
};

/// Relative luminance as WCAG 2 defines it.
double luminance(std::uint32_t rgb) {
  const auto linear = [](std::uint32_t part) {
    const double value = (part & 255U) / 255.0;
    return value <= 0.04045 ? value / 12.92 : std::pow((value + 0.055) / 1.055, 2.4);
  };
  return 0.2126 * linear(rgb >> 16) + 0.7152 * linear(rgb >> 8) + 0.0722 * linear(rgb);
}

}  // namespace

std::string palette_style() {
  std::string sheet;
  for (const PaletteColour& it : kPalette)
    sheet += fmt::format(".{} {{ fill: #{:06x}; }}\n", it.style, it.rgb);
  return sheet;
}

bool is_light(std::string_view style) {
  constexpr double kAsDarkAsLight = 0.242;  // #263238 and white have the same contrast there
  for (const PaletteColour& it : kPalette)
    if (it.style == style) return luminance(it.rgb) > kAsDarkAsLight;
  return true;
}

}  // namespace fenceline::report
