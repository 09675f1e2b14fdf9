#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "tb/app/sweep/table.h"
#include "tb/report/record/run_folder.h"

namespace fenceline::sweep {

/// Result of a sweep.
struct Summary {
  /// A run with an unexpected result.
  struct Failed {
    std::uint64_t point = 0;
    std::uint64_t seed = 0;
    std::vector<std::string> values;  ///< "/json/pointer=value" each
    std::string verdict;
    std::string reason;
  };
  static constexpr std::size_t kMaxNamed = 10;

  std::uint64_t points = 0;
  std::uint64_t runs = 0;
  std::uint64_t failed = 0;                       ///< number of runs
  std::map<std::string, std::uint64_t> verdicts;  ///< number of runs by verdict
  std::vector<Failed> named;                      ///< the first kMaxNamed failed runs
};

constexpr const char* kCsvFile = "sweep.csv";
constexpr const char* kSqliteFile = "sweep.sqlite";
constexpr const char* kPageFile = "report.html";  ///< only if the program has pages
constexpr const char* kResultFile = "result.json";

/// Text of result.json.
std::string result_json(const Plan& plan, const Summary& summary);
/// Parses that text. Throws std::invalid_argument for an invalid text or another sweep.
Summary read_result(const Plan& plan, const std::string& text);

/// Writes the files of a complete sweep; the caller commits them. Throws report::WriteError.
Summary write_results(const Plan& plan, const run::JournalIndex& index, report::RunFolder& folder);
/// Writes the table as CSV. @pre `index` has every run.
Summary print_csv(const Plan& plan, const run::JournalIndex& index, report::Sink& sink);

}  // namespace fenceline::sweep
