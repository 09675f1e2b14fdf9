#pragma once

#include <array>
#include <bitset>
#include <cstdint>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "models/common/steps/steps.h"

namespace fenceline::explore {

/// Accesses of one step: sorted, each location once, `write` if any access wrote.
using Touched = std::vector<common::Footprint::Access>;

/// The accesses that Steps recorded, without their agents.
Touched touched_by(const std::vector<common::Steps::Touch>& record);
/// True if the steps do not commute: they share a location that one of them writes.
bool conflict(const Touched& a, const Touched& b);

/// True if `taken` removes `asleep` from a sleep set: the steps conflict, and not only because
/// `taken` writes a mark that `asleep` reads (common::Place::kMark).
bool wakes(const Touched& taken, const Touched& asleep);

/// Agents, by their numbers.
using AgentSet = std::bitset<256>;

/// Footprints of all steps of an exploration: which agents read and write each location, which
/// locations the step of an agent touches in a given situation, and which agents enable which.
///
/// An exploration uses them to leave out orders. If no other agent will ever interfere with the
/// next steps of some agents, only these steps need come first (a persistent set, Godefroid 1996).
/// Footprints are learnt while exploring. If an assumption behind a persistent set turns out to be
/// wrong, `outdated` is true and the exploration has to begin again with the new footprints. If the
/// assumption was about a word of memory, the next search treats the block around that word as one
/// location: an agent that writes a ring entry will write the next entries, too.
class Footprints {
 public:
  /// With more agents no order is left out.
  static constexpr std::size_t kMaxAgents = AgentSet().size();

  Footprints() = default;
  Footprints(const Footprints&) = delete;  // `known_` points into `locations_`
  Footprints& operator=(const Footprints&) = delete;

  /// Where each agent waits: Steps::position by agent.
  using Positions = std::array<std::uint16_t, kMaxAgents>;

  /// Learns from the step of `candidate`. @param record of Steps. @param positions before the step.
  void learn(const common::Candidate& candidate, const std::vector<common::Steps::Touch>& record,
             const Touched& touched, const Positions& positions);
  /// Learns that a step of `by` enabled `agents`. @param positions before the step.
  void learn_enabled(common::AgentId by, const AgentSet& agents, const Positions& positions);

  /// The agents at a choice.
  struct Standing {
    const std::vector<common::Candidate>& candidates;
    AgentSet enabled;  ///< agents of the candidates
    AgentSet alive;
    const Positions& positions;
  };
  /// A persistent set: no agent outside of it interferes with the next steps of its members before
  /// one of them is taken. At least one member is a candidate; members may be waiting. The set has
  /// as few members awake as can be found; it is all of `alive` if nothing can be left out.
  AgentSet independent(const Standing& standing, const AgentSet& asleep) const;
  /// The persistent set of `agent`, whose step was taken there and touched `touched`.
  AgentSet independent(const Standing& standing, common::AgentId agent,
                       const Touched& touched) const;
  /// Assumes from now on that no agent of `outside` enables an agent of `waiting` at its position.
  void rely_on_waiting(const AgentSet& waiting, const AgentSet& outside,
                       const Positions& positions);
  /// Assumes from now on that no agent of `outside` interferes with `touched`. False if one is
  /// known to do so.
  bool rely(const Touched& touched, const AgentSet& outside);

  bool outdated() const { return outdated_; }
  /// Keeps the footprints and drops the assumptions. Blocks around words whose assumptions were
  /// wrong count as one location from now on.
  void begin_again();

  /// The footprints and assumptions, for another process.
  std::string bytes() const;
  /// Adds those of another process. Throws std::runtime_error for damaged bytes.
  void add(const std::string& bytes);

 private:
  struct Location {
    AgentSet readers;
    AgentSet writers;
    AgentSet relied_no_readers;
    AgentSet relied_no_writers;
    std::uint32_t number = 0;  ///< 1, 2, ... in the order of becoming known
    bool mark = false;  ///< see common::Place::kMark: only the order with the read first counts

    /// Agents with which an access to the location interferes.
    AgentSet rivals(bool write) const {
      if (write) return writers | readers;
      return mark ? AgentSet() : writers;
    }
  };
  struct Use {
    const Location* location;
    bool write;
  };
  /// Entry of the location, or of its block where that counts as one location.
  Location& at(std::uint64_t where);
  /// Key of the location in `locations_`: of itself or of its block.
  std::uint64_t name_of(std::uint64_t location) const;
  /// An assumption about the location is wrong.
  void doubt(std::uint64_t location);
  /// Makes all words of the block one location.
  void merge_block(std::uint64_t block);
  static void note(std::vector<Use>& known, const Location* location, bool write);
  static std::uint64_t key(const common::Candidate& candidate);
  /// The smallest persistent set that contains `seed`, with whose step `rivals` interfere; all of
  /// `alive` if it contains every candidate.
  AgentSet closure(const Standing& standing, common::AgentId seed, const AgentSet& rivals) const;
  bool add_rivals(const common::Candidate& candidate, AgentSet& set) const;

  std::unordered_map<std::uint64_t, Location> locations_;
  std::set<std::uint64_t> blocks_;    ///< blocks that count as one location each
  std::set<std::uint64_t> doubtful_;  ///< blocks that will after begin_again()
  std::unordered_map<std::uint64_t, std::vector<Use>> known_;  ///< sorted by number
  struct Place {
    AgentSet enablers;  ///< agents that have enabled the agent there; empty: not known
    AgentSet relied_no_enablers;
  };
  /// All positions at which an agent waits for something to become free (a lock, a link, a FIFO)
  /// share one entry: an agent that enabled it at one of them is expected to do so at the others.
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
