#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <systemc>
#include <tlm_utils/simple_initiator_socket.h>
#include <vector>

#include "models/common/simulation.h"
#include "models/host/config.h"
#include "models/host/load_window.h"
#include "models/host/store_buffer.h"
#include "models/host/write_combining.h"

namespace fenceline::host {

/// Priority level on a core: 0 is a thread, the highest is an interrupt that cannot be interrupted.
using Level = std::uint8_t;

/// One CPU core: its running agents, its interrupts, its idle states.
///
/// Agents compute on a core. An agent `enter`s the core at a level above the running agents and
/// `leave`s it. In between it may `raise` its level. Only the topmost agent runs; the others wait.
/// An interrupt is accepted when its level is above the topmost level. A core without agents is
/// idle and enters deeper C-states with time. The next agent that enters pays the exit latency.
///
/// While exploring in fine steps (common::Grain), threads do not compete for cores without
/// interrupts; in the finest steps they compete for no core. Each thread can then continue at any
/// choice, as if it had its own core or its time slice began there. Only locks exclude threads from
/// each other. Agents that enter above level 0 still share the core.
class Core : public sc_core::sc_module, public common::Hashed {
 public:
  tlm_utils::simple_initiator_socket<Core> SC_NAMED(memory);  ///< to the root complex

  /// @param number from 0. @param agent_name prefix of its agents, e.g. "core0" for "core0.isr".
  Core(const sc_core::sc_module_name& name, common::Simulation& simulation, std::uint32_t number,
       const std::string& agent_name, const HostConfig& config);

  std::uint32_t number() const { return number_; }
  std::uint32_t object() const { return object_; }
  const HostConfig& config() const { return config_; }

  /// The interrupt agent calls `handler` at `level` for each accepted interrupt of `vector`. All
  /// vectors of a core share one level. @pre vector < 64.
  void on_interrupt(std::uint32_t vector, Level level, std::function<void()> handler);
  /// An interrupt message arrived. It merges with a pending one of the same vector. With the
  /// ordering switch host.masked_edges at `lost` it is lost if the core runs at or above the
  /// interrupt's level.
  void post_interrupt(std::uint32_t vector);
  bool interrupt_pending() const { return pending_ != 0; }
  std::uint64_t pending_interrupts() const { return pending_; }  ///< one bit per vector
  Level interrupt_level() const {
    return interrupt_level_;
  }  ///< the core masks interrupts at this level and above
  /// Body of the interrupt agent: serves accepted interrupts one after another.
  void serve_interrupts();

  /// Waiting agents of level 0 get the core in order of arrival.
  void enter(Level level, common::Operation operation, common::Time latency);
  void leave();
  void raise(Level level);
  void lower(Level level);
  Level level() const { return running_.empty() ? Level{0} : running_.back().level; }
  /// Level of the current agent on this core. @pre the agent has entered.
  Level level_of(common::AgentId agent) const;
  bool busy() const { return !running_.empty() || !threads_.empty(); }
  /// True if the agent is a thread that does not compete for a core.
  bool is_free(common::AgentId agent) const { return find_thread(agent) != nullptr; }
  /// The agent at level(); 0 if none.
  common::AgentId topmost() const {
    return running_.empty() ? common::AgentId{0} : running_.back().agent;
  }

  /// The current agent computes for `duration`. It takes longer if an agent above it runs
  /// meanwhile. At level 0, agents that wait for the core share it in time slices.
  void compute(common::Time duration);
  /// One access of the current agent to memory or a device, visible to others as `operation`. With
  /// a store buffer a store ends when it is in the buffer and is not a step.
  tlm::tlm_response_status access(common::TransactionPool::Loan& transaction,
                                  common::Operation operation);
  /// Begins a load of cached memory that later loads of the core may pass. The agent `<core>.load`
  /// performs it. Each agent can have one such load. @pre loads_apart(). `transaction` must live
  /// until end_load.
  void begin_load(common::TransactionPool::Loan& transaction);
  /// The current agent waits for the load that it began.
  void end_load();
  /// True if the ordering switch host.load_order or the memory model is `weak`.
  bool loads_apart() const;
  /// A full barrier: on return all stores of the core are visible, or on their way in the order of
  /// the device's link. Takes no time without a store buffer and write-combined stores.
  void drain_stores();
  /// A load barrier: later loads do not pass earlier ones. Takes no time; no effect on hosts that
  /// keep loads in order.
  void load_barrier() { close_window(); }
  /// The same for all agents on the core, when its translations are dropped or new ones are made.
  void end_early_loads() {
    if (window_ != nullptr) window_->close_all();
  }
  /// Call before an atomic operation. A full barrier, except for write-combined stores if only
  /// barriers flush them.
  void before_atomic();
  /// A store fence: write-combined stores are sent before all later accesses. Takes no time without
  /// write-combining buffers.
  void store_fence();
  /// The calling agent waits until the core's stores are visible, for example when all cores are
  /// interrupted to flush their TLBs.
  void wait_for_stores() {
    if (stores_ != nullptr) stores_->drain();
    wait_for_combined(event::CombiningDrain::kRemap);
  }
  /// The same for write-combined stores only.
  void wait_for_combined(event::CombiningDrain why) {
    if (combining_ != nullptr) combining_->drain(why);
  }
  /// True if stores to write-combined mappings are combined; otherwise they are uncached.
  bool combines() const { return combining_ != nullptr; }
  bool combined_pending() const { return combining_ != nullptr && combining_->pending(); }
  /// The aligned 64 bits at a bus address, if a write-combining buffer holds them.
  std::optional<std::uint64_t> combined_word(std::uint64_t address) const {
    return combining_ != nullptr ? combining_->word(address) : std::nullopt;
  }
  /// A store without a memory access: `action` runs when the older stores of the core are visible.
  /// @param what distinguishes it in state hashes.
  void after_stores(std::uint64_t what, std::function<void()> action);
  bool stores_pending() const { return stores_ != nullptr && !stores_->empty(); }
  common::Gate& changed() { return changed_; }
  /// An agent that may not run now retries later: this check is not part of a footprint.
  bool may_run(common::AgentId agent) const {
    return (!running_.empty() && running_.back().agent == agent) || find_thread(agent) != nullptr;
  }

  /// Restarts the idle time at the end of the set-up.
  void restart_idle() { idle_since_ = simulation_.steps.now(); }
  /// Accounts the idle time up to now. Call it once at the end.
  void finish();
  std::uint64_t state_hash() const override;

 private:
  struct Running {
    common::AgentId agent;
    Level level;
  };
  /// A load that later loads may pass.
  struct Load {
    common::AgentId agent;  ///< agent that waits for the load
    common::TransactionPool::Loan* transaction;
    bool done = false;
    std::uint64_t content = 0;  ///< hash of the loaded bytes
  };
  const Running* find_thread(common::AgentId agent) const;
  bool change_thread(Level level);
  /// True if the level of the core has changed.
  bool set_level(Level level);
  bool masks_interrupts() const;
  template <typename Change>
  void change_masking(const Change& change);
  void serve_loads();
  std::vector<Load>::iterator load_of(common::AgentId agent);
  void load(common::TransactionPool::Loan& transaction);
  bool buffer(common::TransactionPool::Loan& transaction);
  bool combine(common::TransactionPool::Loan& transaction);
  void send_combined(const WriteCombining::Write& write);
  bool serializes() const { return config_.write_combining.order == CombiningOrder::kSerializing; }
  void wait_to_run();
  /// Later loads of the current agent pass no earlier access.
  void close_window() {
    if (window_ != nullptr) window_->close();
  }
  void share(common::AgentId me);
  void touch_load() const { simulation_.steps.touch(common::Place::kRegister, load_place_, true); }
  common::Time wake();
  void await_return();
  void touch(bool write) const {
    simulation_.steps.touch(common::Place::kInterrupt, number_, write);
  }
  void account_idle();

  common::Simulation& simulation_;
  const std::uint32_t number_;
  const HostConfig config_;
  std::uint32_t object_ = 0;
  std::vector<Running> running_;  ///< topmost last
  std::vector<Running> threads_;  ///< threads that do not compete for a core
  common::Gate changed_;
  std::deque<common::AgentId> turns_;  ///< agents waiting for the core at level 0
  common::Time slice_end_ = 0;         ///< end of the time slice at level 0
  std::uint64_t pending_ = 0;          ///< one bit per vector
  Level interrupt_level_ = 0;
  std::vector<std::function<void()>> handlers_;  ///< by vector
  /// Several, because an interrupt may come while an agent below it waits for a load.
  std::vector<Load> loads_;
  const std::uint64_t load_place_;             ///< of footprints
  std::unique_ptr<StoreBuffer> stores_;        ///< null if the memory model is `strong`
  std::unique_ptr<LoadWindow> window_;         ///< null unless the memory model is `weak`
  std::unique_ptr<WriteCombining> combining_;  ///< null without write-combining buffers
  common::Time idle_since_ = 0;
};

}  // namespace fenceline::host
