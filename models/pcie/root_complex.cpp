#include "models/pcie/root_complex.h"

#include <utility>

#include "models/abi/registers.h"
#include "models/common/transaction.h"

namespace fenceline::pcie {

RootComplex::RootComplex(const sc_core::sc_module_name& name, std::uint64_t memory_bytes,
                         std::vector<BusWindow> windows)
    : sc_module(name), memory_bytes_(memory_bytes), windows_(std::move(windows)) {
  cpus.register_b_transport(this, &RootComplex::from_cpu);
  devices.register_b_transport(this, &RootComplex::from_device);
}

void RootComplex::from_cpu(int /*id*/, tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) {
  const std::uint64_t address = payload.get_address();
  if (address < memory_bytes_) return memory->b_transport(payload, delay);
  for (std::size_t i = 0; i < windows_.size(); ++i)
    if (address - windows_[i].base < windows_[i].bytes)
      return links[static_cast<int>(i)]->b_transport(payload, delay);
  payload.set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE);
}

void RootComplex::from_device(int /*id*/, tlm::tlm_generic_payload& payload,
                              sc_core::sc_time& delay) {
  const std::uint64_t address = payload.get_address();
  if (payload.is_write() && address - abi::kMessageWindow < abi::kMessageWindowBytes)
    return messages->b_transport(payload, delay);
  if (address < memory_bytes_) return memory->b_transport(payload, delay);
  for (std::size_t i = 0; payload.is_write() && i < windows_.size(); ++i)
    if (address - windows_[i].base < windows_[i].bytes) {
      common::attributes_of(payload).posted = true;
      return links[static_cast<int>(i)]->b_transport(payload, delay);
    }
  payload.set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE);
}

}  // namespace fenceline::pcie
