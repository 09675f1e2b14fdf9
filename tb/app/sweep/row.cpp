#include "tb/app/sweep/row.h"

#include <nlohmann/json.hpp>
#include <stdexcept>

#include "tb/run/process/checksum.h"
#include "tb/scenario/text/json_tree.h"

namespace fenceline::sweep {

using Json = nlohmann::ordered_json;

namespace {

/// `text` on one line.
std::string one_line(std::string text) {
  for (char& c : text)
    if (static_cast<unsigned char>(c) < 0x20) c = ' ';
  return text;
}

void add_latency(const report::Latency& latency, Row& row) {
  row.columns.push_back({latency.name + ".count", "count", latency.meaning});
  row.numbers.emplace_back(latency.count);
  const std::pair<const char*, std::uint64_t> figures[] = {{".min", latency.min},
                                                           {".mean", latency.mean},
                                                           {".p50", latency.p50},
                                                           {".p99", latency.p99},
                                                           {".max", latency.max}};
  for (const auto& [name, value] : figures) {
    row.columns.push_back({latency.name + name, "ps", latency.meaning});
    row.numbers.push_back(latency.count == 0 ? std::nullopt : std::optional(value));
  }
}

Json maybe(const std::optional<std::uint64_t>& value) { return value ? Json(*value) : Json(); }

std::optional<std::uint64_t> maybe(const Json& value) {
  if (value.is_null()) return std::nullopt;
  return value.get<std::uint64_t>();
}

std::string line_of(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace

Row row_of(std::uint64_t run, const report::RunReport& report) {
  Row row;
  row.run = run;
  row.exit_code = report.exit_code;
  row.verdict = report.verdict;
  if (!report.reasons.empty()) row.reason = one_line(report.reasons.front());
  for (const check::Violation& it : report.violations)
    row.broken += (row.broken.empty() ? "" : " ") + it.invariant;
  row.end_time = report.end_time;
  row.events = report.event_count;
  for (const report::Counter& it : report.counters) {
    row.columns.push_back({it.name, it.unit, it.meaning});
    row.numbers.emplace_back(it.value);
  }
  for (const report::Latency& it : report.latencies) add_latency(it, row);
  return row;
}

Row failed_row(std::uint64_t run, int exit_code, std::string verdict, std::string reason) {
  Row row;
  row.run = run;
  row.exit_code = exit_code;
  row.verdict = std::move(verdict);
  row.reason = one_line(std::move(reason));
  return row;
}

run::PackedRow pack(const Row& row) {
  Json columns = Json::array();
  for (const Column& it : row.columns) columns.push_back({it.name, it.unit, it.meaning});
  Json numbers = Json::array();
  for (const auto& number : row.numbers) numbers.push_back(maybe(number));
  const Json json{{"run", row.run},
                  {"exit_code", row.exit_code},
                  {"verdict", row.verdict},
                  {"reason", row.reason},
                  {"broken", row.broken},
                  {"end_time", maybe(row.end_time)},
                  {"events", maybe(row.events)},
                  {"numbers", std::move(numbers)}};
  return {line_of(columns), line_of(json)};
}

std::vector<Column> unpack_columns(const std::string& packed) {
  try {
    std::vector<Column> columns;
    for (const Json& it : scenario::json_tree<Json>(packed))
      columns.push_back(
          {it.at(0).get<std::string>(), it.at(1).get<std::string>(), it.at(2).get<std::string>()});
    return columns;
  } catch (const Json::exception& error) {
    throw std::runtime_error(std::string("a row of the sweep is damaged: ") + error.what());
  }
}

Row unpack_row(const std::string& packed) {
  try {
    const Json json = scenario::json_tree<Json>(packed);
    Row row;
    row.run = json.at("run").get<std::uint64_t>();
    row.exit_code = json.at("exit_code").get<int>();
    row.verdict = json.at("verdict").get<std::string>();
    row.reason = json.at("reason").get<std::string>();
    row.broken = json.at("broken").get<std::string>();
    row.end_time = maybe(json.at("end_time"));
    row.events = maybe(json.at("events"));
    for (const Json& number : json.at("numbers")) row.numbers.push_back(maybe(number));
    return row;
  } catch (const Json::exception& error) {
    throw std::runtime_error(std::string("a row of the sweep is damaged: ") + error.what());
  }
}

}  // namespace fenceline::sweep
