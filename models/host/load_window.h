#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "models/common/simulation.h"

namespace fenceline::host {

/// How early the loads of a core with weak order may have been performed.
///
/// A load of cached memory may pass older loads of its agent, back to the last barrier, lock or
/// beginning of the agent on the core: it may see any value that the bytes have had since, but none
/// older than one that the agent has seen or stored there. Which one is chosen by the agent
/// `<core>.early`: each of its steps takes the load that is about to happen one store further back.
/// Only while exploring: on the timeline loads are in order.
/// Source: the Arm architecture's order of reads of Normal memory; a control dependency orders no
/// reads. Assumption A-28.
class LoadWindow : public common::Hashed {
 public:
  LoadWindow(common::Simulation& simulation, const std::string& core_name);

  /// The current agent begins on the core, or has passed what loads may not pass.
  void close();
  /// The current agent has left the core.
  void leave();
  /// The current agent is about to load these bytes; until `take` the load may move back.
  void offer(std::uint64_t address, std::size_t bytes);
  /// The load happens. @return number of the store before which it sees them, or
  /// StoreHistory::kNow.
  std::uint64_t take();
  /// The current agent has stored there: it sees nothing older.
  void stored(std::uint64_t address, std::size_t bytes);
  std::uint64_t state_hash() const override;

 private:
  struct Seen {
    std::uint64_t word;   ///< address / 8
    std::uint64_t store;  ///< nothing that this store overwrote is seen any more
  };
  struct Agent {
    common::AgentId agent;
    std::uint64_t since;     ///< last store before its window
    std::vector<Seen> seen;  ///< words of which less can be seen
    bool loads = false;
    std::uint64_t address = 0;
    std::size_t bytes = 0;
    std::uint64_t before = common::StoreHistory::kNow;
  };
  Agent& mine();
  std::uint64_t oldest(const Agent& agent) const;
  std::uint64_t next(const Agent& agent) const;
  void limit(Agent& agent, std::uint64_t address, std::size_t bytes, std::uint64_t store);
  void forget();
  void serve();

  common::Simulation& simulation_;
  const std::uint64_t place_;  ///< of footprints
  const std::size_t reader_;
  common::Gate offered_;
  std::vector<Agent> agents_;  ///< those on the core
};

}  // namespace fenceline::host
