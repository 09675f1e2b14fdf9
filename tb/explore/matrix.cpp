#include "tb/explore/matrix.h"

#include <algorithm>
#include <fmt/format.h>
#include <functional>
#include <stdexcept>

#include "tb/explore/counterexample_fields.h"
#include "tb/run/process/contained.h"
#include "tb/scenario/shapes/ordering_names.h"

namespace fenceline::explore {

template <class Archive>
void serialize(Archive& archive, MatrixRow& it) {
  archive(it.on, it.verdict, it.broken, it.executions, it.runs, it.counterexample, it.own_fault);
}

namespace {

void explore_row(const Matrix& matrix, MatrixRow& row, const Load& load,
                 const ExploreOptions& options) {
  std::vector<std::string> overrides;
  for (std::size_t i = 0; i < matrix.mechanisms.size(); ++i) {
    const Mechanism& it = matrix.mechanisms[i];
    overrides.push_back(
        fmt::format("/platform/ordering/{}={}", it.name, (row.on >> i & 1U) != 0 ? it.on : it.off));
  }
  ExploreOptions quick = options;
  quick.brief = true;
  quick.limits.first_only = true;
  const Exploration exploration = explore(load(overrides), quick);
  row.broken.clear();
  row.verdict = exploration.verdict;
  row.executions = exploration.search.executions;
  row.runs = std::hash<std::string>{}(to_bytes(exploration.search));
  row.own_fault = exploration.search.own_fault;
  for (const auto& [cause, finding] : exploration.search.findings)
    if (row.broken.empty() || row.broken.back() != finding.violation.invariant)
      row.broken.push_back(finding.violation.invariant);
  if (!exploration.counterexamples.empty())
    row.counterexample = exploration.counterexamples.front();
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

/// Explores each row in a process of its own.
void explore_in_processes(Matrix& matrix, const Load& load, const ExploreOptions& options,
                          unsigned max_processes,
                          const std::function<void(const MatrixRow&, std::size_t)>& done) {
  std::vector<MatrixRow>& rows = matrix.rows;
  std::vector<std::string> errors(rows.size());
  run::Works works;
  works.count = rows.size();
  works.work = [&](std::size_t i, run::Pulse&) {
    MatrixRow& row = rows[i];
    try {
      explore_row(matrix, row, load, options);
    } catch (const std::exception& error) {
      errors[i] = error.what();
    }
    return to_bytes(row, errors[i]);
  };
  works.ended = [&](std::size_t i, const run::Ended& ended) {
    if (ended.how == run::Ended::How::kWell)
      from_bytes(ended.result, rows[i], errors[i]);
    else
      errors[i] = "a process that explored a part of the matrix died";
    if (done) done(rows[i], rows.size());
  };
  run::Watch watch;
  watch.jobs = max_processes;
  run::run_contained(works, watch);
  for (const std::string& error : errors)
    if (!error.empty()) throw std::runtime_error(error);
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
      return {info.name, info.values.back().json, info.values.front().json,
              info.values.back().meaning, info.values.front().meaning};
  throw std::invalid_argument(
      fmt::format("{} is no switch with a weaker and a stronger design; those are: {}", switch_name,
                  fmt::join(scenario::mechanism_names(), ", ")));
}

Matrix explore_matrix(const std::vector<std::string>& switches, const Load& load,
                      const ExploreOptions& options, unsigned max_processes,
                      const std::function<void(const MatrixRow&, std::size_t)>& done) {
  constexpr std::size_t kMaxSwitches = 12;
  if (switches.empty() || switches.size() > kMaxSwitches)
    throw std::invalid_argument(fmt::format("a matrix takes 1 to {} switches", kMaxSwitches));
  Matrix matrix;
  for (const std::string& name : switches) matrix.mechanisms.push_back(mechanism(name));
  matrix.rows.resize(std::size_t{1} << switches.size());
  for (std::uint32_t on = 0; on < matrix.rows.size(); ++on) matrix.rows[on].on = on;

  matrix.bounds = bounds_of(load({}));
  explore_in_processes(matrix, load, options, max_processes, done);
  find_sets(matrix);
  return matrix;
}

}  // namespace fenceline::explore
