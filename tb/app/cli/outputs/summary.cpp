#include "tb/app/cli/outputs/summary.h"

#include <algorithm>
#include <fmt/format.h>
#include <limits>
#include <ostream>
#include <sstream>

#include "tb/report/meters/statistics.h"
#include "tb/report/writers/json_writers.h"
#include "tb/report/writers/junit.h"

namespace fenceline::cli {

using report::RunReport;

namespace {

constexpr const char* kReset = "\033[0m";

/// `text` in green if good, otherwise in red; unchanged if `colour` is false.
std::string coloured(const std::string& text, bool good, bool colour) {
  if (!colour) return text;
  return (good ? "\033[32m" : "\033[1;31m") + text + kReset;
}

std::uint64_t counter(const RunReport& report, const char* name) {
  const report::Counter* found = report::find_counter(report, name);
  return found == nullptr ? 0 : found->value;
}

/// Replaces control characters of terminals.
std::string printable(std::string text) {
  for (char& c : text)
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7F) c = '?';
  return text;
}

void line(std::ostream& out, const char* key, const std::string& text) {
  if (!text.empty()) out << fmt::format("{:<12}{}\n", key, text);
}

std::string counters_text(const RunReport& report) {
  return fmt::format("{} raised, {} delivered, {} coalesced, {} spurious",
                     counter(report, "interrupts.raised"), counter(report, "interrupts.delivered"),
                     counter(report, "interrupts.coalesced"),
                     counter(report, "interrupts.spurious"));
}

void print_latencies(const RunReport& report, std::ostream& out) {
  bool first = true;
  for (const report::Latency& it : report.latencies) {
    if (it.count == 0) continue;
    if (first) {
      out << fmt::format("\n{:<20}{:>9}{:>12}{:>12}{:>12}{:>12}\n", "latency", "count", "min",
                         "p50", "p99", "max");
    }
    first = false;
    out << fmt::format("{:<20}{:>9}{:>12}{:>12}{:>12}{:>12}\n", it.name, it.count,
                       readable_time(it.min), readable_time(it.p50), readable_time(it.p99),
                       readable_time(it.max));
  }
}

void print_expectations(const RunReport& report, std::ostream& out) {
  const auto held = std::count_if(report.expected.begin(), report.expected.end(),
                                  [](const report::Expected& it) { return it.holds; });
  if (report.expected.empty()) return;
  line(out, "expected", fmt::format("{} of {} hold", held, report.expected.size()));
  for (const report::Expected& it : report.expected) {
    if (it.holds) continue;
    out << fmt::format("{:<12}not: {}; found: {}  ({})\n", "", it.text, it.found, it.pointer);
  }
}

void print_fences(const RunReport& report, std::ostream& out) {
  constexpr std::size_t kMost = 8;
  for (std::size_t i = 0; i < std::min(report.fences.size(), kMost); ++i) {
    const report::FinalFence& it = report.fences[i];
    const bool none = it.monitored_value == std::numeric_limits<std::uint64_t>::max();
    line(out, i == 0 ? "fences" : "",
         fmt::format("{} = {} (monitored: {})", it.name, it.current_value,
                     none ? "none" : std::to_string(it.monitored_value)));
  }
  if (report.fences.size() > kMost) {
    line(out, "", fmt::format("and {} more", report.fences.size() - kMost));
  }
}

void print_list(const char* key, const std::vector<std::string>& lines, std::ostream& out) {
  for (std::size_t i = 0; i < lines.size(); ++i) line(out, i == 0 ? key : "", lines[i]);
}

/// The faults that may be the reason why a run is blocked.
void print_faults(const RunReport& report, std::ostream& out) {
  if (report.waiting.empty()) return;
  std::vector<std::string> lines;
  for (const report::FaultSeen& it : report.faults) {
    const std::string at = it.line == 0 ? "" : fmt::format(", line {}", it.line);
    lines.push_back(
        fmt::format("{} at {}  ({}{})", it.text, readable_time(it.time), it.pointer, at));
  }
  print_list("faults", lines, out);
}

std::string signals_text(const RunReport& report) {
  return fmt::format("{} by queues ({} without telling the CMP), {} by the CPU",
                     counter(report, "signals.gpu"), counter(report, "signals.suppressed"),
                     counter(report, "signals.cpu"));
}

std::string waits_text(const RunReport& report) {
  return fmt::format("{} by the CPU, {} released, {} timed out; {} by queues, {} satisfied",
                     counter(report, "waits.added"), counter(report, "waits.released"),
                     counter(report, "waits.timed_out"), counter(report, "gpu_waits.begun"),
                     counter(report, "gpu_waits.unblocked"));
}

}  // namespace

std::string readable_time(std::uint64_t picoseconds) {
  struct Unit {
    const char* name;
    std::uint64_t size;
  };
  constexpr Unit kUnits[] = {
      {"s", 1'000'000'000'000}, {"ms", 1'000'000'000}, {"us", 1'000'000}, {"ns", 1'000}};
  for (const Unit& unit : kUnits) {
    if (picoseconds < unit.size) continue;
    const std::uint64_t rest = picoseconds % unit.size / (unit.size / 1000);
    return rest == 0 ? fmt::format("{} {}", picoseconds / unit.size, unit.name)
                     : fmt::format("{}.{:03} {}", picoseconds / unit.size, rest, unit.name);
  }
  return fmt::format("{} ps", picoseconds);
}

void describe(const RunReport& report, bool colour, Outcome& outcome) {
  outcome.verdict = report.verdict;
  outcome.reasons = report.reasons;
  for (const check::Violation& it : report.violations) outcome.broken.push_back(it.invariant);
  outcome.end_time = report.end_time;
  outcome.events = report.event_count;
  outcome.interrupts = counter(report, "interrupts.raised");
  outcome.released = counter(report, "waits.released");
  outcome.json = report::result_json(report);
  outcome.suite = report::junit_suite(report);
  std::ostringstream out;
  line(out, "verdict", coloured(report.verdict, outcome.exit_code == kExitOk, colour));
  print_list("because", report::other_reasons(report), out);
  for (const check::Violation& it : report.violations) {
    line(out, "broken",
         fmt::format("{} {} at {}: {}", it.invariant, it.name, readable_time(it.time), it.message));
  }
  const bool died =
      report.ending == report::Ending::kCrash || report.ending == report::Ending::kEndlessLoop;
  if (died)
    line(out, "time",
         fmt::format("{} simulated, seed {}", readable_time(report.end_time), report.seed));
  outcome.details = out.str();
  if (died) return;
  print_list("waiting", report.waiting, out);
  print_faults(report, out);
  if (report.bug_check) line(out, "bug check", report.bug_check->text());
  for (const report::AdapterStart& it : report.adapters)
    if (!it.explanation.empty()) line(out, "not started", it.explanation);
  line(out, "time",
       fmt::format("{} simulated, {} events, seed {}", readable_time(report.end_time),
                   report.event_count, report.seed));
  print_expectations(report, out);
  line(out, "signals", signals_text(report));
  line(out, "waits", waits_text(report));
  line(out, "interrupts", counters_text(report));
  print_fences(report, out);
  outcome.details = out.str();
  std::ostringstream latencies;
  print_latencies(report, latencies);
  outcome.latencies = latencies.str();
}

void print_details(const Outcome& outcome, const Console& console) {
  std::ostream& out = console.out;
  line(out, "scenario",
       outcome.title.empty() ? outcome.scenario
                             : outcome.scenario + ": " + printable(outcome.title));
  out << outcome.details;
  line(out, "files", outcome.files);
  line(out, "error", outcome.error);
  out << outcome.latencies;
}

Results::Results(Style style, std::size_t width, const Console& console)
    : style_(style), width_(std::max<std::size_t>(width, 8)), console_(console) {}

void Results::add(const Outcome& outcome) {
  const bool good = outcome.exit_code == kExitOk;
  switch (style_) {
    case Style::kDetails:
      print_details(outcome, console_);
      break;
    case Style::kTable:
      add_row(outcome);
      break;
    case Style::kJson:
    case Style::kJsonList:
      add_json(outcome);
      break;
  }
  ++count_;
  if (good) ++good_;
}

void Results::add_row(const Outcome& outcome) {
  if (count_ == 0) {
    console_.out << fmt::format("{:<{}}  {:>6}  {:<12} {:>12} {:>11} {:>9} {:>9}\n", "scenario",
                                width_, "seed", "verdict", "time", "interrupts", "waits", "events");
  }
  const bool good = outcome.exit_code == kExitOk;
  const std::string verdict = outcome.error.empty() ? outcome.verdict : "error";
  console_.out << fmt::format(
      "{:<{}}  {:>6}  {} {:>12} {:>11} {:>9} {:>9}\n", outcome.scenario, width_, outcome.seed,
      coloured(fmt::format("{:<12}", verdict), good, console_.out_is_terminal),
      readable_time(outcome.end_time), outcome.interrupts, outcome.released, outcome.events);
  if (!good && !outcome.reasons.empty()) console_.out << "    " << outcome.reasons[0] << '\n';
  if (!outcome.error.empty()) console_.out << "    " << outcome.error << '\n';
  console_.out.flush();
}

void Results::add_json(const Outcome& outcome) {
  const std::string text =
      outcome.error.empty()
          ? outcome.json
          : report::error_json(outcome.scenario, outcome.error, outcome.exit_code);
  if (style_ == Style::kJson) {
    console_.out << text;
    return;
  }
  console_.out << (count_ == 0 ? "[\n" : ",\n") << text.substr(0, text.size() - 1);
}

void Results::finish() {
  if (style_ == Style::kJsonList) console_.out << (count_ == 0 ? "[]\n" : "\n]\n");
  if (style_ == Style::kTable) {
    console_.out << fmt::format("{} of {} as expected\n", good_, count_);
  }
}

}  // namespace fenceline::cli
