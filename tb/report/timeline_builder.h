#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "tb/report/idle_periods.h"
#include "tb/report/timeline.h"
#include "tb/report/window.h"

namespace fenceline::report {

/// Turns events into a Timeline, one after the other.
class TimelineBuilder {
 public:
  /// @param events about as many will be taken; what is never used of that room costs nothing.
  TimelineBuilder(const Names& names, std::uint64_t events);

  void take(const common::Event& event);
  /// Sleeps come apart from the events, since some are known only when the core wakes.
  void add_idle(const IdlePeriod& period);
  Timeline finish(std::uint64_t end_time);

 private:
  using Event = common::Event;
  static constexpr std::size_t kNoSlice = ~std::size_t{0};

  /// Signals of one fence in the order in which they began.
  struct Signal {
    std::uint64_t value;
    std::size_t slice;
    bool visible;
  };
  /// CurrentValue rose to `value` at `time`, by a signal.
  struct Reached {
    std::uint64_t value;
    std::uint64_t time;
    std::size_t slice;
  };
  struct Fence {
    std::vector<Signal> signals;
    std::vector<Reached> reached;  ///< ascending values
  };
  /// A slice that may be open.
  using Open = std::map<std::uint64_t, std::size_t>;

  std::size_t begin(Lane lane, std::uint64_t object, SliceKind kind, const Event& event,
                    std::uint64_t detail, std::uint32_t fence = 0);
  void end(std::size_t slice, std::uint64_t time);
  void end(Open& open, std::uint64_t key, std::uint64_t time);
  std::size_t mark(Lane lane, std::uint64_t object, InstantKind kind, const Event& event,
                   std::uint64_t detail, std::uint32_t fence = 0);

  bool take_signal(const Event& event);
  bool take_wait(const Event& event);
  bool take_driver(const Event& event);
  bool take_interrupt(const Event& event);
  void take_activity(const Event& event);

  void begin_signal(std::size_t slice, const Event& event);
  void reach(const Event& event);
  void release(std::size_t wait, const Event& event, std::uint64_t signal_number);
  std::size_t releasing_signal(const Event& event, std::uint64_t number, std::uint64_t begun);
  void begin_packet(const Event& event);
  void cpu_signal(const Event& event);
  void transfer(const Event& event);
  void change_thread(const Event& event);
  void lose_entries(const Event& event);
  std::uint32_t adapter_of(common::AgentId agent);

  const Names& names_;
  Timeline timeline_;
  std::vector<Fence> fences_;
  std::vector<std::size_t> signals_;                 ///< by signal number
  Open cpu_signals_;                                 ///< by fence: not yet visible
  Window<std::size_t> waits_;                        ///< by waiter number
  Window<std::size_t> updates_;                      ///< by update number
  std::vector<std::vector<std::size_t>> packets_;    ///< by queue: {on the queue, on the engine}
  Open gpu_waits_;                                   ///< by queue
  Open signal_ends_;                                 ///< by signal number
  Open shadows_;                                     ///< by fence << 32 | adapter
  Open ddis_;                                        ///< by adapter << 32 | DDI
  Open isrs_, dpcs_, threads_;                       ///< by core, core, thread
  std::map<std::uint32_t, std::uint64_t> log_read_;  ///< by log: when the OS last read it [ps]
  std::vector<std::uint32_t> agent_adapter_;         ///< by agent; 0: not known yet
};

}  // namespace fenceline::report
