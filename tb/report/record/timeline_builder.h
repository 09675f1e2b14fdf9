#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "models/common/events.h"
#include "tb/report/record/idle_periods.h"
#include "tb/report/record/timeline.h"
#include "tb/report/record/window.h"

namespace fenceline::report {

/// Builds a Timeline from events that come in the order of their time.
class TimelineBuilder {
 public:
  /// @param events expected number of events; an estimate that is too high costs no memory.
  TimelineBuilder(const Names& names, std::uint64_t events);

  void take(const common::Event& event);
  /// Adds a sleep of a core. Sleeps come apart from the events, because some are known only when
  /// the core wakes.
  void add_idle(const IdlePeriod& period);
  Timeline finish(std::uint64_t end_time);

  void on(const common::At<event::SignalBegin>& event);
  void on(const common::At<event::SignalEnd>& event);
  void on(const common::At<event::CpuSignal>& event);
  void on(const common::At<event::CurrentValueVisible>& event);
  void on(const common::At<event::WaitAdd>& event);
  void on(const common::At<event::WaitRelease>& event);
  void on(const common::At<event::WaitDone>& event);
  void on(const common::At<event::WaitTimeout>& event);
  void on(const common::At<event::GpuWaitBegin>& event);
  void on(const common::At<event::GpuWaitUnblock>& event);
  void on(const common::At<event::UpdateMonitoredCall>& event);
  void on(const common::At<event::UpdateMonitoredReturn>& event);
  void on(const common::At<event::ShadowIssued>& event);
  void on(const common::At<event::ShadowVisible>& event);
  void on(const common::At<event::DdiCall>& event);
  void on(const common::At<event::DdiReturn>& event);
  void on(const common::At<event::CmpDecision>& event);
  void on(const common::At<event::InterruptRaised>& event);
  void on(const common::At<event::MessageSent>& event);
  void on(const common::At<event::IsrBegin>& event);
  void on(const common::At<event::IsrEnd>& event);
  void on(const common::At<event::DpcBegin>& event);
  void on(const common::At<event::DpcEnd>& event);
  void on(const common::At<event::PacketBegin>& event);
  void on(const common::At<event::PacketEnd>& event);
  void on(const common::At<event::Doorbell>& event);
  void on(const common::At<event::Mark>& event);
  void on(const common::At<event::PcieTransfer>& event);
  void on(const common::At<event::ThreadState>& event);
  void on(const common::At<event::LogHeaderRead>& event);
  void on(const common::At<event::LogEntryRead>& event);
  void on(const common::At<event::LogOverrun>& event);
  void on(const common::At<event::LogEntryTorn>& event);
  void on(const common::At<event::BugCheck>& event);
  void on(const common::At<event::IrqlViolation>& event);
  void on(const common::At<event::DriverMisuse>& event);

 private:
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

  /// Content of a slice or an instant.
  struct Shown {
    Lane lane;
    std::uint64_t object;
    std::uint64_t detail = 0;
    std::uint32_t fence = 0;  ///< 0: none
  };

  std::size_t begin(SliceKind kind, std::uint64_t time, const Shown& shown);
  void end(std::size_t slice, std::uint64_t time);
  void end(Open& open, std::uint64_t key, std::uint64_t time);
  std::size_t mark(InstantKind kind, std::uint64_t time, const Shown& shown);

  void begin_signal(std::size_t slice, std::uint32_t fence, std::uint64_t value);
  std::size_t find_signal(Fence& fence, std::uint64_t value);
  /// A wait of `slice` is satisfied at `time` because `fence` reached `value`.
  struct Release {
    std::size_t wait;
    std::uint64_t time;
    std::uint32_t fence;
    std::uint64_t value;
    std::uint64_t signal;  ///< number; 0: not known
  };
  void release(const Release& release);
  std::size_t releasing_signal(const Release& release);
  void end_wait(std::uint64_t waiter, std::uint64_t time);
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
