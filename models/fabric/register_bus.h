#pragma once

#include <cstdint>
#include <systemc>
#include <tlm_utils/multi_passthrough_initiator_socket.h>
#include <tlm_utils/simple_target_socket.h>
#include <vector>

#include "models/common/simulation.h"

namespace fenceline::fabric {

/// Offsets [first, last] in the register BAR of one block.
struct RegisterRange {
  std::uint64_t first = 0;
  std::uint64_t last = 0;
  int block = 0;  ///< index of the block's socket
};

/// Routes register accesses to the block that owns the offset. Only whole registers can be
/// accessed: BURST_ERROR for other lengths, ADDRESS_ERROR for an offset without a block.
class RegisterBus : public sc_core::sc_module {
 public:
  tlm_utils::simple_target_socket<RegisterBus> SC_NAMED(in);
  tlm_utils::multi_passthrough_initiator_socket<RegisterBus> SC_NAMED(blocks);

  RegisterBus(const sc_core::sc_module_name& name, std::vector<RegisterRange> ranges)
      : sc_module(name), ranges_(std::move(ranges)) {
    in.register_b_transport(this, &RegisterBus::transport);
  }

 private:
  void transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) {
    const std::uint64_t offset = payload.get_address();
    if (payload.get_data_length() != 8 || offset % 8 != 0)
      return payload.set_response_status(tlm::TLM_BURST_ERROR_RESPONSE);
    for (const RegisterRange& range : ranges_)
      if (offset >= range.first && offset <= range.last)
        return blocks[range.block]->b_transport(payload, delay);
    payload.set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE);
  }

  const std::vector<RegisterRange> ranges_;
};

}  // namespace fenceline::fabric
