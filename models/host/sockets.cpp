#include "models/host/sockets.h"

#include <algorithm>

namespace fenceline::host {

using common::kLineBytes;

namespace {

/// Calls `visit` for each line that the access touches.
template <typename Visit>
void for_each_line(tlm::tlm_generic_payload& payload, Visit&& visit) {
  const std::uint64_t bytes = std::max<std::uint64_t>(common::length_of(payload), 1);
  const std::uint64_t last = (payload.get_address() + bytes - 1) / kLineBytes;
  for (std::uint64_t line = payload.get_address() / kLineBytes; line <= last; ++line) visit(line);
}

}  // namespace

Sockets::Sockets(const sc_core::sc_module_name& name, const SocketsConfig& config)
    : sc_module(name), config_(config) {
  in.register_b_transport(this, &Sockets::transport);
}

void Sockets::transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) {
  const std::uint32_t core = common::attributes_of(payload).core;
  if (core == 0 && payload.is_read()) return read_by_device(payload, delay);
  // Even cores are on socket 0, odd cores on socket 1. The device is on socket 0.
  const std::uint32_t socket = core == 0 ? 0 : (core - 1) % 2;
  for_each_line(payload, [&](std::uint64_t line) { bring(socket, line); });
  memory->b_transport(payload, delay);
}

void Sockets::read_by_device(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) {
  bool near = true, far = false;
  for_each_line(payload, [&](std::uint64_t line) {
    if (caches_[0].lines.count(line) != 0) return;
    near = false;
    far = far || caches_[1].lines.count(line) != 0 || home(line * kLineBytes) == 1;
  });
  ++(near ? hits_ : misses_);
  const sc_core::sc_time before = delay;
  memory->b_transport(payload, delay);
  if (near) delay = before;
  if (far) delay += common::kernel_time(config_.hop);
  if (near && common::length_of(payload) < kLineBytes)
    delay += common::kernel_time(config_.partial_read);
}

void Sockets::bring(std::uint32_t socket, std::uint64_t line) {
  caches_[1 - socket].lines.erase(line);
  Cache& cache = caches_[socket];
  if (!cache.lines.insert(line).second) return;
  cache.order.push_back(line);
  while (cache.lines.size() > config_.cache_bytes / kLineBytes) {
    cache.lines.erase(cache.order.front());
    cache.order.pop_front();
  }
}

}  // namespace fenceline::host
