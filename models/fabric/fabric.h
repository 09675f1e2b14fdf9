#pragma once

#include <memory>
#include <string>
#include <systemc>
#include <tlm_utils/multi_passthrough_target_socket.h>
#include <tlm_utils/simple_initiator_socket.h>
#include <vector>

#include "models/common/simulation.h"
#include "models/fabric/config.h"
#include "models/fabric/posted_fifo.h"

namespace fenceline::fabric {

/// One agent that accesses memory through the fabric.
struct ClientConfig {
  std::string name;            ///< full agent name, e.g. "gpu0.compute0"; prefix of its FIFO names
  bool engine = false;         ///< drain and sync barriers wait for its writes
  bool posts = true;           ///< it has posted FIFOs
  std::uint32_t function = 0;  ///< PCIe function of its accesses to the host
};

/// Address map of VRAM.
struct VramPlace {
  std::uint64_t bus_address = 0;  ///< base address register of VRAM; names words in footprints
  std::uint32_t interleave_bytes = 256;  ///< [bytes] per channel before the next channel
};

/// Carries GPU physical accesses to VRAM and to the host.
///
/// Each (client, path, bank) has its own FIFO for posted writes. Paths lead to VRAM and to the
/// host; the address selects the bank. FIFOs drain independently. Each drain is an agent named
/// `<client>.vram<k>` or `<client>.host<k>`. Reads wait for older writes of their own client to the
/// same bytes, and on the host path for all its older writes. Barriers are transactions with
/// Attributes::barrier set.
///
/// Debug transport reaches VRAM only and takes no time. Non-posted writes complete when they are
/// visible. A posted write has at most PostedFifo::kMaxBytes of data. Errors: ADDRESS_ERROR from
/// the far end for reads and non-posted writes. Posted writes to an unmapped address vanish, as on
/// real buses.
class Fabric : public sc_core::sc_module {
 public:
  tlm_utils::multi_passthrough_target_socket<Fabric> SC_NAMED(clients);
  tlm_utils::simple_initiator_socket<Fabric> SC_NAMED(vram);
  tlm_utils::simple_initiator_socket<Fabric> SC_NAMED(host);
  /// An empty write with Attributes::arrival left its FIFO: address = fence slot.
  tlm_utils::simple_initiator_socket<Fabric> SC_NAMED(arrivals);

  /// Bind `clients` in the order of `client_configs`.
  Fabric(const sc_core::sc_module_name& name, common::Simulation& simulation,
         const FabricConfig& config, const VramPlace& vram_place,
         const std::vector<ClientConfig>& client_configs);

  /// Number of posted writes in all FIFOs.
  std::size_t pending() const;

 private:
  struct Client : common::Hashed {
    ClientConfig config;
    std::vector<std::unique_ptr<PostedFifo>> vram, host;
    std::uint64_t place = 0;   ///< footprint place of the state that barriers of other clients read
    std::uint64_t issued = 0;  ///< number of the newest write
    bool window_open = false;  ///< between Barrier::kOpenWindow and kCloseWindow
    std::uint64_t window = 0;  ///< number of windows
    std::uint64_t window_closed = 0;  ///< `issued` at the close of the last window

    bool drained_to(std::uint64_t number) const;
    bool host_drained_to(std::uint64_t number) const;
    bool logs_drained_to(std::uint32_t log_queue, std::uint64_t number) const;
    std::uint64_t state_hash() const override;
  };
  /// Snapshot of one engine's writes and window; a barrier waits for them.
  struct Mark {
    const Client* client;
    std::uint64_t number;
    std::uint64_t window;
    bool in_window;

    bool passed() const;
  };

  void transport(int id, tlm::tlm_generic_payload& payload, sc_core::sc_time& delay);
  unsigned debug_transport(int id, tlm::tlm_generic_payload& payload);
  void post(Client& client, tlm::tlm_generic_payload& payload);
  void access(Client& client, tlm::tlm_generic_payload& payload, sc_core::sc_time& delay);
  void barrier(Client& client, tlm::tlm_generic_payload& payload);
  Mark mark(const Client& client, bool windows) const;
  void wait_for_logs(tlm::tlm_generic_payload& payload);
  void drain(PostedFifo& fifo, bool to_host);
  void deliver(PostedFifo::Write& write, bool to_host);
  PostedFifo& fifo_for(Client& client, std::uint64_t address) const;

  common::Simulation& simulation_;
  const FabricConfig config_;
  const VramPlace vram_place_;
  std::vector<std::unique_ptr<Client>> clients_;
  common::Gate drained_;  ///< a FIFO became shorter or a window closed
};

}  // namespace fenceline::fabric
