#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "tb/check/violation.h"
#include "tb/explore/footprints.h"
#include "tb/explore/stage.h"

namespace fenceline::explore {

/// Which orders a search takes.
enum class Strategy : std::uint8_t {
  kSystematic,  ///< all of them
  kPct,         ///< as many as there are executions, by random priorities: no proof
  kRandom       ///< as many, each choice uniformly at random: no proof
};
const char* strategy_name(Strategy strategy);

/// How a search goes about, and when it gives up.
struct SearchLimits {
  Strategy strategy = Strategy::kSystematic;
  std::uint64_t executions = 5'000'000;  ///< runs, also those cut short
  std::uint64_t states = 20'000'000;     ///< in the cache
  std::uint64_t steps = 20'000;          ///< of one run: more is a livelock
  std::uint64_t fallback = 20'000;       ///< runs with random priorities after giving up
  /// Off, to prove that nothing is lost by it: states are remembered, and steps that concern nobody
  /// else are taken at once.
  bool reduce = true;
  bool first_only = false;            ///< give up at the first finding
  std::set<std::string> about;        ///< invariants that count; empty: all
  Memory memory = Memory::kCheckers;  ///< what makes two states different
};

/// Something that goes wrong, with the shortest run that showed it.
struct Finding {
  check::Violation violation;  ///< for a hang or a bug check only `message` and `invariant`
  Trace trace;
  std::uint64_t execution = 0;  ///< number of the run that showed it first; 0: one of the warm-up
};

/// How far a search got.
struct SearchReport {
  Strategy strategy = Strategy::kSystematic;
  bool complete = false;
  bool interrupted = false;
  std::string why_incomplete;
  std::uint64_t executions = 0;  ///< runs that were begun, from the start or from a choice
  std::uint64_t finished = 0;    ///< of these, to the end
  std::uint64_t asleep = 0;      ///< cut short: every way on had been taken in another order
  std::uint64_t met = 0;         ///< cut short: a state that had been there before
  std::uint64_t beyond = 0;      ///< cut short: beyond the bounds
  std::uint64_t states = 0;      ///< different ones at choices
  std::uint64_t steps = 0;
  std::uint64_t restarts = 0;               ///< the search began again knowing more footprints
  std::uint64_t deepest = 0;                ///< most steps in one run
  std::uint64_t choices = 0;                ///< most choices in one run
  std::uint64_t fallback = 0;               ///< runs with random priorities after giving up
  bool completes = false;                   ///< some runs end with nobody left
  bool waits = false;                       ///< some with waits for values that no signal left
  std::map<std::string, Finding> findings;  ///< by invariant
};

/// Runs every order of the steps of one built simulation that differs in what anybody can see.
///
/// Depth first, with sleep sets (Godefroid 1996), a cache of states that keeps the sleep set of
/// each, and steps that concern nobody else taken at once. A choice keeps a snapshot of the whole
/// simulation and goes back to it for each way on, so that nothing is run twice.
/// To be used in the body of a stage.
class Search : public common::Policy {
 public:
  Search(Stage& stage, const SearchLimits& limits,
         std::function<void(const SearchReport&)> progress, const std::atomic<bool>* interrupted);

  SearchReport run();

  /// Searches from `start` on, and stops at the first run that ends without `invariant` broken.
  /// @return true if there is none; `complete` of the report tells whether all were looked at.
  bool always_breaks(const Snapshot& start, const std::string& invariant);
  const SearchReport& report() const { return report_; }

  std::size_t pick(const std::vector<common::Candidate>& candidates,
                   const std::function<std::uint64_t()>& state) override;

 private:
  static constexpr std::uint64_t kProgressEvery = 1024;  ///< runs

  /// A step that need not be taken: it has been, where it came first.
  struct Sleeper {
    common::AgentId agent;
    Touched touched;
  };
  using Sleepers = std::vector<Sleeper>;
  struct Node {
    Snapshot snapshot;
    std::vector<common::Candidate> candidates;
    std::vector<std::size_t> open;  ///< candidates yet to be taken, the next one last
    Sleepers asleep;                ///< grows by each way taken
    bool fresh = true;              ///< the state was met for the first time
    AgentSet set;                   ///< whose steps need come first here, see Footprints
    AgentSet outside;               ///< the other agents
    std::size_t length = 0;         ///< of the trace here
    std::uint64_t key = 0;          ///< in the cache
  };
  enum class Halt : std::uint8_t { kNone, kChoice, kAsleep, kBeyond, kOutdated };

  void restart();
  void warm_up();
  void sample(Strategy strategy, std::uint64_t runs, std::uint64_t& counter);
  bool search_from_start();
  void go_on();
  void finish_step();
  std::size_t only_way(const std::vector<common::Candidate>& candidates);
  void look_around(const std::vector<common::Candidate>& candidates, bool stepped);
  void narrow(Node& node);
  bool on_the_way(std::uint64_t key) const;
  void arrive();
  void arrive_at_choice();
  void open_node(std::uint64_t key, bool fresh, std::vector<std::size_t> open);
  bool back();
  void collect(const std::vector<check::Violation>& violations);
  void collect_end();
  bool gives_up();

  Stage& stage_;
  const Snapshot* start_ = nullptr;  ///< null: the start of the stage
  std::string wanted_;               ///< invariant of always_breaks
  bool clean_run_ = false;           ///< one has ended without it
  common::Steps& steps_;
  const SearchLimits limits_;
  const std::function<void(const SearchReport&)> progress_;
  const std::atomic<bool>* interrupted_;
  SearchReport report_;

  Footprints footprints_;
  std::vector<Node> nodes_;
  std::size_t depth_ = 0;  ///< nodes in use: the others keep their memory for the next
  std::unordered_map<std::uint64_t, std::vector<common::AgentId>> cache_;
  Sleepers asleep_;
  Trace trace_;
  // The step under way.
  bool stepping_ = false;
  bool at_node_ = false;    ///< the simulation stands at the deepest node, as it was met
  bool branching_ = false;  ///< it is a way on from the deepest node
  common::Candidate step_{};
  Touched touched_;
  AgentSet enabled_;  ///< who could go on instead
  AgentSet alive_;
  Footprints::Positions positions_{};  ///< where all agents were
  AgentSet set_;                       ///< whose steps come first here
  AgentSet outside_;  ///< whom the step does not concern: nobody if it was not out of such a set
  bool sets_ = true;  ///< such sets are used
  std::array<std::uint32_t, Footprints::kMostAgents>
      narrowed_{};  ///< by agent: how often narrow did
  // What pick() found.
  Halt halt_ = Halt::kNone;
  std::vector<common::Candidate> at_choice_;
  std::uint64_t state_ = 0;
  std::size_t forced_ = common::Policy::kStop;
  common::Policy* other_ = nullptr;  ///< decides instead of the search
};

}  // namespace fenceline::explore
