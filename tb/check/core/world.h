#pragma once

#include <cstdint>
#include <vector>

#include "models/common/events.h"
#include "tb/check/core/checker.h"
#include "tb/check/core/reporter.h"
#include "tb/check/core/tables.h"

namespace fenceline::check {

/// Means "not yet" for an event number and "unknown" for a position.
constexpr std::uint64_t kNever = UINT64_MAX;

/// A signal command of the GPU from its begin until it has ended and its write is visible.
struct Signal {
  std::uint64_t number = 0;
  std::uint64_t value = 0;
  std::uint64_t begin_seq = 0;         ///< event at which it began
  std::uint64_t visible_seq = kNever;  ///< event at which CurrentValue became visible
  std::uint64_t position = kNever;     ///< in the coherence order of the fence
  std::uint64_t version = 0;           ///< updates in the shadow when the engine read it
  std::uint64_t work = 0;              ///< last write of its queue that was under way when it began
  /// Index of its log entry, counted from the first entry of the log.
  std::uint64_t entry = kNever;
  std::uint32_t log = 0;
  std::uint32_t fence = 0;
  std::uint32_t queue = 0;
  std::uint32_t adapter = 0;  ///< adapter of the shadow that the engine read, 0 if it read none
  common::AgentId agent = 0;  ///< the engine
  bool issued = false;
  bool ended = false;
  bool decided = false;     ///< the engine has compared
  bool suppressed = false;  ///< the engine did not tell the CMP, because of `version`
  bool told = false;        ///< the engine told the CMP
  bool noticed = false;     ///< a notice of the contract checker refers to this signal
  bool raised = false;      ///< an interrupt that carries its value was raised

  bool visible() const { return position != kNever; }
};

/// One write in the coherence order of a fence.
struct Write {
  std::uint64_t value = 0;
  /// 1 + version of the shadow that silenced its signal, 0 if none did.
  std::uint64_t suppressed = 0;
  std::uint32_t adapter = 0;
};

/// Writes of one engine to one CurrentValue that are issued but not yet visible.
struct Writer {
  struct Pending {
    std::uint64_t number = 0;  ///< signal
    std::uint64_t value = 0;
  };
  /// Index of the write of a signal, end_index() if it is not in flight.
  std::uint64_t index_of(std::uint64_t number) const;

  common::AgentId agent = 0;
  Ring<Pending, 1024> pending;
};

/// Coherence order of a CurrentValue: position 0 is the initial value, and each write that becomes
/// visible takes the next position. Only the last writes are kept.
struct FenceOrder {
  FenceOrder() { history.push({}); }
  /// @pre the fence is new or is created again
  void start(std::uint64_t initial);
  void append(std::uint64_t value);

  std::uint64_t home = 0;      ///< the value in memory
  std::uint64_t position = 0;  ///< of `home`
  std::uint64_t highest = 0;   ///< maximum of the initial value and all issued values
  bool created = false;
  bool ended = false;            ///< it was destroyed
  bool narrow = false;           ///< memory holds the low 32 bits only
  bool cross_adapter = false;    ///< a native fence shared by several adapters
  std::uint64_t cpu_value = 0;   ///< last value signalled by the CPU
  bool always_signaled = false;  ///< the device is in error: each wait counts as satisfied
  Ring<Write, 256> history;      ///< indexed by position
  std::vector<Writer> writers;
};

/// State that several checkers need: signals in flight and the coherence order of every fence.
/// World is the first checker. Later checkers find each event already applied here.
class World final : public Checker {
 public:
  World(Reporter& reporter, Roster& all);

  void on(const common::At<event::SignalBegin>& event);
  void on(const common::At<event::CurrentValueIssued>& event);
  void on(const common::At<event::CurrentValueVisible>& event);
  void on(const common::At<event::SignalEnd>& event) {
    ending_ = event.signal;
    unsettled_ = true;
  }
  void on(const common::At<event::CpuSignal>& event);
  void on(const common::At<event::FenceCreate>& event);
  void on(const common::At<event::FenceKind>& event) {
    fences[event.fence].narrow = event.bits == 32;
  }
  void on(const common::At<event::CrossAdapterFence>& event) {
    fences[event.fence].cross_adapter = true;
  }
  void on(const common::At<event::Quiescent>&) { quiescent_ = true; }
  void on(const common::At<event::EndOfRun>&) { quiescent_ = false; }

  /// Does the work that must follow after all checkers have taken an event.
  void settle() {
    if (unsettled_) settle_all();
  }
  void mark(Canonical& hash) const override;
  void add_to(Canonical& hash) const override;

  /// The write to a CurrentValue that the current event reports.
  struct Landed {
    std::uint64_t value = 0;   ///< the full value, also where memory holds only the low half
    std::uint64_t before = 0;  ///< value at home before
    Signal* signal = nullptr;  ///< signal that made the write; null: another store, or torn
  };
  const Landed& landed() const { return landed_; }
  /// The full value of the CurrentValue that was read.
  std::uint64_t whole(const common::At<event::CurrentValueRead>& event) const;
  /// The fence is alive on no adapter any more. Call it while a FenceDestroy is handled.
  void destroyed(std::uint32_t fence) {
    destroyed_ = fence;
    unsettled_ = true;
  }
  /// The storage of the fence is freed. Call it while a FenceStorageFree is handled.
  void freed(std::uint32_t fence) {
    freed_ = fence;
    unsettled_ = true;
  }
  /// True if the run ended with nothing left to simulate.
  bool quiescent() const { return quiescent_; }

  /// Newest position that holds `value`, or kNever.
  std::uint64_t newest(std::uint32_t fence, std::uint64_t value);

  Reporter& report;
  Roster& checkers;
  NumberTable<Signal> signals;
  Dense<FenceOrder> fences;

 private:
  Signal* land(const common::At<event::CurrentValueVisible>& event, std::uint64_t value);
  std::uint64_t whole(const common::At<event::CurrentValueVisible>& event) const;
  void passed(std::uint32_t fence, Writer& writer, std::uint64_t value);
  Writer& writer(FenceOrder& order, common::AgentId agent);
  Signal& signal_of_write(const common::At<event::CurrentValueIssued>& event);
  void settle_all();
  void end_signal(std::uint64_t number);
  void add_signals(Canonical& hash) const;
  static std::uint64_t writes_of(const FenceOrder& order, const Canonical& hash);

  Landed landed_;
  common::AgentId teller_ = 0;  ///< agent of the event that reports `landed_`
  std::uint64_t ending_ = 0;    ///< number of the signal that ends with this event, 0 if none
  std::uint32_t destroyed_ = 0;
  std::uint32_t freed_ = 0;
  bool unsettled_ = false;  ///< one of the three fields above waits for settle()
  bool quiescent_ = false;
};

/// Base class of checker `T`; subscribes it.
template <class T>
class Checks : public Checker {
 protected:
  explicit Checks(World& world) : world_(world) { world.checkers.add(static_cast<T&>(*this)); }

  // Each reports a break, with the current time.
  void fail(Invariant invariant, std::uint64_t object, const std::string& message) {
    world_.report.fail(invariant, object, message + " " + world_.report.now());
  }
  void fail_fence(Invariant invariant, std::uint32_t fence, const std::string& what) {
    world_.report.fail_fence(
        invariant, fence,
        "fence " + world_.report.fence(fence) + " " + what + " " + world_.report.now());
  }
  void fail_queue(Invariant invariant, std::uint64_t queue, const std::string& what) {
    world_.report.fail(invariant, queue,
                       "queue " + world_.report.name(common::ObjectKind::kQueue, queue) + " " +
                           what + ", " + world_.report.now());
  }
  void fail_adapter(Invariant invariant, std::uint64_t adapter, const std::string& what) {
    world_.report.fail(invariant, adapter,
                       what + " on adapter " +
                           world_.report.name(common::ObjectKind::kAdapter, adapter) + " " +
                           world_.report.now());
  }

  World& world_;
};

}  // namespace fenceline::check
