#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "models/common/simulation.h"
#include "tb/check/checkers.h"

namespace fenceline::explore {

/// Part of the past events that belongs to the state of a run.
enum class Memory : std::uint8_t {
  kCheckers,   ///< only what a later verdict of the checkers may depend on
  kWholeOrder  ///< every order of events that an invariant can tell apart: thorough, and slow
};

/// Tracks the order of events, as far as an invariant can observe it.
///
/// Invariants judge events. Some of these come from steps that share no state of the machine, for
/// example an update that returns and a value that becomes visible. Such events count as reads and
/// writes of an *order*. Steps that write the same order depend on each other, and the search tries
/// both sequences. Reads between two writes of an order have no sequence among themselves. Two runs
/// are in the same state if their checkers are; with Memory::kWholeOrder only if all their orders
/// are equal, too.
class ObservedOrder : public common::EventSink, public common::Hashed {
 public:
  /// Adds itself to the state of the simulation; `checkers` must outlive that.
  ObservedOrder(common::Simulation& simulation, const check::Checkers& checkers,
                Memory memory = Memory::kCheckers);

  void on_event(const common::Event& event) override;
  std::uint64_t state_hash() const override;

  /// From here on runs end where more than `max` interrupts have been raised since a core last
  /// accepted one.
  void limit_interrupts(std::uint64_t max) { max_interrupts_ = max; }
  bool beyond_limit() const { return interrupts_ > max_interrupts_; }

  void on(const common::At<event::CurrentValueVisible>& event);
  void on(const common::At<event::CurrentValueRead>& event) { read(Kind::kValue, event.fence); }
  void on(const common::At<event::UpdateMonitoredCall>& event);
  void on(const common::At<event::UpdateMonitoredReturn>& event);
  void on(const common::At<event::MonitoredValueStored>& event) {
    read(Kind::kUpdate, event.fence);
  }
  void on(const common::At<event::WorkVisible>&) { write(Kind::kWork, 0); }
  void on(const common::At<event::WaitRelease>&) { read(Kind::kWork, 0); }
  void on(const common::At<event::GpuWaitUnblock>&) { read(Kind::kWork, 0); }
  void on(const common::At<event::ShadowIssued>& event) { read(Kind::kLife, event.fence); }
  void on(const common::At<event::ShadowVisible>& event) { write(Kind::kShadow, event.fence); }
  void on(const common::At<event::ShadowRead>& event) { read(Kind::kShadow, event.fence); }
  void on(const common::At<event::CmpDecision>& event) { read(Kind::kLife, event.fence); }
  void on(const common::At<event::FenceCreate>& event) { write(Kind::kLife, event.fence); }
  void on(const common::At<event::FenceOpen>& event) { write(Kind::kLife, event.fence); }
  void on(const common::At<event::FenceClose>& event) { write(Kind::kLife, event.fence); }
  void on(const common::At<event::FenceDestroy>& event) { write(Kind::kLife, event.fence); }
  void on(const common::At<event::InterruptRaised>& event);
  void on(const common::At<event::MessageDelivered>& event);
  void on(const common::At<event::Notify>& event);
  void on(const common::At<event::NotifyAll>& event) { write(Kind::kLevel, event.adapter); }
  void on(const common::At<event::LogEntryIssued>& event);
  void on(const common::At<event::LogEntryVisible>& event) { write(Kind::kLog, event.log); }
  void on(const common::At<event::LogHeaderVisible>& event);
  void on(const common::At<event::LogHeaderRead>& event) { read(Kind::kLog, event.log); }
  void on(const common::At<event::LogEntryRead>& event) { read(Kind::kLog, event.log); }
  void on(const common::At<event::LogEntryTorn>& event) { read(Kind::kLog, event.log); }
  void on(const common::At<event::LogFlushReturn>& event) { read(Kind::kLog, event.log); }
  void on(const common::At<event::LogRetired>& event) { write(Kind::kLog, event.log); }

 private:
  /// Kind of order; there is one order per kind and object.
  enum class Kind : std::uint8_t {
    kValue,     ///< visible values and reads of a fence
    kUpdate,    ///< calls that hand over MonitoredValue, and visible values
    kShadow,    ///< the shadow of a fence
    kDelivery,  ///< interrupts that reach a core, and the fences or logs they are raised for
    kLevel,     ///< what the ISR reports, and the calls that must not run meanwhile
    kLife,      ///< creation and destruction of a fence, and its uses
    kLog,       ///< what becomes visible in a log, and reads of it
    kWork,      ///< work that becomes visible, and releases of waits, after which it may be read
    kInFlight,  ///< interrupts raised and accepted, where their number is limited
    kAgent      ///< all events of one agent, which are in sequence anyway
  };
  struct Order {
    std::uint64_t fixed = 0;  ///< up to the last write
    std::uint64_t loose = 0;  ///< reads since, in any order
  };
  void read(Kind kind, std::uint64_t object);
  void write(Kind kind, std::uint64_t object);
  void note(Kind kind, std::uint64_t object, bool write);
  void count_interrupts(std::uint64_t in_flight);

  common::Steps& steps_;
  const check::Checkers& checkers_;
  const Memory memory_;
  std::uint64_t max_interrupts_ = UINT64_MAX;
  std::uint64_t interrupts_ = 0;
  std::uint64_t event_hash_ = 0;            ///< of the event being handled; 0 with kCheckers
  std::vector<std::uint32_t> interrupted_;  ///< fences that an interrupt was raised for
  struct Logged {
    std::uint32_t log;
    std::uint32_t fence;
  };
  std::vector<Logged> logged_;                       ///< pairs for which an entry was issued
  std::unordered_map<std::uint64_t, Order> orders_;  ///< summed up, never walked in order
};

}  // namespace fenceline::explore
