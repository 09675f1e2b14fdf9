#pragma once

#include <systemc>
#include <tlm_utils/simple_target_socket.h>

#include "models/memory/config.h"
#include "models/memory/watched_memory.h"

namespace fenceline::memory {

/// Host memory behind the root complex. Accesses annotate bandwidth and latency and do not wait.
/// Addresses are host physical, from 0.
class SystemMemory : public sc_core::sc_module {
 public:
  tlm_utils::simple_target_socket<SystemMemory> SC_NAMED(socket);

  SystemMemory(const sc_core::sc_module_name& name, common::Simulation& simulation,
               const SystemMemoryConfig& config);

  WatchedMemory& memory() { return memory_; }
  const SystemMemoryConfig& config() const { return config_; }

 private:
  void transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay);
  /// Reads only; for caches.
  unsigned debug_transport(tlm::tlm_generic_payload& payload);

  common::Simulation& simulation_;
  const SystemMemoryConfig config_;
  WatchedMemory memory_;
  Time free_at_ = 0;
};

}  // namespace fenceline::memory
