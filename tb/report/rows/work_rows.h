#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

#include "models/abi/packets.h"
#include "models/common/events.h"
#include "tb/report/rows/given_buffers.h"
#include "tb/report/rows/timeline_draft.h"
#include "tb/scenario/scenario.h"

namespace fenceline::report {

/// Packets and buffers on queues, contexts and engines; preemption and recovery.
class WorkRows {
 public:
  /// @param scenario with the granularity of each adapter; null: stops within packets have no level
  WorkRows(TimelineDraft& draft, const Names& names, const scenario::Scenario* scenario)
      : draft_(draft), names_(names), scenario_(scenario), given_(names) {}

  void take(const common::Event& event);

  void on(const common::At<event::PacketBegin>& event);
  void on(const common::At<event::PacketEnd>& event);
  void on(const common::At<event::CommandDone>& event);
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
  void on(const common::At<event::PacketFault>& event);
  void on(const common::At<event::HwEngineReset>& event);
  void on(const common::At<event::Recovery>& event);

 private:
  /// What an engine runs of a context.
  struct Running {
    GivenBuffers::Buffer buffer;
    std::size_t on_context = TimelineDraft::kNoSlice;
    std::size_t on_engine = TimelineDraft::kNoSlice;
  };

  /// What an engine left for a preemption that is not acknowledged yet.
  struct Stopped {
    StopLevel level = StopLevel::kBuffers;
    std::vector<std::size_t> slices;
  };

  /// The last packet of an engine.
  struct Packet {
    std::vector<std::size_t> slices;
    bool done = false;
  };

  Stopped stopped_work(std::uint32_t engine, std::uint64_t adapter);
  StopLevel level_of(abi::Opcode opcode, std::uint64_t adapter) const;
  void end_buffer(std::uint32_t engine, std::uint64_t time);
  void reset(std::uint32_t engine, std::uint64_t time);
  void forget_preemptions(std::uint32_t engine, std::uint64_t time);

  TimelineDraft& draft_;
  const Names& names_;
  const scenario::Scenario* scenario_;
  std::vector<std::vector<std::size_t>> packets_;  ///< by queue: {on the queue, on the engine}
  GivenBuffers given_;
  std::map<std::uint32_t, Running> running_;  ///< by engine
  std::map<std::uint32_t, Packet> last_;      ///< by engine
  std::map<std::uint32_t, Stopped> stopped_;  ///< by engine
  std::vector<std::uint32_t> processes_;      ///< by context
  TimelineDraft::Open preemptions_;           ///< by engine << 32 | id
  TimelineDraft::Open suspended_;             ///< by queue
};

}  // namespace fenceline::report
