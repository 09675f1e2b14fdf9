#include "tb/report/writers/write_run.h"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <functional>
#include <stdexcept>

#include "tb/report/record/timeline.h"
#include "tb/report/rows/timeline_builder.h"
#include "tb/report/writers/events_csv.h"
#include "tb/report/writers/fst.h"
#include "tb/report/writers/junit.h"
#include "tb/report/writers/narrative.h"
#include "tb/report/writers/page.h"
#include "tb/report/writers/page_shell.h"
#include "tb/report/writers/perfetto.h"
#include "tb/report/writers/svg.h"
#include "tb/report/writers/vcd.h"

namespace fenceline::report {

namespace {

/// Writes files one after the other and remembers their names.
class Writer {
 public:
  explicit Writer(RunFolder& folder) : folder_(folder) {}

  void text(const std::string& name, const std::string& content) {
    file(name, [&](Output& out) { out.text(content); });
  }
  void file(const std::string& name, const std::function<void(Output&)>& write) {
    const std::unique_ptr<Sink> sink = folder_.create(name);
    Output out(*sink);
    write(out);
    out.finish();
    names_.push_back(name);
  }
  /// Makes waves.fst of the same signals; waves.vcd stays only if `keep_vcd`.
  void fst(const std::function<void(Output&)>& write_waves, bool keep_vcd) {
    if (!keep_vcd) file("waves.vcd", write_waves);
    const std::filesystem::path vcd = folder_.hidden() / "waves.vcd";
    convert_to_fst(vcd, folder_.hidden() / "waves.fst");
    names_.emplace_back("waves.fst");
    if (keep_vcd) return;
    std::filesystem::remove(vcd);
    names_.erase(std::find(names_.begin(), names_.end(), "waves.vcd"));
  }
  const std::vector<std::string>& names() const { return names_; }

 private:
  RunFolder& folder_;
  std::vector<std::string> names_;
};

struct Member {
  const char* name;
  bool TraceSet::*flag;
};
constexpr Member kMembers[] = {
    {"events", &TraceSet::events}, {"vcd", &TraceSet::vcd},   {"perfetto", &TraceSet::perfetto},
    {"svg", &TraceSet::svg},       {"log", &TraceSet::log},   {"fst", &TraceSet::fst},
    {"repro", &TraceSet::repro},   {"html", &TraceSet::html}, {"fences", &TraceSet::fences},
};

void add_member(const std::string& word, TraceSet& set) {
  for (const Member& member : kMembers) {
    if (word != member.name) continue;
    set.*member.flag = true;
    return;
  }
  throw std::invalid_argument(fmt::format(
      "\"{}\" is none of none, all, events, vcd, perfetto, svg, log, fst, repro, html, fences",
      word));
}

void write_traces(const RunReport& report, const Record& record, const TraceSet& traces,
                  const std::optional<DrawnSpan>& window, Writer& writer) {
  if (traces.events) {
    writer.file("events.csv",
                [&](Output& out) { write_events_csv(record.recorder, record.names, out); });
  }
  const auto waves = [&](Output& out) { write_vcd(record.recorder, record.names, out); };
  if (traces.vcd) writer.file("waves.vcd", waves);
  if (traces.fst) writer.fst(waves, traces.vcd);
  const bool page = traces.html && missing_page_reason(report).empty();
  if (traces.perfetto || traces.svg || page) {
    const Timeline timeline =
        build_timeline(record.recorder, record.names, report.end_time, report.scenario);
    if (traces.perfetto) {
      writer.file("trace.pftrace",
                  [&](Output& out) { write_perfetto(timeline, record.names, out); });
    }
    if (traces.svg) {
      writer.file("timeline.svg",
                  [&](Output& out) { write_svg(timeline, report, record.names, out, window); });
    }
    if (page) {
      writer.file("report.html", [&](Output& out) {
        write_page(run_page(), timeline, report, record.names, out);
      });
    }
  }
  if (traces.fences && record.fences.captured()) {
    const std::vector<FenceOperation> operations = record.fences.join();
    writer.file("fences.csv",
                [&](Output& out) { write_fences_csv(operations, record.names, out); });
    const Timeline timeline = timeline_of(operations, report.end_time);
    writer.file("fences.svg", [&](Output& out) { write_svg(timeline, report, record.names, out); });
  }
  if (traces.log) {
    writer.file("log.txt", [&](Output& out) { write_log(record.recorder, record.names, out); });
  }
}

}  // namespace

TraceSet TraceSet::all() { return {true, true, true, true, true, false, false, true, true}; }

TraceSet TraceSet::parse(const std::string& text) {
  if (text == "none") return {};
  TraceSet set;
  std::size_t begin = 0;
  while (begin <= text.size()) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    const std::string word = text.substr(begin, end - begin);
    if (word == "all") {
      const TraceSet before = set;
      set = all();
      set.fst = before.fst;
      set.repro = before.repro;
    } else {
      add_member(word, set);
    }
    begin = end + 1;
  }
  return set;
}

std::vector<std::string> write_run(const RunReport& report, const Record& record,
                                   const TraceSet& traces, const WriteSettings& settings,
                                   RunFolder& folder) {
  const auto start = std::chrono::steady_clock::now();
  Writer writer(folder);
  writer.text("config.json", config_json(report));
  writer.text("result.json", result_json(report));
  writer.text("stats.json", stats_json(report));
  writer.text("junit.xml", junit_file(junit_suite(report)));
  if (report.exit_code != 0 || traces.repro) writer.text("repro.json", repro_json(report));
  write_traces(report, record, traces, settings.window, writer);
  HostTiming timing = settings.timing;
  timing.write_seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  writer.text("host.json", host_json(report, timing));
  return writer.names();
}

}  // namespace fenceline::report
