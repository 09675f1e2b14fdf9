#include "tb/report/writers/palette.h"

#include <cmath>
#include <fmt/format.h>

namespace fenceline::report {

namespace {

/// Relative luminance as WCAG 2 defines it.
double luminance(std::uint32_t rgb) {
  const auto linear = [](std::uint32_t part) {
    const double value = (part & 255U) / 255.0;
    return value <= 0.04045 ? value / 12.92 : std::pow((value + 0.055) / 1.055, 2.4);
  };
  return 0.2126 * linear(rgb >> 16) + 0.7152 * linear(rgb >> 8) + 0.0722 * linear(rgb);
}

}  // namespace

const std::vector<PaletteClass>& palette() {
  static const std::vector<PaletteClass> classes{
#include <fenceline_palette.inc>
  };
  return classes;
}

std::string palette_style() {
  std::string sheet;
  for (const PaletteClass& it : palette())
    sheet += fmt::format(".{} {{ fill: #{:06x}; }}\n", it.style, it.rgb);
  return sheet;
}

bool is_light(std::string_view style) {
  constexpr double kAsDarkAsLight = 0.242;  // #263238 and white have the same contrast there
  for (const PaletteClass& it : palette())
    if (it.style == style) return luminance(it.rgb) > kAsDarkAsLight;
  return true;
}

}  // namespace fenceline::report
