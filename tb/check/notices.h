#pragma once

#include <cstdint>
#include <vector>

#include "tb/check/world.h"

namespace fenceline::check {

/// What a driver is told and has to pass on unchanged: values to the device (I34 ONLY_ABOVE, I35
/// CPU_VALUE), and interrupts to the OS (I37 BOTH_KINDS, I38 QUEUE_NAMED).
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
  struct Adapter {
    void clear();
    bool optimised = false;
    bool uncounted = false;  ///< its acknowledgements do not count entries
    bool owes = false;       ///< an engine has written a monitored fence, and the OS was not told
    bool covered = false;    ///< the interrupt routine that runs has named no queue: any
    std::uint64_t written = 0;
    std::uint64_t acknowledged = 0;
    /// Queues that entries not yet read name; 0: none, another kind of entry.
    std::vector<std::uint32_t> entries;
    std::vector<std::uint64_t> named;  ///< by the interrupt routine that runs
  };
  Told* find(common::AgentId agent, std::uint32_t fence, bool monitored);
  void judge_store(const common::Event& event, bool monitored);
  void fail(Invariant invariant, std::uint32_t fence, const std::string& what);
  void fail_adapter(Invariant invariant, std::uint32_t adapter, const std::string& what);

  World& world_;
  Dense<Agent> agents_;
  Dense<Adapter> adapters_;
};

}  // namespace fenceline::check
