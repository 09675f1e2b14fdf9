#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "models/common/events.h"
#include "tb/report/names.h"
#include "tb/report/output.h"
#include "tb/report/run_report.h"
#include "tb/report/timeline.h"

namespace fenceline::report {

/// A signal or wait of a queue as a trace of fences tells it. Times are [ps] on the CPU's clock.
struct FenceOperation {
  enum class State : std::uint8_t {
    kLogged,  ///< the log told when it was executed
    kLost,    ///< its log entry was overwritten before anybody read it
    kOpen     ///< no entry was read; it may be on its way
  };
  std::uint32_t queue = 0;
  std::uint32_t fence = 0;  ///< 0: an entry of which user mode never told
  std::uint64_t value = 0;
  std::uint64_t order = 0;  ///< grows with the operations that user mode records
  bool wait = false;
  State state = State::kOpen;
  std::optional<std::uint64_t> queued;    ///< user mode recorded it
  std::optional<std::uint64_t> observed;  ///< a wait that stalled its queue: since then
  std::optional<std::uint64_t> executed;  ///< signal executed or wait unblocked
  std::optional<std::uint64_t> stamped;   ///< when the GPU really took the time of the entry
};

/// Rebuilds what queues did from what a trace session gets: what user mode says when it records a
/// signal or wait, the entries that the OS reads from the logs, and comparisons of the two clocks.
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

  /// Somebody compared the clocks, so that there is something to tell.
  bool captured() const { return !clocks_.empty(); }
  /// All operations by queue, in the order in which they were recorded.
  std::vector<FenceOperation> join() const;
  /// How many were joined and lost, and how far the times are off.
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
  /// What a queue did of one kind.
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
  Entry entry_;  ///< read, and the rest of it follows
};

/// queue,operation,fence,value,queued_ps,observed_ps,executed_ps,stamped_ps,state
void write_fences_csv(const std::vector<FenceOperation>& operations, const Names& names,
                      Output& out);
/// The same as spans: each from when it was recorded, or the one before it was executed, to when it
/// was executed itself; with what released each wait.
Timeline timeline_of(const std::vector<FenceOperation>& operations, std::uint64_t end_time);

}  // namespace fenceline::report
