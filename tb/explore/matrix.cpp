#include "tb/explore/matrix.h"

#include <algorithm>
#include <fmt/format.h>
#include <functional>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "tb/explore/search/search_fields.h"
#include "tb/run/process/child_process.h"
#include "tb/scenario/shapes/ordering_names.h"
#include "tb/scenario/text/json_tree.h"

namespace fenceline::explore {

namespace {

MatrixRow explore_row(std::uint32_t on, const Matrix& matrix, const Load& load,
                      const ExploreOptions& options) {
  std::vector<std::string> overrides;
  for (std::size_t i = 0; i < matrix.mechanisms.size(); ++i) {
    const Mechanism& it = matrix.mechanisms[i];
    overrides.push_back(
        fmt::format("/platform/ordering/{}={}", it.name, (on >> i & 1U) != 0 ? it.on : it.off));
  }
  ExploreOptions quick = options;
  quick.explain = false;
  quick.limits.first_only = true;
  const Exploration exploration = explore(load(overrides), quick);
  MatrixRow row{on,
                exploration.verdict,
                {},
                exploration.search.executions,
                std::hash<std::string>{}(to_bytes(exploration.search)),
                exploration.search.own_fault};
  for (const auto& [cause, finding] : exploration.search.findings)
    if (row.broken.empty() || row.broken.back() != finding.violation.invariant)
      row.broken.push_back(finding.violation.invariant);
  return row;
}

/// A child explores every n-th subset and writes one line of JSON for each.
void explore_part(const run::ChildProcess::Send& send, unsigned part, unsigned parts,
                  const Matrix& matrix, const Load& load, const ExploreOptions& options) {
  for (std::uint32_t on = part; on < matrix.rows.size(); on += parts) {
    nlohmann::json line;
    try {
      const MatrixRow row = explore_row(on, matrix, load, options);
      line = {{"on", row.on},         {"verdict", static_cast<int>(row.verdict)},
              {"broken", row.broken}, {"executions", row.executions},
              {"runs", row.runs},     {"own_fault", row.own_fault}};
    } catch (const std::exception& error) {
      line = {{"error", error.what()}};
    }
    send(line.dump() + "\n");
  }
}

void take_line(const std::string& text, Matrix& matrix) {
  const auto line = scenario::json_tree<nlohmann::json>(text);
  if (line.contains("error")) throw std::runtime_error(line["error"].get<std::string>());
  MatrixRow& row = matrix.rows.at(line["on"].get<std::uint32_t>());
  row.verdict = static_cast<Verdict>(line["verdict"].get<int>());
  row.broken = line["broken"].get<std::vector<std::string>>();
  row.executions = line["executions"].get<std::uint64_t>();
  row.runs = line["runs"].get<std::uint64_t>();
  row.own_fault = line["own_fault"].get<bool>();
}

/// Reads what a child sends until it ends.
void take_part(run::ChildProcess& child, Matrix& matrix) {
  while (child.read()) {
  }
  const std::string& text = child.received();
  for (std::size_t begin = 0, end = 0; (end = text.find('\n', begin)) != std::string::npos;
       begin = end + 1)
    take_line(text.substr(begin, end - begin), matrix);
  if (!child.wait().well())
    throw std::runtime_error("a process that explored a part of the matrix died");
}

/// The members of `sets` that contain no other one.
std::vector<std::uint32_t> smallest(const std::vector<std::uint32_t>& sets) {
  std::vector<std::uint32_t> result;
  for (const std::uint32_t set : sets)
    if (std::none_of(sets.begin(), sets.end(),
                     [set](std::uint32_t other) { return other != set && (other & set) == other; }))
      result.push_back(set);
  return result;
}

/// Starts one child for each part and fills the rows with what they find.
void explore_in_processes(Matrix& matrix, const Load& load, const ExploreOptions& options,
                          unsigned count) {
  std::vector<std::unique_ptr<run::ChildProcess>> children;
  for (unsigned part = 0; part < count; ++part)
    children.push_back(std::make_unique<run::ChildProcess>(
        [&](const auto& send) { explore_part(send, part, count, matrix, load, options); }));
  for (const auto& child : children) take_part(*child, matrix);
}

void find_sets(Matrix& matrix) {
  const std::uint32_t all = static_cast<std::uint32_t>(matrix.rows.size()) - 1;
  std::vector<std::uint32_t> proved;
  std::vector<std::uint32_t> breaking;
  for (const MatrixRow& row : matrix.rows) {
    if (row.verdict == Verdict::kProved) proved.push_back(row.on);
    if (row.verdict == Verdict::kViolated) breaking.push_back(all & ~row.on);
  }
  matrix.sufficient = smallest(proved);
  matrix.backups = smallest(breaking);
  for (std::uint32_t bit = 1; bit <= all; bit <<= 1U)
    if (std::all_of(matrix.rows.begin(), matrix.rows.end(), [&](const MatrixRow& row) {
          return row.runs == matrix.rows[row.on ^ bit].runs;
        }))
      matrix.not_exercised |= bit;
}

}  // namespace

Mechanism mechanism(const std::string& switch_name) {
  for (const scenario::SwitchInfo& info : scenario::switch_infos())
    if (info.name == switch_name && info.ranked)
      return {info.name, info.values.back().json, info.values.front().json};
  throw std::invalid_argument(
      fmt::format("{} is no switch with a weaker and a stronger design; those are: {}", switch_name,
                  fmt::join(scenario::mechanism_names(), ", ")));
}

Matrix explore_matrix(const std::vector<std::string>& switches, const Load& load,
                      const ExploreOptions& options, unsigned max_processes) {
  constexpr std::size_t kMaxSwitches = 12;
  if (switches.empty() || switches.size() > kMaxSwitches)
    throw std::invalid_argument(fmt::format("a matrix takes 1 to {} switches", kMaxSwitches));
  Matrix matrix;
  for (const std::string& name : switches) matrix.mechanisms.push_back(mechanism(name));
  matrix.rows.resize(std::size_t{1} << switches.size());
  for (std::uint32_t on = 0; on < matrix.rows.size(); ++on) matrix.rows[on].on = on;

  matrix.bounds = bounds_of(load({}));
  explore_in_processes(matrix, load, options, max_processes);
  find_sets(matrix);
  return matrix;
}

}  // namespace fenceline::explore
