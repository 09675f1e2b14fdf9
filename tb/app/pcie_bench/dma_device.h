#pragma once

#include <cstdint>
#include <systemc>
#include <tlm_utils/simple_initiator_socket.h>

#include "models/common/simulation.h"

namespace fenceline::pcie_bench {

using common::Time;

/// A device whose firmware moves data by a DMA engine, as the one of the pcie-bench study does.
/// The times between the firmware's time stamps are all of it that can be seen from outside.
struct DmaDeviceConfig {
  Time command_overhead = 0;     ///< of a read by the command interface, in addition to the link
  Time read_overhead = 0;        ///< of a DMA read before its request goes out
  Time write_overhead = 0;       ///< of a DMA write before its data is fetched
  Time write_interval = 0;       ///< between two descriptors of writes
  Time bus_overhead = 0;         ///< of the internal bus, per transfer
  std::uint64_t bus_mbps = 1;    ///< [MB/s] of the internal bus, both ways together
  std::uint64_t store_mbps = 1;  ///< [MB/s] between the bus and the memory of the one transfer
};

/// DMA reads, DMA writes and command reads, each as the current agent's own work.
class DmaDevice : public sc_core::sc_module {
 public:
  tlm_utils::simple_initiator_socket<DmaDevice> SC_NAMED(memory);  ///< to the endpoint

  DmaDevice(const sc_core::sc_module_name& name, common::Simulation& simulation,
            const DmaDeviceConfig& config);

  /// Over when the data is in the device's memory.
  void read(std::uint64_t address, std::uint64_t bytes);
  /// Over when the last byte has been given to the link.
  void write(std::uint64_t address, std::uint64_t bytes);
  /// A read without descriptor and DMA engine.
  void command_read(std::uint64_t address, std::uint64_t bytes);

 private:
  void access(tlm::tlm_command command, std::uint64_t address, std::uint64_t bytes);
  /// The current agent waits for its turn and then for `held`.
  void occupy(Time& free_at, Time held);
  void move_on_bus(std::uint64_t bytes);

  common::Simulation& simulation_;
  const DmaDeviceConfig config_;
  Time bus_free_at_ = 0;
  Time descriptors_free_at_ = 0;
};

}  // namespace fenceline::pcie_bench
