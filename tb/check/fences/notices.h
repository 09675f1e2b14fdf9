#pragma once

#include <cstdint>
#include <vector>

#include "tb/check/core/interrupt_entries.h"
#include "tb/check/core/world.h"

namespace fenceline::check {

/// The driver passes on values and interrupts unchanged: values of the OS to the device (I34
/// ONLY_ABOVE, I35 CPU_VALUE), interrupts of the device to the OS (I37 BOTH_KINDS, I38
/// QUEUE_NAMED).
class NoticeChecks : public Checks<NoticeChecks> {
 public:
  explicit NoticeChecks(World& world) : Checks(world) {}

  void on(const common::At<event::UpdateMonitoredCall>& event);
  void on(const common::At<event::UpdateMonitoredReturn>& event);
  void on(const common::At<event::MonitoredValueStored>& event) {
    judge_store(event.agent, event.fence, event.value, true);
  }
  void on(const common::At<event::CmpDecision>& event);
  void on(const common::At<event::CpuSignal>& event);
  void on(const common::At<event::CurrentValueStored>& event);
  void on(const common::At<event::DdiCall>& event);
  void on(const common::At<event::DdiReturn>& event);

  void on(const common::At<event::AdapterStarted>& event);
  void on(const common::At<event::InterruptRaised>& event);
  void on(const common::At<event::EngineInterrupt>& event);
  void on(const common::At<event::MonitoredFenceTold>& event) {
    adapters_[event.adapter].owes = true;
  }
  void on(const common::At<event::IsrAcknowledge>& event);
  void on(const common::At<event::IsrBegin>& event) { begin_reading(event.adapter, event.agent); }
  void on(const common::At<event::IsrEnd>& event) { end_reading(event.adapter); }
  void on(const common::At<event::NotifyCall>& event);
  void on(const common::At<event::NotifyQueue>& event) {
    adapters_[event.adapter].named.push_back(event.queue);
  }
  void on(const common::At<event::NotifyAll>& event) { adapters_[event.adapter].covered = true; }
  void on(const common::At<event::InterruptType>& event);
  /// A reset drops the notification. The OS looks at all fences when the adapter works again.
  void on(const common::At<event::Recovery>& event) {
    if (event.stage == event::RecoveryStage::kAdapterReset) adapters_[event.adapter].owes = false;
  }

  void finish_quiescent() override;

  void add_to(Canonical& hash) const override;

 private:
  /// A value that the OS has given to the driver to store.
  struct Told {
    std::uint32_t fence = 0;
    std::uint64_t value = 0;
    bool monitored = false;
    bool stored = false;
  };
  struct Agent {
    void clear();
    bool signals = false;  ///< it runs DxgkDdiUpdateCurrentValuesFromCpu
    std::vector<Told> told;
  };
  /// An entry of the interrupt ring.
  struct Entry {
    std::uint32_t queue = 0;  ///< queue that it names; 0: none, or another kind of entry
    bool monitored = false;   ///< it stands for the write of a monitored fence
  };
  struct Adapter {
    bool optimised = false;
    bool owes = false;  ///< an engine has written a monitored fence and the OS is not notified yet
    InterruptEntries ring;
    std::vector<Entry> entries;  ///< not yet read
    // The reader of entries: the interrupt routine, or a driver call that reads them all.
    common::AgentId reader = 0;
    std::vector<Entry> read;           ///< entries that it has read
    std::vector<std::uint64_t> named;  ///< queues that it has reported
    bool covered = false;              ///< it has reported the whole node
    bool looked = false;               ///< it has made the OS look at monitored fences
  };
  void begin_reading(std::uint32_t number, common::AgentId reader);
  void end_reading(std::uint32_t number);
  Told* find(common::AgentId agent, std::uint32_t fence, bool monitored);
  void judge_queue(std::uint32_t number, std::uint32_t queue);
  void judge_store(common::AgentId agent, std::uint32_t fence, std::uint64_t value, bool monitored);
  void written(std::uint32_t number, const Entry& entry);
  void fail(Invariant invariant, std::uint32_t fence, const std::string& what);
  void fail_adapter(Invariant invariant, std::uint32_t adapter, const std::string& what);

  Dense<Agent> agents_;
  Dense<Adapter> adapters_;
};

}  // namespace fenceline::check
