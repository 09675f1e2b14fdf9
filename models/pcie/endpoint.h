#pragma once

#include <array>
#include <cstdint>
#include <systemc>
#include <tlm_utils/multi_passthrough_target_socket.h>
#include <tlm_utils/simple_initiator_socket.h>
#include <tlm_utils/simple_target_socket.h>

#include "models/abi/registers.h"
#include "models/common/simulation.h"
#include "models/pcie/config.h"
#include "models/pcie/configuration_space.h"
#include "models/pcie/host_aperture.h"

namespace fenceline::pcie {

/// The GPU's side of the link: decodes BARs, forwards DMA, and turns vectors into MSI-X writes.
///
/// Configuration space gives base and size of the VRAM BAR. The BAR shows the start of VRAM or,
/// with abi::kHostApertureControl, the pages that its page table selects. An access that no BAR
/// decodes is an unsupported request: ADDRESS_ERROR.
///
/// MSI-X: a masked vector sets its pending bit and is sent when it is unmasked. With the ordering
/// switch pcie.msi_ordered off, messages and their payload entries carry RO=1.
class Endpoint : public sc_core::sc_module {
 public:
  tlm_utils::simple_target_socket<Endpoint> SC_NAMED(link_in);  ///< from the link, bus addresses
  tlm_utils::simple_initiator_socket<Endpoint> SC_NAMED(link_out);  ///< to the link, host physical
  tlm_utils::multi_passthrough_target_socket<Endpoint> SC_NAMED(
      dma);  ///< from the GPU, host physical
  tlm_utils::simple_initiator_socket<Endpoint> SC_NAMED(
      registers);  ///< offsets in the register BAR
  tlm_utils::simple_initiator_socket<Endpoint> SC_NAMED(
      doorbells);                                               ///< offsets in the doorbell BAR
  tlm_utils::simple_initiator_socket<Endpoint> SC_NAMED(vram);  ///< VRAM offsets

  Endpoint(const sc_core::sc_module_name& name, common::Simulation& simulation, const BarMap& bars,
           const VramBarConfig& vram_bar, std::uint64_t vram_bytes, std::uint32_t adapter);

 private:
  struct Vector {
    std::uint64_t address = 0;
    std::uint64_t control = 1ULL << 32;  ///< data | mask << 32; masked after reset
    bool pending = false;
  };

  void from_link(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay);
  void from_gpu(int id, tlm::tlm_generic_payload& payload, sc_core::sc_time& delay);
  void access_table(tlm::tlm_generic_payload& payload, std::uint64_t offset);
  void access_aperture(tlm::tlm_generic_payload& payload, std::uint64_t offset);
  void access_vram(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay,
                   std::uint64_t offset);
  void access_configuration(tlm::tlm_generic_payload& payload, std::uint64_t offset);
  void send_message(std::uint32_t number);

  common::Simulation& simulation_;
  const BarMap bars_;
  const std::uint32_t adapter_;
  const std::uint64_t vram_bytes_;
  ConfigurationSpace configuration_;
  HostAperture aperture_;
  std::array<Vector, 1> vectors_;
};

}  // namespace fenceline::pcie
