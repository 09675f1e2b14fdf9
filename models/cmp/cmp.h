#pragma once

#include <array>
#include <deque>
#include <string>
#include <systemc>
#include <tlm_utils/multi_passthrough_initiator_socket.h>
#include <tlm_utils/multi_passthrough_target_socket.h>
#include <tlm_utils/simple_initiator_socket.h>
#include <tlm_utils/simple_target_socket.h>

#include "models/cmp/config.h"
#include "models/cmp/engine_reports.h"
#include "models/cmp/fence_table.h"
#include "models/cmp/identity.h"
#include "models/cmp/inbox.h"
#include "models/cmp/interrupts.h"

namespace fenceline::cmp {

/// The context management processor: owns the shadow MonitoredValues, decides on interrupts, and
/// serves the driver's requests.
///
/// Order of a MonitoredValue update: read MonitoredValue, write the shadow, barrier, acknowledge,
/// read CurrentValue, compare. A notice from an engine is compared with the newest MonitoredValue.
/// Inputs are served in order of arrival. common::CmpOrdering selects the reach of each barrier and
/// which compare is left out.
///
/// Reports that need no compare go through EngineReports. Source: WDDM native fences, engine
/// against CMP.
class Cmp : public sc_core::sc_module, public common::Hashed {
 public:
  tlm_utils::simple_target_socket<Cmp> SC_NAMED(registers);
  tlm_utils::multi_passthrough_target_socket<Cmp> SC_NAMED(notices);  ///< from engines
  tlm_utils::simple_initiator_socket<Cmp> SC_NAMED(memory);           ///< to the MMU
  /// From engines when the CMP writes logs. The CMP forwards each access unchanged to `memory`.
  tlm_utils::multi_passthrough_target_socket<Cmp> SC_NAMED(log_writes);
  tlm_utils::simple_initiator_socket<Cmp> SC_NAMED(host);     ///< to the endpoint, for interrupts
  tlm_utils::simple_initiator_socket<Cmp> SC_NAMED(rescans);  ///< to the command processor
  /// To engines: registers of the driver that an engine has a copy of.
  tlm_utils::multi_passthrough_initiator_socket<Cmp> SC_NAMED(engines);

  /// @param watches the CMP adds its shadows. @param fences it sets the names.
  Cmp(const sc_core::sc_module_name& name, common::Simulation& simulation,
      const std::string& agent_name, const CmpConfig& config, const Identity& identity,
      const common::GpuClock& clock, common::FenceNames& fences, const WatchMap& watches);

  const InterruptRing& interrupt_ring() const { return interrupts_.ring(); }
  bool idle() const { return inbox_.empty() && retiring_.empty(); }
  std::uint64_t state_hash() const override;

 private:
  /// Signal notices of an engine that the CMP has not served yet.
  struct Pending {
    bool set = false;
    bool several = false;  ///< the notices name more than one fence
    common::SignalNotice notice;
  };
  /// Numbers of requests of the driver that are complete.
  struct Counters {
    std::uint64_t updates = 0;
    std::uint64_t kicks = 0;
    std::uint64_t flushes = 0;
    std::uint64_t retires = 0;
  };

  void add_registers();
  void access_register(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay);
  void read_register(tlm::tlm_generic_payload& payload);
  void pass_on(std::uint64_t offset, std::uint64_t value);
  void kick(std::uint64_t value);
  void receive_notice(int id, tlm::tlm_generic_payload& payload, sc_core::sc_time& delay);
  void forward_log(int id, tlm::tlm_generic_payload& payload, sc_core::sc_time& delay);

  void run();
  void serve(const Input& input);
  void take_notice(std::uint32_t engine);
  void take_update(std::uint32_t slot);
  void recheck(std::uint32_t slot);
  void take_back(std::uint32_t slot);
  void clear_late();
  void take_flush(std::uint32_t queue_slot);
  void take_retire(std::uint32_t slot);
  void run_retires();
  void retire(std::uint32_t slot);
  void finish_signals(std::uint32_t slot);
  void decide_to_raise(const common::SignalNotice& cause);
  void update_barrier();
  void take(common::Operation operation, common::Time duration);
  void note_completed();

  common::Simulation& simulation_;
  const CmpConfig config_;
  const Identity identity_;
  Inbox inbox_;
  const std::uint64_t counters_place_;  ///< for footprints
  common::RegisterFile register_file_;
  Interrupts interrupts_;
  EngineReports reports_;
  FenceTable fences_;
  std::array<Pending, 16> pending_{};  ///< by engine
  std::deque<std::uint32_t>
      retiring_;          ///< slots to retire; engines may still execute their signals
  common::Gate retires_;  ///< a slot must be retired
  common::Gate done_;     ///< one of the counters has increased
  Counters completed_;
};

}  // namespace fenceline::cmp
