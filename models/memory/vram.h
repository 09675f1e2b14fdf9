#pragma once

#include <systemc>
#include <tlm_utils/simple_target_socket.h>
#include <vector>

#include "models/memory/config.h"
#include "models/memory/watched_memory.h"

namespace fenceline::memory {

/// Video memory: accesses annotate the time of their channel and do not wait.
///
/// The returned `delay` is the latency plus the wait for the channel. One access occupies the
/// channel for bytes / bandwidth. Addresses are VRAM offsets.
class Vram : public sc_core::sc_module {
 public:
  tlm_utils::simple_target_socket<Vram> SC_NAMED(socket);

  Vram(const sc_core::sc_module_name& name, common::Simulation& simulation,
       const VramConfig& config);

  WatchedMemory& memory() { return memory_; }
  const VramConfig& config() const { return config_; }

 private:
  void transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay);
  unsigned debug_transport(tlm::tlm_generic_payload& payload);

  common::Simulation& simulation_;
  const VramConfig config_;
  WatchedMemory memory_;
  std::vector<Time> channel_free_at_;
};

}  // namespace fenceline::memory
