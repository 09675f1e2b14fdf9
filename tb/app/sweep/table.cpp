#include "tb/app/sweep/table.h"

#include <algorithm>
#include <iterator>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "tb/report/writers/csv.h"
#include "tb/scenario/sweep_values.h"
#include "tb/scenario/text/json_tree.h"

namespace fenceline::sweep {

namespace {

/// A whole number as a number, so that it can be sorted and plotted; anything else as text.
Cell cell_of(const std::string& json) {
  const auto value = scenario::json_tree<nlohmann::json>(json, false);
  if (value.is_number_unsigned()) return value.get<std::uint64_t>();
  return scenario::plain_text(json);
}

Cell cell_of(const std::optional<std::uint64_t>& number) {
  if (number) return *number;
  return {};
}

}  // namespace

Table::Table(const Plan& plan, const Design& design, const run::JournalIndex& index)
    : plan_(plan), design_(design), index_(index) {
  columns_ = {{"point", "number", "combination of values, from 0"},
              {"seed", "number", "of everything random in the run"}};
  for (const scenario::Variation& it : design.variations())
    columns_.push_back({it.pointer, "value", "what stood there in the scenario"});
  for (const Column& it :
       std::vector<Column>{{"verdict", "word", "how the run ended"},
                           {"exit_code", "number", "what fenceline run would have ended with"},
                           {"reason", "text", "the first reason of a verdict that is not pass"},
                           {"broken", "list", "invariants that were broken, expected or not"}})
    columns_.push_back(it);
  fixed_ = columns_.size();
  columns_.push_back({"end_time_ps", "ps", "simulated time"});
  columns_.push_back({"events", "count", "events of the run"});
  for (std::uint64_t run = 0; run < design_.runs(); ++run) {
    const std::string& packed = index_.columns_of(run);
    if (places_.emplace(packed, Places()).second) add_statistics(packed);
  }
  number_statistics();
}

void Table::add_statistics(const std::string& packed) {
  auto behind = statistics_.begin();
  for (Column& it : unpack_columns(packed)) {
    const auto known = by_name_.find(it.name);
    if (known != by_name_.end()) {
      behind = std::next(known->second);
      continue;
    }
    const auto made = statistics_.insert(behind, std::move(it));
    by_name_.emplace(made->name, made);
  }
}

/// Numbers the statistics when all of them are known.
void Table::number_statistics() {
  unlisted_.resize(columns_.size());
  std::map<std::string, std::size_t> numbers;
  for (const Column& it : statistics_) {
    numbers.emplace(it.name, columns_.size());
    columns_.push_back(it);
    const bool counts = it.unit == "count" || it.unit == "bytes";
    unlisted_.push_back(counts ? Cell(std::uint64_t{0}) : Cell());
  }
  for (auto& [packed, places] : places_)
    for (const Column& it : unpack_columns(packed)) places.push_back(numbers.at(it.name));
}

void Table::for_each(const std::function<void(const Row&, const std::vector<Cell>&)>& take) const {
  for (std::uint64_t run = 0; run < design_.runs(); ++run) {
    const Row row = unpack_row(index_.row_of(run));
    const std::uint64_t point = design_.point_of(run);
    std::vector<Cell> cells{point, plan_.first_seed + design_.repetition_of(run)};
    for (const std::string& value : design_.values(point)) cells.push_back(cell_of(value));
    cells.insert(cells.end(), {row.verdict, static_cast<std::uint64_t>(row.exit_code), row.reason,
                               row.broken, cell_of(row.end_time), cell_of(row.events)});
    // A run that did not end has no counts.
    if (row.end_time)
      std::copy(unlisted_.begin() + static_cast<std::ptrdiff_t>(cells.size()), unlisted_.end(),
                std::back_inserter(cells));
    cells.resize(columns_.size());
    const Places& places = places_.at(index_.columns_of(run));
    if (row.numbers.size() != places.size())
      throw std::runtime_error("a row of the sweep is damaged: numbers without columns");
    for (std::size_t i = 0; i < places.size(); ++i) cells[places[i]] = cell_of(row.numbers[i]);
    take(row, cells);
  }
}

CsvWriter::CsvWriter(const std::vector<Column>& columns, report::Output& out) : out_(out) {
  for (std::size_t i = 0; i < columns.size(); ++i) {
    if (i != 0) out_.put(',');
    out_.text(report::csv_field(columns[i].name));
  }
  out_.put('\n');
}

void CsvWriter::add(const std::vector<Cell>& cells) {
  for (std::size_t i = 0; i < cells.size(); ++i) {
    if (i != 0) out_.put(',');
    if (const auto* number = std::get_if<std::uint64_t>(&cells[i])) out_.number(*number);
    if (const auto* text = std::get_if<std::string>(&cells[i])) out_.text(report::csv_field(*text));
  }
  out_.put('\n');
}

}  // namespace fenceline::sweep
