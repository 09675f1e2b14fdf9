#pragma once

#include <cstdint>
#include <optional>
#include <tlm_utils/simple_initiator_socket.h>
#include <vector>

#include "models/abi/registers.h"
#include "models/cmp/interrupts.h"
#include "models/common/fence_names.h"
#include "models/common/register_file.h"
#include "models/common/simulation.h"
#include "models/common/watches.h"

namespace fenceline::cmp {

class Cmp;

/// Watches that the CMP reads, and those that it keeps.
struct WatchMap : common::MemoryWatches {
  common::Watches* shadows = nullptr;  ///< the CMP registers its shadows here
};

/// The fences that the CMP holds: where their values are, the newest MonitoredValue of each, and
/// the shadows that engines read.
class FenceTable {
 public:
  using Socket = tlm_utils::simple_initiator_socket<Cmp>;
  /// Parts of the CMP that the table uses.
  struct Uses {
    Socket& memory;   ///< to the MMU
    Socket& rescans;  ///< to the command processor
    Interrupts& interrupts;
    common::FenceNames& names;
    WatchMap watches;
    std::uint32_t adapter;  ///< ObjectKind::kAdapter, for events
    bool whole_stores;      ///< the device does not split 64-bit stores
  };
  FenceTable(common::Simulation& simulation, const Uses& uses, common::RegisterFile& registers);

  /// Address of the shadows: abi::kShadowBase.
  void set_shadow_base(std::uint64_t base) { shadow_base_ = base; }
  bool valid(std::uint32_t slot) const { return fences_[slot].valid; }
  /// Newest MonitoredValue that the CMP has read; all ones if it has read none.
  std::uint64_t newest(std::uint32_t slot) const { return fences_[slot].newest; }
  /// ObjectKind::kFence in a slot, for events.
  std::uint32_t name_of(std::uint32_t slot) const { return uses_.names.of(slot); }

  /// Reads CurrentValue of a fence; 0 after a page fault, which is reported.
  std::uint64_t read_current(std::uint32_t slot);
  /// Reads the newest MonitoredValue of a fence; all ones after a page fault, which is reported.
  void read_monitored(std::uint32_t slot);
  /// Issues the write of the newest MonitoredValue to the shadow.
  void store_shadow(std::uint32_t slot);
  /// Frees the slot. What the driver has written for the next fence stays.
  void retire(std::uint32_t slot);
  /// Makes queues look at a fence slot again. @param request abi::kKick flags
  void rescan(std::uint32_t slot, std::uint64_t request);
  void add_to(common::Hasher& hasher) const;

 private:
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

  void write_control(std::uint32_t slot, std::uint64_t value);
  void make_valid(std::uint32_t slot);
  std::optional<std::uint64_t> read(std::uint32_t slot, common::Operation operation);
  std::uint32_t object_at(const Addresses& fence);

  common::Simulation& simulation_;
  const Uses uses_;
  std::vector<Fence> fences_;
  std::size_t slots_used_ = 0;  ///< slots from here on were never valid
  std::uint64_t shadow_base_ = 0;
};

}  // namespace fenceline::cmp
