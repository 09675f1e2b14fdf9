// Flips: the driver's part.
#include <catch2/catch.hpp>

#include "models/abi/packets.h"
#include "tb/test/support/mock_host_port.h"

namespace fenceline::kmd_tests::test_display {

namespace abi = fenceline::abi;
using fenceline::support::MockHostPort;
using fenceline::support::MockSystem;

namespace {

constexpr std::uint64_t kPrimaryBytes = 8ULL << 20;
constexpr LONGLONG kPrimary = 0x4000000;

struct Machine {
  explicit Machine(bool mmio = true, bool display = true) {
    if (display) port.registers[abi::kHardwareCaps] |= abi::kHasDisplay;
    port.registers[abi::kDisplayMode] = kPrimaryBytes;
    port.driver_policy.caps.flip_on_vsync_mmio = mmio;
    REQUIRE(system.start() == STATUS_SUCCESS);
  }
  NTSTATUS set_address(LONGLONG address, UINT flags = 0, UINT source = 0) {
    DXGKARG_SETVIDPNSOURCEADDRESS args{};
    args.VidPnSourceId = source;
    args.PrimaryAddress.QuadPart = address;
    args.Flags.Value = flags;
    port.irql = DEVICE_LEVEL;
    const NTSTATUS status = system.ddi.DxgkDdiSetVidPnSourceAddress(system.adapter, &args);
    port.irql = PASSIVE_LEVEL;
    return status;
  }
  DXGK_FLIPCAPS flip_caps() {
    DXGK_DRIVERCAPS caps{};
    DXGKARG_QUERYADAPTERINFO args{};
    args.Type = DXGKQAITYPE_DRIVERCAPS;
    args.pOutputData = &caps;
    args.OutputDataSize = sizeof caps;
    REQUIRE(system.ddi.DxgkDdiQueryAdapterInfo(system.adapter, &args) == STATUS_SUCCESS);
    return caps.FlipCaps;
  }
  DXGKARG_PRESENT present_arguments(UINT interval = 1) {
    DXGKARG_PRESENT args{};
    args.pDmaBuffer = fenceline::support::opaque(kBuffer);
    args.DmaSize = 4096;
    args.FlipInterval = interval;
    args.Flags.Value = DXGK_PRESENTFLAGS::kFlip;
    args.PrimaryAddress.QuadPart = kPrimary;
    return args;
  }
  static constexpr std::uint64_t kBuffer = 0x7000000;

  MockHostPort port;
  MockSystem system{port};
};

}  // namespace

TEST_CASE("flips by MMIO are in the caps of an adapter with a display", "[kmd][display]") {
  CHECK(Machine().flip_caps().Value ==
        (DXGK_FLIPCAPS::kFlipOnVSyncMmIo | DXGK_FLIPCAPS::kFlipImmediateMmIo));
  CHECK(Machine(false).flip_caps().Value == 0);
  CHECK(Machine(true, false).flip_caps().Value == 0);
}

TEST_CASE("the address of a flip goes to its register", "[kmd][display]") {
  Machine machine;
  CHECK(machine.set_address(kPrimary) == STATUS_SUCCESS);
  CHECK(machine.port.registers[abi::kDisplayPrimary] == kPrimary);
  CHECK(machine.set_address(kPrimary, DXGK_SETVIDPNSOURCEADDRESS_FLAGS::kFlipImmediate) ==
        STATUS_SUCCESS);
  CHECK(machine.port.registers[abi::kDisplayPrimary] == (kPrimary | abi::kFlipImmediate));
}

TEST_CASE("a primary that cannot be is refused", "[kmd][display]") {
  Machine machine;
  CHECK(machine.set_address(0) == STATUS_INVALID_PARAMETER);
  CHECK(machine.set_address(kPrimary + 8) == STATUS_INVALID_PARAMETER);
  CHECK(machine.set_address(static_cast<LONGLONG>(machine.port.registers[abi::kVramBytes] -
                                                  kPrimaryBytes + 4096)) ==
        STATUS_INVALID_PARAMETER);
  CHECK(machine.set_address(kPrimary, 0, 1) == STATUS_INVALID_PARAMETER);
  CHECK(machine.port.registers[abi::kDisplayPrimary] == 0);
  Machine blind(true, false);
  CHECK(blind.set_address(kPrimary) == STATUS_NOT_SUPPORTED);
}

TEST_CASE("vertical syncs are reported with the address behind what buffers have done",
          "[kmd][display]") {
  Machine machine;
  machine.port.push_other_entry(abi::InterruptCause::kVerticalSync, abi::kDisplayEngine, kPrimary);
  machine.port.push_other_entry(abi::InterruptCause::kBufferCompleted, 0, 7);
  REQUIRE(machine.system.interrupt() == TRUE);
  const auto& notified = machine.system.notifications;
  REQUIRE(notified.size() == 2);
  CHECK(notified[0].data.InterruptType == DXGK_INTERRUPT_DMA_COMPLETED);
  CHECK(notified[1].data.InterruptType == DXGK_INTERRUPT_CRTC_VSYNC);
  CHECK(notified[1].data.CrtcVsync.PhysicalAddress.QuadPart == kPrimary);
  CHECK(machine.system.dpcs_queued == 1);
}

TEST_CASE("only vertical syncs can be switched", "[kmd][display]") {
  Machine machine;
  const auto control = [&](DXGK_INTERRUPT_TYPE type, BOOLEAN on) {
    return machine.system.ddi.DxgkDdiControlInterrupt(machine.system.adapter, type, on);
  };
  CHECK(control(DXGK_INTERRUPT_CRTC_VSYNC, TRUE) == STATUS_SUCCESS);
  CHECK(machine.port.registers[abi::kDisplayInterrupt] == 1);
  CHECK(control(DXGK_INTERRUPT_CRTC_VSYNC, FALSE) == STATUS_SUCCESS);
  CHECK(machine.port.registers[abi::kDisplayInterrupt] == 0);
  CHECK(control(DXGK_INTERRUPT_DMA_COMPLETED, TRUE) == STATUS_NOT_IMPLEMENTED);
}

TEST_CASE("a flip by MMIO needs no DMA buffer and another one waits for blanking in it",
          "[kmd][display]") {
  Machine machine;
  DXGKARG_PRESENT args = machine.present_arguments();
  args.pDmaBuffer = nullptr;
  CHECK(machine.system.ddi.DxgkDdiPresent(machine.system.adapter, &args) == STATUS_SUCCESS);
  Machine old(false);
  args = old.present_arguments();
  CHECK(old.system.ddi.DxgkDdiPresent(old.system.adapter, &args) == STATUS_SUCCESS);
  CHECK(args.pDmaBuffer == fenceline::support::opaque(Machine::kBuffer + 24));
  CHECK((old.port.memory[Machine::kBuffer] & 0xFFFF) ==
        static_cast<std::uint64_t>(abi::Opcode::kWaitBlank));
  CHECK((old.port.memory[Machine::kBuffer + 8] & 0xFFFF) ==
        static_cast<std::uint64_t>(abi::Opcode::kFlip));
  CHECK(old.port.memory[Machine::kBuffer + 16] == kPrimary);
  args = old.present_arguments(0);
  CHECK(old.system.ddi.DxgkDdiPresent(old.system.adapter, &args) == STATUS_SUCCESS);
  CHECK(args.pDmaBuffer == fenceline::support::opaque(Machine::kBuffer + 16));
  args = old.present_arguments();
  args.DmaSize = 16;
  CHECK(old.system.ddi.DxgkDdiPresent(old.system.adapter, &args) ==
        STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER);
  args.Flags.Value = DXGK_PRESENTFLAGS::kBlt;
  CHECK(old.system.ddi.DxgkDdiPresent(old.system.adapter, &args) == STATUS_NOT_SUPPORTED);
}

}  // namespace fenceline::kmd_tests::test_display
