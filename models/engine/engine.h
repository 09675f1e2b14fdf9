#pragma once

#include <optional>
#include <string>
#include <systemc>
#include <tlm_utils/simple_initiator_socket.h>
#include <tlm_utils/simple_target_socket.h>

#include "models/common/engine_command.h"
#include "models/common/fence_names.h"
#include "models/common/register_file.h"
#include "models/common/simulation.h"
#include "models/common/steps/gpu_clock.h"
#include "models/common/steps/overlap.h"
#include "models/engine/cmp_notices.h"
#include "models/engine/config.h"
#include "models/engine/log_writer.h"
#include "models/engine/peer_table.h"
#include "models/engine/store_port.h"
#include "models/engine/work.h"

namespace fenceline::engine {

/// Executes packets: signals, writes, log entries, copies, work, barriers.
///
/// A packet is a transaction on `packets` whose data is an EngineCommand. The call returns when the
/// engine is ready for the next packet; the elapsed time is included. It runs in the process of the
/// caller. The caller sends one packet at a time.
///
/// Order of a signal: CurrentValue write, log entry, log index, barrier, read of the shadow
/// MonitoredValue, compare, notice to the CMP if greater. common::GpuOrdering selects which of
/// these wait for which. Last come the doorbells of the peers in abi::kPeerTable. Source: WDDM
/// native fences, signal with fence log.
///
/// FENCE_WRITE of a monitored fence: CurrentValue write; with kNotify also barrier and notice.
/// RUN_BUFFER arrives when the buffer is done: barrier and notice. PREEMPTED is the same for
/// stopped buffers, SUSPENDED for hardware-queue contexts. SUSPENDED may arrive while another
/// packet is executed.
///
/// A copy or fill has as many bursts in flight as its data path needs to keep its rate. It is
/// complete when the last burst has ended. Bursts of one packet are unordered: the result of an
/// overlapping copy is undefined.
///
/// A dispatch or draw stops early when the StopRequest of the engine asks for it and the
/// granularity allows it. A reset ends it at once, also when the engine hangs.
class Engine : public sc_core::sc_module, public common::Hashed {
 public:
  /// From the command processor: see common::EngineAddress.
  tlm_utils::simple_target_socket<Engine> SC_NAMED(packets);
  /// From the CMP: registers of the driver that the engine has a copy of.
  tlm_utils::simple_target_socket<Engine> SC_NAMED(registers);
  tlm_utils::simple_initiator_socket<Engine> SC_NAMED(memory);   ///< to the MMU
  tlm_utils::simple_initiator_socket<Engine> SC_NAMED(notices);  ///< to the CMP: SignalNotice
  tlm_utils::simple_initiator_socket<Engine> SC_NAMED(
      log_writes);  ///< used with `log.writer` = cmp
  tlm_utils::simple_initiator_socket<Engine> SC_NAMED(
      rescans);  ///< to the command processor: address = fence slot
  /// To the command processor: positions in fence logs, see common::LogCursor.
  tlm_utils::simple_initiator_socket<Engine> SC_NAMED(logs);

  /// State that the engine shares with other blocks.
  struct Shared {
    const common::GpuClock& clock;
    const common::FenceNames& fences;
    std::uint64_t& signal_count;  ///< numbers the signals of the platform, for events
  };
  /// @param number node ordinal.
  Engine(const sc_core::sc_module_name& name, common::Simulation& simulation,
         const EngineConfig& config, std::uint32_t number, const Shared& shared);

  std::uint64_t state_hash() const override;
  bool hung() const { return hung_; }
  /// A program reached a mark. A hang may wait for it.
  void reach(const std::string& mark);

 private:
  bool hang_if_due(const common::EngineCommand& command);
  bool faults_if_due(const common::EngineCommand& command);
  bool pass(const common::EngineCommand& command, common::Time duration);
  void add_registers();
  void access_register(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay);
  void transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay);
  void set_stop(tlm::tlm_generic_payload& payload);
  bool execute(common::EngineCommand& command);
  bool signal(common::EngineCommand& command);
  bool write_fence(const common::EngineCommand& command);
  void decide(common::EngineCommand& command, std::uint64_t monitored, std::uint64_t number);
  void rescan_waiting_queues(const common::EngineCommand& command);
  void ring_peers(std::uint32_t slot);
  // memory_packets.cpp
  bool copy(const common::EngineCommand& command);
  void report_loads(std::uint64_t address, const unsigned char* data, std::size_t bytes,
                    std::uint32_t space) const;
  bool fill(const common::EngineCommand& command);
  std::optional<std::uint32_t> space_of(const common::EngineCommand& command, std::uint16_t flags);
  bool move(tlm::tlm_command what, std::uint32_t space, std::uint64_t address, unsigned char* data,
            std::size_t bytes);
  class Stream;
  /// A part of a copy: source and destination each lie within one page.
  struct Piece {
    std::uint64_t from, to;
    std::size_t bytes;
  };
  void copy_piece(Stream& stream, std::uint32_t space, std::uint64_t at, const Piece& piece);
  bool work(common::EngineCommand& command);
  void stop_work(common::EngineCommand& command, const Work& work, common::Time elapsed);
  bool bring_traffic(const common::EngineCommand& command, sc_core::sc_time& delay);

  using Purpose = StorePort::Purpose;
  using Store = StorePort::Store;
  std::uint64_t read_shadow(std::uint32_t slot);

  common::Simulation& simulation_;
  const EngineConfig config_;
  const std::uint32_t number_;
  const common::FenceNames& fences_;
  std::uint64_t& signal_count_;  ///< counter of the whole platform
  StorePort stores_;
  CmpNotices cmp_notices_;
  LogWriter log_writer_;
  common::RegisterFile register_file_;
  PeerTable peers_;
  std::uint64_t shadow_base_ = 0;  ///< see abi::kShadowBase
  common::StopRequest stop_;
  common::Gate stop_changed_;
  std::vector<common::Occurrence> hangs_;
  std::vector<common::Occurrence> faults_;
  bool hung_ = false;
  common::Overlap overlap_;  ///< bursts of a copy or fill in flight
};

}  // namespace fenceline::engine
