#pragma once

#include <memory>
#include <string>
#include <systemc>
#include <tlm_utils/multi_passthrough_initiator_socket.h>
#include <tlm_utils/multi_passthrough_target_socket.h>
#include <tlm_utils/simple_target_socket.h>
#include <vector>

#include "models/abi/registers.h"
#include "models/command_processor/config.h"
#include "models/command_processor/hardware_queue.h"
#include "models/common/fence_names.h"
#include "models/common/gpu_clock.h"
#include "models/common/simulation.h"
#include "models/common/watches.h"

namespace fenceline::command_processor {

/// Where the objects behind ring addresses are looked up, for the names in events.
struct RingWatches {
  const common::Watches* vram = nullptr;
  const common::Watches* system = nullptr;
};

/// Takes doorbells, fetches rings and indirect buffers through the MMU, and feeds each engine from
/// its hardware queues, one queue at a time in turn.
///
/// Each engine has a front end, an agent named `<gpu>.<engine>`, that runs a queue until it is
/// empty or has to wait for a fence. A queue whose wait is not satisfied is parked and the engine
/// goes on with the next; parked queues look again when a signal or the CPU has them rescanned.
/// Source: WDDM native fences, wait on the GPU; common::GpuOrdering for what may be left out.
class CommandProcessor : public sc_core::sc_module, public common::Hashed {
 public:
  tlm_utils::simple_target_socket<CommandProcessor> SC_NAMED(registers);  ///< queue table
  tlm_utils::simple_target_socket<CommandProcessor> SC_NAMED(doorbells);
  tlm_utils::multi_passthrough_target_socket<CommandProcessor> SC_NAMED(
      rescans);  ///< address = fence slot
  tlm_utils::multi_passthrough_initiator_socket<CommandProcessor> SC_NAMED(engines);
  tlm_utils::multi_passthrough_initiator_socket<CommandProcessor> SC_NAMED(
      memory);  ///< one a front end

  /// @param front_ends agent names, one an engine; @param adapter ObjectKind::kAdapter, for events.
  CommandProcessor(const sc_core::sc_module_name& name, common::Simulation& simulation,
                   const std::vector<std::string>& front_ends, const CommandProcessorConfig& config,
                   const common::GpuClock& clock, const common::FenceNames& fences,
                   const RingWatches& watches, std::uint32_t adapter = 0);

  /// Queues that hold commands they cannot run, for reports of hangs.
  struct ParkedQueue {
    std::uint32_t queue = 0;  ///< ObjectKind::kQueue
    std::uint32_t fence = 0;  ///< ObjectKind::kFence
    std::uint64_t value = 0;
  };
  std::vector<ParkedQueue> parked() const;
  /// All queues by slot, null where the driver has made none; for reports.
  const std::vector<std::unique_ptr<HardwareQueue>>& queues() const { return queues_; }
  /// ObjectKind::kFence behind a slot, 0 if none.
  std::uint32_t fence_of(std::uint32_t slot) const { return fences_.of(slot); }
  /// Reads of fence values by queues that wait.
  std::uint64_t wait_reads() const { return wait_reads_; }
  /// Packets that no engine could execute.
  std::uint64_t faults() const { return faults_; }
  std::uint64_t state_hash() const override;

 private:
  void access_register(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay);
  void ring_doorbell(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay);
  void take_peer_doorbell(std::uint64_t payload);
  bool look_again(HardwareQueue& queue, bool latches);
  void rescan(int id, tlm::tlm_generic_payload& payload, sc_core::sc_time& delay);
  void enable(HardwareQueue& queue);
  std::uint32_t name_of(const HardwareQueue& queue);
  void set_log(const HardwareQueue& queue, common::LogCursor& log, std::uint64_t address,
               std::uint64_t entries);
  std::uint32_t object_at(std::uint32_t engine, std::uint32_t space, std::uint64_t address);
  void run_front_end(std::uint32_t engine);
  HardwareQueue* next_queue(std::uint32_t engine);
  void run_queue(std::uint32_t engine, HardwareQueue& queue);
  /// Runs the packet at `cursor`; false when the queue has to leave the engine.
  static bool passes_over(const HardwareQueue& queue, const abi::LogPacket& packet);
  bool run_packet(std::uint32_t engine, HardwareQueue& queue, Cursor& cursor);
  bool run_command(std::uint32_t engine, HardwareQueue& queue, const Cursor& cursor,
                   common::EngineCommand& command);
  /// Packets outside of the ring.
  struct Buffer {
    std::uint64_t address;
    std::uint64_t bytes;
    std::uint32_t space;
  };
  bool run_indirect(std::uint32_t engine, HardwareQueue& queue, const Buffer& buffer);
  std::uint32_t written_fence(const HardwareQueue& queue, const common::EngineCommand& command);
  bool run_wait(std::uint32_t engine, HardwareQueue& queue, const abi::FencePacket& packet);
  void log_wait(std::uint32_t engine, HardwareQueue& queue, const Cursor& cursor);
  bool park(std::uint32_t engine, HardwareQueue& queue, const abi::FencePacket& packet);
  bool satisfied(std::uint32_t engine, HardwareQueue& queue, const abi::FencePacket& packet);
  bool fetch(std::uint32_t engine, Cursor& cursor);
  void execute(std::uint32_t engine, HardwareQueue& queue, common::EngineCommand& command);
  void write_back(std::uint32_t engine, HardwareQueue& queue);
  void set_state(HardwareQueue& queue, common::QueueState state);
  void touch(const HardwareQueue& queue, std::uint64_t place) const;
  void forget_packets(const HardwareQueue& queue) const;

  common::Simulation& simulation_;
  const CommandProcessorConfig config_;
  const common::GpuClock& clock_;
  const common::FenceNames& fences_;
  const RingWatches watches_;
  const std::uint32_t adapter_;
  const std::vector<std::string> front_ends_;           ///< agent names
  std::vector<std::unique_ptr<HardwareQueue>> queues_;  ///< by slot
  std::vector<std::vector<std::uint32_t>> by_engine_;   ///< slots, in the order of enabling
  std::vector<std::size_t> turn_;                       ///< by engine
  std::vector<bool> always_signaled_;                   ///< by fence slot
  std::vector<std::unique_ptr<common::Gate>> ready_;    ///< by engine
  const std::uint64_t waits_;  ///< place of footprints: which queues wait for what
  common::Gate log_written_;   ///< an engine has issued a log entry and its index
  std::uint64_t wait_reads_ = 0;
  std::uint64_t faults_ = 0;
};

}  // namespace fenceline::command_processor
