#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "models/common/simulation.h"
#include "tb/check/checkers.h"

namespace fenceline::explore {

/// What of a past makes two states of the same machine different.
enum class Memory : std::uint8_t {
  kCheckers,   ///< what a later verdict may depend on
  kWholeOrder  ///< every order of events that an invariant can tell apart: thorough, and slow
};

/// The order of events as far as the invariants can tell it apart.
///
/// Invariants judge events, some of which come from steps that share no state of the machine: an
/// update that returns and a value that becomes visible, for instance. Here such events count as
/// reads and writes of an *order*: steps that write one depend on each other, so that both orders
/// are explored. What happens between two writes of an order has no order of its own. Two runs are
/// in the same state if the checkers are; to be thorough, only if each order has gone the same way.
class ObservedOrder : public common::EventSink, public common::Hashed {
 public:
  /// Adds itself to the state of the simulation; `checkers` must outlive that.
  ObservedOrder(common::Simulation& simulation, const check::Checkers& checkers,
                Memory memory = Memory::kCheckers);

  void on_event(const common::Event& event) override;
  std::uint64_t state_hash() const override;

  /// From here on runs end where more interrupts have been raised since a core last accepted one.
  void limit_interrupts(std::uint64_t most) { most_interrupts_ = most; }
  bool beyond_limit() const { return interrupts_ > most_interrupts_; }

 private:
  /// What an order is about; each kind of order exists once for every object.
  enum class Kind : std::uint8_t {
    kValue,     ///< visible values and reads of a fence
    kUpdate,    ///< calls that hand over MonitoredValue, and visible values
    kShadow,    ///< the shadow of a fence
    kDelivery,  ///< interrupts that reach a core, and a fence or log of which they tell
    kLevel,     ///< what the ISR reports, and the calls that must not run meanwhile
    kLife,      ///< creation and destruction of a fence, and its uses
    kLog,       ///< what becomes visible in a log, and reads of it
    kWork,      ///< work that becomes visible, and releases of those who may look at it
    kInFlight,  ///< interrupts raised and accepted, where their number is limited
    kDeed       ///< what one agent has done: it orders that itself
  };
  struct Order {
    std::uint64_t fixed = 0;  ///< up to the last write
    std::uint64_t loose = 0;  ///< reads since, in any order
  };
  void read(Kind kind, std::uint64_t object, const common::Event& event);
  void write(Kind kind, std::uint64_t object, const common::Event& event);
  void note(Kind kind, std::uint64_t object, const common::Event& event, bool write);
  void value_events(const common::Event& event);
  void interrupt_events(const common::Event& event);
  void log_events(const common::Event& event);
  void count_interrupts(const common::Event& event);
  void delivered(const common::Event& event);

  common::Steps& steps_;
  const check::Checkers& checkers_;
  const Memory memory_;
  std::uint64_t most_interrupts_ = UINT64_MAX;
  std::uint64_t interrupts_ = 0;
  std::vector<std::uint32_t> told_;  ///< fences that an interrupt was raised for
  struct Logged {
    std::uint32_t log;
    std::uint32_t fence;
  };
  std::vector<Logged> logged_;                       ///< what logs have entries of
  std::unordered_map<std::uint64_t, Order> orders_;  ///< summed up, never walked in order
};

}  // namespace fenceline::explore
