#pragma once

#include <cstdint>
#include <string>
#include <string_view>

/// The light colours of tb/report/web/palette.css, for drawings.
namespace fenceline::report {

/// A style sheet that fills each class with its colour.
std::string palette_style();
/// True if dark letters are easier to read on a class than white ones.
bool is_light(std::string_view style);

}  // namespace fenceline::report
