#include "tb/sweep/table.h"

#include <nlohmann/json.hpp>

#include "tb/scenario/sweep_values.h"

namespace fenceline::sweep {

namespace {

/// A whole number as such, so that it can be sorted and drawn; anything else as text.
Cell cell_of(const std::string& json) {
  const auto value = nlohmann::json::parse(json, nullptr, false);
  if (value.is_number_unsigned()) return value.get<std::uint64_t>();
  return scenario::plain_text(json);
}

Cell cell_of(const std::optional<std::uint64_t>& number) {
  if (number) return *number;
  return {};
}

void put_text(const std::string& text, report::Output& out) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return out.text(text);
  out.put('"');
  for (const char c : text) {
    if (c == '"') out.put('"');
    out.put(c);
  }
  out.put('"');
}

}  // namespace

Table::Table(const Plan& plan, const Design& design, const JournalIndex& index)
    : plan_(plan), design_(design), index_(index) {
  columns_ = {{"point", "number", "combination of values, from 0"},
              {"seed", "number", "of everything random in the run"}};
  for (const scenario::Variation& it : design.variations())
    columns_.push_back({it.pointer, "value", "what stood there in the scenario"});
  for (const Column& it : std::vector<Column>{
           {"verdict", "word", "how the run ended"},
           {"exit_code", "number", "what fenceline run would have ended with"},
           {"reason", "text", "the first reason of a verdict that is not pass"},
           {"broken", "list", "invariants that were broken, expected or not"},
           {"end_time_ps", "ps", "simulated time"},
           {"events", "count", "events of the run"}})
    columns_.push_back(it);
  std::string last;
  for (std::uint64_t run = 0; run < design_.runs(); ++run) {
    std::string packed = index_.read(run).columns;
    if (packed != last) add_statistics(packed);
    last = std::move(packed);
  }
}

void Table::add_statistics(const std::string& packed) {
  for (const auto& it : nlohmann::json::parse(packed)) {
    const auto name = it.at(0).get<std::string>();
    if (places_.emplace(name, columns_.size()).second)
      columns_.push_back({name, it.at(1).get<std::string>(), it.at(2).get<std::string>()});
  }
}

void Table::for_each(
    const std::function<void(const Row&, const std::vector<Cell>&)>& take) const {
  for (std::uint64_t run = 0; run < design_.runs(); ++run) {
    const Row row = unpack(index_.read(run));
    const std::uint64_t point = design_.point_of(run);
    std::vector<Cell> cells{point, plan_.first_seed + design_.repetition_of(run)};
    for (const std::string& value : design_.values(point)) cells.push_back(cell_of(value));
    cells.insert(cells.end(), {row.verdict, static_cast<std::uint64_t>(row.exit_code), row.reason,
                               row.broken, cell_of(row.end_time), cell_of(row.events)});
    cells.resize(columns_.size());
    for (std::size_t i = 0; i < row.columns.size(); ++i)
      cells[places_.at(row.columns[i].name)] = cell_of(row.numbers[i]);
    take(row, cells);
  }
}

void write_csv(const Table& table, report::Output& out) {
  bool first = true;
  for (const Column& column : table.columns()) {
    if (!first) out.put(',');
    first = false;
    put_text(column.name, out);
  }
  out.put('\n');
  table.for_each([&](const Row&, const std::vector<Cell>& cells) {
    for (std::size_t i = 0; i < cells.size(); ++i) {
      if (i != 0) out.put(',');
      if (const auto* number = std::get_if<std::uint64_t>(&cells[i])) out.number(*number);
      if (const auto* text = std::get_if<std::string>(&cells[i])) put_text(*text, out);
    }
    out.put('\n');
  });
}

}  // namespace fenceline::sweep
