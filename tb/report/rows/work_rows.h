#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

#include "models/common/events.h"
#include "tb/report/rows/given_buffers.h"
#include "tb/report/rows/timeline_draft.h"

namespace fenceline::report {

/// Packets and buffers on queues, contexts and engines; preemption and recovery.
class WorkRows {
 public:
  WorkRows(TimelineDraft& draft, const Names& names) : draft_(draft), given_(names) {}

  void take(const common::Event& event);

  void on(const common::At<event::PacketBegin>& event);
  void on(const common::At<event::PacketEnd>& event);
  void on(const common::At<event::Doorbell>& event);
  void on(const common::At<event::QueueState>& event);
  void on(const common::At<event::ContextPacket>& event);
  void on(const common::At<event::ContextGiven>& event);
  void on(const common::At<event::BufferBegin>& event);
  void on(const common::At<event::BufferEnd>& event);
  void on(const common::At<event::BufferStopped>& event);
  void on(const common::At<event::BufferFaulted>& event);
  void on(const common::At<event::ContextSaved>& event);
  void on(const common::At<event::ContextRestored>& event);
  void on(const common::At<event::PreemptCall>& event);
  void on(const common::At<event::Preempted>& event);
  void on(const common::At<event::EngineFault>& event);
  void on(const common::At<event::HwEngineReset>& event);
  void on(const common::At<event::Recovery>& event);

 private:
  /// What an engine runs of a context.
  struct Running {
    GivenBuffers::Buffer buffer;
    std::size_t on_context = TimelineDraft::kNoSlice;
    std::size_t on_engine = TimelineDraft::kNoSlice;
  };

  void end_buffer(std::uint32_t engine, std::uint64_t time);
  void reset(std::uint32_t engine, std::uint64_t time);

  TimelineDraft& draft_;
  std::vector<std::vector<std::size_t>> packets_;  ///< by queue: {on the queue, on the engine}
  GivenBuffers given_;
  std::map<std::uint32_t, Running> running_;  ///< by engine
  std::vector<std::uint32_t> processes_;      ///< by context
  TimelineDraft::Open preemptions_;           ///< by engine << 32 | id
  TimelineDraft::Open suspended_;             ///< by queue
};

}  // namespace fenceline::report
