#pragma once

#include <array>
#include <deque>
#include <systemc>
#include <tlm_utils/simple_initiator_socket.h>
#include <tlm_utils/simple_target_socket.h>
#include <unordered_set>

#include "models/common/simulation.h"

namespace fenceline::host {

using common::Time;

/// A host of two sockets, as a device on the first one finds it. Assumptions.
struct SocketsConfig {
  std::uint64_t memory_bytes = 1ULL << 30;  ///< of both; the upper half is memory of socket 1
  std::uint64_t cache_bytes = 15ULL << 20;  ///< last-level cache of a socket
  Time hop = 60 * common::kNanosecond;      ///< to the other socket and back
  Time partial_read = 0;  ///< more for a device's read of less than a line, unless it must leave
                          ///< the socket or go to memory anyway
};

/// The last-level caches of two sockets in front of system memory.
///
/// Which lines are where is all they know; data is always coherent and lies in memory. Cores bring
/// lines into the cache of their socket, device writes into that of the device's socket (DDIO), and
/// device reads bring nothing in. A device read that finds all its lines in the cache next to it
/// takes no time here; any other takes the memory's time, and the hop if a line's memory or its
/// only copy is on the other socket.
class Sockets : public sc_core::sc_module {
 public:
  tlm_utils::simple_target_socket<Sockets> SC_NAMED(in);  ///< from the root complex
  tlm_utils::simple_initiator_socket<Sockets> SC_NAMED(memory);

  Sockets(const sc_core::sc_module_name& name, const SocketsConfig& config);

  /// Socket of the memory at `address`.
  std::uint32_t home(std::uint64_t address) const {
    return address < config_.memory_bytes / 2 ? 0 : 1;
  }
  std::uint64_t hits() const { return hits_; }      ///< device reads
  std::uint64_t misses() const { return misses_; }  ///< device reads

 private:
  struct Cache {
    std::unordered_set<std::uint64_t> lines;  ///< looked up only
    std::deque<std::uint64_t> order;          ///< oldest first; lines that have gone too
  };
  void transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay);
  void read_by_device(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay);
  /// Brings a line into the cache of `socket` alone.
  void bring(std::uint32_t socket, std::uint64_t line);

  const SocketsConfig config_;
  std::array<Cache, 2> caches_;
  std::uint64_t hits_ = 0;
  std::uint64_t misses_ = 0;
};

}  // namespace fenceline::host
