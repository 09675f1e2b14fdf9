#include "models/pcie/endpoint.h"

#include "models/abi/bus.h"

namespace fenceline::pcie {

Endpoint::Endpoint(const sc_core::sc_module_name& name, common::Simulation& simulation,
                   const BarMap& bars, const VramBarConfig& vram_bar, std::uint64_t vram_bytes,
                   std::uint32_t adapter)
    : sc_module(name),
      simulation_(simulation),
      bars_(bars),
      adapter_(adapter),
      vram_bytes_(vram_bytes),
      configuration_({bars.registers, bars.doorbells, bars.vram}, bars.vram_bytes,
                     vram_bar.largest_bytes) {
  link_in.register_b_transport(this, &Endpoint::from_link);
  dma.register_b_transport(this, &Endpoint::from_gpu);
}

void Endpoint::from_link(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) {
  const std::uint64_t address = payload.get_address();
  const auto forward = [&](auto& socket, std::uint64_t offset) {
    payload.set_address(offset);
    socket->b_transport(payload, delay);
    payload.set_address(address);
  };
  if (const std::uint64_t offset = address - bars_.registers; offset < abi::kRegisterBarBytes) {
    if (offset >= abi::kHostApertureControl) return access_aperture(payload, offset);
    if (offset >= abi::kMsixTable) return access_table(payload, offset - abi::kMsixTable);
    return forward(registers, offset);
  }
  if (const std::uint64_t offset = address - bars_.doorbells; offset < abi::kDoorbellBarBytes) {
    payload.set_response_status(tlm::TLM_OK_RESPONSE);
    if (configuration_.power_state() == abi::kPowerD3) return;  // in D3 the device ignores requests
    return forward(doorbells, offset);
  }
  if (const std::uint64_t offset = address - configuration_.vram_base();
      offset < configuration_.vram_bytes() && configuration_.decodes_memory())
    return access_vram(payload, delay, offset);
  if (const std::uint64_t offset = address - bars_.configuration; offset < abi::kConfigurationBytes)
    return access_configuration(payload, offset);
  payload.set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE);  // unsupported request
}

void Endpoint::access_vram(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay,
                           std::uint64_t offset) {
  std::uint64_t place = offset;
  if (aperture_.enabled()) {
    const auto translated = aperture_.translate(offset, payload.get_data_length());
    if (!translated) return payload.set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE);
    place = *translated;
  }
  if (place + payload.get_data_length() > vram_bytes_)
    return payload.set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE);
  const std::uint64_t address = payload.get_address();
  payload.set_address(place);
  vram->b_transport(payload, delay);
  payload.set_address(address);
}

void Endpoint::access_aperture(tlm::tlm_generic_payload& payload, std::uint64_t offset) {
  std::uint64_t value = 0;
  if (payload.get_data_length() != sizeof value)
    return payload.set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE);
  payload.set_response_status(tlm::TLM_OK_RESPONSE);
  if (payload.is_write()) {
    std::memcpy(&value, payload.get_data_ptr(), sizeof value);
    if (offset == abi::kHostApertureControl) aperture_.enable((value & 1U) != 0);
    if (offset == abi::kHostApertureEntry) aperture_.set_entry(value);
    return;
  }
  if (offset == abi::kHostApertureControl) value = aperture_.enabled() ? 1 : 0;
  std::memcpy(payload.get_data_ptr(), &value, sizeof value);
}

/// Handles Type 0 requests of 4 bytes. Leaving D3 clears the page table of the aperture.
void Endpoint::access_configuration(tlm::tlm_generic_payload& payload, std::uint64_t offset) {
  std::uint32_t value = 0;
  if (payload.get_data_length() != sizeof value || offset % sizeof value != 0)
    return payload.set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE);
  payload.set_response_status(tlm::TLM_OK_RESPONSE);
  const auto at = static_cast<std::uint32_t>(offset);
  if (payload.is_read()) {
    value = configuration_.read(at);
    std::memcpy(payload.get_data_ptr(), &value, sizeof value);
    return;
  }
  const bool slept = configuration_.power_state() == abi::kPowerD3;
  std::memcpy(&value, payload.get_data_ptr(), sizeof value);
  configuration_.write(at, value);
  if (slept && configuration_.power_state() != abi::kPowerD3) aperture_ = HostAperture();
}

void Endpoint::from_gpu(int /*id*/, tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) {
  if (payload.is_write() && payload.get_address() == abi::kVectorWindow) {
    std::uint32_t number = 0;
    std::memcpy(&number, payload.get_data_ptr(), sizeof number);
    payload.set_response_status(tlm::TLM_OK_RESPONSE);
    return send_message(number);
  }
  link_out->b_transport(payload, delay);
}

void Endpoint::access_table(tlm::tlm_generic_payload& payload, std::uint64_t offset) {
  const std::uint64_t number = offset / 16;
  if (number >= vectors_.size() || payload.get_data_length() != 8)
    return payload.set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE);
  Vector& vector = vectors_[number];
  std::uint64_t& word = offset % 16 == 0 ? vector.address : vector.control;
  if (payload.is_write())
    std::memcpy(&word, payload.get_data_ptr(), 8);
  else
    std::memcpy(payload.get_data_ptr(), &word, 8);
  payload.set_response_status(tlm::TLM_OK_RESPONSE);
  if (vector.pending && (vector.control >> 32) == 0) {
    vector.pending = false;
    send_message(static_cast<std::uint32_t>(number));
  }
}

void Endpoint::send_message(std::uint32_t number) {
  if (number >= vectors_.size()) return;
  Vector& vector = vectors_[number];
  if ((vector.control >> 32) != 0) {
    vector.pending = true;
    return;
  }
  auto data = static_cast<std::uint32_t>(vector.control);
  auto message =
      simulation_.transactions.lend(tlm::TLM_WRITE_COMMAND, vector.address, &data, sizeof data);
  message->attributes.posted = true;
  message->attributes.relaxed = !simulation_.ordering.pcie.msi_ordered;
  simulation_.emit(event::MessageSent{adapter_, number});
  common::deliver(link_out, message->payload);
}

}  // namespace fenceline::pcie
