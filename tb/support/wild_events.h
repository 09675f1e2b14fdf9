#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <random>
#include <vector>

#include "tb/check/event_script.h"

namespace fenceline::check {

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
  static common::Event draw(common::EventKind kind, std::mt19937& random);
  /// Puts an event to the run; false, and nothing happens, if it is not possible now.
  bool put(common::Event event);
  /// What a machine would know besides: what its engines are at, what the CMP has in flight,
  /// and how far the log was read.
  std::vector<std::uint64_t> machine() const;

  std::unique_ptr<EventScript> script;

 private:
  static constexpr std::uint32_t kFences = 2;
  static constexpr std::uint64_t kEntries = 3;
  struct Signal {
    std::uint32_t fence = 0;
    std::uint64_t value = 0, queue = 0;
    bool issued = false, decided = false, ended = false;
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
  bool complete(common::Event& event);
  bool complete_signal(common::Event& event);
  bool complete_begin(common::Event& event);
  bool complete_update(common::Event& event);
  bool complete_shadow(common::Event& event);
  bool complete_interrupt(common::Event& event);
  bool complete_header(common::Event& event);
  bool complete_reading(common::Event& event);

  const bool stale_;
  Past now_;
};

}  // namespace fenceline::check
