#pragma once

#include <cstdint>
#include <systemc>
#include <tlm_utils/multi_passthrough_initiator_socket.h>
#include <tlm_utils/multi_passthrough_target_socket.h>
#include <tlm_utils/simple_initiator_socket.h>
#include <vector>

namespace fenceline::pcie {

/// Bus address range of one link.
struct BusWindow {
  std::uint64_t base = 0;
  std::uint64_t bytes = 0;
};

/// Routes by host physical address: system memory, message window, and the windows of the links.
///
/// CPU accesses enter at `cpus`, device accesses at `devices`. Both use absolute addresses. A
/// device can reach another device only by posted writes. Errors: ADDRESS_ERROR for unmapped
/// addresses.
class RootComplex : public sc_core::sc_module {
 public:
  tlm_utils::multi_passthrough_target_socket<RootComplex> SC_NAMED(cpus);
  tlm_utils::multi_passthrough_target_socket<RootComplex> SC_NAMED(devices);
  tlm_utils::multi_passthrough_initiator_socket<RootComplex> SC_NAMED(
      links);  ///< in the order of windows
  tlm_utils::simple_initiator_socket<RootComplex> SC_NAMED(memory);
  tlm_utils::simple_initiator_socket<RootComplex> SC_NAMED(
      messages);  ///< to the interrupt controller

  RootComplex(const sc_core::sc_module_name& name, std::uint64_t memory_bytes,
              std::vector<BusWindow> windows);

 private:
  void from_cpu(int id, tlm::tlm_generic_payload& payload, sc_core::sc_time& delay);
  void from_device(int id, tlm::tlm_generic_payload& payload, sc_core::sc_time& delay);

  const std::uint64_t memory_bytes_;
  const std::vector<BusWindow> windows_;
};

}  // namespace fenceline::pcie
