#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

/// The light colours of tb/report/web/palette.css, for drawings.
namespace fenceline::report {

/// A class of slices and marks.
struct PaletteClass {
  std::string_view style;  ///< name
  std::uint32_t rgb;
  const char* words;  ///< of the legend of the page: tb/report/web/src/colours.ts
};
/// All classes, in the order of legends.
const std::vector<PaletteClass>& palette();

/// A style sheet that fills each class with its colour.
std::string palette_style();
/// True if dark letters are easier to read on a class than white ones.
bool is_light(std::string_view style);

}  // namespace fenceline::report
