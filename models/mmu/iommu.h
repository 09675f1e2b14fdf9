#pragma once

#include <deque>
#include <systemc>
#include <tlm_utils/simple_initiator_socket.h>
#include <tlm_utils/simple_target_socket.h>

#include "models/common/simulation.h"

namespace fenceline::mmu {

/// The IOMMU of the host. Source: published sizes and times of IOTLBs, assumption A-403.
struct IommuConfig {
  bool translates = false;           ///< off: accesses pass without delay
  std::uint64_t page_bytes = 4096;   ///< [bytes] per entry: 4 KiB, or 2 MiB for super pages
  std::uint32_t iotlb_entries = 64;  ///< fully associative, least recently used first out
  common::Time walk = 240 * common::kNanosecond;  ///< page-table walk for a missing entry
};

/// Sits between link and root complex and delays device accesses for their translation.
///
/// Only time is modelled: addresses are the same on both sides. An access waits for one walk after
/// the other for all its pages that the IOTLB does not hold. The delay of a posted write is
/// invisible, because no agent waits for it.
class Iommu : public sc_core::sc_module {
 public:
  tlm_utils::simple_target_socket<Iommu> SC_NAMED(in);      ///< from links
  tlm_utils::simple_initiator_socket<Iommu> SC_NAMED(out);  ///< to the root complex

  Iommu(const sc_core::sc_module_name& name, const IommuConfig& config);

  /// Number of walks that accesses waited for.
  std::uint64_t misses() const { return misses_; }

 private:
  void transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay);
  /// True if the IOTLB has the page. On return it always has it.
  bool look_up(std::uint64_t page);

  const IommuConfig config_;
  std::deque<std::uint64_t> iotlb_;  ///< pages, most recently used first
  std::uint64_t misses_ = 0;
};

}  // namespace fenceline::mmu
