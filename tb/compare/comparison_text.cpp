#include "tb/compare/comparison_text.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <utility>

#include "tb/report/writers/narrative.h"

namespace fenceline::compare {

namespace {

std::string plural(std::size_t count, const char* noun) {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

std::string head(const char* side, const RunFiles& run) {
  const auto word = [&](const char* key) { return run.result.value(key, std::string()); };
  return fmt::format("{:<15}{}: {}, {}\n", side, run.folder, word("scenario"), word("verdict"));
}

std::string line_of(const Difference& it) {
  const std::string ratio = it.ratio ? fmt::format("  x{:.4g}", *it.ratio) : "";
  return fmt::format("{}: {} -> {}{}", it.name, it.a, it.b, ratio);
}

std::string item_name(const Item& item) {
  return item.value == 0 ? item.name : fmt::format("{} = {}", item.name, item.value);
}

/// "at 1.000000 us -> 2.000000 us", or one time if both are equal.
std::string times(const char* what, std::uint64_t a, std::uint64_t b) {
  if (a == b) return fmt::format("{} {}", what, report::exact_time(a));
  return fmt::format("{} {} -> {}", what, report::exact_time(a), report::exact_time(b));
}

std::string line_of(const TimelineDifference& it) {
  const Item& one = it.change == Change::kNew ? it.b : it.a;
  const Item& other = it.change == Change::kMissing ? it.a : it.b;
  std::string line = fmt::format("{}, {}: {}{}", it.row, item_name(one), change_name(it.change),
                                 times(" at", one.begin, other.begin));
  if (it.change == Change::kLonger || it.change == Change::kShorter)
    line += times(", lasts", one.lasts, other.lasts);
  return line;
}

template <class List>
std::string lines(const List& list, std::size_t most) {
  std::string text;
  for (std::size_t i = 0; i < std::min(most, list.size()); ++i)
    text += "  " + line_of(list[i]) + "\n";
  if (list.size() > most) text += fmt::format("  and {} more\n", list.size() - most);
  return text;
}

/// "2 only in A, 5 longer".
std::string counts(const std::vector<TimelineDifference>& list) {
  std::array<std::size_t, static_cast<std::size_t>(Change::kCount)> count{};
  for (const TimelineDifference& it : list) ++count[static_cast<std::size_t>(it.change)];
  std::string text;
  for (std::size_t i = 0; i < count.size(); ++i)
    if (count[i] != 0)
      text += fmt::format("{}{} {}", text.empty() ? "" : ", ", count[i],
                          change_name(static_cast<Change>(i)));
  return text.empty() ? "same" : text;
}

std::string timeline_text(const RunFiles& a, const Comparison& comparison, const RunFiles& b,
                          std::size_t most) {
  if (comparison.timeline) {
    return fmt::format("{:<15}{}\n", "timeline", counts(*comparison.timeline)) +
           lines(*comparison.timeline, most);
  }
  const RunFiles& lacking = a.timeline ? b : a;
  return fmt::format("{:<15}not compared: {} has no report.html with all spans\n", "timeline",
                     lacking.folder);
}

}  // namespace

std::string comparison_text(const RunFiles& a, const RunFiles& b, const Comparison& comparison,
                            std::size_t most) {
  std::string text = head("A", a) + head("B", b);
  for (const Section& section : comparison.sections) {
    const std::size_t count = section.differences.size();
    text +=
        fmt::format("{:<15}{}\n", section.title, count == 0 ? "same" : plural(count, "difference"));
    text += lines(section.differences, most);
  }
  return text + timeline_text(a, comparison, b, most);
}

}  // namespace fenceline::compare
