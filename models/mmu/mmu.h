#pragma once

#include <array>
#include <systemc>
#include <tlm_utils/multi_passthrough_initiator_socket.h>
#include <tlm_utils/multi_passthrough_target_socket.h>
#include <tlm_utils/simple_initiator_socket.h>
#include <tlm_utils/simple_target_socket.h>
#include <vector>

#include "models/abi/registers.h"
#include "models/common/simulation.h"
#include "models/mmu/config.h"

namespace fenceline::mmu {

/// Translates GPU virtual addresses of the clients with the page tables of their address space.
/// Each access continues at the output socket with the number of its client.
///
/// Page tables are in VRAM or host memory and are read through `walker`. A TLB keeps recent
/// translations until they are invalidated. Accesses of common::kPhysical and barriers pass
/// unchanged. An access must not cross a 4 KiB page. Errors: ADDRESS_ERROR without a valid entry,
/// COMMAND_ERROR for a write to a read-only page.
class Mmu : public sc_core::sc_module {
 public:
  tlm_utils::multi_passthrough_target_socket<Mmu> SC_NAMED(clients);
  tlm_utils::multi_passthrough_initiator_socket<Mmu> SC_NAMED(out);
  tlm_utils::simple_initiator_socket<Mmu> SC_NAMED(walker);
  tlm_utils::simple_target_socket<Mmu> SC_NAMED(registers);  ///< abi::kMmuInvalidate, kMmuRoot

  Mmu(const sc_core::sc_module_name& name, common::Simulation& simulation, const MmuConfig& config);

  /// Number of walks that had to read page tables.
  std::uint64_t misses() const { return misses_; }

 private:
  struct TlbEntry {
    std::uint32_t address_space = common::kPhysical;
    std::uint64_t page = 0;   ///< virtual page number
    std::uint64_t entry = 0;  ///< leaf page-table entry
  };

  void transport(int id, tlm::tlm_generic_payload& payload, sc_core::sc_time& delay);
  unsigned debug_transport(int id, tlm::tlm_generic_payload& payload);
  void access_register(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay);
  /// Leaf entry of a virtual address; 0 if there is none. With `debug` it takes no time.
  std::uint64_t walk(std::uint32_t address_space, std::uint64_t address, bool debug);
  std::uint64_t look_up(std::uint32_t address_space, std::uint64_t address,
                        sc_core::sc_time& delay);

  common::Simulation& simulation_;
  const MmuConfig config_;
  std::array<std::uint64_t, abi::kAddressSpaces> roots_{};
  std::vector<TlbEntry> tlb_;
  std::uint64_t misses_ = 0;
};

}  // namespace fenceline::mmu
