#pragma once

#include <cstdint>
#include <set>
#include <vector>

#include "tb/check/core/interrupt_entries.h"
#include "tb/check/core/world.h"
#include "tb/check/fences/update.h"

namespace fenceline::check {

/// The log entry of a signal whose interrupt was reported to the OS; `log` is 0 if it has none.
struct LoggedSignal {
  std::uint32_t log = 0;
  std::uint64_t entry = 0;
};

/// A signal for which an interrupt was raised.
struct RaisedSignal {
  std::uint64_t number = 0;
  LoggedSignal logged;
};

/// From the engine's decision to the OS's read: I7 INT_DATA, I8 SPURIOUS_OK, I9 CONTRACT.
///
/// Payload entries are matched to notifications in order, by adapter and fence. The interrupt
/// routine may merge entries; the match then lags behind, which can only make I7 more lenient.
class InterruptChecks : public Checks<InterruptChecks> {
 public:
  InterruptChecks(World& world, UpdateChecks& updates) : Checks(world), updates_(updates) {}

  void on(const common::At<event::PacketBegin>& event) {
    queues_[event.queue].engine = static_cast<std::uint32_t>(event.engine);
  }
  void on(const common::At<event::Decision>& event);
  void on_visible(Signal& signal, common::AgentId writer) override;
  void on(const common::At<event::CurrentValueRead>& event);
  void on(const common::At<event::CmpDecision>& event);
  void on(const common::At<event::InterruptRaised>& event);
  void on(const common::At<event::IsrAcknowledge>& event);
  void on(const common::At<event::IsrEnd>& event);
  void on(const common::At<event::Notify>& event);
  void on(const common::At<event::NotifyAll>& event);
  void on(const common::At<event::DpcBegin>& event);
  void on(const common::At<event::SpuriousInterrupt>& event);
  void on(const common::At<event::UpdateMonitoredCall>& event);
  void on(const common::At<event::Recovery>& event);
  void on(const common::At<event::CpuSignal>& event);
  void on(const common::At<event::FenceClose>& event) {
    fences_[event.fence].closed_on.insert(static_cast<std::uint32_t>(event.adapter));
  }
  void on(const common::At<event::CrossAdapterFence>& event) {
    fences_[event.fence].natives.insert(static_cast<std::uint32_t>(event.adapter));
  }
  void on_destroyed(std::uint32_t fence) override;
  void finish_quiescent() override;

  void mark(Canonical& hash) const override;
  void add_to(Canonical& hash) const override;

  /// The signal of the last InterruptRaised, kept after all else of it is settled; number 0 if
  /// unknown.
  const RaisedSignal& raised() const { return raised_; }
  /// The signal of the last Notify.
  const LoggedSignal& notified() const { return notified_; }
  std::uint64_t spurious() const { return spurious_; }

 private:
  /// A value above MonitoredValue that must be followed by a notification.
  struct Notice {
    std::uint64_t signal = 0;  ///< 0: found by the CMP's own comparison
    std::uint64_t value = 0;
    std::uint64_t seq = 0;
    std::uint64_t time = 0;
    std::uint64_t position = kNever;
    std::uint64_t entry = 0;
    std::uint32_t log = 0;
    std::uint32_t queue = 0;
    std::uint32_t adapter = 0;
    bool covered = false;  ///< notified, or silenced by the CMP
    bool passed = false;   ///< the CMP has dealt with it
    bool dropped = false;  ///< by a reset of the adapter
  };
  /// A payload entry that is not matched to a notification yet.
  struct Raise {
    std::uint64_t index = 0;  ///< 1, 2, ... for the adapter
    std::uint64_t signal = 0;
    std::uint64_t value = 0;
    std::uint64_t position = 0;  ///< of the write, kNever while it is not visible
    LoggedSignal logged;
    std::uint32_t fence = 0;
    std::uint32_t queue = 0;
  };
  /// A notification whose DPC has not read the fence yet.
  struct Due {
    Raise raise;
    std::uint32_t adapter = 0;
    std::uint64_t seq = 0;
  };
  /// The last signal above the latest settled update without a notification since (I9b).
  struct Unseen {
    std::uint64_t seq = 0;  ///< 0: none
    std::uint64_t time = 0;
    std::uint64_t position = 0;
    std::uint64_t signal = 0;
    std::uint64_t value = 0;
    std::uint64_t monitored = 0;
    std::uint32_t adapter = 0;
    std::uint32_t queue = 0;
  };
  struct Fence {
    std::vector<Notice> notices;
    std::vector<Due> due;
    Unseen unseen;
    std::set<std::uint32_t> closed_on;  ///< adapters: a close may drain what would notify
    std::set<std::uint32_t> natives;    ///< adapters with native fences that share it
  };
  struct Adapter {
    Ring<Raise, 256> raises;
    InterruptEntries ring;         ///< entries for native fences
    bool skipped = false;          ///< a NULL array covered some entries without naming them
    bool optimised = false;        ///< it names queues, not fences; a NULL queue covers one engine
    std::uint64_t notify_all = 0;  ///< event of the last notification for all engines
    std::uint64_t dpc_begin = 0;
  };
  struct Agent {
    std::uint64_t dpc_begin = 0;
    std::uint32_t fence = 0;  ///< fence of the CMP's last CurrentValue read, 0 once used
    std::uint64_t position = 0;
    std::uint32_t decided = 0;                ///< fence of the CMP's last decision to raise
    std::uint64_t decided_position = kNever;  ///< position that decided it, kNever for a payload
    bool for_update = false;                  ///< the decision followed an update, not a signal
  };
  struct Mark {
    std::uint64_t notify = 0;  ///< event of the last notification that named it
    std::uint32_t engine = 0;
  };

  void push(Fence& fence, const Notice& notice);
  bool told(std::uint32_t adapter, std::uint32_t queue, std::uint64_t since) const;
  Notice* claim(Fence& fence, const common::At<event::InterruptRaised>& event);
  void drop_dealt(Fence& fence);
  void dismiss(const common::At<event::CmpDecision>& event, std::uint64_t position);
  bool take(Adapter& adapter, const common::At<event::Notify>& event, Raise& taken);
  void on_cmp_read(const common::At<event::CurrentValueRead>& event);
  void on_os_read(const common::At<event::CurrentValueRead>& event);
  void judge_due(Fence& fence, const common::At<event::CurrentValueRead>& event);
  void fail_due(const Due& due, const common::At<event::CurrentValueRead>& event, bool visible);
  static bool is_drained(const Fence& fence, const Notice& notice);
  void judge_notices(std::uint32_t fence);
  void judge_unseen(std::uint32_t fence);

  bool told_for_good(std::uint32_t adapter, std::uint32_t queue, std::uint64_t since) const;
  std::uint64_t told_by(std::uint32_t queue, std::uint64_t since) const;
  std::uint64_t notices_of(std::uint32_t fence, const Canonical& hash) const;
  std::uint64_t notice_of(std::uint32_t fence, const Notice& notice, const Canonical& hash) const;
  std::uint64_t due_of(std::uint32_t fence, const Canonical& hash) const;
  std::uint64_t unseen_of(std::uint32_t fence, const Canonical& hash) const;
  std::uint64_t raises_of(const Adapter& adapter, const Canonical& hash) const;
  std::uint64_t agents_of(const Canonical& hash) const;

  UpdateChecks& updates_;
  Dense<Fence> fences_;
  Dense<Adapter> adapters_;
  Dense<Agent> agents_;
  Dense<Mark> queues_;
  Dense<Mark> engines_;
  RaisedSignal raised_;
  LoggedSignal notified_;
  std::uint64_t spurious_ = 0;
};

}  // namespace fenceline::check
