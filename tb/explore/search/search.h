#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "tb/explore/search/footprints.h"
#include "tb/explore/search/search_report.h"
#include "tb/explore/search/search_state.h"
#include "tb/explore/search/stage.h"

namespace fenceline::explore {

/// Runs every distinguishable order of the steps of one built simulation.
///
/// Depth first, with sleep sets (Godefroid 1996) and a cache of states that keeps the sleep set of
/// each state. A step that no other agent depends on is taken at once. Each choice keeps a snapshot
/// of the whole simulation and restores it for each way, so that nothing is run twice.
/// A search continues from a SearchState, or from a share of it, and returns a Part. To be used in
/// the body of a stage.
class Search : public common::Policy {
 public:
  /// @param state is used up.
  /// @param flight records each step; may be null.
  Search(Stage& stage, const SearchLimits& limits, SearchState& state,
         const std::atomic<bool>* interrupted, Flight* flight = nullptr);

  /// Searches the open ways of `path`, or everything if it has no forks, for up to `executions`
  /// runs.
  /// @param alone no other process searches another path: the search may begin again by itself.
  Part search(const Path& path, std::uint64_t executions, bool alone);
  /// Whole runs in random orders.
  Part sample(Strategy strategy, std::uint64_t runs);
  /// Runs each trace that ends with a fatal step.
  Part witness(const std::vector<FatalStep>& fatal);

  /// Searches from `start` on, and stops at the first run that ends without `invariant` broken.
  /// @return true if there is none; `complete` of the report says whether all runs were tried.
  bool always_breaks(const Snapshot& start, const std::string& invariant);
  const SearchReport& report() const { return part_.report; }

  std::size_t pick(const std::vector<common::Candidate>& candidates,
                   const std::function<std::uint64_t()>& state) override;

 private:
  struct Node : Fork {
    Snapshot snapshot;
    std::vector<common::Candidate> candidates;
  };
  enum class Halt : std::uint8_t { kNone, kChoice, kAsleep, kBeyond, kOutdated };

  void restart();
  std::size_t first_step(const std::vector<common::Candidate>& candidates);
  void warm_up();
  void begin_again();
  void resume(const Path& path);
  void look_elsewhere(Node& node);
  Path path_left() const;
  bool search_on();
  Part part();
  void go_on();
  void finish_step();
  std::size_t only_way(const std::vector<common::Candidate>& candidates);
  void look_around(const std::vector<common::Candidate>& candidates, bool stepped);
  void narrow(Node& node);
  bool on_the_way(std::uint64_t key) const;
  void arrive();
  void arrive_at_choice();
  void push(std::vector<std::size_t> open, bool fresh, std::uint64_t key);
  void leave();
  bool back();
  void collect(const std::vector<check::Violation>& violations);
  void collect_end();
  void count_end();
  std::pair<Cache::iterator, bool> enter(std::uint64_t key,
                                         const std::vector<common::AgentId>& asleep);
  std::uint64_t states() const { return state_.cache.size() + fresh_; }
  bool is_interrupted() const;
  void note_choice(const std::vector<common::Candidate>& candidates, std::size_t chosen);
  void count();
  void count_frontier();
  bool pauses();
  bool ends_sampling(std::chrono::steady_clock::time_point until, std::uint64_t steps);

  Stage& stage_;
  const Snapshot* start_ = nullptr;  ///< null: the start of the stage
  std::string wanted_;               ///< invariant of always_breaks
  bool clean_run_ = false;           ///< a run ended without breaking it
  common::Steps& steps_;
  const SearchLimits limits_;
  const std::atomic<bool>* interrupted_;
  Flight* flight_;
  SearchState& state_;
  Footprints& footprints_;
  Part part_;
  SearchReport& report_;
  std::uint64_t executions_ = UINT64_MAX;  ///< number of runs after which it pauses

  std::vector<Node> nodes_;
  std::size_t depth_ = 0;    ///< nodes in use; the others keep their memory for reuse
  Narrowed& narrowed_;       ///< starts with the counts of the state
  Cache& cache_;             ///< new and changed entries, on top of the cache of the state
  std::uint64_t fresh_ = 0;  ///< states that are only in this cache
  Sleepers asleep_;
  RaceFinder races_;
  Trace trace_;
  // The step under way.
  bool stepping_ = false;
  bool at_node_ = false;    ///< the simulation is still in the state of the deepest node
  bool branching_ = false;  ///< the step is a way of the deepest node
  common::Candidate step_{};
  Touched touched_;
  AgentSet enabled_;  ///< agents that could take a step instead
  AgentSet alive_;
  Footprints::Positions positions_{};  ///< of all agents, before the step
  AgentSet set_;                       ///< agents whose steps come first here
  AgentSet outside_;                   ///< agents outside of `set_`; empty if no set is used
  bool sets_;                          ///< persistent sets are used
  AgentSet first_;                     ///< agents that run before all others
  std::size_t first_steps_ = 0;        ///< steps of `first_` that the run has begun with
  // Set by pick().
  Halt halt_ = Halt::kNone;
  std::vector<common::Candidate> at_choice_;
  std::uint64_t key_ = 0;
  std::size_t forced_ = common::Policy::kStop;
  common::Policy* other_ = nullptr;  ///< decides instead of the search
  bool learns_ = true;               ///< footprints, which only a search needs
};

}  // namespace fenceline::explore
