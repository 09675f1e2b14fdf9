// What the driver reports of buffers that the device has given up.
#include <catch2/catch.hpp>

#include "models/abi/registers.h"
#include "tb/test/support/mock_host_port.h"

namespace fenceline::kmd_tests::test_faults {

namespace abi = fenceline::abi;
namespace kmd_host = fenceline::kmd_host;
using fenceline::support::MockHostPort;
using fenceline::support::MockSystem;

namespace {

/// A started adapter whose node 1 has given buffer 7 up.
struct Machine {
  explicit Machine(abi::FaultCode code, std::uint64_t address = 0) {
    REQUIRE(system.start() == STATUS_SUCCESS);
    port.push_entry(7, 1, address, static_cast<std::uint32_t>(code),
                    abi::InterruptCause::kBufferFaulted);
  }
  const DXGKARGCB_NOTIFY_INTERRUPT_DATA& reported() {
    REQUIRE(system.interrupt() == TRUE);
    REQUIRE(system.notifications.size() == 1);
    CHECK(system.dpcs_queued == 1);
    return system.notifications[0].data;
  }
  MockHostPort port;
  MockSystem system{port};
};

}  // namespace

TEST_CASE("a packet that nobody knows or only the driver may have is DMA_FAULTED",
          "[kmd][interrupt]") {
  const auto [code, status] =
      GENERATE(std::make_pair(abi::FaultCode::kIllegal, STATUS_ILLEGAL_INSTRUCTION),
               std::make_pair(abi::FaultCode::kPrivileged, STATUS_PRIVILEGED_INSTRUCTION));
  Machine machine(code);
  const auto& data = machine.reported();
  CHECK(data.InterruptType == DXGK_INTERRUPT_DMA_FAULTED);
  CHECK(data.DmaFaulted.FaultedFenceId == 7);
  CHECK(data.DmaFaulted.Status == status);
  CHECK(data.DmaFaulted.NodeOrdinal == 1);
}

TEST_CASE("an address without a translation is DMA_PAGE_FAULTED with no reset due",
          "[kmd][interrupt]") {
  const auto [code, flags] =
      GENERATE(std::make_pair(abi::FaultCode::kPageRead, 0U),
               std::make_pair(abi::FaultCode::kPageWrite, UINT{DXGK_PAGE_FAULT_WRITE}));
  Machine machine(code, 0x5000);
  const auto& data = machine.reported();
  CHECK(data.InterruptType == DXGK_INTERRUPT_DMA_PAGE_FAULTED);
  CHECK(data.DmaPageFaulted.FaultedFenceId == 7);
  CHECK(data.DmaPageFaulted.FaultedVirtualAddress == 0x5000);
  CHECK(UINT{data.DmaPageFaulted.PageFaultFlags} == flags);
  CHECK(data.DmaPageFaulted.NodeOrdinal == 1);
}

TEST_CASE("a driver may name another buffer or contradict itself", "[kmd][interrupt]") {
  Machine other(abi::FaultCode::kIllegal);
  other.port.driver_policy.caps.fault_report = kmd_host::FaultReport::kLastSubmitted;
  CHECK(other.reported().DmaFaulted.FaultedFenceId != 7);
  Machine flags(abi::FaultCode::kPageRead, 0x5000);
  flags.port.driver_policy.caps.fault_report = kmd_host::FaultReport::kBadFlags;
  CHECK(UINT{flags.reported().DmaPageFaulted.PageFaultFlags} == DXGK_PAGE_FAULT_FENCE_INVALID);
}

TEST_CASE("vertical syncs are reported behind what DMA buffers have done", "[kmd][interrupt]") {
  const bool syncs_first = GENERATE(false, true);
  MockHostPort port;
  MockSystem system{port};
  REQUIRE(system.start() == STATUS_SUCCESS);
  port.driver_policy.caps.syncs_first = syncs_first;
  port.push_other_entry(abi::InterruptCause::kVerticalSync, abi::kDisplayEngine, 0x1000);
  port.push_other_entry(abi::InterruptCause::kBufferCompleted, 0, 3);
  REQUIRE(system.interrupt() == TRUE);
  REQUIRE(system.notifications.size() == 2);
  const auto first = system.notifications[0].data.InterruptType;
  CHECK(first == (syncs_first ? DXGK_INTERRUPT_CRTC_VSYNC : DXGK_INTERRUPT_DMA_COMPLETED));
}

}  // namespace fenceline::kmd_tests::test_faults
