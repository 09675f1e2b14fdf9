#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "models/common/simulation.h"

namespace fenceline::host {

/// Early loads of a weakly ordered core.
///
/// A load of cached memory may pass older loads of its agent, back to the last barrier, lock or
/// start of the agent on the core. It may see any value that the bytes have had since, but no value
/// older than one that the agent has already seen or stored there. The agent `<core>.early` selects
/// the value: each of its steps moves a pending load back by one store. Only while exploring: on
/// the timeline loads are in order. Source: the Arm architecture's order of reads of Normal memory;
/// a control dependency orders no reads. Assumption A-28.
class LoadWindow : public common::Hashed {
 public:
  LoadWindow(common::Simulation& simulation, const std::string& core_name);

  /// The current agent starts on the core, or passes a point that its loads may not pass.
  void close();
  /// The same for all agents.
  void close_all();
  /// The current agent leaves the core.
  void leave();
  /// The current agent will load these bytes. Until `take` the load may move back.
  void offer(std::uint64_t address, std::size_t bytes);
  /// The load takes effect. @return it sees the memory before the store with this number, or
  /// StoreHistory::kNow.
  std::uint64_t take();
  /// The current agent stored to these bytes: its loads see nothing older.
  void stored(std::uint64_t address, std::size_t bytes);
  std::uint64_t state_hash() const override;

 private:
  struct Seen {
    std::uint64_t word;   ///< address / 8
    std::uint64_t store;  ///< values overwritten by this store or earlier are not visible
  };
  struct Agent {
    common::AgentId agent;
    std::uint64_t since;     ///< number of the last store before its window
    std::vector<Seen> seen;  ///< words with a later limit than `since`
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
  const std::uint64_t place_;  ///< for footprints
  const std::size_t reader_;
  common::Gate offered_;
  std::vector<Agent> agents_;  ///< agents on the core
};

}  // namespace fenceline::host
