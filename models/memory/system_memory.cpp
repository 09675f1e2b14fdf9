#include "models/memory/system_memory.h"

#include <algorithm>

#include "models/abi/page_table.h"

namespace fenceline::memory {

SystemMemory::SystemMemory(const sc_core::sc_module_name& name, common::Simulation& simulation,
                           const SystemMemoryConfig& config)
    : sc_module(name),
      simulation_(simulation),
      config_(config),
      memory_(simulation, config.size_bytes, abi::kSystemMemoryBit) {
  socket.register_b_transport(this, &SystemMemory::transport);
  socket.register_transport_dbg(this, &SystemMemory::debug_transport);
}

unsigned SystemMemory::debug_transport(tlm::tlm_generic_payload& payload) {
  memory_.fetch(payload);
  return payload.get_data_length();
}

void SystemMemory::transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) {
  const std::uint64_t traffic = common::attributes_of(payload).traffic_bytes;
  if (traffic != 0)
    payload.set_response_status(tlm::TLM_OK_RESPONSE);
  else
    memory_.access(payload);
  if (simulation_.steps.exploring()) return;
  const Time start = sc_core::sc_time_stamp().value() + delay.value();
  const Time begin = std::max(start, free_at_);
  free_at_ = begin + common::transfer_time(traffic != 0 ? traffic : payload.get_data_length(),
                                           config_.bandwidth_mbps);
  const Time latency = payload.is_write() ? 0 : config_.latency;
  delay += common::kernel_time(free_at_ - start + latency);
}

}  // namespace fenceline::memory
