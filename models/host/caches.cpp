#include "models/host/caches.h"

namespace fenceline::host {

Caches::Caches(const sc_core::sc_module_name& name, common::Simulation& simulation,
               const HostConfig& config, bool keeps_content)
    : sc_module(name),
      simulation_(simulation),
      config_(config),
      keeps_content_(keeps_content),
      wanted_changed_(simulation.steps) {
  in.register_b_transport(this, &Caches::transport);
  if (!keeps_content) return;
  common::Steps& steps = simulation.steps;
  place_ = steps.new_place() << 36;
  wanted_place_ = steps.new_place();
  steps.add_state(*this);
  if (config.speculative_reads) steps.add_agent("host.prefetch", [this] { speculate(); });
}

void Caches::transport(int /*id*/, tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) {
  const common::Attributes& attributes = common::attributes_of(payload);
  if (attributes.maintenance != common::CacheMaintenance::kNone) return maintain(payload, delay);
  if (attributes.core == 0) return from_device(payload, delay);
  if (!keeps_content_) return from_core(payload, delay);
  if (!attributes.write_back) {
    if (payload.is_write()) snoop(payload, delay);
    return from_core(payload, delay);
  }
  if (payload.is_write()) return write(payload, delay);
  read(payload, delay);
}

void Caches::from_device(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) {
  const common::Attributes& attributes = common::attributes_of(payload);
  if (config_.io_coherent && !attributes.no_snoop) {
    if (payload.is_write())
      if (const auto held = holders_.find(payload.get_address() / common::kLineBytes);
          held != holders_.end())
        held->second = 0;
    if (keeps_content_ && attributes.traffic_bytes == 0) snoop(payload, delay);
  }
  memory->b_transport(payload, delay);
}

/// Data is in memory. The time depends on which agent touched the line last.
void Caches::from_core(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) {
  const std::uint64_t bit = 1ULL << (common::attributes_of(payload).core - 1);
  std::uint64_t& held = holders_[payload.get_address() / common::kLineBytes];
  if (!config_.io_coherent) held &= ~bit;  // an uncached access always goes to memory
  const sc_core::sc_time before = delay;
  memory->b_transport(payload, delay);
  if (payload.is_write()) {
    held = bit;
    delay = before + common::kernel_time(config_.store);
  } else if ((held & bit) != 0) {
    delay = before + common::kernel_time(config_.cache_hit);
  } else {
    held |= bit;
  }
}

}  // namespace fenceline::host
