#include "models/mmu/iommu.h"

#include <algorithm>

namespace fenceline::mmu {

Iommu::Iommu(const sc_core::sc_module_name& name, const IommuConfig& config)
    : sc_module(name), config_(config) {
  in.register_b_transport(this, &Iommu::transport);
}

void Iommu::transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) {
  if (config_.translates) {
    const std::uint64_t bytes = common::length_of(payload);
    const std::uint64_t first = payload.get_address() / config_.page_bytes;
    const std::uint64_t last =
        (payload.get_address() + std::max<std::uint64_t>(bytes, 1) - 1) / config_.page_bytes;
    for (std::uint64_t page = first; page <= last; ++page) {
      if (look_up(page)) continue;
      ++misses_;
      delay += common::kernel_time(config_.walk);
    }
  }
  out->b_transport(payload, delay);
}

bool Iommu::look_up(std::uint64_t page) {
  const auto entry = std::find(iotlb_.begin(), iotlb_.end(), page);
  const bool found = entry != iotlb_.end();
  if (found)
    iotlb_.erase(entry);
  else if (iotlb_.size() == config_.iotlb_entries)
    iotlb_.pop_back();
  iotlb_.push_front(page);
  return found;
}

}  // namespace fenceline::mmu
