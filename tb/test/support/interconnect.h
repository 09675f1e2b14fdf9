#pragma once

#include <array>
#include <cstdint>
#include <systemc>
#include <tlm_utils/simple_initiator_socket.h>
#include <tlm_utils/simple_target_socket.h>

#include "models/fabric/fabric.h"
#include "models/memory/system_memory.h"
#include "models/memory/vram.h"
#include "models/pcie/endpoint.h"
#include "models/pcie/link.h"
#include "models/pcie/root_complex.h"
#include "tb/test/support/all_orders.h"

namespace fenceline::support {

/// Fabric, link and both memories, as they stand between the blocks of a GPU and a CPU, with
/// nothing else around them: no engine, no driver, no operating system. For tests.
class Interconnect : public sc_core::sc_module {
 public:
  struct Config {
    common::Ordering ordering;
    fabric::FabricConfig fabric;
    pcie::LinkConfig link;
    std::uint32_t engine_function = 0;  ///< PCIe function of kEngine; all others are of function 0
  };
  /// Clients of the fabric: two engines, and one for which barriers of others do not wait.
  enum Client : std::size_t { kEngine, kOtherEngine, kCmp, kClients };
  /// Where a word is: VRAM, or host memory.
  struct Word {
    bool host;
    std::uint64_t offset;
  };
  struct Post {
    bool relaxed = false;         ///< RO=1
    std::uint32_t log_queue = 0;  ///< queue slot + 1
  };

  Interconnect(const sc_core::sc_module_name& name, const Config& config);

  // What a client of the fabric does. All but the windows are steps.
  void post(Client client, Word word, std::uint64_t value, Post how);
  void post(Client client, Word word, std::uint64_t value) { post(client, word, value, Post()); }
  /// Complete when it is visible.
  void write(Client client, Word word, std::uint64_t value);
  std::uint64_t read(Client client, Word word);
  /// Reads the first `bytes` of host memory, at most a page, as one access.
  void fetch(Client client, std::size_t bytes);
  void barrier(Client client, common::Barrier kind,
               common::BarrierReach reach = common::BarrierReach::kGpu,
               std::uint32_t log_queue = 0);
  /// The device asks for its interrupt, in the order of its accesses to the host.
  void send_message();

  // What a CPU does. A write to VRAM is posted.
  void cpu_write(Word word, std::uint64_t value);
  std::uint64_t cpu_read(Word word);
  void mask_vector(bool masked);

  /// Interrupt messages that have come to the host.
  std::uint64_t messages() const { return messages_; }
  /// Posted writes on their way.
  std::size_t pending() const { return fabric_.pending() + link_.pending(); }
  common::Steps& steps() { return simulation_.steps; }
  AllOrders& orders() { return orders_; }
  /// Outcomes of the programs in all orders; both memories read as zero when they begin.
  AllOrders::Outcomes outcomes();

 private:
  void access(Client client, tlm::tlm_command command, Word word, std::uint64_t& value, bool posted,
              Post how);
  void to_cpu_side(tlm::tlm_command command, std::uint64_t address, std::uint64_t& value,
                   bool device);
  void take_message(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay);
  void ignore(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay);

  common::Simulation simulation_;
  AllOrders orders_;
  memory::SystemMemory system_memory_;
  memory::Vram vram_;
  pcie::RootComplex root_complex_;
  pcie::Link link_;
  pcie::Endpoint endpoint_;
  fabric::Fabric fabric_;
  std::array<tlm_utils::simple_initiator_socket<Interconnect>, kClients> clients_;
  tlm_utils::simple_initiator_socket<Interconnect> cpu_, device_;
  tlm_utils::simple_target_socket<Interconnect> messages_in_, registers_, doorbells_, arrivals_;
  std::uint64_t messages_ = 0;
};

}  // namespace fenceline::support
