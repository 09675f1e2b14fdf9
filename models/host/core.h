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

/// Priority of what runs on a core: 0 is a thread, the highest an interrupt that nothing stops.
using Level = std::uint8_t;

/// One CPU core: what runs on it, its interrupts, its idle states.
///
/// Whoever computes is an agent. It `enter`s a core at a level, above what runs there at a lower
/// one, and `leave`s it; in between it may `raise` its level. Only the topmost goes on; the others
/// wait. An interrupt is accepted when its level is above the topmost. A core with nobody on it is
/// idle and sinks through its C-states; whoever enters next pays the exit latency.
///
/// While exploring in fine steps (common::Grain), threads do not contend for cores that take no
/// interrupts, and in the finest for none: each thread goes on at any choice, as on a core of its
/// own, or as one whose time slice begins there. Only locks keep threads apart. Agents that enter
/// above level 0 still share the core.
class Core : public sc_core::sc_module, public common::Hashed {
 public:
  tlm_utils::simple_initiator_socket<Core> SC_NAMED(memory);  ///< to the root complex

  /// @param number from 0; agents are named after `agent_name`, e.g. "core0.isr".
  Core(const sc_core::sc_module_name& name, common::Simulation& simulation, std::uint32_t number,
       const std::string& agent_name, const HostConfig& config);

  std::uint32_t number() const { return number_; }
  std::uint32_t object() const { return object_; }
  const HostConfig& config() const { return config_; }

  /// `handler` is called in the interrupt agent, at `level`, for each accepted interrupt of
  /// `vector`. All vectors of a core share one level. @pre vector < 64.
  void on_interrupt(std::uint32_t vector, Level level, std::function<void()> handler);
  /// An interrupt message has arrived; merged with one of the same vector that is still pending.
  /// With the ordering switch host.masked_edges at `lost` it is gone if the core runs at or above
  /// the interrupt's level now.
  void post_interrupt(std::uint32_t vector);
  bool interrupt_pending() const { return pending_ != 0; }
  std::uint64_t pending_interrupts() const { return pending_; }  ///< one bit a vector
  Level interrupt_level() const { return interrupt_level_; }     ///< masked at it and above
  /// Runs one accepted interrupt after another; the body of the interrupt agent.
  void serve_interrupts();

  /// At level 0 those that wait have the core in the order in which they came.
  void enter(Level level, common::Operation operation, common::Time latency);
  void leave();
  void raise(Level level);
  void lower(Level level);
  Level level() const { return running_.empty() ? Level{0} : running_.back().level; }
  /// Level of the current agent on this core. @pre it has entered.
  Level level_of(common::AgentId agent) const;
  bool busy() const { return !running_.empty() || !threads_.empty(); }
  /// The agent is a thread that contends for no core.
  bool is_free(common::AgentId agent) const { return find_thread(agent) != nullptr; }
  /// Who is on the core at level(); 0 if nobody.
  common::AgentId topmost() const {
    return running_.empty() ? common::AgentId{0} : running_.back().agent;
  }

  /// The current agent computes for `duration`; longer if something above it runs meanwhile, or at
  /// level 0 if others wait for the core: then each has it for a time slice.
  void compute(common::Time duration);
  /// One access to memory or a device by the current agent, seen by others as `operation`. With a
  /// store buffer a store is over when it is in there, and no step.
  tlm::tlm_response_status access(common::TransactionPool::Loan& transaction,
                                  common::Operation operation);
  /// The core begins a load of cached memory that its own later loads need not wait for: the agent
  /// `<core>.load` does it, before or after those. One at a time of each agent.
  /// @pre loads_apart(). `transaction` must live until end_load.
  void begin_load(common::TransactionPool::Loan& transaction);
  /// The current agent waits until what it began has been loaded.
  void end_load();
  /// The ordering switch host.load_order or the memory model is `weak`.
  bool loads_apart() const;
  /// A full barrier: all stores of the core are visible when it is over, or on their way in the
  /// order of the device's link. In no time without a store buffer and write-combined stores.
  void drain_stores();
  /// A barrier between loads: later ones pass none of those before it. In no time; nothing on hosts
  /// that keep loads in order.
  void load_barrier() { close_window(); }
  /// An atomic operation is about to be made: as a full barrier, but for write-combined stores
  /// where only barriers have those sent.
  void before_atomic();
  /// A store fence: write-combined stores are sent before anything that comes later. In no time
  /// where there are no write-combining buffers.
  void store_fence();
  /// Whoever calls it waits until the core's stores are visible, as when every core is interrupted
  /// to forget translations.
  void wait_for_stores() {
    if (stores_ != nullptr) stores_->drain();
    wait_for_combined(common::CombiningDrain::kRemap);
  }
  /// The same for write-combined stores alone.
  void wait_for_combined(common::CombiningDrain why) {
    if (combining_ != nullptr) combining_->drain(why);
  }
  /// Stores to write-combined mappings gather; otherwise they are uncached ones.
  bool combines() const { return combining_ != nullptr; }
  bool combined_pending() const { return combining_ != nullptr && combining_->pending(); }
  /// The aligned 64 bits at a bus address, if a write-combining buffer holds them.
  std::optional<std::uint64_t> combined_word(std::uint64_t address) const {
    return combining_ != nullptr ? combining_->word(address) : std::nullopt;
  }
  /// A store that is no access: `action` happens when the older stores of the core are visible.
  /// @param what tells it from others in state hashes.
  void after_stores(std::uint64_t what, std::function<void()> action);
  bool stores_pending() const { return stores_ != nullptr && !stores_->empty(); }
  common::Gate& changed() { return changed_; }
  /// Whoever may not run now does so later: that he looked is no part of a footprint.
  bool may_run(common::AgentId agent) const {
    return (!running_.empty() && running_.back().agent == agent) || find_thread(agent) != nullptr;
  }

  /// Idle time counts from now on: the set-up is over.
  void restart_idle() { idle_since_ = simulation_.steps.now(); }
  /// Accounts the idle time up to now: call once at the end.
  void finish();
  std::uint64_t wakeups() const { return wakeups_; }
  std::uint64_t state_hash() const override;

 private:
  struct Running {
    common::AgentId agent;
    Level level;
  };
  /// A load that need not keep its place.
  struct Load {
    common::AgentId agent;  ///< that waits for it
    common::TransactionPool::Loan* transaction;
    bool done = false;
    std::uint64_t content = 0;  ///< hash of what was loaded
  };
  const Running* find_thread(common::AgentId agent) const;
  bool change_thread(Level level);
  bool masks_interrupts() const;
  void serve_loads();
  std::vector<Load>::iterator load_of(common::AgentId agent);
  void load(common::TransactionPool::Loan& transaction);
  bool buffer(common::TransactionPool::Loan& transaction);
  bool combine(common::TransactionPool::Loan& transaction);
  void send_combined(const WriteCombining::Write& write);
  bool serializes() const { return config_.write_combining.order == CombiningOrder::kSerializing; }
  void wait_to_run();
  /// Later loads of the current agent pass nothing that came before.
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
  std::vector<Running> threads_;  ///< that contend for no core
  common::Gate changed_;
  std::deque<common::AgentId> turns_;  ///< agents that wait for the core at level 0
  common::Time slice_end_ = 0;         ///< of the agent that has it at level 0
  std::uint64_t pending_ = 0;          ///< one bit a vector
  Level interrupt_level_ = 0;
  std::vector<std::function<void()>> handlers_;  ///< by vector
  std::vector<Load> loads_;              ///< an interrupt may come while somebody below it has one
  const std::uint64_t load_place_;       ///< of footprints
  std::unique_ptr<StoreBuffer> stores_;  ///< null if the memory model is `strong`
  std::unique_ptr<LoadWindow> window_;   ///< null unless the memory model is `weak`
  std::unique_ptr<WriteCombining> combining_;  ///< null without such buffers
  common::Time idle_since_ = 0;
  std::uint64_t wakeups_ = 0;
};

}  // namespace fenceline::host
