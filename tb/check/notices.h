#pragma once

#include <cstdint>
#include <vector>

#include "tb/check/interrupt_entries.h"
#include "tb/check/world.h"

namespace fenceline::check {

/// A driver passes on unchanged what it is given: values of the OS to the device (I34 ONLY_ABOVE,
/// I35 CPU_VALUE), and interrupts of the device to the OS (I37 BOTH_KINDS, I38 QUEUE_NAMED).
class NoticeChecks {
 public:
  explicit NoticeChecks(World& world) : world_(world) {}

  // Values.
  void on_update_call(const common::Event& event);
  void on_update_return(const common::Event& event);
  void on_monitored_stored(const common::Event& event);
  void on_cmp_decision(const common::Event& event);
  void on_cpu_signal(const common::Event& event);
  void on_current_stored(const common::Event& event);
  void on_ddi_call(const common::Event& event);
  void on_ddi_return(const common::Event& event);

  // Interrupts.
  void on_started(const common::Event& event);
  void on_raised(const common::Event& event);
  void on_fence_told(const common::Event& event);
  void on_acknowledge(const common::Event& event);
  void on_isr_begin(const common::Event& event);
  void on_isr_end(const common::Event& event);
  void on_notify_call(const common::Event& event);
  void on_notify_queue(const common::Event& event);
  void on_notify_all(const common::Event& event);
  void on_interrupt_type(const common::Event& event);

  void finish_quiescent();
  void clear();
  NoticeChecks& operator=(const NoticeChecks& other);
  NoticeChecks(const NoticeChecks& other) = default;
  void add_to(Canonical& hash) const;

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
    void clear();
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
  void judge_store(const common::Event& event, bool monitored);
  void fail(Invariant invariant, std::uint32_t fence, const std::string& what);
  void fail_adapter(Invariant invariant, std::uint32_t adapter, const std::string& what);

  World& world_;
  Dense<Agent> agents_;
  Dense<Adapter> adapters_;
};

}  // namespace fenceline::check
