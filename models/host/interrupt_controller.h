#pragma once

#include <cstdint>
#include <systemc>
#include <tlm_utils/simple_target_socket.h>
#include <utility>
#include <vector>

#include "models/common/simulation.h"
#include "models/host/core.h"

namespace fenceline::host {

/// Takes interrupt messages: writes with data core << 8 | vector. The operating system puts this
/// value into the device's MSI-X table.
class InterruptController : public sc_core::sc_module {
 public:
  tlm_utils::simple_target_socket<InterruptController> SC_NAMED(messages);

  InterruptController(const sc_core::sc_module_name& name, std::vector<Core*> cores)
      : sc_module(name), cores_(std::move(cores)) {
    messages.register_b_transport(this, &InterruptController::transport);
  }

 private:
  void transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& /*delay*/) {
    std::uint32_t data = 0;
    std::memcpy(&data, payload.get_data_ptr(), sizeof data);
    const std::uint32_t core = data >> 8;
    payload.set_response_status(tlm::TLM_OK_RESPONSE);
    if (core < cores_.size()) cores_[core]->post_interrupt(data & 0x3F);
  }

  std::vector<Core*> cores_;
};

}  // namespace fenceline::host
