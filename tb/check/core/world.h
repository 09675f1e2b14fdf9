#pragma once

#include <cstdint>
#include <vector>

#include "models/common/events.h"
#include "tb/check/core/checker.h"
#include "tb/check/core/reporter.h"
#include "tb/check/core/tables.h"

namespace fenceline::check {

/// "Not yet" for an event number, "unknown" for a position.
constexpr std::uint64_t kNever = UINT64_MAX;

/// A signal command of the GPU from its begin until it has ended and its write is visible.
struct Signal {
  std::uint64_t number = 0;
  std::uint64_t value = 0;
  std::uint64_t begin_seq = 0;         ///< event at which it began
  std::uint64_t visible_seq = kNever;  ///< event at which CurrentValue became visible
  std::uint64_t position = kNever;     ///< in the coherence order of the fence
  std::uint64_t version = 0;           ///< updates that the shadow held when the engine read it
  std::uint64_t work = 0;              ///< last write of its queue that was under way at its begin
  std::uint64_t entry = kNever;        ///< log entry it wrote, counted from the first of the log
  std::uint32_t log = 0;
  std::uint32_t fence = 0;
  std::uint32_t queue = 0;
  std::uint32_t adapter = 0;  ///< whose shadow the engine read, 0 if it read none
  common::AgentId agent = 0;  ///< the engine
  bool issued = false;
  bool ended = false;
  bool decided = false;     ///< the engine has compared
  bool suppressed = false;  ///< the engine decided by `version` not to tell the CMP
  bool told = false;        ///< the engine told the CMP
  bool noticed = false;     ///< a notice of the contract checker refers to it
  bool raised = false;      ///< an interrupt that carries its value was raised

  bool visible() const { return position != kNever; }
};

/// One write in the coherence order of a fence.
struct Write {
  std::uint64_t value = 0;
  std::uint64_t suppressed = 0;  ///< 1 + version of the shadow that silenced its signal, 0 if none
  std::uint32_t adapter = 0;
};

/// Writes of one agent to one CurrentValue that are issued and not yet visible.
struct Writer {
  struct Pending {
    std::uint64_t number = 0;  ///< signal, 0 for the CPU
    std::uint64_t value = 0;
    std::uint64_t seq = 0;
  };
  common::AgentId agent = 0;
  Ring<Pending, 1024> pending;
};

/// The coherence order of a CurrentValue: position 0 is the initial value, each write that becomes
/// visible takes the next one. Only the last writes are kept.
struct FenceOrder {
  FenceOrder() { history.push({}); }
  /// @pre the fence is new or starts its life again
  void start(std::uint64_t initial);
  void append(std::uint64_t value);

  std::uint64_t home = 0;      ///< the value in memory
  std::uint64_t position = 0;  ///< of `home`
  std::uint64_t highest = 0;   ///< of the initial and all issued values
  bool created = false;
  bool ended = false;            ///< it was destroyed
  bool narrow = false;           ///< memory holds the low 32 bits only
  bool cross_adapter = false;    ///< a native fence of several adapters
  std::uint64_t cpu_value = 0;   ///< last value signalled by the CPU
  bool always_signaled = false;  ///< the device is in error: each wait counts as satisfied
  Ring<Write, 256> history;      ///< indexed by position
  std::vector<Writer> writers;
  struct Early {
    std::uint64_t value = 0;
    std::uint64_t position = 0;
    std::uint64_t seq = 0;
  };
  Ring<Early, 16> early;  ///< writes that became visible and were not issued so far

  /// True if `signal`, not issued so far, may turn out to have made the write.
  static bool may_be(const Early& early, const Signal& signal) {
    return early.value == signal.value && early.seq >= signal.begin_seq;
  }
};

/// What several checkers need: signals in flight and the coherence order of every fence.
/// It is the first of the checkers: the others find an event applied here when they take it.
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

  /// Does what waits until all checkers have taken an event.
  void settle() {
    if (unsettled_) settle_all();
  }
  void mark(Canonical& hash) const override;
  void add_to(Canonical& hash) const override;

  /// The write to a CurrentValue that the event at hand tells of.
  struct Landed {
    std::uint64_t value = 0;   ///< the whole of it, where memory holds the low half only
    std::uint64_t before = 0;  ///< value at home before
    Signal* signal = nullptr;  ///< whose write it is; null: not a signal of the GPU, or unknown
  };
  const Landed& landed() const { return landed_; }
  /// The whole value of which a CurrentValue was read.
  std::uint64_t whole(const common::At<event::CurrentValueRead>& event) const;
  /// The fence is alive on no adapter any more. Call it while a FenceDestroy is taken.
  void destroyed(std::uint32_t fence) {
    destroyed_ = fence;
    unsettled_ = true;
  }
  /// No value of the fence is stored any more. Call it while a FenceStorageFree is taken.
  void freed(std::uint32_t fence) {
    freed_ = fence;
    unsettled_ = true;
  }
  /// Nothing was left to simulate at the last word of the run.
  bool quiescent() const { return quiescent_; }

  /// Newest position that holds `value`, or kNever.
  std::uint64_t newest(std::uint32_t fence, std::uint64_t value);

  Reporter& report;
  Roster& checkers;
  NumberTable<Signal> signals;
  Dense<FenceOrder> fences;

 private:
  /// A write in flight: its writer and its index there; no writer if there is none.
  struct Flight {
    Writer* writer = nullptr;
    std::uint64_t index = 0;
  };
  static Flight in(Writer& writer, std::uint64_t value);
  static Flight find(FenceOrder& order, common::AgentId agent, std::uint64_t value);
  Signal* land(const common::At<event::CurrentValueVisible>& event, std::uint64_t value);
  std::uint64_t whole(const common::At<event::CurrentValueVisible>& event) const;
  void passed(std::uint32_t fence, Writer& writer, std::uint64_t value);
  Writer& writer(FenceOrder& order, common::AgentId agent);
  Signal* signal_of_write(const common::At<event::CurrentValueIssued>& event);
  void settle_all();
  void end_signal(std::uint64_t number);
  void add_signals(Canonical& hash) const;
  static std::uint64_t writes_of(const FenceOrder& order, const Canonical& hash);
  std::uint64_t early_of(std::uint32_t fence, const Canonical& hash) const;

  Landed landed_;
  common::AgentId teller_ = 0;  ///< agent of the event that tells of `landed_`
  std::uint64_t ending_ = 0;    ///< number of the signal that ends with this event; 0: none
  std::uint32_t destroyed_ = 0;
  std::uint32_t freed_ = 0;
  bool unsettled_ = false;  ///< one of these waits for settle()
  bool quiescent_ = false;
};

/// Base of the checker `T`.
template <class T>
class Checks : public Checker {
 protected:
  explicit Checks(World& world) : world_(world) { world.checkers.add(static_cast<T&>(*this)); }

  World& world_;
};

}  // namespace fenceline::check
