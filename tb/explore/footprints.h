#pragma once

#include <array>
#include <bitset>
#include <cstdint>
#include <set>
#include <unordered_map>
#include <vector>

#include "models/common/steps.h"
#include "tb/explore/bytes.h"

namespace fenceline::explore {

/// What one step has touched: sorted, each location once, `write` if any access wrote.
using Touched = std::vector<common::Footprint::Access>;

/// What Steps recorded, without who it was.
Touched touched_by(const std::vector<common::Steps::Touch>& record);
/// True if the steps do not commute: they share a location that one of them writes.
bool conflict(const Touched& a, const Touched& b);

/// True if `asleep`, taken before `taken`, does not stand for it taken after: they conflict by more
/// than that the one marks what the other sends (common::Place::kMark).
bool wakes(const Touched& taken, const Touched& asleep);

/// Agents, by their numbers.
using AgentSet = std::bitset<256>;

/// What is known of all steps of an exploration: who reads and writes each location, what each step
/// touches that an agent takes in a given situation, and whose steps let whom go on.
///
/// By that an exploration leaves out orders: where some agents have next steps that nobody else
/// will ever interfere with, these are the only ones that need come first (a persistent set,
/// Godefroid 1996). What is known is learnt while exploring; if something on which such a set
/// relied turns out to be wrong, `outdated` says so, and the exploration has to begin again with
/// what is known now. Where it was a word of memory of which too little was known, that search
/// takes the words around it for one: who writes a ring entry will write those behind it too.
class Footprints {
 public:
  /// More agents than that and nothing is left out.
  static constexpr std::size_t kMaxAgents = AgentSet().size();

  Footprints() = default;
  Footprints(const Footprints&) = delete;  // what is known of steps points to the locations
  Footprints& operator=(const Footprints&) = delete;

  /// Where each agent waits: Steps::position by agent.
  using Positions = std::array<std::uint16_t, kMaxAgents>;

  /// Notes the step taken at `candidate`, as Steps recorded it. @param positions before it.
  void learn(const common::Candidate& candidate, const std::vector<common::Steps::Touch>& record,
             const Touched& touched, const Positions& positions);
  /// Notes that a step of `by` let those go on. @param positions before it.
  void learn_enabled(common::AgentId by, const AgentSet& agents, const Positions& positions);

  /// Where the agents are at a choice.
  struct Standing {
    const std::vector<common::Candidate>& candidates;
    AgentSet enabled;  ///< the candidates
    AgentSet alive;
    const Positions& positions;
  };
  /// Agents, at least one of them a candidate, whose next steps no others of those alive interfere
  /// with before one of these has gone on; as few as can be found that are not asleep. Agents that
  /// have to be waited for may be among them. All of alive if there is nothing to leave out.
  AgentSet independent(const Standing& standing, const AgentSet& asleep) const;
  /// The same for the set that `agent` needs whose step was taken there, and has touched that.
  AgentSet independent(const Standing& standing, common::AgentId agent,
                       const Touched& touched) const;
  /// Such a set is used: nobody of `outside` lets one of `waiting` go on from where it is.
  void rely_on_waiting(const AgentSet& waiting, const AgentSet& outside,
                       const Positions& positions);
  /// A step out of such a set was taken. False if somebody outside cares for what it has touched.
  bool rely(const Touched& touched, const AgentSet& outside);

  bool outdated() const { return outdated_; }
  /// Keeps what is known and forgets what was relied on; words of which too little was known are
  /// taken for one with those around them from now on.
  void begin_again();

  void write(Writer& out) const;
  /// Learns what another process has learnt, and what it relied on.
  void add(Reader& in);

 private:
  struct Location {
    AgentSet readers;
    AgentSet writers;
    AgentSet relied_no_readers;
    AgentSet relied_no_writers;
    std::uint32_t number = 0;  ///< they are counted as they become known
    bool mark = false;  ///< see common::Place::kMark: of two orders, to read first is all there is

    /// Others that a step interferes with which touches the location.
    AgentSet rivals(bool write) const {
      if (write) return writers | readers;
      return mark ? AgentSet() : writers;
    }
  };
  struct Use {
    const Location* location;
    bool write;
  };
  /// The entry of the location; the entry of its whole block where that counts as one location.
  Location& at(std::uint64_t location);
  /// The name under which the location is known.
  std::uint64_t name_of(std::uint64_t location) const;
  /// Something that was relied on is wrong about the location.
  void doubt(std::uint64_t location);
  /// Takes all words of the block for one location.
  void merge_block(std::uint64_t block);
  static void note(std::vector<Use>& known, const Location* location, bool write);
  static std::uint64_t key(const common::Candidate& candidate);
  /// The set that `seed` needs, with which those of `rivals` interfere; all of alive if that is
  /// everybody who could go on.
  AgentSet closure(const Standing& standing, common::AgentId seed, const AgentSet& rivals) const;
  bool add_rivals(const common::Candidate& candidate, AgentSet& set) const;

  std::unordered_map<std::uint64_t, Location> locations_;
  std::set<std::uint64_t> blocks_;    ///< that are taken for one location each
  std::set<std::uint64_t> doubtful_;  ///< that will be
  std::unordered_map<std::uint64_t, std::vector<Use>> known_;  ///< sorted by number
  struct Place {
    AgentSet enablers;  ///< who has let the agent go on from there; nobody: that is not known
    AgentSet relied_no_enablers;
  };
  /// Whoever lets an agent take one step that it waits for, lets it take another: a lock, a link or
  /// a FIFO has become free. Known from one, it is known of all of them, before it is too late.
  static std::size_t place_of(std::size_t agent, const Positions& positions);
  const Place& place(std::size_t agent, const Positions& positions) const {
    return places_[place_of(agent, positions)];
  }
  Place& place(std::size_t agent, const Positions& positions) {
    return places_[place_of(agent, positions)];
  }

  std::vector<Place> places_ =
      std::vector<Place>(kMaxAgents * common::Steps::kPositions);  ///< by agent and position
  bool outdated_ = false;
};

}  // namespace fenceline::explore
