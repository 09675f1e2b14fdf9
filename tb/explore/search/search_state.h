#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "tb/explore/search/footprints.h"
#include "tb/explore/search/search_report.h"
#include "tb/explore/search/stage.h"

namespace fenceline::explore {

/// Entry of a sleep set: a step that need not be taken here, because the order with this step first
/// has been searched.
struct Sleeper {
  common::AgentId agent;
  Touched touched;
};
using Sleepers = std::vector<Sleeper>;

/// Executions that the ways of a choice have taken.
struct WaySizes {
  std::uint64_t first = 0;       ///< of the way that was taken first; 0 until it is done
  std::uint64_t later = 0;       ///< of all others that are done
  std::uint64_t later_ways = 0;  ///< number of these
  std::uint64_t now = 0;         ///< of the way under way, choices further on left out

  /// Another way begins, with its first execution.
  void begin() {
    end();
    now = 1;
  }
  /// No way is under way. Returns the executions of all.
  std::uint64_t end();
};

/// How much smaller ways are that are taken later. They lead to states that were met before, the
/// more the larger they are.
struct WayRatios {
  struct Sums {
    double later = 0;
    double expected = 0;  ///< if they had the size of the first way of the choice
  };
  std::array<Sums, 64> sums{};  ///< by the binary logarithm of the size of the first way

  /// All ways of a choice were taken.
  void learn(const WaySizes& sizes);
  void add(const WayRatios& later);
  /// Executions of a later way, where the first one of the choice has taken `first`.
  double later(double first) const;
};

/// A choice of which some ways are still open. A *way* is a candidate step at a choice.
struct Fork {
  std::vector<std::size_t> open;       ///< indices of candidates; the last is taken next
  std::vector<std::size_t> elsewhere;  ///< ways of another path; they count as taken first
  Sleepers asleep;                     ///< each way that was taken is added
  bool fresh = true;                   ///< the state was met for the first time
  AgentSet set;                        ///< agents whose steps come first here, see Footprints
  AgentSet outside;                    ///< the other agents
  WaySizes sizes;
  std::size_t length = 0;  ///< of the trace up to here
  std::uint64_t key = 0;   ///< of the state in the cache
};

/// Remaining work of a search, or of a part of it: the open ways at the choices along one run.
struct Path {
  Trace trace;
  std::vector<Fork> forks;  ///< the deepest last

  std::size_t open() const;
};
/// Frontier of a run whose choices are `forks`, up to `depth`.
template <class Forks>
Frontier frontier_of(const Forks& forks, std::size_t depth, const WayRatios& ratios) {
  Frontier result;
  double deeper = 0;  // executions of the choices further on, those to come included
  for (std::size_t i = depth; i-- > 0;) {
    const WaySizes& sizes = forks[i].sizes;
    const double now = static_cast<double>(sizes.now) + deeper;
    const double first = sizes.first != 0 ? static_cast<double>(sizes.first) : now;
    const double left = static_cast<double>(forks[i].open.size()) * ratios.later(first);
    result.open += forks[i].open.size();
    result.left += left;
    deeper = static_cast<double>(sizes.first + sizes.later) + now + left;
  }
  return result;
}
/// Splits off about half of the open ways: those that would be taken last.
Path split(Path& path);

/// States that have been entered, by key, each with the agents in the sleep set. The steps of all
/// other agents have been searched from there, or lie on a path.
using Cache = std::unordered_map<std::uint64_t, std::vector<common::AgentId>>;

/// By agent: how often its step at a choice turned out to be independent of all other agents.
using Narrowed = std::array<std::uint64_t, Footprints::kMaxAgents>;

/// A run went from one choice to the next. The members are keys of states.
struct Edge {
  std::uint64_t from;
  std::uint64_t to;
};
/// True if the edges contain a cycle.
bool cyclic(const std::vector<Edge>& edges);

/// Everything that a search knows between two of its parts.
struct SearchState {
  SearchReport report;
  Footprints footprints;
  Narrowed narrowed{};
  WayRatios ratios;
  Cache cache;
  std::vector<Edge> edges;
  std::vector<Path> paths;  ///< a path without forks is the whole search
  std::vector<FatalStep> fatal;
  bool begun = false;
  bool sets = true;     ///< persistent sets are used, see Footprints
  bool shared = false;  ///< there has been more than one path

  /// Drops the progress of the search, and keeps the footprints.
  void begin_again();
};

/// Result of one process, which searched a share of the open ways.
struct Part {
  enum class Outcome : std::uint8_t {
    kDone,    ///< the share is complete
    kPaused,  ///< `path` remains
    kAgain    ///< agents share more than was known: the whole search has to begin again
  };
  Outcome outcome = Outcome::kDone;
  SearchReport report;     ///< of this part alone
  std::string footprints;  ///< all that are known after it
  bool alone = false;      ///< it has begun the search again: all other parts are void
  bool sets = true;
  Narrowed narrowed{};  ///< totals, not those of this part
  WayRatios ratios;     ///< of this part alone
  Cache cache;          ///< new and changed entries
  std::vector<Edge> edges;
  Path path;
};

/// Adds a part. Parts that began at the same state can all be added: their paths and caches are
/// valid together.
void add(SearchState& state, const Part& part);
/// Adds the report of a later part.
void add(SearchReport& all, const SearchReport& later);

}  // namespace fenceline::explore
