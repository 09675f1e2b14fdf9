#pragma once

#include <cstdint>
#include <vector>

#include "tb/check/core/interrupt_entries.h"
#include "tb/check/core/world.h"

namespace fenceline::check {

/// A driver passes on unchanged what it is given: values of the OS to the device (I34 ONLY_ABOVE,
/// I35 CPU_VALUE), and interrupts of the device to the OS (I37 BOTH_KINDS, I38 QUEUE_NAMED).
class NoticeChecks : public Checks<NoticeChecks> {
 public:
  explicit NoticeChecks(World& world) : Checks(world) {}

  // Values.
  void on(const common::At<event::UpdateMonitoredCall>& event);
  void on(const common::At<event::UpdateMonitoredReturn>& event);
  void on(const common::At<event::MonitoredValueStored>& event);
  void on(const common::At<event::CmpDecision>& event);
  void on(const common::At<event::CpuSignal>& event);
  void on(const common::At<event::CurrentValueStored>& event);
  void on(const common::At<event::DdiCall>& event);
  void on(const common::At<event::DdiReturn>& event);

  // Interrupts.
  void on(const common::At<event::AdapterStarted>& event);
  void on(const common::At<event::InterruptRaised>& event);
  void on(const common::At<event::EngineInterrupt>& event);
  void on(const common::At<event::MonitoredFenceTold>& event);
  void on(const common::At<event::IsrAcknowledge>& event);
  void on(const common::At<event::IsrBegin>& event);
  void on(const common::At<event::IsrEnd>& event);
  void on(const common::At<event::NotifyCall>& event);
  void on(const common::At<event::NotifyQueue>& event);
  void on(const common::At<event::NotifyAll>& event);
  void on(const common::At<event::InterruptType>& event);

  void finish_quiescent() override;

  void add_to(Canonical& hash) const override;

 private:
  /// A value that the OS has handed to the driver and that is to be stored.
  struct Told {
    std::uint32_t fence = 0;
    std::uint64_t value = 0;
    bool monitored = false;
    bool stored = false;
  };
  struct Agent {
    void clear();
    bool signals = false;  ///< it is in DxgkDdiUpdateCurrentValuesFromCpu
    std::vector<Told> told;
  };
  /// An entry of the interrupt ring.
  struct Entry {
    std::uint32_t queue = 0;  ///< that it names; 0: none, or another kind of entry
    bool monitored = false;   ///< it stands for the write of a monitored fence
  };
  struct Adapter {
    bool optimised = false;
    bool owes = false;  ///< an engine has written a monitored fence, and the OS was not told
    InterruptEntries ring;
    std::vector<Entry> entries;  ///< not yet read
    // The reader of entries: the interrupt routine, or a call of the driver that reads them all.
    common::AgentId reader = 0;
    std::vector<Entry> read;           ///< by it
    std::vector<std::uint64_t> named;  ///< by it
    bool covered = false;              ///< it has named no queue: any
    bool looked = false;               ///< it has had the OS look at monitored fences
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
