#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <vector>

#include "models/common/events.h"
#include "tb/report/record/names.h"
#include "tb/report/record/timeline.h"
#include "tb/report/rows/given_buffers.h"

namespace fenceline::report {

/// How much work waits or runs: commands of hardware queues from their recording to their end,
/// buffers of contexts from their submission to their end.
class QueueDepths {
 public:
  explicit QueueDepths(const Names& names) : names_(names), given_(names) {}

  void on(const common::At<event::CommandRecorded>& event);
  void on(const common::At<event::CommandDone>& event);
  void on(const common::At<event::CommandsDropped>& event);
  void on(const common::At<event::ContextPacket>& event);
  void on(const common::At<event::QueueGuarded>& event) { processes_[event.queue] = event.process; }
  void on(const common::At<event::ContextGiven>& event) { given_.take(event); }
  void on(const common::At<event::BufferEnd>& event);
  void on(const common::At<event::BufferFaulted>& event);
  void on(const common::At<event::ContextEnded>& event);

  /// One series per queue or context, by object. Equal names have their process behind them.
  std::vector<ValueSeries> finish();

 private:
  struct Depth {
    std::deque<std::uint64_t> waiting;  ///< ends in the ring, or numbers of buffers; ascending
    ValueSeries series;
  };
  Depth& depth(std::uint32_t queue, const char* unit);
  void add(std::uint32_t queue, const char* unit, std::uint64_t item, std::uint64_t time);
  /// Removes all items up to `last`.
  void remove(std::uint32_t queue, std::uint64_t last, std::uint64_t time);
  void end_buffer(std::uint32_t engine, std::uint64_t submission, std::uint64_t time);

  const Names& names_;
  GivenBuffers given_;
  std::map<std::uint32_t, Depth> depths_;             ///< by queue
  std::map<std::uint32_t, std::uint64_t> processes_;  ///< by queue
};

}  // namespace fenceline::report
