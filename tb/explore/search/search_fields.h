#pragma once

#include "tb/explore/search/bytes.h"
#include "tb/explore/search/search_state.h"

/// Fields of the state of a search, for to_bytes() and from_bytes().

namespace cereal {

// In place of cereal/types/bitset.hpp, which throws and catches an exception for each set that does
// not fit into a word.
template <class Archive, std::size_t size>
void save(Archive& archive, const std::bitset<size>& set) {
  const std::bitset<size> low_word(~0ULL);
  for (std::size_t shift = 0; shift < size; shift += 64)
    archive((set >> shift & low_word).to_ullong());
}

template <class Archive, std::size_t size>
void load(Archive& archive, std::bitset<size>& set) {
  set.reset();
  for (std::size_t shift = 0; shift < size; shift += 64) {
    unsigned long long word = 0;
    archive(word);
    set |= std::bitset<size>(word) << shift;
  }
}

}  // namespace cereal

namespace fenceline::common {

template <class Archive>
void serialize(Archive& archive, Footprint::Access& access) {
  archive(access.location, access.write);
}

}  // namespace fenceline::common

namespace fenceline::check {

template <class Archive>
void serialize(Archive& archive, Violation& it) {
  archive(it.invariant, it.name, it.message, it.time, it.event, it.fence);
}

}  // namespace fenceline::check

namespace fenceline::explore {

template <class Archive>
void serialize(Archive& archive, TraceStep& step) {
  archive(step.agent, step.operation);
}

template <class Archive>
void serialize(Archive& archive, Finding& finding) {
  archive(finding.violation, finding.trace, finding.execution);
}

template <class Archive>
void serialize(Archive& archive, FatalStep& step) {
  archive(step.trace, step.finding, step.why, step.anywhere);
}

template <class Archive>
void serialize(Archive& archive, Coverage::Wins& wins) {
  archive(wins.first, wins.second);
}

template <class Archive>
void serialize(Archive& archive, Coverage::Ways& ways) {
  archive(ways.offered, ways.taken);
}

template <class Archive>
void serialize(Archive& archive, Coverage& coverage) {
  archive(coverage.races, coverage.tested, coverage.ways);
}

template <class Archive>
void serialize(Archive& archive, SearchReport& it) {
  archive(it.strategy, it.complete, it.interrupted, it.late, it.own_fault, it.why_incomplete,
          it.executions, it.finished, it.asleep, it.met, it.beyond, it.left_out, it.at_choice,
          it.outdated, it.states, it.steps, it.restarts, it.deepest, it.choices, it.fallback,
          it.completes, it.waits, it.coverage, it.findings);
}

template <class Archive>
void serialize(Archive& archive, Sleeper& sleeper) {
  archive(sleeper.agent, sleeper.touched);
}

template <class Archive>
void serialize(Archive& archive, WaySizes& sizes) {
  archive(sizes.first, sizes.later, sizes.later_ways, sizes.now);
}

template <class Archive>
void serialize(Archive& archive, WayRatios& ratios) {
  for (WayRatios::Sums& it : ratios.sums) archive(it.later, it.expected);
}

template <class Archive>
void serialize(Archive& archive, Fork& fork) {
  archive(fork.open, fork.elsewhere, fork.asleep, fork.fresh, fork.set, fork.outside, fork.sizes,
          fork.length, fork.key);
}

template <class Archive>
void serialize(Archive& archive, Path& path) {
  archive(path.trace, path.forks);
}

template <class Archive>
void serialize(Archive& archive, Edge& edge) {
  archive(edge.from, edge.to);
}

template <class Archive>
void serialize(Archive& archive, SearchState& it) {
  std::string footprints = it.footprints.bytes();
  archive(it.report, footprints, it.narrowed, it.ratios, it.cache, it.edges, it.paths, it.fatal,
          it.begun, it.sets, it.shared);
  if constexpr (Archive::is_loading::value) it.footprints.add(footprints);
}

template <class Archive>
void serialize(Archive& archive, Part& it) {
  archive(it.outcome, it.report, it.footprints, it.alone, it.sets, it.narrowed, it.ratios, it.cache,
          it.edges, it.path);
}

}  // namespace fenceline::explore
