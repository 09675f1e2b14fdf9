#pragma once

#include <cstdint>
#include <vector>

#include "models/common/events.h"
#include "tb/check/canonical.h"
#include "tb/check/reporter.h"
#include "tb/check/tables.h"

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
  FenceOrder() { clear(); }
  void clear();
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
    std::uint64_t number = 0;  ///< signal, 0 if the event did not tell
    std::uint64_t value = 0;
    std::uint64_t position = 0;
    std::uint64_t seq = 0;
  };
  Ring<Early, 16> early;  ///< writes that became visible and were not issued so far

  /// True if `signal`, not issued so far, may turn out to have made the write.
  static bool may_be(const Early& early, const Signal& signal) {
    const bool same =
        early.number != 0 ? early.number == signal.number : early.value == signal.value;
    return same && early.seq >= signal.begin_seq;
  }
};

/// What several checkers need: signals in flight and the coherence order of every fence.
/// Each event is applied here before the checkers see it.
class World {
 public:
  explicit World(Reporter& reporter) : report(reporter) {}

  void signal_begin(const common::Event& event);
  /// Returns the signal if its write was visible before this event told of it, else null.
  Signal* issued(const common::Event& event);
  /// Returns the signal whose write this is, null for another writer's. The agent of the event is
  /// the writer or the FIFO that delivers; then the oldest write of the value is taken, unless c
  /// tells the signal number.
  Signal* visible(const common::Event& event);
  void signal_end(const common::Event& event);
  void cpu_signal(const common::Event& event);
  void fence_create(const common::Event& event);
  void fence_kind(const common::Event& event) { fences[event.object].narrow = event.b == 32; }
  /// The whole value behind a word that was written to, or read from, a CurrentValue.
  std::uint64_t whole_write(const common::Event& event) const;
  std::uint64_t whole_read(const common::Event& event) const;
  /// Forgets a signal that has ended and is visible.
  void retire(Signal& signal);
  void clear();

  /// Names the signals in flight. A number is given when a signal begins, and that order may be
  /// another one in a past that is equal otherwise.
  void name_signals(Canonical& hash) const;
  void add_to(Canonical& hash) const;

  /// Newest position that holds `value`, or kNever.
  std::uint64_t newest(std::uint32_t fence, std::uint64_t value);

  Reporter& report;
  NumberTable<Signal> signals;
  Dense<FenceOrder> fences;

 private:
  /// A write in flight: its writer and its index there; no writer if there is none.
  struct Flight {
    Writer* writer = nullptr;
    std::uint64_t index = 0;
  };
  static Flight in(Writer& writer, const common::Event& event);
  static Flight find(FenceOrder& order, const common::Event& event);
  void passed(std::uint32_t fence, Writer& writer, std::uint64_t value);
  Writer& writer(FenceOrder& order, common::AgentId agent);
  Signal* signal_of_write(const common::Event& event);
  void add_signals(Canonical& hash) const;
  static std::uint64_t writes_of(const FenceOrder& order, const Canonical& hash);
  std::uint64_t early_of(std::uint32_t fence, const Canonical& hash) const;
};

}  // namespace fenceline::check
