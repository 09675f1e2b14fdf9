#pragma once

#include <string>
#include <string_view>

namespace fenceline::report {

/// `text` as a field of a CSV file (RFC 4180). Text that a spreadsheet would take for a formula,
/// because it begins with = + - @ and is no number, has a ' in front.
std::string csv_field(std::string_view text);

}  // namespace fenceline::report
