#pragma once

#include <systemc>
#include <tlm_utils/simple_initiator_socket.h>
#include <tlm_utils/simple_target_socket.h>

#include "models/host/sockets.h"
#include "models/host/write_combining.h"
#include "models/memory/system_memory.h"
#include "models/memory/vram.h"
#include "models/mmu/iommu.h"
#include "models/pcie/endpoint.h"
#include "models/pcie/link.h"
#include "models/pcie/root_complex.h"
#include "tb/app/pcie_bench/dma_device.h"

namespace fenceline::pcie_bench {

/// The core that makes programmed accesses to device memory.
struct CoreConfig {
  /// The prices are fitted to full buffers that stay until their place is needed; A-405.
  CoreConfig() {
    write_combining.buffers = 12;
    write_combining.sends_full = false;
  }
  std::uint32_t loads = 16;  ///< of a line each, from device memory, at once
  Time call = 0;             ///< of the call around a read
  host::WriteCombiningConfig write_combining;
};

struct MachineConfig {
  pcie::LinkConfig link;
  memory::SystemMemoryConfig system_memory;
  memory::VramConfig vram;
  mmu::IommuConfig iommu;
  host::SocketsConfig sockets;
  DmaDeviceConfig device;
  CoreConfig core;
};

/// One device on a host of two sockets: the project's link, endpoint, root complex, IOMMU, caches
/// and memories, and nothing else around them.
class Machine : public sc_core::sc_module {
 public:
  Machine(const sc_core::sc_module_name& name, const MachineConfig& config);

  common::Simulation& simulation() { return simulation_; }
  common::Steps& steps() { return simulation_.steps; }
  const MachineConfig& config() const { return config_; }
  DmaDevice& device() { return device_; }

  /// A core of `socket` writes every line of a buffer.
  void warm(std::uint32_t socket, std::uint64_t address, std::uint64_t bytes);
  /// A core reads the line at `offset` of device memory.
  void read_device_line(std::uint64_t offset);
  /// The core stores a line of device memory by a write-combined mapping: `value`, and zeros.
  void store_line(std::uint64_t offset, std::uint64_t value = 0);
  /// It makes sure that all of them are on their way.
  void store_fence() { stores_.fence(); }
  std::uint64_t device_word(std::uint64_t offset) { return vram_.memory().bytes().word(offset); }
  /// A core reads a word of host memory that is in no cache of its own.
  std::uint64_t read_host_word(std::uint64_t address);
  /// The device posts a word to host memory.
  void post_to_host(std::uint64_t address, std::uint64_t value);

 private:
  void post_to_device(const host::WriteCombining::Write& write);
  void ignore(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay);

  const MachineConfig config_;
  common::Simulation simulation_;
  memory::SystemMemory system_memory_;
  memory::Vram vram_;
  host::Sockets sockets_;
  pcie::RootComplex root_complex_;
  mmu::Iommu iommu_;
  pcie::Link link_;
  pcie::Endpoint endpoint_;
  DmaDevice device_;
  host::WriteCombining stores_;
  tlm_utils::simple_initiator_socket<Machine> core_, poster_;
  tlm_utils::simple_target_socket<Machine> messages_, registers_, doorbells_;
};

}  // namespace fenceline::pcie_bench
