#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "tb/report/record/run_report.h"

namespace fenceline::report {

/// Version of the layout of the JSON files: their key "format".
constexpr int kFormatVersion = 1;

/// Wall-clock figures of a run: the only part of its outputs that differs between equal runs.
struct HostTiming {
  double seconds = 0;        ///< wall-clock time of the simulation [s]
  double write_seconds = 0;  ///< wall-clock time of writing the outputs [s]
  std::uint64_t peak_memory_bytes = 0;
};

/// Text of each JSON file, with a newline at its end. The same run gives the same bytes, except
/// for host_json().
std::string config_json(const RunReport& report);
std::string result_json(const RunReport& report);
std::string stats_json(const RunReport& report);
/// Everything that replays the run: the effective scenario, seed, policy, and the choices made.
std::string repro_json(const RunReport& report);
std::string host_json(const RunReport& report, const HostTiming& timing);

/// The same as documents: result.json, stats.json, and the scenario of config.json, which is an
/// empty object if there is none.
nlohmann::ordered_json result_document(const RunReport& report);
nlohmann::ordered_json stats_document(const RunReport& report);
nlohmann::ordered_json effective_document(const RunReport& report);
/// Configuration for pages: effective_document() behind the driver, if that is not built in.
nlohmann::ordered_json shown_configuration(const RunReport& report);
/// Settings of it that differ from their default: see scenario::changed_defaults().
nlohmann::ordered_json changed_defaults(const RunReport& report);

/// Reasons of a verdict that are neither in the violations nor in the expectations of a report.
std::vector<std::string> other_reasons(const RunReport& report);

/// In the place of result.json, for a run that could not be made or written.
std::string error_json(const std::string& scenario, const std::string& error, int exit_code);

/// Word for an ending, as result.json has it.
const char* ending_name(Ending ending);
const char* policy_name(scenario::PolicyKind policy);

}  // namespace fenceline::report
