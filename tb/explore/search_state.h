#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "tb/explore/bytes.h"
#include "tb/explore/footprints.h"
#include "tb/explore/search_report.h"
#include "tb/explore/stage.h"

namespace fenceline::explore {

/// A step that need not be taken: it has been, where it came first.
struct Sleeper {
  common::AgentId agent;
  Touched touched;
};
using Sleepers = std::vector<Sleeper>;

/// A choice from which some ways on are yet to be taken.
struct Fork {
  std::vector<std::size_t> open;       ///< these, as candidates; the next one last
  std::vector<std::size_t> elsewhere;  ///< ways that another path takes, which count as taken first
  Sleepers asleep;                     ///< grows by each way taken
  bool fresh = true;                   ///< the state was met for the first time
  AgentSet set;                        ///< whose steps need come first here, see Footprints
  AgentSet outside;                    ///< the other agents
  std::size_t length = 0;              ///< of the trace here
  std::uint64_t key = 0;               ///< of the state, in the cache
};

/// What is left to do of a search, or of a part of it: the ways on from the choices along one run.
struct Path {
  Trace trace;
  std::vector<Fork> forks;  ///< the deepest last

  std::size_t open() const;
};
/// Gives about half of the ways on away, those that would be taken last.
Path split(Path& path);

/// States that have been entered, each with those who slept then: everything else from there has
/// been searched, or lies on a path.
using Cache = std::unordered_map<std::uint64_t, std::vector<common::AgentId>>;

/// By agent: how often its step at a choice turned out to concern nobody else.
using Narrowed = std::array<std::uint64_t, Footprints::kMaxAgents>;

/// A run led from one choice to the next.
struct Edge {
  std::uint64_t from;
  std::uint64_t to;
};
/// True if one can come back to a state along the edges.
bool cyclic(const std::vector<Edge>& edges);

/// Everything that a search knows between two parts of it.
struct SearchState {
  SearchReport report;
  Footprints footprints;
  Narrowed narrowed{};
  Cache cache;
  std::vector<Edge> edges;
  std::vector<Path> paths;  ///< one without forks: everything from the start
  std::vector<FatalStep> fatal;
  bool begun = false;
  bool sets = true;     ///< steps of some agents may come first, see Footprints
  bool shared = false;  ///< there was more than one path

  /// Forgets what was searched, and keeps what was learnt.
  void begin_again();
};

/// What one process has searched: a share of the ways on that were left.
struct Part {
  enum class Outcome : std::uint8_t {
    kDone,    ///< nothing of the share is left
    kPaused,  ///< `path` is left
    kAgain    ///< more is shared among agents than was known: all has to be searched again
  };
  Outcome outcome = Outcome::kDone;
  SearchReport report;     ///< of this part alone
  std::string footprints;  ///< all that are known now
  bool alone = false;      ///< nothing but this part counts: it has begun again
  bool sets = true;
  Narrowed narrowed{};  ///< all counts
  Cache cache;          ///< what is new or has changed
  std::vector<Edge> edges;
  Path path;

  std::string bytes() const;
  static Part of(const std::string& bytes);
};

/// Adds a part to what is known. Of several parts that began at the same state, the paths and the
/// caches of all are true together: each stands for itself.
void add(SearchState& state, const Part& part);
/// Adds a report of what came after `all`.
void add(SearchReport& all, const SearchReport& later);

void write(Writer& out, const SearchState& state);
/// @param state a new one.
void read(Reader& in, SearchState& state);
void write(Writer& out, const Trace& trace);
Trace read_trace(Reader& in);
void write(Writer& out, const check::Violation& violation);
check::Violation read_violation(Reader& in);

}  // namespace fenceline::explore
