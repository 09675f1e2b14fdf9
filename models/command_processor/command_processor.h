#pragma once

#include <memory>
#include <string>
#include <systemc>
#include <tlm_utils/multi_passthrough_initiator_socket.h>
#include <tlm_utils/multi_passthrough_target_socket.h>
#include <tlm_utils/simple_target_socket.h>
#include <vector>

#include "models/command_processor/front_end.h"
#include "models/command_processor/queue_registers.h"

namespace fenceline::command_processor {

/// Takes doorbells, fetches rings and indirect buffers through the MMU, and feeds the engines. An
/// engine runs one of its hardware queues at a time.
///
/// Each engine has a front end, an agent named `<gpu>.<engine>`. The agent `<gpu>.scheduler` exists
/// with CommandProcessorConfig::schedules, the agent `<gpu>.hang_watch` with
/// CommandProcessorConfig::engine_timeout. The command processor keeps the sockets, owns its parts
/// and connects them; each part has its own header:
///
/// | part | decides |
/// |---|---|
/// | FrontEnd | which packet runs next, and what runs it |
/// | Doorbells | when a queue has new packets |
/// | Scheduler, ContextRanks, Turns, Suspensions | which queue a node runs, and
/// when it leaves | | FenceUnit, FenceTags | which queue waits for which fence
/// | | RingPreemption, SaveAreas, Binder | buffers of contexts: preemption and
/// saved state | | Resets, HangWatch | what ends a queue or a buffer early | | QueueRegisters,
/// LogPositions | which queues exist, and where their logs are | | MemoryPort, EnginePort |
/// nothing: they send transactions |
class CommandProcessor : public sc_core::sc_module, public common::Hashed {
 public:
  tlm_utils::simple_target_socket<CommandProcessor> SC_NAMED(registers);  ///< queue table
  tlm_utils::simple_target_socket<CommandProcessor> SC_NAMED(doorbells);
  tlm_utils::multi_passthrough_target_socket<CommandProcessor> SC_NAMED(
      rescans);  ///< address = fence slot
  /// From engines: positions in fence logs, see common::LogCursor.
  tlm_utils::multi_passthrough_target_socket_optional<CommandProcessor> SC_NAMED(logs);
  tlm_utils::multi_passthrough_initiator_socket<CommandProcessor> SC_NAMED(engines);
  tlm_utils::multi_passthrough_initiator_socket<CommandProcessor> SC_NAMED(
      memory);  ///< one per front end
  /// To the display registers, if there is a display. Only packets of the driver use it.
  tlm_utils::multi_passthrough_initiator_socket_optional<CommandProcessor> SC_NAMED(display);

  /// @param front_ends agent names `<gpu>.<engine>`, one per engine. @param adapter
  /// ObjectKind::kAdapter, for events.
  CommandProcessor(const sc_core::sc_module_name& name, common::Simulation& simulation,
                   const std::vector<std::string>& front_ends, const CommandProcessorConfig& config,
                   const common::GpuClock& clock, const common::FenceNames& fences,
                   const common::MemoryWatches& watches, std::uint32_t adapter = 0);

  /// All queues by slot, for reports. Null where the driver made no queue.
  const std::vector<std::unique_ptr<HardwareQueue>>& queues() const {
    return shared_.queues.by_slot();
  }
  /// ObjectKind::kFence in a slot; 0 if none.
  std::uint32_t fence_of(std::uint32_t slot) const { return shared_.fences.of(slot); }
  /// Number of fence value reads by waiting queues.
  std::uint64_t wait_reads() const { return fence_unit_.wait_reads(); }
  /// Number of packets that no engine could execute.
  std::uint64_t faults() const { return shared_.faults; }
  std::uint64_t state_hash() const override;

 private:
  void access_register(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay);
  void ring_doorbell(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay);
  void rescan(int id, tlm::tlm_generic_payload& payload, sc_core::sc_time& delay);
  void access_log(int id, tlm::tlm_generic_payload& payload, sc_core::sc_time& delay);
  void add_agents(const std::vector<std::string>& front_ends);

  const CommandProcessorConfig config_;
  Shared shared_;
  common::RegisterFile register_file_;
  MemoryPort memory_port_;
  Binder binder_;
  SaveAreas areas_;
  EnginePort engine_port_;
  Turns turns_;
  ContextRanks ranks_;
  Suspensions suspensions_;
  Scheduler scheduler_;
  HangWatch hang_watch_;
  Resets resets_;
  RingPreemption ring_preemption_;
  FenceUnit fence_unit_;
  Doorbells doorbells_;
  LogPositions log_positions_;
  QueueRegisters queue_registers_;
  std::vector<std::unique_ptr<FrontEnd>> front_ends_;  ///< by engine
};

}  // namespace fenceline::command_processor
