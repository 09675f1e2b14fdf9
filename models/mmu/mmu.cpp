#include "models/mmu/mmu.h"

#include "models/abi/mutant.h"
#include "models/abi/page_table.h"

namespace fenceline::mmu {

Mmu::Mmu(const sc_core::sc_module_name& name, common::Simulation& simulation,
         const MmuConfig& config)
    : sc_module(name), simulation_(simulation), config_(config), tlb_(config.tlb_entries) {
  clients.register_b_transport(this, &Mmu::transport);
  clients.register_transport_dbg(this, &Mmu::debug_transport);
  registers.register_b_transport(this, &Mmu::access_register);
}

void Mmu::transport(int id, tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) {
  const common::Attributes& attributes = common::attributes_of(payload);
  if (attributes.barrier != common::Barrier::kNone || attributes.address_space == common::kPhysical)
    return out[id]->b_transport(payload, delay);
  const std::uint64_t address = payload.get_address();
  const std::uint64_t entry = look_up(attributes.address_space, address, delay);
  if (entry == 0) return payload.set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE);
  if (payload.is_write() && (entry & abi::kEntryWritable) == 0)
    return payload.set_response_status(tlm::TLM_COMMAND_ERROR_RESPONSE);
  payload.set_address((entry & abi::kEntryAddressMask) | (address & (abi::kPageBytes - 1)));
  out[id]->b_transport(payload, delay);
  payload.set_address(address);
}

unsigned Mmu::debug_transport(int /*id*/, tlm::tlm_generic_payload& payload) {
  const std::uint64_t address = payload.get_address();
  const std::uint64_t entry = walk(common::attributes_of(payload).address_space, address, true);
  if (entry == 0) return 0;
  payload.set_address((entry & abi::kEntryAddressMask) | (address & (abi::kPageBytes - 1)));
  return 1;
}

std::uint64_t Mmu::look_up(std::uint32_t address_space, std::uint64_t address,
                           sc_core::sc_time& delay) {
  const std::uint64_t page = address >> abi::kPageBits;
  const bool mixes = abi::mutant(abi::Mutant::kTlbMixesSpaces);
  TlbEntry& cached =
      tlb_[(page ^ (mixes ? 0 : address_space) * 0x9E37U) & (config_.tlb_entries - 1)];
  delay += common::kernel_time(config_.hit_latency);
  // The agent learns the entry, not whether it was in the TLB.
  if ((cached.address_space == address_space || (mixes && cached.entry != 0)) &&
      cached.page == page) {
    simulation_.steps.observe(cached.entry);
    return cached.entry;
  }
  simulation_.steps.elapse(delay.value());
  delay = sc_core::SC_ZERO_TIME;
  ++misses_;
  const common::Hasher before = simulation_.steps.knowledge();
  const std::uint64_t entry = walk(address_space, address, false);
  simulation_.steps.know_again(before);
  simulation_.steps.observe(entry);
  if (entry != 0) cached = {address_space, page, entry};
  return entry;
}

std::uint64_t Mmu::walk(std::uint32_t address_space, std::uint64_t address, bool debug) {
  if (address_space >= roots_.size() || (address >> abi::kVirtualAddressBits) != 0) return 0;
  std::uint64_t entry = roots_[address_space];
  for (std::uint32_t level = abi::kPageTableLevels; level-- > 0;) {
    if (entry == 0) return 0;
    const std::uint64_t at =
        (entry & abi::kEntryAddressMask) + 8 * abi::page_table_index(address, level);
    auto read = simulation_.transactions.lend(tlm::TLM_READ_COMMAND, at, &entry, sizeof entry);
    if (debug) {
      if (walker->transport_dbg(read->payload) != sizeof entry) return 0;
    } else if (common::send(simulation_.steps, walker, read) != tlm::TLM_OK_RESPONSE) {
      return 0;
    }
    if ((entry & abi::kEntryValid) == 0) return 0;
  }
  return entry;
}

void Mmu::access_register(tlm::tlm_generic_payload& payload, sc_core::sc_time& /*delay*/) {
  const std::uint64_t offset = payload.get_address();
  std::uint64_t value = 0;
  std::memcpy(&value, payload.get_data_ptr(), sizeof value);
  const std::uint64_t space = (offset - abi::kMmuRoot) / 8;
  payload.set_response_status(tlm::TLM_OK_RESPONSE);
  if (offset == abi::kMmuInvalidate && payload.is_write()) {
    for (TlbEntry& entry : tlb_) {
      if (entry.address_space != value) continue;
      entry = TlbEntry();
      if (abi::mutant(abi::Mutant::kInvalidatesOne)) break;
    }
  } else if (offset >= abi::kMmuRoot && space < roots_.size()) {
    if (payload.is_write())
      roots_[space] = value;
    else
      std::memcpy(payload.get_data_ptr(), &roots_[space], sizeof value);
  } else {
    payload.set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE);
  }
}

}  // namespace fenceline::mmu
