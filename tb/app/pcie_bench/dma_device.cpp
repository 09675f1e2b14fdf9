#include "tb/app/pcie_bench/dma_device.h"

#include <algorithm>

namespace fenceline::pcie_bench {

DmaDevice::DmaDevice(const sc_core::sc_module_name& name, common::Simulation& simulation,
                     const DmaDeviceConfig& config)
    : sc_module(name), simulation_(simulation), config_(config) {}

void DmaDevice::read(std::uint64_t address, std::uint64_t bytes) {
  simulation_.steps.elapse(config_.read_overhead);
  access(tlm::TLM_READ_COMMAND, address, bytes);
  move_on_bus(bytes);
  simulation_.steps.elapse(common::transfer_time(bytes, config_.store_mbps));
}

void DmaDevice::write(std::uint64_t address, std::uint64_t bytes) {
  occupy(descriptors_free_at_, config_.write_interval);
  simulation_.steps.elapse(config_.write_overhead +
                           common::transfer_time(bytes, config_.store_mbps));
  move_on_bus(bytes);
  access(tlm::TLM_WRITE_COMMAND, address, bytes);
}

void DmaDevice::command_read(std::uint64_t address, std::uint64_t bytes) {
  simulation_.steps.elapse(config_.command_overhead);
  access(tlm::TLM_READ_COMMAND, address, bytes);
}

void DmaDevice::access(tlm::tlm_command command, std::uint64_t address, std::uint64_t bytes) {
  std::uint64_t word = 0;
  auto transaction = simulation_.transactions.lend(command, address, &word, sizeof word);
  transaction->attributes.traffic_bytes = bytes;
  transaction->attributes.posted = command == tlm::TLM_WRITE_COMMAND;
  common::send(simulation_.steps, memory, transaction);
}

void DmaDevice::occupy(Time& free_at, Time held) {
  const Time now = simulation_.steps.now();
  free_at = std::max(now, free_at) + held;
  simulation_.steps.elapse(free_at - now);
}

void DmaDevice::move_on_bus(std::uint64_t bytes) {
  occupy(bus_free_at_, config_.bus_overhead + common::transfer_time(bytes, config_.bus_mbps));
}

}  // namespace fenceline::pcie_bench
