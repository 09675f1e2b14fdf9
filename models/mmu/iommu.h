#pragma once

#include <deque>
#include <systemc>
#include <tlm_utils/simple_initiator_socket.h>
#include <tlm_utils/simple_target_socket.h>

#include "models/common/simulation.h"

namespace fenceline::mmu {

/// The host's IOMMU. Source: published sizes and times of IOTLBs, assumption A-403.
struct IommuConfig {
  bool translates = false;           ///< off: accesses pass at once
  std::uint64_t page_bytes = 4096;   ///< [bytes] of an entry: 4 KiB, or 2 MiB for super pages
  std::uint32_t iotlb_entries = 64;  ///< fully associative, the least recently used goes first
  common::Time walk = 240 * common::kNanosecond;  ///< of the page tables, when the entry is missing
};

/// Stands between link and root complex and makes device accesses wait for their translation.
///
/// The time is what counts here: addresses are the same on both sides. An access that touches pages
/// whose translation the IOTLB does not hold waits for one walk after the other. Posted writes are
/// not seen to wait, since nobody waits for them.
class Iommu : public sc_core::sc_module {
 public:
  tlm_utils::simple_target_socket<Iommu> SC_NAMED(in);      ///< from links
  tlm_utils::simple_initiator_socket<Iommu> SC_NAMED(out);  ///< to the root complex

  Iommu(const sc_core::sc_module_name& name, const IommuConfig& config);

  /// Walks that accesses had to wait for.
  std::uint64_t misses() const { return misses_; }

 private:
  void transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay);
  /// Whether the IOTLB has the page; it has it afterwards.
  bool look_up(std::uint64_t page);

  const IommuConfig config_;
  std::deque<std::uint64_t> iotlb_;  ///< pages, the latest used first
  std::uint64_t misses_ = 0;
};

}  // namespace fenceline::mmu
