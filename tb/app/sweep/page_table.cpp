#include "tb/app/sweep/page_table.h"

#include <algorithm>
#include <array>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>
#include <cstring>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <numeric>
#include <stdexcept>

#include "tb/report/record/packing.h"
#include "tb/scenario/text/json_tree.h"
#include "tb/scenario/text/units.h"

namespace fenceline::sweep {

using Json = nlohmann::ordered_json;

namespace {

/// Differences of numbers below are exact in the page.
constexpr std::uint64_t kExactNumber = std::uint64_t{1} << 52;

std::string text_of(const Cell& cell) {
  if (const auto* number = std::get_if<std::uint64_t>(&cell)) return std::to_string(*number);
  if (const auto* text = std::get_if<std::string>(&cell)) return *text;
  return {};
}

bool needs_words(const std::vector<Cell>& cells) {
  return std::any_of(cells.begin(), cells.end(), [](const Cell& cell) {
    const auto* number = std::get_if<std::uint64_t>(&cell);
    return number != nullptr ? *number >= kExactNumber : std::holds_alternative<std::string>(cell);
  });
}

/// Different texts of a column, in the order in which they come.
struct Words {
  explicit Words(const std::vector<Cell>& cells) {
    for (const Cell& cell : cells)
      if (cell.index() != 0 && places.emplace(text_of(cell), list.size()).second)
        list.push_back(text_of(cell));
  }
  std::vector<std::string> list;
  std::map<std::string, std::size_t> places;
};

struct Quantity {
  double value;
  const char* unit;
};

/// Parses a number, or a quantity with its unit.
std::optional<Quantity> quantity_of(const std::string& word) {
  const auto json = scenario::json_tree<nlohmann::json>(word, false);
  if (json.is_number()) return Quantity{json.get<double>(), ""};
  using Parse = std::uint64_t (*)(std::string_view);
  constexpr std::array<std::pair<Parse, const char*>, 4> kParsers{
      {{scenario::parse_duration, "ps"},
       {scenario::parse_size, "bytes"},
       {scenario::parse_rate, "MB/s"},
       {scenario::parse_frequency, "Hz"}}};
  for (const auto& [parse, unit] : kParsers) {
    try {
      return Quantity{static_cast<double>(parse(word)), unit};
    } catch (const std::invalid_argument&) {  // the next kind
    }
  }
  return std::nullopt;
}

/// Adds the words of a column; if all are quantities of one kind, also their values and unit.
void add_words(const std::vector<std::string>& words, Json& column) {
  column["words"] = words;
  Json numbers = Json::array();
  std::string unit;
  for (const std::string& word : words) {
    const auto quantity = quantity_of(word);
    if (!quantity || (!numbers.empty() && unit != quantity->unit)) return;
    unit = quantity->unit;
    numbers.push_back(quantity->value);
  }
  column["numbers"] = std::move(numbers);
  if (!unit.empty()) column["unit"] = unit;
}

void append_cells(const std::vector<Cell>& cells, std::string& bytes) {
  if (needs_words(cells)) {
    const Words words(cells);
    for (const Cell& cell : cells)
      report::append_number(bytes, cell.index() == 0 ? 0 : words.places.at(text_of(cell)) + 1);
    return;
  }
  std::uint64_t last = 0;
  for (const Cell& cell : cells) {
    const auto* number = std::get_if<std::uint64_t>(&cell);
    report::append_number(bytes, number == nullptr ? 0 : report::zigzag(*number - last) + 1);
    if (number != nullptr) last = *number;
  }
}

void append_float(float value, std::string& bytes) {
  std::uint32_t bits = 0;
  std::memcpy(&bits, &value, sizeof bits);
  for (unsigned shift = 0; shift < 32; shift += 8) bytes += static_cast<char>(bits >> shift);
}

}  // namespace

Estimate estimate(const std::vector<double>& values) {
  constexpr float kUnknown = std::numeric_limits<float>::quiet_NaN();
  if (values.empty()) return {kUnknown, kUnknown};
  const auto count = static_cast<double>(values.size());
  const double mean = std::accumulate(values.begin(), values.end(), 0.0) / count;
  if (values.size() == 1) return {static_cast<float>(mean), kUnknown};
  double squares = 0;
  for (const double value : values) squares += (value - mean) * (value - mean);
  constexpr double kOutside = 0.025;  // on each side
  const boost::math::students_t student(count - 1);
  const double half = boost::math::quantile(boost::math::complement(student, kOutside)) *
                      std::sqrt(squares / (count - 1) / count);
  return {static_cast<float>(mean), static_cast<float>(half)};
}

PageTable::PageTable(std::vector<Column> columns, std::size_t fixed, const Design& design,
                     std::uint64_t most_cells)
    : design_(design), fixed_(fixed) {
  const std::uint64_t cells = design.runs() * columns.size();
  stride_ = std::max<std::uint64_t>(1, (cells + most_cells - 1) / most_cells);
  for (Column& it : columns) {
    Shown& shown = columns_.emplace_back();
    shown.measured = columns_.size() > fixed;
    shown.column = std::move(it);
  }
}

void PageTable::add(const Row& row, std::vector<Cell> cells) {
  const std::uint64_t point = design_.point_of(row.run);
  if (point_ != point) close_point();
  point_ = point;
  if (design_.repetitions() > 1 && row.verdict == "pass")
    for (std::size_t i = fixed_; i < cells.size(); ++i)
      if (const auto* number = std::get_if<std::uint64_t>(&cells[i]))
        columns_[i].values.push_back(static_cast<double>(*number));
  if (point % stride_ != 0 && (row.exit_code == 0 || extra_++ >= kMostFailed)) return;
  point_shown_ = true;
  ++rows_;
  for (std::size_t i = 0; i < cells.size(); ++i) columns_[i].cells.push_back(std::move(cells[i]));
}

void PageTable::close_point() {
  if (point_shown_) points_.push_back(*point_);
  for (Shown& it : columns_) {
    if (point_shown_ && design_.repetitions() > 1 && it.measured)
      it.estimates.push_back(estimate(it.values));
    it.values.clear();
  }
  point_shown_ = false;
}

bool PageTable::varies(const Shown& shown) const {
  const auto place = static_cast<std::size_t>(&shown - columns_.data());
  const auto& cells = shown.cells;
  return place < fixed_ ||
         std::adjacent_find(cells.begin(), cells.end(), std::not_equal_to<>()) != cells.end();
}

bool PageTable::has_means(const Shown& shown) const {
  return !shown.estimates.empty() && varies(shown) && !needs_words(shown.cells);
}

Json PageTable::columns() const {
  Json list = Json::array();
  for (const Shown& it : columns_) {
    if (!varies(it)) continue;
    Json& column = list.emplace_back(
        Json{{"name", it.column.name}, {"unit", it.column.unit}, {"meaning", it.column.meaning}});
    column["means"] = has_means(it);
    if (needs_words(it.cells)) add_words(Words(it.cells).list, column);
  }
  return list;
}

Json PageTable::same() const {
  Json list = Json::array();
  for (const Shown& it : columns_)
    if (!varies(it) && !it.cells.empty())
      list.push_back({it.column.name, text_of(it.cells.front()), it.column.meaning});
  return list;
}

std::string PageTable::bytes() const {
  std::string bytes;
  for (const Shown& it : columns_)
    if (varies(it)) append_cells(it.cells, bytes);
  for (const Shown& it : columns_) {
    if (!has_means(it)) continue;
    for (const Estimate& one : it.estimates) append_float(one.mean, bytes);
    for (const Estimate& one : it.estimates) append_float(one.half, bytes);
  }
  return bytes;
}

}  // namespace fenceline::sweep
