#pragma once

#include <array>
#include <deque>
#include <optional>
#include <string>
#include <systemc>
#include <tlm_utils/multi_passthrough_target_socket.h>
#include <tlm_utils/simple_initiator_socket.h>
#include <tlm_utils/simple_target_socket.h>
#include <vector>

#include "models/abi/registers.h"
#include "models/cmp/config.h"
#include "models/cmp/interrupt_ring.h"
#include "models/common/engine_command.h"
#include "models/common/fence_names.h"
#include "models/common/gpu_clock.h"
#include "models/common/peer_table.h"
#include "models/common/simulation.h"
#include "models/common/watches.h"

namespace fenceline::cmp {

/// Finds the watched object at a GPU physical address in either memory.
struct WatchMap {
  const common::Watches* vram = nullptr;
  const common::Watches* system = nullptr;
  common::Watches* shadows = nullptr;  ///< the CMP registers its shadows here
};

/// Configuration facts that the register file reports.
struct Identity {
  std::uint64_t engines = 0;
  std::uint64_t vram_bytes = 0;
  std::uint32_t adapter = 0;  ///< ObjectKind::kAdapter
  bool whole_stores = true;   ///< the device does not split 64-bit stores
  bool native_fences = true;
  bool iommu = false;
  bool display = false;
  std::uint64_t paging_node = 0;      ///< a node with a copy engine, or 0
  std::uint64_t granularity = 0;      ///< see abi::kGranularity
  std::uint64_t reset_group = 0;      ///< see abi::kResetGroup
  std::uint64_t state_bytes = 0;      ///< see abi::kStateBytes
  std::uint64_t fence_writers = 0;    ///< bit n: engine n
  std::uint64_t fence_notifiers = 0;  ///< bit n: engine n
  std::uint64_t doorbells = 0;        ///< number of shared doorbells; 0: one per queue slot
};

/// The context management processor: owns the shadow MonitoredValues, decides on interrupts, and
/// serves the driver's requests.
///
/// Order of a MonitoredValue update: read MonitoredValue, write the shadow, barrier, acknowledge,
/// read CurrentValue, compare. A notice from an engine is compared with the newest MonitoredValue.
/// Inputs are served in order of arrival. common::CmpOrdering selects the reach of each barrier and
/// which compare is left out.
///
/// The CMP also raises interrupts for other notices of an engine: monitored fence written, buffer
/// complete, buffers preempted; and for vertical syncs of the display. Each engine can have one
/// pending notice of each kind. Source: WDDM native fences, engine against CMP.
class Cmp : public sc_core::sc_module, public common::Hashed {
 public:
  tlm_utils::simple_target_socket<Cmp> SC_NAMED(registers);
  tlm_utils::multi_passthrough_target_socket<Cmp> SC_NAMED(notices);  ///< from engines
  tlm_utils::simple_initiator_socket<Cmp> SC_NAMED(memory);           ///< to the MMU
  /// From engines when the CMP writes logs. The CMP forwards each access unchanged to `memory`.
  tlm_utils::multi_passthrough_target_socket<Cmp> SC_NAMED(log_writes);
  tlm_utils::simple_initiator_socket<Cmp> SC_NAMED(host);     ///< to the endpoint, for interrupts
  tlm_utils::simple_initiator_socket<Cmp> SC_NAMED(rescans);  ///< to the command processor

  Cmp(const sc_core::sc_module_name& name, common::Simulation& simulation,
      const std::string& agent_name, const CmpConfig& config, const Identity& identity,
      const common::GpuClock& clock, common::FenceNames& fences, const WatchMap& watches,
      common::PeerTable& peers);

  const std::uint64_t& shadow_base() const { return shadow_base_; }
  bool idle() const { return inputs_.empty() && retiring_.empty(); }
  std::uint64_t state_hash() const override;

 private:
  enum class InputKind : std::uint8_t { kNotice, kUpdate, kFlush, kRetire, kEngine, kSuspension };
  struct Input {
    InputKind kind;
    std::uint32_t index;  ///< engine, fence slot or queue slot
  };
  /// Addresses of the values of a fence.
  struct Addresses {
    std::uint64_t current_value = 0;    ///< GPU virtual address in `space`
    std::uint64_t monitored_value = 0;  ///< the same
    std::uint32_t space = 0;            ///< address space
  };
  /// State of one fence.
  struct Fence {
    Addresses at;
    Addresses next;                ///< written to the table, not yet in effect
    std::uint64_t newest = ~0ULL;  ///< newest MonitoredValue that the CMP has read
    std::uint32_t tag = 0;         ///< tag of packets that name the fence
    bool valid = false;
  };
  /// Signal notices of an engine that the CMP has not served yet.
  struct Pending {
    bool set = false;
    bool several = false;  ///< the notices name more than one fence
    common::SignalNotice notice;
  };

  /// A buffer that an engine gave up, with the engine's last completion before it if that is not
  /// reported yet.
  struct Fault {
    std::uint32_t submission_id = 0;
    std::uint32_t code = 0;
    std::uint64_t address = 0;
    std::optional<std::uint64_t> completed{};  ///< submission id
  };

  /// A log without a translation in the system process.
  struct UnmappedLog {
    std::uint32_t queue_slot;
    std::uint64_t address;
  };

  /// Other notices of an engine that the CMP has not reported yet.
  struct Unreported {
    bool written = false;  ///< a monitored fence was written
    bool waits = false;    ///< waits for room in the ring
    std::vector<Fault> faults{};
    std::optional<std::uint64_t> completed{};  ///< submission id of the last completed buffer
    std::optional<std::uint64_t> preempted{};  ///< see abi::InterruptCause::kPreempted
    std::optional<std::uint64_t> synced{};     ///< display: address of the primary in scan-out
    std::optional<std::uint32_t> timed_out{};  ///< slot of the hung queue
    std::optional<UnmappedLog> unmapped{};     ///< first unmapped log
    bool any() const {
      return written || !faults.empty() || completed || preempted || synced || timed_out ||
             unmapped;
    }
  };

  /// A hardware-queue context that has left its node.
  struct Suspension {
    std::uint32_t engine;
    std::uint32_t slot;
    std::uint64_t fence;
  };

  void access_register(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay);
  std::uint64_t read_register(std::uint64_t offset) const;
  void write_register(std::uint64_t offset, std::uint64_t value);
  void write_fence_table(std::uint64_t offset, std::uint64_t value);
  void make_valid(std::uint32_t slot);
  void kick(std::uint64_t value);
  void rescan(std::uint32_t slot, std::uint64_t request);
  void receive_notice(int id, tlm::tlm_generic_payload& payload, sc_core::sc_time& delay);

  void forward_log(int id, tlm::tlm_generic_payload& payload, sc_core::sc_time& delay);

  void run();
  void take_notice(std::uint32_t engine);
  void take_update(std::uint32_t slot);
  void store_shadow(std::uint32_t slot, std::uint64_t value);
  void recheck(std::uint32_t slot);
  void take_back(std::uint32_t slot);
  void clear_late();
  void take_flush(std::uint32_t queue_slot);
  void take_retire(std::uint32_t slot);
  void run_retires();
  void retire(std::uint32_t slot);
  void note_engine(const common::SignalNotice& notice);
  void take_engine(std::uint32_t engine);
  void observe(const Unreported& taken);
  void take_suspension();
  bool report(abi::InterruptCause cause, std::uint32_t engine, std::uint64_t value,
              std::uint32_t fence_slot = abi::kUnknownSlot,
              std::uint32_t queue_slot = abi::kUnknownSlot);
  bool report(abi::InterruptCause cause, std::uint32_t engine, std::optional<std::uint64_t>& value);
  bool report_faults(std::uint32_t engine, std::vector<Fault>& faults);
  void retry_engines();
  std::uint64_t unreported_hash() const;
  /// Writes an entry for the ISR and requests a message. @param notice unknown parts, also
  /// `engine`, are abi::kUnknownSlot.
  void raise(const common::SignalNotice& notice);
  void decide_to_raise(const common::SignalNotice& cause);
  void send_message();
  void push(Input input);
  /// Reads CurrentValue or MonitoredValue of a fence. Returns none after a page fault and reports
  /// the fault.
  std::optional<std::uint64_t> read_value(std::uint32_t slot, common::Operation operation);
  void raise_fault(std::uint32_t slot, std::uint64_t address);
  void write_entry(const abi::InterruptEntry& entry);
  void update_barrier();
  void finish_signals(std::uint32_t slot);
  std::uint32_t object_at(const Addresses& fence);

  common::Simulation& simulation_;
  const CmpConfig config_;
  const Identity identity_;
  const common::GpuClock& clock_;
  common::FenceNames& fences_by_slot_;
  const WatchMap watches_;
  common::PeerTable& peers_;
  InterruptRing interrupts_;
  std::vector<Fence> fences_;
  std::size_t slots_used_ = 0;  ///< slots from here on were never valid
  std::array<Pending, 16> pending_{};
  std::array<Unreported, abi::kDisplayEngine + 1>
      unreported_{};                     ///< by engine; the last is the display
  std::deque<Suspension> suspensions_;   ///< each has an input or waits for room in the ring
  std::size_t suspensions_waiting_ = 0;  ///< number of inputs that found no room
  std::deque<Input> inputs_;
  // Places of footprints: inbox and pending notices; counters; interrupt ring.
  const std::uint64_t inbox_, counters_, ring_;
  std::deque<std::uint32_t>
      retiring_;  ///< slots to retire; engines may still execute their signals
  common::Gate work_;
  common::Gate retires_;  ///< a slot must be retired
  common::Gate done_;     ///< one of the counters below has increased
  std::uint64_t shadow_base_ = 0;
  bool one_fence_cause_ = false;  ///< see abi::kOneFenceCause
  std::uint64_t updates_done_ = 0;
  std::uint64_t kicks_done_ = 0;
  std::uint64_t flushes_done_ = 0;
  std::uint64_t retires_done_ = 0;
};

}  // namespace fenceline::cmp
