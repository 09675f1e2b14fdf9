#pragma once

#include <map>
#include <memory>
#include <string>
#include <systemc>
#include <tlm_utils/multi_passthrough_initiator_socket.h>
#include <tlm_utils/multi_passthrough_target_socket.h>
#include <tlm_utils/simple_target_socket.h>
#include <vector>

#include "models/abi/preemption.h"
#include "models/abi/registers.h"
#include "models/command_processor/config.h"
#include "models/command_processor/hardware_queue.h"
#include "models/command_processor/scheduling.h"
#include "models/common/fence_names.h"
#include "models/common/gpu_clock.h"
#include "models/common/simulation.h"
#include "models/common/watches.h"

namespace fenceline::command_processor {

/// Finds the objects at ring addresses, for names in events.
struct RingWatches {
  const common::Watches* vram = nullptr;
  const common::Watches* system = nullptr;
};

/// Takes doorbells, fetches rings and indirect buffers through the MMU, and feeds the engines. An
/// engine runs one of its hardware queues at a time.
///
/// Each engine has a front end, an agent named `<gpu>.<engine>`. It runs a queue until the queue is
/// empty or must wait for a fence. A queue with an unsatisfied wait is parked, and the engine takes
/// the next queue. A signal or the CPU makes parked queues look again. Source: WDDM native fences,
/// wait on the GPU; common::GpuOrdering for the parts that can be left out.
///
/// Buffers in a ring of the driver's own can be preempted. The node stops where its granularity
/// allows, writes the state of the buffer to the save area of its context, drops the later buffers,
/// and the CMP reports the preemption. State between buffers stays in the node until it runs
/// another context. Source: WDDM, GPU preemption; abi::SavedContext.
///
/// With CommandProcessorConfig::schedules user-mode queues belong to contexts. The scheduler, an
/// agent named `<gpu>.scheduler`, removes them from their nodes for contexts of higher priority or
/// at the end of a quantum, and reports suspensions to the CMP. Source: WDDM,
/// DxgkDdiSuspendContext, DxgkDdiSetContextSchedulingProperties.
///
/// With CommandProcessorConfig::engine_timeout an agent named `<gpu>.hang_watch` asks a
/// user-mode queue to leave its node when a packet takes too long, and reports a queue that does
/// not leave. Source: WDDM, DXGK_INTERRUPT_GPU_ENGINE_TIMEOUT.
class CommandProcessor : public sc_core::sc_module, public common::Hashed {
 public:
  tlm_utils::simple_target_socket<CommandProcessor> SC_NAMED(registers);  ///< queue table
  tlm_utils::simple_target_socket<CommandProcessor> SC_NAMED(doorbells);
  tlm_utils::multi_passthrough_target_socket<CommandProcessor> SC_NAMED(
      rescans);  ///< address = fence slot
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
                   const RingWatches& watches, std::uint32_t adapter = 0);

  /// A queue whose next command cannot run, for reports of hangs.
  struct ParkedQueue {
    std::uint32_t queue = 0;  ///< ObjectKind::kQueue
    std::uint32_t fence = 0;  ///< ObjectKind::kFence
    std::uint64_t value = 0;
  };
  std::vector<ParkedQueue> parked() const;
  /// All queues by slot, for reports. Null where the driver made no queue.
  const std::vector<std::unique_ptr<HardwareQueue>>& queues() const { return queues_; }
  /// ObjectKind::kFence in a slot; 0 if none.
  std::uint32_t fence_of(std::uint32_t slot) const { return fences_.of(slot); }
  /// Number of fence value reads by waiting queues.
  std::uint64_t wait_reads() const { return wait_reads_; }
  /// Number of packets that no engine could execute.
  std::uint64_t faults() const { return faults_; }
  std::uint64_t state_hash() const override;

 private:
  void access_register(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay);
  void ring_doorbell(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay);
  // doorbells.cpp
  HardwareQueue* queue_of_doorbell(std::uint64_t page);
  void announce(HardwareQueue& queue, std::uint64_t write_pointer);
  void write_doorbell_register(std::uint64_t offset, std::uint64_t value);
  HardwareQueue* next_scan(std::uint32_t engine);
  void scan_ring(std::uint32_t engine, HardwareQueue& queue);
  void take_peer_doorbell(std::uint64_t payload);
  bool look_again(HardwareQueue& queue, bool latches);
  void rescan(int id, tlm::tlm_generic_payload& payload, sc_core::sc_time& delay);
  void enable(HardwareQueue& queue);
  std::uint32_t name_of(const HardwareQueue& queue);
  void set_log(const HardwareQueue& queue, common::LogCursor& log, std::uint64_t address,
               std::uint64_t system_address, std::uint64_t entries);
  std::uint32_t object_at(std::uint32_t engine, std::uint32_t space, std::uint64_t address);
  void run_front_end(std::uint32_t engine);
  HardwareQueue* next_queue(std::uint32_t engine);
  void run_queue(std::uint32_t engine, HardwareQueue& queue);
  /// True for a LOG packet that the queue skips.
  static bool skips_log(const HardwareQueue& queue, const abi::LogPacket& packet);
  bool run_packet(std::uint32_t engine, HardwareQueue& queue, Cursor& cursor);
  void report_done(std::uint32_t engine, const HardwareQueue& queue, const Cursor& cursor,
                   std::uint64_t bytes) const;
  void report_dropped(const HardwareQueue& queue) const;
  bool fail_packet(HardwareQueue& queue, Cursor& cursor, abi::FaultCode code,
                   std::uint64_t address);
  bool run_command(std::uint32_t engine, HardwareQueue& queue, const Cursor& cursor,
                   common::EngineCommand& command);
  /// Packets outside the ring.
  struct Buffer {
    std::uint64_t address;
    std::uint64_t bytes;
    std::uint32_t space;
  };
  /// State of a node, with the pending stop requests.
  struct Node {
    explicit Node(common::Steps& steps) : stop(steps) {}
    common::StopRequest stop;
    std::uint32_t preemption = 0;  ///< id of the current preemption request; 0: none
    std::uint64_t preempted = 0;   ///< end of the ring when the request came
    std::uint32_t completed = 0;  ///< submission id of the last finished buffer, also after a reset
    std::uint32_t ended = 0;      ///< submission id ended by a reset; 0: a buffer has begun since
    std::uint32_t context = 0;    ///< slot of the context whose state the node holds
    std::uint64_t state = 0;      ///< the held state: see abi::kIdleStateOffset
    std::uint32_t space = 0;      ///< address space of that context
    Bindings bindings;
    Turn turn;
    std::uint32_t signals = 0;       ///< slot + 1 of the fence whose signal runs; 0: none
    std::uint64_t signal_place = 0;  ///< for footprints
    std::uint64_t hash() const {
      return common::Hasher()
          .add(preempted)
          .add(std::uint64_t{preemption} << 32 | completed)
          .add(std::uint64_t{context} << 32 | space)
          .add(bindings.used ? bindings.hash() : 0)
          .add(state << 3 | (ended != 0 ? 4U : 0U) | (stop.wanted ? 2U : 0U) |
               (stop.reset ? 1U : 0U))
          .value();
    }
  };
  // preemption.cpp
  std::uint64_t* context_word(std::uint64_t offset);
  void write_node_register(std::uint64_t offset, std::uint64_t value);
  std::uint64_t read_node_register(std::uint64_t offset) const;
  HardwareQueue* own_ring(std::uint32_t engine) const;
  std::uint64_t place_of_node(std::uint32_t engine) const;
  bool stops_between_buffers(std::uint32_t engine) const;
  bool stops_between_packets(std::uint32_t engine) const;
  bool stops_here(std::uint32_t engine, const HardwareQueue& queue) const;
  bool can_report(std::uint32_t engine);
  void report_preemption(std::uint32_t engine);
  bool attend(std::uint32_t engine);
  void begin_buffer(std::uint32_t engine, HardwareQueue& queue, const abi::RunBufferPacket& packet);
  void end_buffer(std::uint32_t engine, HardwareQueue& queue);
  void switch_context(std::uint32_t engine, std::uint32_t context, std::uint32_t space);
  /// Save area of a queue, and the buffer that the saved state must belong to.
  struct SaveArea {
    std::uint64_t address;  ///< 0: no save area
    std::uint32_t space;
    std::uint64_t buffer;  ///< outermost packet stream; 0: any
  };
  void save(std::uint32_t engine, const HardwareQueue& queue, std::uint64_t address,
            std::uint32_t space);
  void wait_for_state(std::uint32_t engine, bool whole);
  bool restore(std::uint32_t engine, HardwareQueue& queue, const SaveArea& from);
  void fault(HardwareQueue& queue, abi::FaultCode code, std::uint64_t address = 0);
  bool give_up(std::uint32_t engine, HardwareQueue& queue);
  void store_state(std::uint32_t engine, std::uint32_t space, std::uint64_t address,
                   const void* data, std::size_t bytes);
  bool load_state(std::uint32_t engine, std::uint32_t space, std::uint64_t address, void* data,
                  std::size_t bytes);
  void move_state(std::uint32_t engine, std::uint32_t space, std::uint64_t address,
                  std::uint64_t bytes, bool writes);
  // resets.cpp
  void write_reset(std::uint32_t engine, std::uint64_t value);
  bool has_reset(std::uint32_t engine) const;
  void forget(std::uint32_t engine);
  void reset(std::uint32_t engine);
  void wait_while_held(std::uint32_t engine, HardwareQueue& queue);
  static bool takes_long(abi::Opcode opcode);
  void set_silent(std::uint32_t engine, HardwareQueue& queue, bool silent);
  void await_reset(std::uint64_t offset);
  // scheduling.cpp
  std::uint64_t schedule_hash() const;
  void touch_schedule(bool write) const;
  static std::uint32_t context_slot(const HardwareQueue& queue);
  ScheduledContext& scheduled(const HardwareQueue& queue);
  void write_context(std::uint64_t offset, std::uint64_t value);
  void write_schedule_register(std::uint64_t offset, std::uint64_t value);
  void put_in_run_list(HardwareQueue& queue, bool in);
  void become_ready(const HardwareQueue& queue);
  HardwareQueue* next_scheduled(std::uint32_t engine);
  bool outranks(const HardwareQueue& queue, const HardwareQueue& other);
  void begin_turn(std::uint32_t engine, HardwareQueue& queue);
  void begin_quantum(std::uint32_t engine, const HardwareQueue& queue);
  void end_turn(std::uint32_t engine, HardwareQueue& queue);
  bool must_leave(std::uint32_t engine, const HardwareQueue& queue) const;
  bool stops_within_packets(const HardwareQueue& queue) const;
  void update_due(std::uint32_t engine);
  void make_room(std::uint32_t engine);
  common::Time next_due() const;
  bool has_left(std::uint32_t slot) const;
  const ScheduledContext* to_be_reported() const;
  void run_scheduler();
  void report_suspension(std::uint32_t slot);
  void leave_node(HardwareQueue& queue);
  void drop_work(HardwareQueue& queue);
  void reset_turn(std::uint32_t engine);
  void release_node(std::uint32_t engine);
  // hang_watch.cpp
  /// Queues of user mode can be ended by a reset.
  bool ends_queues() const { return config_.schedules || config_.engine_timeout != 0; }
  bool watches() const;
  void note_progress(const HardwareQueue& queue);
  void ask_to_leave(std::uint32_t engine);
  void await_verdict(const HardwareQueue& queue);
  bool may_time_out(const Turn& turn) const;
  common::Time next_look() const;
  void run_hang_watch();
  void look_at_node(std::uint32_t engine);
  void report_timeout(std::uint32_t engine, const HardwareQueue& queue);
  void report_dropped(std::uint32_t engine, const HardwareQueue& queue) const;
  // bindings.cpp
  bool bind(std::uint32_t engine, HardwareQueue& queue, common::EngineCommand& command);
  bool resolve(std::uint32_t engine, HardwareQueue& queue, const Cursor& cursor,
               common::EngineCommand& command);
  bool resolve_address(std::uint32_t engine, HardwareQueue& queue, const Cursor& cursor,
                       std::uint64_t& address, std::uint64_t bytes);
  void report_packet(std::uint32_t engine, const HardwareQueue& queue, const Cursor& cursor,
                     const common::EngineCommand& command) const;
  void save_bindings(std::uint32_t engine, std::uint64_t area);
  void restore_bindings(std::uint32_t engine, std::uint32_t space, std::uint64_t area);
  bool run_buffer(std::uint32_t engine, HardwareQueue& queue, common::EngineCommand& command);
  bool run_indirect(std::uint32_t engine, HardwareQueue& queue, const Buffer& buffer);
  std::uint32_t written_fence(const HardwareQueue& queue, const common::EngineCommand& command);
  bool is_stale(std::uint32_t name) const;
  bool skips_stale(HardwareQueue& queue, const abi::FencePacket& packet, bool waits);
  bool run_signal(std::uint32_t engine, HardwareQueue& queue, common::EngineCommand& command);
  void retire(std::uint32_t slot);
  bool run_wait(std::uint32_t engine, HardwareQueue& queue, const abi::FencePacket& packet);
  bool log_wait(std::uint32_t engine, HardwareQueue& queue, const Cursor& cursor);
  bool park(std::uint32_t engine, HardwareQueue& queue, const abi::FencePacket& packet);
  bool satisfied(std::uint32_t engine, HardwareQueue& queue, const abi::FencePacket& packet);
  bool fetch(std::uint32_t engine, const HardwareQueue& queue, Cursor& cursor);
  // display_packets.cpp
  void run_display(std::uint32_t engine, HardwareQueue& queue,
                   const common::EngineCommand& command);
  /// False when the command stopped before its end.
  bool execute(std::uint32_t engine, HardwareQueue& queue, common::EngineCommand& command);
  void write_back(std::uint32_t engine, HardwareQueue& queue);
  void set_state(HardwareQueue& queue, event::QueueStateKind state);
  void touch(const HardwareQueue& queue, std::uint64_t place) const;
  void forget_packets(const HardwareQueue& queue) const;

  common::Simulation& simulation_;
  const CommandProcessorConfig config_;
  const common::GpuClock& clock_;
  const common::FenceNames& fences_;
  const RingWatches watches_;
  const std::uint32_t adapter_;
  const std::vector<std::string> front_ends_;                 ///< agent names
  std::vector<std::unique_ptr<HardwareQueue>> queues_;        ///< by slot
  std::vector<std::vector<std::uint32_t>> by_engine_;         ///< slots, in the order of enabling
  std::vector<std::unique_ptr<Node>> nodes_;                  ///< by engine
  std::array<std::uint64_t, abi::kContextSlots> contexts_{};  ///< save areas, by slot
  std::array<std::uint64_t, abi::kContextSlots>
      devices_{};  ///< memory shared by the contexts of a device, by context slot
  std::array<std::uint64_t, abi::kQueueSlots> doorbells_{};  ///< abi::kDoorbellTable
  bool scans_ = false;                                       ///< abi::kRingScan was used
  std::vector<std::size_t> turn_;                            ///< by engine
  std::vector<bool> always_signaled_;                        ///< by fence slot
  std::map<std::uint32_t, std::uint32_t>
      tags_;                        ///< tags of packets, by fence slot; 0 if there is no fence
  const std::uint64_t tags_place_;  ///< for footprints
  common::Gate signal_ended_;
  std::vector<std::unique_ptr<common::Gate>> ready_;  ///< by engine
  const std::uint64_t waits_;                         ///< footprint place: the waits of all queues
  std::map<std::uint32_t, ScheduledContext>
      scheduled_;  ///< by slot; only contexts that the driver has described
  std::array<common::Time, abi::kBands> band_grace_{};
  std::uint64_t schedule_ = 0;  ///< footprint place: contexts and the queue at each node
  common::Gate scheduler_;      ///< the scheduler must look
  common::Gate watch_;          ///< a user-mode queue came to a node or left it
  common::Gate log_written_;    ///< an engine has issued a log entry and its index
  std::uint64_t wait_reads_ = 0;
  std::uint64_t faults_ = 0;
};

}  // namespace fenceline::command_processor
