#include "models/host/caches.h"

namespace fenceline::host {

namespace {
constexpr std::uint64_t kLineBytes = 64;
}

Caches::Caches(const sc_core::sc_module_name& name, const HostConfig& config)
    : sc_module(name), config_(config) {
  in.register_b_transport(this, &Caches::transport);
}

void Caches::transport(int /*id*/, tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) {
  const std::uint32_t core = common::attributes_of(payload).core;
  const std::uint64_t line = payload.get_address() / kLineBytes;
  if (core == 0) {
    if (payload.is_write())
      if (const auto held = holders_.find(line); held != holders_.end()) held->second = 0;
    return memory->b_transport(payload, delay);
  }
  const std::uint64_t bit = 1ULL << (core - 1);
  std::uint64_t& held = holders_[line];
  const sc_core::sc_time before = delay;
  memory->b_transport(payload, delay);
  if (payload.is_write()) {
    held = bit;
    delay = before + common::kernel_time(config_.store);
  } else if ((held & bit) != 0) {
    ++hits_;
    delay = before + common::kernel_time(config_.cache_hit);
  } else {
    ++misses_;
    held |= bit;
  }
}

}  // namespace fenceline::host
