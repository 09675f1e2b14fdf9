#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "models/common/events.h"
#include "tb/report/record/names.h"
#include "tb/report/record/output.h"
#include "tb/report/record/run_report.h"
#include "tb/report/record/timeline.h"

namespace fenceline::report {

/// A signal or wait of a queue, rebuilt from a trace of fences. Times are [ps] of the CPU clock.
struct FenceOperation {
  enum class State : std::uint8_t {
    kLogged,  ///< the log has the time of its execution
    kLost,    ///< its log entry was overwritten before the OS read it
    kOpen     ///< no entry was read yet
  };
  std::uint32_t queue = 0;
  std::uint32_t fence = 0;  ///< 0: user mode has recorded no such operation
  std::uint64_t value = 0;
  std::uint64_t order = 0;  ///< ascending in the order in which user mode recorded the operations
  bool wait = false;
  State state = State::kOpen;
  std::optional<std::uint64_t> queued;    ///< user mode recorded it
  std::optional<std::uint64_t> observed;  ///< when a wait began to stall its queue
  std::optional<std::uint64_t> executed;  ///< signal executed or wait unblocked
  std::optional<std::uint64_t> stamped;   ///< when the GPU really stamped the entry
};

/// Rebuilds the operations of queues from the inputs of a trace session: records of signals and
/// waits by user mode, log entries read by the OS, and comparisons of the CPU and GPU clocks.
/// Source: WDDM, native fence log buffers; DxgkDdiCalibrateGpuClock.
class FenceTimeline final : public common::EventSink {
 public:
  /// Kinds of events to subscribe it to.
  static std::vector<common::EventKind> kinds();
  void on_event(const common::Event& event) override;

  void on(const common::At<event::SignalQueued>& event);
  void on(const common::At<event::WaitQueued>& event);
  void on(const common::At<event::LogEntryIssued>& event);
  void on(const common::At<event::LogEntryRead>& event);
  void on(const common::At<event::LogEntryTimes>& event);
  void on(const common::At<event::LogOverrun>& event);
  void on(const common::At<event::ClockCalibrated>& event);

  /// The clocks were compared: a trace session was active.
  bool captured() const { return !clocks_.empty(); }
  /// All operations, by queue and then in the order in which they were recorded.
  std::vector<FenceOperation> join() const;
  /// Adds the numbers of joined, lost and open operations, and the largest error of a time.
  void add_counters(RunReport& report) const;

 private:
  struct Queued {
    std::uint64_t time, value, order;
    std::uint32_t fence, handle;
  };
  struct Entry {
    std::uint64_t value = 0, end = 0, observed = 0, stamped = 0;
    std::uint64_t lost_before = 0;
    std::uint32_t handle = 0, adapter = 0;
  };
  struct Clock {
    std::uint64_t gpu, cpu, hertz;
  };
  /// Signals or waits of one queue.
  struct Track {
    std::vector<Queued> queued;
    std::vector<Entry> entries;
  };
  using TrackKey = std::pair<std::uint32_t, bool>;  ///< queue, waits

  template <class E>
  void add_queued(const common::At<E>& event, bool wait);
  std::uint64_t cpu_time(std::uint32_t adapter, std::uint64_t ticks) const;
  FenceOperation operation_of(const TrackKey& key, const Queued& queued) const;
  void add_times(const Entry& entry, FenceOperation& operation) const;
  void join(const TrackKey& key, const Track& track, std::vector<FenceOperation>& all) const;

  std::map<std::uint32_t, std::vector<Clock>> clocks_;  ///< by adapter
  std::map<TrackKey, Track> tracks_;
  std::map<std::pair<std::uint32_t, std::uint64_t>, std::uint64_t> stamped_;  ///< by log and index
  std::map<std::uint32_t, std::uint64_t> lost_;                               ///< by log
  std::uint64_t recorded_ = 0;
  Entry entry_;  ///< from LogEntryRead; LogEntryTimes completes it
};

/// queue,operation,fence,value,queued_ps,observed_ps,executed_ps,stamped_ps,state
void write_fences_csv(const std::vector<FenceOperation>& operations, const Names& names,
                      Output& out);
/// The same as slices. A slice begins when the operation was recorded or the previous one was
/// executed, whichever is later, and ends with its execution. Flows lead to each wait from the
/// signal that released it.
Timeline timeline_of(const std::vector<FenceOperation>& operations, std::uint64_t end_time);

}  // namespace fenceline::report
