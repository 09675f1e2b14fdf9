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

/// A two-socket host, seen from a device on the first socket. Assumptions.
struct SocketsConfig {
  std::uint64_t memory_bytes = 1ULL << 30;  ///< total; the upper half is on socket 1
  std::uint64_t cache_bytes = 15ULL << 20;  ///< last-level cache per socket
  Time hop = 60 * common::kNanosecond;      ///< to the other socket and back
  Time partial_read = 0;  ///< extra time of a device read of less than a line that stays on the
                          ///< socket and hits the cache
};

/// The last-level caches of two sockets in front of system memory.
///
/// They only track the location of lines; data is always coherent and lies in memory. Cores bring
/// lines into the cache of their socket. Device writes bring lines into the cache of the device's
/// socket (DDIO). Device reads bring no line in. A device read takes no time here if all its lines
/// are in the cache of its socket. Otherwise it takes the memory's time, plus the hop if the memory
/// or the only copy of a line is on the other socket.
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
    std::deque<std::uint64_t> order;          ///< oldest first; includes lines that have left
  };
  void transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay);
  void read_by_device(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay);
  /// Brings a line into the cache of `socket` and removes it from the other.
  void bring(std::uint32_t socket, std::uint64_t line);

  const SocketsConfig config_;
  std::array<Cache, 2> caches_;
  std::uint64_t hits_ = 0;
  std::uint64_t misses_ = 0;
};

}  // namespace fenceline::host
