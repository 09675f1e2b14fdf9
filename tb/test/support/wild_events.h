#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <random>
#include <vector>

#include "tb/test/support/event_script.h"

namespace fenceline::check {

/// A kind of event, and random numbers from which a run makes its fields.
struct WildEvent {
  common::EventKind kind;
  common::AgentId agent;
  std::uint32_t object;
  std::uint64_t first, second, third;  ///< for the words of the record behind the object
};

/// A run of events in an order that need make no sense, but for what the state of the checkers
/// takes for granted (`Canonical`). An event is completed by the run that it is put to: the call
/// that returns is one that was made there. So one list of events can follow different pasts.
class WildRun {
 public:
  /// @param stale reads may return any value; see CheckOptions
  explicit WildRun(bool stale) : stale_(stale) { restart(); }

  /// Begins a new run and creates the fences.
  void restart();

  /// The kinds of events there are.
  static const std::vector<common::EventKind>& kinds();
  /// A random event, that may or may not be possible now.
  static WildEvent draw(common::EventKind kind, std::mt19937& random);
  /// Puts an event to the run; false, and nothing happens, if it is not possible now.
  bool put(const WildEvent& drawn);
  /// What a machine would know besides: what its engines are at, what the CMP has in flight,
  /// and how far the log was read.
  std::vector<std::uint64_t> machine() const;

  std::unique_ptr<EventScript> script;

 private:
  template <class E>
  using At = common::At<E>;
  static constexpr std::uint32_t kFences = 2;
  static constexpr std::uint64_t kEntries = 3;
  struct Signal {
    std::uint32_t fence = 0;
    std::uint64_t value = 0;
    std::uint32_t queue = 0;
    bool issued = false, landed = false, decided = false, ended = false;
  };
  struct Call {
    std::uint32_t fence = 0;
    std::uint64_t value = 0, number = 0;
  };
  /// One fence as memory and the shadow hold it.
  struct Fence {
    std::uint64_t home = 0, monitored = 0, shadow = UINT64_MAX;
    bool in_memory = false;  ///< MonitoredValue was seen to arrive
    std::vector<std::uint64_t> called;
    std::deque<std::uint64_t> shadows;  ///< in flight
  };
  struct Past {
    std::array<Fence, kFences + 1> fences;
    std::map<std::uint64_t, Signal> signals;
    std::map<std::uint64_t, Call> calls;  ///< by agent
    std::uint64_t updates = 0, raised = 0, acknowledged = 0;
    std::uint64_t header = 0, header_read = 0, cursor = 0;
    bool in_dpc = false, header_seen = false, flagged = false;
  };

  static CheckOptions options(bool stale);
  static std::uint64_t header_of(std::uint64_t count);
  Fence& fence_of(std::uint32_t number) { return now_.fences[number]; }

  template <class E>
  bool put_as(const WildEvent& drawn);
  template <class... E>
  bool put_one_of(const WildEvent& drawn, event::List<E...>);

  // Each makes an event possible in this run; false if it cannot be.
  /// Of any other type: about the first object of its kind.
  template <class E>
  bool complete(At<E>& event, const WildEvent& drawn);
  bool complete(At<event::SignalBegin>& event, const WildEvent& drawn);
  bool complete(At<event::CurrentValueIssued>& event, const WildEvent& drawn);
  bool complete(At<event::Decision>& event, const WildEvent& drawn);
  bool complete(At<event::SignalEnd>& event, const WildEvent& drawn);
  bool complete(At<event::CurrentValueVisible>& event, const WildEvent& drawn);
  bool complete(At<event::CurrentValueRead>& event, const WildEvent& drawn);
  bool complete(At<event::WaitAdd>& event, const WildEvent& drawn);
  bool complete(At<event::WaitRelease>& event, const WildEvent& drawn);
  bool complete(At<event::WaitDone>& event, const WildEvent& drawn);
  bool complete(At<event::WaitTimeout>& event, const WildEvent& drawn);
  bool complete(At<event::GpuWaitBegin>& event, const WildEvent& drawn);
  bool complete(At<event::GpuWaitUnblock>& event, const WildEvent& drawn);
  bool complete(At<event::PacketBegin>& event, const WildEvent& drawn);
  bool complete(At<event::QueueState>& event, const WildEvent& drawn);
  bool complete(At<event::FenceCreate>& event, const WildEvent& drawn);
  bool complete(At<event::FenceOpen>& event, const WildEvent& drawn);
  bool complete(At<event::FenceClose>& event, const WildEvent& drawn);
  bool complete(At<event::FenceDestroy>& event, const WildEvent& drawn);
  bool complete(At<event::UpdateMonitoredCall>& event, const WildEvent& drawn);
  bool complete(At<event::UpdateMonitoredReturn>& event, const WildEvent& drawn);
  bool complete(At<event::MonitoredValueVisible>& event, const WildEvent& drawn);
  bool complete(At<event::ShadowIssued>& event, const WildEvent& drawn);
  bool complete(At<event::ShadowVisible>& event, const WildEvent& drawn);
  bool complete(At<event::ShadowRead>& event, const WildEvent& drawn);
  bool complete(At<event::CmpDecision>& event, const WildEvent& drawn);
  bool complete(At<event::InterruptRaised>& event, const WildEvent& drawn);
  bool complete(At<event::IsrAcknowledge>& event, const WildEvent& drawn);
  bool complete(At<event::MessageSent>& event, const WildEvent& drawn);
  bool complete(At<event::MessageCoalesced>& event, const WildEvent& drawn);
  bool complete(At<event::MessageDelivered>& event, const WildEvent& drawn);
  bool complete(At<event::Notify>& event, const WildEvent& drawn);
  bool complete(At<event::DpcBegin>& event, const WildEvent& drawn);
  bool complete(At<event::DpcEnd>& event, const WildEvent& drawn);
  bool complete(At<event::LogEntryIssued>& event, const WildEvent& drawn);
  bool complete(At<event::LogHeaderIssued>& event, const WildEvent& drawn);
  bool complete(At<event::LogHeaderVisible>& event, const WildEvent& drawn);
  bool complete(At<event::LogHeaderRead>& event, const WildEvent& drawn);
  bool complete(At<event::LogEntryRead>& event, const WildEvent& drawn);
  bool complete(At<event::LogEntryTorn>& event, const WildEvent& drawn);
  bool complete(At<event::LogOverrun>& event, const WildEvent& drawn);

  template <class E>
  bool complete_signal(At<E>& event, const WildEvent& drawn, bool Signal::*done);
  template <class E>
  bool complete_wait(At<E>& event, const WildEvent& drawn);
  template <class E>
  bool complete_lifetime(At<E>& event, const WildEvent& drawn) const;
  template <class E>
  static bool complete_message(At<E>& event, const WildEvent& drawn);
  template <class E>
  bool complete_dpc(At<E>& event, bool begin);
  template <class E>
  bool complete_entry(At<E>& event);

  const bool stale_;
  Past now_;
};

}  // namespace fenceline::check
