#include "models/memory/vram.h"

#include <algorithm>

namespace fenceline::memory {

Vram::Vram(const sc_core::sc_module_name& name, common::Simulation& simulation,
           const VramConfig& config)
    : sc_module(name),
      simulation_(simulation),
      config_(config),
      memory_(simulation, config.size_bytes, 0),
      channel_free_at_(config.channels) {
  socket.register_b_transport(this, &Vram::transport);
  socket.register_transport_dbg(this, &Vram::debug_transport);
}

unsigned Vram::debug_transport(tlm::tlm_generic_payload& payload) {
  const unsigned bytes = payload.get_data_length();
  if (!payload.is_read() || payload.get_address() + bytes > memory_.bytes().size()) return 0;
  memory_.bytes().read(payload.get_address(), payload.get_data_ptr(), bytes);
  return bytes;
}

void Vram::transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) {
  const std::uint64_t traffic = common::attributes_of(payload).traffic_bytes;
  if (traffic != 0)
    payload.set_response_status(tlm::TLM_OK_RESPONSE);
  else
    memory_.access(payload);
  if (simulation_.steps.exploring()) return;
  // A long access uses all channels equally, a short one only its own channel.
  const std::uint64_t bytes = traffic != 0 ? traffic : payload.get_data_length();
  const bool spread = bytes >= std::uint64_t{config_.interleave_bytes} * config_.channels;
  const Time start = sc_core::sc_time_stamp().value() + delay.value();
  const Time held = common::transfer_time(
      bytes, spread ? config_.channel_mbps * config_.channels : config_.channel_mbps);
  Time begin = start;
  if (spread) {
    for (Time& free_at : channel_free_at_) begin = std::max(begin, free_at);
    for (Time& free_at : channel_free_at_) free_at = begin + held;
  } else {
    Time& free_at =
        channel_free_at_[payload.get_address() / config_.interleave_bytes % config_.channels];
    begin = std::max(begin, free_at);
    free_at = begin + held;
  }
  // Posted writes have left their agent: no agent waits for the memory cells.
  const Time latency = payload.is_write() ? 0 : config_.latency;
  delay += common::kernel_time(begin - start + held + latency);
}

}  // namespace fenceline::memory
