#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tb/report/record.h"
#include "tb/report/record/run_folder.h"
#include "tb/report/record/run_report.h"
#include "tb/report/record/timeline.h"
#include "tb/report/writers/json_writers.h"

namespace fenceline::report {

/// Selection of the output files that need the events.
struct TraceSet {
  bool events = false;    ///< events.csv
  bool vcd = false;       ///< waves.vcd
  bool perfetto = false;  ///< trace.pftrace
  bool svg = false;       ///< timeline.svg
  bool log = false;       ///< log.txt
  bool fst = false;       ///< waves.fst, by the program vcd2fst
  bool repro = false;     ///< repro.json of a run that passed, too; takes no events
  bool html = false;      ///< report.html, in a program that has the page
  bool fences = false;    ///< fences.csv and fences.svg, where the scenario captures logs

  /// Everything but fst and repro.
  static TraceSet all();
  /// "none", "all", or names of the members separated by commas; throws std::invalid_argument.
  static TraceSet parse(const std::string& text);
  /// A file that takes events is written.
  bool any() const { return events || vcd || perfetto || svg || log || fst || html; }
};

/// What else the files depend on.
struct WriteSettings {
  HostTiming timing;                ///< for host.json
  std::optional<DrawnSpan> window;  ///< what timeline.svg shows; none: the first slices
};

/// Without a trace set asked for, traces are written for runs of up to this many events.
constexpr std::uint64_t kDefaultEventLimit = 1'000'000;

/// Writes the files of one run to `folder` (which the caller commits) and returns their names.
/// config.json, result.json, stats.json, junit.xml and host.json are always written, repro.json
/// when the run failed or `traces` asks for it. Throws WriteError.
std::vector<std::string> write_run(const RunReport& report, const Record& record,
                                   const TraceSet& traces, const WriteSettings& settings,
                                   RunFolder& folder);

}  // namespace fenceline::report
