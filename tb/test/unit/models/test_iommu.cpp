// What device accesses wait for in the IOMMU.
#include <catch2/catch.hpp>
#include <functional>
#include <systemc>
#include <tlm_utils/simple_initiator_socket.h>
#include <tlm_utils/simple_target_socket.h>

#include "models/mmu/iommu.h"

namespace fenceline::models_tests::test_iommu {

using fenceline::common::kNanosecond;
using fenceline::common::Ordering;
using fenceline::common::Simulation;
using fenceline::common::Time;
using fenceline::mmu::Iommu;
using fenceline::mmu::IommuConfig;

namespace {

constexpr Time kWalk = 240 * kNanosecond;
constexpr std::uint64_t kPage = 4096, kSuperPage = 2 << 20;

IommuConfig with_pages(std::uint64_t page_bytes) {
  IommuConfig config;
  config.translates = true;
  config.page_bytes = page_bytes;
  config.iotlb_entries = 64;
  config.walk = kWalk;
  return config;
}

/// A device and a memory that answers at once, with the IOMMU between them.
struct Machine : sc_core::sc_module {
  tlm_utils::simple_initiator_socket<Machine> SC_NAMED(device);
  tlm_utils::simple_target_socket<Machine> SC_NAMED(memory);
  Simulation simulation{Ordering()};
  Iommu iommu;

  Machine(const sc_core::sc_module_name& name, const IommuConfig& config)
      : sc_module(name), iommu("iommu", config) {
    memory.register_b_transport(this, &Machine::transport);
    device.bind(iommu.in);
    iommu.out.bind(memory);
  }

  void run(const std::function<void()>& program) {
    simulation.steps.add_agent("device", program);
    sc_core::sc_start();
  }
  /// What a read of `bytes` waits for.
  Time read(std::uint64_t address, std::uint64_t bytes = 64) {
    std::uint64_t word = 0;
    auto access = simulation.transactions.lend(tlm::TLM_READ_COMMAND, address, &word, sizeof word);
    access->attributes.traffic_bytes = bytes;
    const Time before = simulation.steps.now();
    fenceline::common::send(simulation.steps, device, access);
    CHECK(access->payload.is_response_ok());
    return simulation.steps.now() - before;
  }

 private:
  void transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& /*delay*/) {
    payload.set_response_status(tlm::TLM_OK_RESPONSE);
  }
};

}  // namespace

TEST_CASE("without translation nothing waits in the IOMMU", "[iommu]") {
  Machine machine("machine", IommuConfig());
  machine.run([&] { CHECK(machine.read(0) == 0); });
  CHECK(machine.iommu.misses() == 0);
}

TEST_CASE("the first access to a page waits for a walk and the next ones do not", "[iommu]") {
  Machine machine("machine", with_pages(kPage));
  machine.run([&] {
    CHECK(machine.read(5 * kPage) == kWalk);
    CHECK(machine.read(6 * kPage - 64) == 0);
    CHECK(machine.read(6 * kPage) == kWalk);
  });
}

TEST_CASE("an access that touches two pages waits for two walks", "[iommu]") {
  Machine machine("machine", with_pages(kPage));
  machine.run([&] {
    CHECK(machine.read(kPage - 64, 128) == 2 * kWalk);
    CHECK(machine.read(kPage - 64, 64) == 0);
  });
}

TEST_CASE("as many pages as the IOTLB has entries stay and one more drives out the oldest",
          "[iommu]") {
  Machine machine("machine", with_pages(kPage));
  machine.run([&] {
    for (std::uint64_t page = 0; page < 64; ++page) machine.read(page * kPage);
    CHECK(machine.read(0) == 0);  // page 1 is the one that was used longest ago now
    CHECK(machine.read(64 * kPage) == kWalk);
    CHECK(machine.read(0) == 0);
    CHECK(machine.read(1 * kPage) == kWalk);
  });
}

TEST_CASE("super pages reach over a window that small pages do not", "[iommu]") {
  Machine machine("machine", with_pages(kSuperPage));
  machine.run([&] {
    for (std::uint64_t round = 0; round < 2; ++round)
      for (std::uint64_t page = 0; page < (64ULL << 20) / kPage; ++page) machine.read(page * kPage);
  });
  CHECK(machine.iommu.misses() == 32);
}

}  // namespace fenceline::models_tests::test_iommu
