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

/// One agent that reads and writes through the fabric.
struct ClientConfig {
  std::string name;     ///< full agent name, e.g. "gpu0.compute0"; its FIFOs are named after it
  bool engine = false;  ///< barriers of kind drain and sync wait for its writes
  bool posts = true;    ///< has posted FIFOs at all
  std::uint32_t function = 0;  ///< PCIe function that its accesses to the host come from
};

/// Where VRAM stands.
struct VramPlace {
  std::uint64_t bus_address = 0;  ///< of its base address register: names words in footprints
  std::uint32_t interleave_bytes = 256;  ///< [bytes] a channel before the next
};

/// Carries GPU physical accesses to VRAM and to the host.
///
/// Posted writes enter a FIFO for each (client, path, bank): paths to VRAM and to the host, banks
/// by address. FIFOs drain independently, each an agent named `<client>.vram<k>` or
/// `<client>.host<k>`. Reads wait for older writes of their own client to the same bytes, and on
/// the host path for all of its writes. Barriers are transactions with Attributes::barrier set.
///
/// Debug transport reaches VRAM only, in no time. Writes that are not posted complete when they are
/// visible. Data of posted writes: at most
/// PostedFifo::kMostBytes. Errors: ADDRESS_ERROR from the far end of reads and plain writes;
/// posted writes to nowhere vanish, as on real buses.
class Fabric : public sc_core::sc_module {
 public:
  tlm_utils::multi_passthrough_target_socket<Fabric> SC_NAMED(clients);
  tlm_utils::simple_initiator_socket<Fabric> SC_NAMED(vram);
  tlm_utils::simple_initiator_socket<Fabric> SC_NAMED(host);
  /// An empty write with Attributes::arrival has left its FIFO: address = fence slot.
  tlm_utils::simple_initiator_socket<Fabric> SC_NAMED(arrivals);

  /// Bind `clients` in the order of `client_configs`.
  Fabric(const sc_core::sc_module_name& name, common::Simulation& simulation,
         const FabricConfig& config, const VramPlace& vram_place,
         const std::vector<ClientConfig>& client_configs);

  /// Posted writes that still wait in any FIFO.
  std::size_t pending() const;

 private:
  struct Client : common::Hashed {
    ClientConfig config;
    std::vector<std::unique_ptr<PostedFifo>> vram, host;
    std::uint64_t place = 0;          ///< of what barriers of others look at
    std::uint64_t issued = 0;         ///< number of the newest write
    bool window_open = false;         ///< between Barrier::kOpenWindow and kCloseWindow
    std::uint64_t window = 0;         ///< counts windows
    std::uint64_t window_closed = 0;  ///< `issued` when the last window closed

    bool drained_to(std::uint64_t number) const;
    bool host_drained_to(std::uint64_t number) const;
    bool logs_drained_to(std::uint32_t log_queue, std::uint64_t number) const;
    std::uint64_t state_hash() const override;
  };
  /// What a barrier waits for at one engine.
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
  common::Gate drained_;  ///< a FIFO has become shorter or a window closed
};

}  // namespace fenceline::fabric
