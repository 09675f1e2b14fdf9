#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "models/common/events.h"
#include "tb/report/record/window.h"
#include "tb/report/rows/timeline_draft.h"

namespace fenceline::report {

/// Signals of fences, waits for them, and which signal released which wait.
class FenceRows {
 public:
  FenceRows(TimelineDraft& draft, const Names& names) : draft_(draft), names_(names) {}

  void take(const common::Event& event);

  void on(const common::At<event::SignalBegin>& event);
  void on(const common::At<event::SignalEnd>& event);
  void on(const common::At<event::CpuSignal>& event);
  void on(const common::At<event::CurrentValueVisible>& event);
  void on(const common::At<event::WaitAdd>& event);
  void on(const common::At<event::WaitRelease>& event);
  void on(const common::At<event::WaitDone>& event);
  void on(const common::At<event::WaitTimeout>& event);
  void on(const common::At<event::WaitLetGo>& event);
  void on(const common::At<event::GpuWaitBegin>& event);
  void on(const common::At<event::GpuWaitUnblock>& event);

 private:
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
  /// A wait of a thread for one fence.
  struct Wait {
    std::uint32_t fence;
    std::uint64_t value;
    std::size_t slice;
  };
  struct Fence {
    std::vector<Signal> signals;
    std::vector<Reached> reached;  ///< ascending values
  };

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
  std::size_t wait_of(const event::ThreadWait& event);
  void end_wait(const event::ThreadWait& event, std::uint64_t time);

  TimelineDraft& draft_;
  const Names& names_;
  std::vector<Fence> fences_;
  std::vector<std::size_t> signals_;  ///< by signal number
  TimelineDraft::Open cpu_signals_;   ///< by fence: not yet visible
  TimelineDraft::Open signal_ends_;   ///< by signal number
  TimelineDraft::Open gpu_waits_;     ///< by queue
  Window<std::vector<Wait>> waits_;   ///< by waiter number
};

}  // namespace fenceline::report
