// State of a search as bytes.
#include "tb/explore/search/search_state.h"

namespace fenceline::explore {

void write(Writer& out, const Trace& trace) {
  out.list(trace, [&](const TraceStep& step) {
    out.number(std::uint64_t{step.agent} << 8 | static_cast<std::uint64_t>(step.operation));
  });
}

Trace read_trace(Reader& in) {
  Trace trace;
  in.list([&] {
    const std::uint64_t step = in.number();
    trace.push_back(
        {static_cast<common::AgentId>(step >> 8), static_cast<common::Operation>(step & 0xFFU)});
  });
  return trace;
}

void write(Writer& out, const check::Violation& violation) {
  out.text(violation.invariant);
  out.text(violation.name);
  out.text(violation.message);
  out.number(violation.time);
  out.number(violation.event);
  out.number(violation.fence);
}

check::Violation read_violation(Reader& in) {
  check::Violation violation;
  violation.invariant = in.text();
  violation.name = in.text();
  violation.message = in.text();
  violation.time = in.number();
  violation.event = in.number();
  violation.fence = in.number<std::uint32_t>();
  return violation;
}

namespace {

/// All counts of a report, in one order for both directions.
template <typename Report, typename Each>
void each_count(Report& report, const Each& each) {
  each(report.executions);
  each(report.finished);
  each(report.asleep);
  each(report.met);
  each(report.beyond);
  each(report.left_out);
  each(report.states);
  each(report.steps);
  each(report.restarts);
  each(report.deepest);
  each(report.choices);
  each(report.fallback);
}

void write(Writer& out, const SearchReport& report) {
  out.number(report.strategy);
  out.number(report.complete);
  out.number(report.interrupted);
  out.number(report.late);
  out.number(report.own_fault);
  out.number(report.completes);
  out.number(report.waits);
  out.text(report.why_incomplete);
  each_count(report, [&](std::uint64_t count) { out.number(count); });
  write(out, report.coverage);
  out.list(report.findings, [&](const auto& entry) {
    out.text(entry.first);
    write(out, entry.second.violation);
    write(out, entry.second.trace);
    out.number(entry.second.execution);
  });
}

SearchReport read_report(Reader& in) {
  SearchReport report;
  report.strategy = in.number<Strategy>();
  report.complete = in.number<bool>();
  report.interrupted = in.number<bool>();
  report.late = in.number<bool>();
  report.own_fault = in.number<bool>();
  report.completes = in.number<bool>();
  report.waits = in.number<bool>();
  report.why_incomplete = in.text();
  each_count(report, [&](std::uint64_t& count) { count = in.number(); });
  report.coverage = read_coverage(in);
  in.list([&] {
    Finding& finding = report.findings[in.text()];
    finding.violation = read_violation(in);
    finding.trace = read_trace(in);
    finding.execution = in.number();
  });
  return report;
}

void write(Writer& out, const AgentSet& set) {
  out.number(set.count());
  for (std::size_t i = set._Find_first(); i < set.size(); i = set._Find_next(i)) out.number(i);
}

AgentSet read_agents(Reader& in) {
  AgentSet set;
  in.list([&] { set.set(in.number()); });
  return set;
}

void write(Writer& out, const Fork& fork) {
  out.list(fork.open, [&](std::size_t way) { out.number(way); });
  out.list(fork.elsewhere, [&](std::size_t way) { out.number(way); });
  out.list(fork.asleep, [&](const Sleeper& sleeper) {
    out.number(sleeper.agent);
    out.list(sleeper.touched, [&](const common::Footprint::Access& access) {
      out.number(access.location);
      out.number(access.write);
    });
  });
  out.number(fork.fresh);
  write(out, fork.set);
  write(out, fork.outside);
  out.number(fork.length);
  out.number(fork.key);
}

Sleeper read_sleeper(Reader& in) {
  Sleeper sleeper{in.number<common::AgentId>(), {}};
  in.list([&] {
    common::Footprint::Access access{};
    access.location = in.number();
    access.write = in.number<bool>();
    sleeper.touched.push_back(access);
  });
  return sleeper;
}

Fork read_fork(Reader& in) {
  Fork fork;
  in.list([&] { fork.open.push_back(in.number()); });
  in.list([&] { fork.elsewhere.push_back(in.number()); });
  in.list([&] { fork.asleep.push_back(read_sleeper(in)); });
  fork.fresh = in.number<bool>();
  fork.set = read_agents(in);
  fork.outside = read_agents(in);
  fork.length = in.number();
  fork.key = in.number();
  return fork;
}

void write(Writer& out, const Path& path) {
  write(out, path.trace);
  out.list(path.forks, [&](const Fork& fork) { write(out, fork); });
}

Path read_path(Reader& in) {
  Path path;
  path.trace = read_trace(in);
  in.list([&] { path.forks.push_back(read_fork(in)); });
  return path;
}

void write(Writer& out, const Cache& cache) {
  out.list(cache, [&](const auto& entry) {
    out.number(entry.first);
    out.list(entry.second, [&](common::AgentId agent) { out.number(agent); });
  });
}

Cache read_cache(Reader& in) {
  Cache cache;
  in.list([&] {
    std::vector<common::AgentId>& asleep = cache[in.number()];
    in.list([&] { asleep.push_back(in.number<common::AgentId>()); });
  });
  return cache;
}

void write(Writer& out, const std::vector<Edge>& edges) {
  out.list(edges, [&](const Edge& edge) {
    out.number(edge.from);
    out.number(edge.to);
  });
}

std::vector<Edge> read_edges(Reader& in) {
  std::vector<Edge> edges;
  in.list([&] {
    const auto from = in.number();
    edges.push_back({from, in.number()});
  });
  return edges;
}

}  // namespace

void write(Writer& out, const SearchState& state) {
  write(out, state.report);
  state.footprints.write(out);
  for (const std::uint64_t count : state.narrowed) out.number(count);
  write(out, state.cache);
  write(out, state.edges);
  out.list(state.paths, [&](const Path& path) { write(out, path); });
  out.list(state.fatal, [&](const FatalStep& step) {
    write(out, step.trace);
    out.text(step.finding);
    out.text(step.why);
    out.number(step.anywhere);
  });
  out.number(state.begun);
  out.number(state.sets);
  out.number(state.shared);
}

void read(Reader& in, SearchState& state) {
  state.report = read_report(in);
  state.footprints.add(in);
  for (std::uint64_t& count : state.narrowed) count = in.number();
  state.cache = read_cache(in);
  state.edges = read_edges(in);
  in.list([&] { state.paths.push_back(read_path(in)); });
  in.list([&] {
    FatalStep& step = state.fatal.emplace_back();
    step.trace = read_trace(in);
    step.finding = in.text();
    step.why = in.text();
    step.anywhere = in.number<bool>();
  });
  state.begun = in.number<bool>();
  state.sets = in.number<bool>();
  state.shared = in.number<bool>();
}

std::string Part::bytes() const {
  Writer out;
  out.number(outcome);
  write(out, report);
  out.text(footprints);
  out.number(alone);
  out.number(sets);
  for (const std::uint64_t count : narrowed) out.number(count);
  write(out, cache);
  write(out, edges);
  write(out, path);
  return out.take();
}

Part Part::of(const std::string& bytes) {
  Reader in(bytes);
  Part part;
  part.outcome = in.number<Outcome>();
  part.report = read_report(in);
  part.footprints = in.text();
  part.alone = in.number<bool>();
  part.sets = in.number<bool>();
  for (std::uint64_t& count : part.narrowed) count = in.number();
  part.cache = read_cache(in);
  part.edges = read_edges(in);
  part.path = read_path(in);
  return part;
}

}  // namespace fenceline::explore
