#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "tb/check/core/world.h"

namespace fenceline::check {

/// Timeline of a trace, made from logs and records: I72 TIMELINE.
///
/// GPU times are converted to the CPU's clock by the latest two calibrations, or by the latest one
/// and the frequency that the driver reports. Entries read before the first calibration are not
/// judged, nor are those that were overwritten meanwhile. Nothing is judged during exploration,
/// because time stands still then: the checker adds nothing to the state hash.
class TimelineChecks : public Checks<TimelineChecks> {
 public:
  explicit TimelineChecks(World& world) : Checks(world) {}

  void on(const common::At<event::SignalQueued>& event);
  void on(const common::At<event::WaitQueued>& event);
  void on(const common::At<event::ClockCalibrated>& event);
  void on(const common::At<event::LogEntryRead>& event);
  void on(const common::At<event::LogEntryTimes>& event);
  void on(const common::At<event::LogOverrun>& event);
  void on(const common::At<event::LogReadDone>& event);

 private:
  struct Record {
    std::uint64_t value = 0;
    std::uint64_t handle = 0;
    std::uint64_t time = 0;  ///< [ps]
    std::uint32_t fence = 0;
  };
  /// Waits or signals given to a queue whose entries were not read yet.
  struct Track {
    Ring<Record, 256> records;
  };
  struct Calibration {
    std::uint64_t gpu = 0;  ///< [ticks]
    std::uint64_t cpu = 0;  ///< [ps]
  };
  struct Clock {
    Calibration last, before;
    std::uint64_t count = 0;
    double tick = 0;            ///< [ps] by the driver's frequency
    bool timed = false;         ///< the last calibration took little time
    bool before_timed = false;  ///< so did the one before
  };
  struct Entry {
    std::uint64_t value = 0;
    std::uint64_t end = 0;
  };
  /// An operation by an entry that was read. Its record is taken when the reading of the log is
  /// over, because the OS may still find that the entry was being overwritten.
  struct Reading {
    std::uint64_t value = 0;
    std::uint64_t handle = 0;
    std::uint32_t log = 0;
    std::uint32_t queue = 0;
    bool wait = false;
    double executed = 0;     ///< [ps] on the CPU's clock
    double slack = 0;        ///< [ps]
    std::uint64_t time = 0;  ///< [ps] of the read
  };
  std::optional<Record> record_of(const Reading& reading);
  void judge(const Reading& reading);
  void discard(std::uint32_t log);

  Dense<Track> tracks_;   ///< index: 2 * queue + wait
  Dense<Clock> clocks_;   ///< by adapter
  Dense<Entry> entries_;  ///< last entry read, by agent
  std::vector<Reading> readings_;
};

}  // namespace fenceline::check
