#include "tb/app/cli/commands/coverage_command.h"

#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <iterator>
#include <ostream>

#include "tb/coverage/table.h"
#include "tb/scenario/text/diagnostics.h"

namespace fenceline::cli {

namespace {

/// @param place the folder of a campaign, or a file with its coverage
coverage::Table read_coverage(const std::string& place) {
  std::filesystem::path path(place);
  if (std::filesystem::is_directory(path)) path /= coverage::kTableFile;
  std::ifstream file(path, std::ios::binary);
  if (!file) throw UsageError(fmt::format("cannot read {}", path.string()));
  try {
    return coverage::Table::of({std::istreambuf_iterator<char>(file), {}});
  } catch (const std::exception& error) {
    throw UsageError(fmt::format("{}: {}", path.string(), error.what()));
  }
}

}  // namespace

int print_coverage(const Options& options, const Console& console) {
  coverage::Table table;
  for (const std::string& place : options.inputs) table.add(read_coverage(place));
  if (options.json)
    console.out << coverage::table_json(table);
  else if (options.quiet)
    console.out << coverage::summary_text(table);
  else
    console.out << coverage::table_text(table) << coverage::summary_text(table);
  if (options.holes && !options.json) console.out << coverage::holes_text(table);
  return kExitOk;
}

}  // namespace fenceline::cli
