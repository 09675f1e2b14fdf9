#include "tb/report/writers/csv.h"

#include <algorithm>

namespace fenceline::report {

namespace {

bool is_formula(std::string_view text) {
  constexpr std::string_view kBeginnings = "=+-@\t\r";
  if (text.empty() || kBeginnings.find(text.front()) == std::string_view::npos) return false;
  if (text.front() != '+' && text.front() != '-') return true;
  constexpr std::string_view kOfNumbers = "0123456789.eE+-";
  return text.size() == 1 || std::any_of(text.begin() + 1, text.end(), [&](char c) {
           return kOfNumbers.find(c) == std::string_view::npos;
         });
}

}  // namespace

std::string csv_field(std::string_view text) {
  std::string field = is_formula(text) ? "'" : "";
  field += text;
  if (field.find_first_of(",\"\r\n") == std::string::npos) return field;
  std::string quoted = "\"";
  for (const char c : field) {
    if (c == '"') quoted += '"';
    quoted += c;
  }
  return quoted + '"';
}

}  // namespace fenceline::report
