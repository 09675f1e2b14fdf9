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

/// Resolves a GPU physical address to what stands there, across both memories.
struct WatchMap {
  const common::Watches* vram = nullptr;
  const common::Watches* system = nullptr;
  common::Watches* shadows = nullptr;  ///< where the CMP announces its shadows
};

/// Facts the register file answers.
struct Identity {
  std::uint64_t engines = 0;
  std::uint64_t vram_bytes = 0;
  std::uint32_t adapter = 0;  ///< ObjectKind::kAdapter
  bool whole_stores = true;   ///< stores of 64 bits are not split
  bool native_fences = true;
  bool iommu = false;
  bool display = false;
  std::uint64_t paging_node = 0;      ///< a node with a copy engine, or 0
  std::uint64_t granularity = 0;      ///< see abi::kGranularity
  std::uint64_t reset_group = 0;      ///< see abi::kResetGroup
  std::uint64_t state_bytes = 0;      ///< see abi::kStateBytes
  std::uint64_t fence_writers = 0;    ///< a bit an engine
  std::uint64_t fence_notifiers = 0;  ///< the same
  std::uint64_t doorbells = 0;        ///< that queues share; 0: each queue slot has its own
};

/// The context management processor: owns the shadow MonitoredValues, decides on interrupts, and
/// takes the driver's requests.
///
/// A MonitoredValue update is, in this order: read of MonitoredValue, shadow write, barrier,
/// acknowledge, read of CurrentValue, compare. A notice from an engine is compared with the newest
/// MonitoredValue. Inputs are served in the order of arrival. What each barrier waits for and
/// which look is left out is set by common::CmpOrdering.
///
/// It also interrupts for what an engine tells otherwise: a monitored fence was written, a buffer
/// is complete, buffers were preempted; and for vertical syncs of the display. Of each kind one can
/// be pending an engine. Source: WDDM
/// native fences, engine against CMP.
class Cmp : public sc_core::sc_module, public common::Hashed {
 public:
  tlm_utils::simple_target_socket<Cmp> SC_NAMED(registers);
  tlm_utils::multi_passthrough_target_socket<Cmp> SC_NAMED(notices);  ///< from engines
  tlm_utils::simple_initiator_socket<Cmp> SC_NAMED(memory);           ///< to the MMU
  /// From engines whose logs the CMP writes: each access leaves by `memory` as it is.
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
  /// Where a fence's values are.
  struct Addresses {
    std::uint64_t current_value = 0;    ///< GPU virtual address in `space`
    std::uint64_t monitored_value = 0;  ///< the same
    std::uint32_t space = 0;            ///< address space
  };
  /// One fence as the CMP knows it.
  struct Fence {
    Addresses at;
    Addresses next;                ///< written to the table and not yet taken over
    std::uint64_t newest = ~0ULL;  ///< newest MonitoredValue read
    std::uint32_t tag = 0;         ///< of packets that name it
    bool valid = false;
  };
  /// What an engine has told and the CMP not yet taken up.
  struct Pending {
    bool set = false;
    bool several = false;  ///< of more than one fence
    common::SignalNotice notice;
  };

  /// A buffer that an engine has given up, and what it had completed before and not reported.
  struct Fault {
    std::uint32_t submission_id = 0;
    std::uint32_t code = 0;
    std::uint64_t address = 0;
    std::optional<std::uint64_t> completed{};  ///< submission id
  };

  /// A log that the system process has no translation for.
  struct UnmappedLog {
    std::uint32_t queue_slot;
    std::uint64_t address;
  };

  /// What else an engine has told and the CMP not yet reported.
  struct Told {
    bool written = false;  ///< a monitored fence
    bool waits = false;    ///< for room in the ring
    std::vector<Fault> faults{};
    std::optional<std::uint64_t> completed{};  ///< the last buffer: submission id
    std::optional<std::uint64_t> preempted{};  ///< see abi::InterruptCause::kPreempted
    std::optional<std::uint64_t> synced{};     ///< the display: what it scans out
    std::optional<std::uint32_t> timed_out{};  ///< slot of the queue that has hung
    std::optional<UnmappedLog> unmapped{};     ///< the first one
    bool any() const {
      return written || !faults.empty() || completed || preempted || synced || timed_out ||
             unmapped;
    }
  };

  /// A context of hardware queues that has left its node.
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
  void observe(const Told& taken);
  void take_suspension();
  bool report(abi::InterruptCause cause, std::uint32_t engine, std::uint64_t value,
              std::uint32_t fence_slot = abi::kUnknownSlot,
              std::uint32_t queue_slot = abi::kUnknownSlot);
  bool report(abi::InterruptCause cause, std::uint32_t engine, std::optional<std::uint64_t>& value);
  bool report_faults(std::uint32_t engine, std::vector<Fault>& faults);
  void retry_engines();
  std::uint64_t told_hash() const;
  /// Queues a payload entry for the ISR and asks for a message. @param cause unknown parts are
  /// abi::kUnknownSlot; `engine` too.
  void raise(const common::SignalNotice& told);
  void decide_to_raise(const common::SignalNotice& cause);
  void send_message();
  void push(Input input);
  /// Reads CurrentValue or MonitoredValue of a fence; none after a page fault, which is raised.
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
  std::size_t slots_used_ = 0;  ///< no slot from here on has ever been valid
  std::array<Pending, 16> pending_{};
  std::array<Told, abi::kDisplayEngine + 1> told_{};  ///< by engine; the last is the display
  std::deque<Suspension> suspensions_;   ///< an input each, or they wait for room in the ring
  std::size_t suspensions_waiting_ = 0;  ///< inputs that found no room
  std::deque<Input> inputs_;
  // Places of footprints: the inbox and what is pending; the counters; the interrupt ring.
  const std::uint64_t inbox_, counters_, ring_;
  std::deque<std::uint32_t> retiring_;  ///< slots, while engines may execute their signals
  common::Gate work_;
  common::Gate retires_;  ///< a slot is to be retired
  common::Gate done_;     ///< one of the counters below has grown
  std::uint64_t shadow_base_ = 0;
  bool one_fence_cause_ = false;  ///< see abi::kOneFenceCause
  std::uint64_t updates_done_ = 0;
  std::uint64_t kicks_done_ = 0;
  std::uint64_t flushes_done_ = 0;
  std::uint64_t retires_done_ = 0;
};

}  // namespace fenceline::cmp
