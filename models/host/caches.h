#pragma once

#include <cstdint>
#include <systemc>
#include <tlm_utils/multi_passthrough_target_socket.h>
#include <tlm_utils/simple_initiator_socket.h>
#include <unordered_map>

#include "models/common/simulation.h"
#include "models/host/config.h"

namespace fenceline::host {

/// The cores' caches in front of system memory, as far as polling needs them: which core holds
/// which 64-byte line. Data is always coherent; a hit is quick, a write by anybody else makes the
/// next read miss.
///
/// A host without I/O coherency does not see what devices write: a word that a core has read by a
/// write-back mapping stays in its cache as it was, until a core writes to its line.
class Caches : public sc_core::sc_module {
 public:
  tlm_utils::multi_passthrough_target_socket<Caches> SC_NAMED(in);
  tlm_utils::simple_initiator_socket<Caches> SC_NAMED(memory);

  Caches(const sc_core::sc_module_name& name, const HostConfig& config);

  std::uint64_t hits() const { return hits_; }
  std::uint64_t misses() const { return misses_; }

 private:
  void transport(int id, tlm::tlm_generic_payload& payload, sc_core::sc_time& delay);

  const HostConfig config_;
  void read_kept(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay);
  void drop_kept(std::uint64_t line);

  /// Words read by a write-back mapping of a host without I/O coherency, as they were, by address.
  std::unordered_map<std::uint64_t, std::uint64_t> kept_;     ///< looked up only
  std::unordered_map<std::uint64_t, std::uint64_t> holders_;  ///< line -> cores; looked up only
  std::uint64_t hits_ = 0;
  std::uint64_t misses_ = 0;
};

}  // namespace fenceline::host
