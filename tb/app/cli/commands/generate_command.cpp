#include "tb/app/cli/commands/generate_command.h"

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <nlohmann/json.hpp>
#include <ostream>

#include "tb/app/cli/outputs/output_places.h"
#include "tb/generate/generate.h"
#include "tb/scenario/brief.h"
#include "tb/scenario/text/diagnostics.h"

namespace fenceline::cli {

namespace fs = std::filesystem;

namespace {

std::string scenario_text(const generate::Constraints& constraints, std::uint64_t seed) {
  return scenario::brief_text(generate::generate(constraints, seed));
}

fs::path file_of(const Options& options, std::uint64_t seed) {
  return fs::path(options.out) / fmt::format("g{}.json", seed);
}

/// Before the first file is written: none of them may be in the way.
void check_files(const Options& options, std::uint64_t first) {
  std::error_code error;
  fs::create_directories(options.out, error);
  if (error || !fs::is_directory(options.out))
    throw UsageError(fmt::format("--out: cannot make the folder {}", options.out));
  for (std::uint64_t i = 0; i < options.generate.count; ++i) {
    const fs::path path = file_of(options, first + i);
    if (fs::exists(path) && !options.force)
      throw UsageError(
          fmt::format("{} exists; name another folder, or replace it with --force", path.string()));
    check_output_file("--out", path.string());
  }
}

}  // namespace

generate::Constraints constraints_for(const GenerateOptions& options) {
  if (!options.constraints.empty()) return generate::load_constraints(options.constraints);
  const std::vector<std::string> known = generate::preset_names();
  if (std::find(known.begin(), known.end(), options.preset) == known.end())
    throw UsageError(fmt::format("--preset: there is no \"{}\"; expected {}", options.preset,
                                 scenario::one_of(known)));
  return generate::preset(options.preset);
}

int generate_scenarios(const Options& options, const Console& console) {
  if (options.generate.schema) {
    console.out << generate::constraints_schema();
    return kExitOk;
  }
  const generate::Constraints constraints = constraints_for(options.generate);
  const std::uint64_t first = options.seed.value_or(1);
  if (options.out.empty()) {
    console.out << scenario_text(constraints, first);
    return kExitOk;
  }
  check_files(options, first);
  for (std::uint64_t i = 0; i < options.generate.count; ++i) {
    const fs::path path = file_of(options, first + i);
    std::ofstream file(path, std::ios::binary);
    file << scenario_text(constraints, first + i);
    file.close();
    if (!file) {
      console.err << "fenceline: cannot write " << path.string() << '\n';
      return kExitInternal;
    }
  }
  return kExitOk;
}

}  // namespace fenceline::cli
