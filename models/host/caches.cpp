#include "models/host/caches.h"

#include <cstring>

namespace fenceline::host {

namespace {
constexpr std::uint64_t kLineBytes = 64;
constexpr std::uint64_t kWordBytes = 8;
}  // namespace

Caches::Caches(const sc_core::sc_module_name& name, const HostConfig& config)
    : sc_module(name), config_(config) {
  in.register_b_transport(this, &Caches::transport);
}

void Caches::transport(int /*id*/, tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) {
  const std::uint32_t core = common::attributes_of(payload).core;
  const std::uint64_t line = payload.get_address() / kLineBytes;
  if (core == 0) {
    if (payload.is_write() && config_.io_coherent)
      if (const auto held = holders_.find(line); held != holders_.end()) held->second = 0;
    return memory->b_transport(payload, delay);
  }
  const std::uint64_t bit = 1ULL << (core - 1);
  std::uint64_t& held = holders_[line];
  if (!config_.io_coherent) {
    if (payload.is_write()) drop_kept(line);
    if (payload.is_read() && common::attributes_of(payload).write_back)
      return read_kept(payload, delay);
    held &= ~bit;  // an uncached access always goes to memory
  }
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

/// Cores see each other's lines, so one copy stands for all caches.
void Caches::read_kept(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) {
  const auto kept = kept_.find(payload.get_address());
  if (kept == kept_.end()) {
    ++misses_;
    memory->b_transport(payload, delay);
    std::memcpy(&kept_[payload.get_address()], payload.get_data_ptr(), kWordBytes);
    return;
  }
  ++hits_;
  std::memcpy(payload.get_data_ptr(), &kept->second, kWordBytes);
  payload.set_response_status(tlm::TLM_OK_RESPONSE);
  delay += sc_core::sc_time::from_value(config_.cache_hit);
}

void Caches::drop_kept(std::uint64_t line) {
  for (std::uint64_t at = 0; at < kLineBytes; at += kWordBytes) kept_.erase(line * kLineBytes + at);
}

}  // namespace fenceline::host
