// Presents of user mode.
#include <catch2/catch.hpp>

#include "tb/os/calls/present_calls.h"
#include "tb/test/support/os/kernel_bench.h"
#include "tb/test/support/os/scripted_driver.h"

namespace fenceline::os::test_present_calls {

namespace {

using support::KernelBench;
using support::ScriptedDriver;

constexpr UINT kDmaBytes = 4096;

top::PlatformConfig with_display() {
  top::PlatformConfig platform = support::small_platform();
  platform.gpus[0].display.refresh_period = 16 * common::kMillisecond;
  return platform;
}

KernelOptions flipping(bool mmio) {
  KernelOptions options = support::managed_kernel();
  options.driver_caps.emplace_back();
  options.driver_caps[0].flip_on_vsync_mmio = mmio;
  return options;
}

/// A context that draws, and a driver that only records presents.
struct Presenter {
  explicit Presenter(Kernel& of) : kernel(of), process(of.devices.create_process("app", 0)) {
    ScriptedDriver::replace<Ddi::DxgkDdiPresent>([this](HANDLE, DXGKARG_PRESENT* present) {
      built.push_back(*present);
      if (on_build) on_build();
      if (present->DmaSize != 0)
        present->pDmaBuffer = static_cast<BYTE*>(present->pDmaBuffer) + written;
      return status;
    });
    D3DKMT_CREATECONTEXTVIRTUAL context{};
    context.hDevice = process.device();
    REQUIRE(kernel.contexts.D3DKMTCreateContextVirtual(process, context) == STATUS_SUCCESS);
    args.hContext = context.hContext;
    args.PresentLimit = 100;
    args.FlipInterval = 1;
    args.PrimaryAddress.QuadPart = 0x10000;
  }
  NTSTATUS present() { return kernel.presents.D3DKMTPresent(process, args); }
  ContextQueue& context() { return *process.context(args.hContext); }

  Kernel& kernel;
  Process& process;
  D3DKMT_PRESENT args{};
  std::vector<DXGKARG_PRESENT> built;
  NTSTATUS status = STATUS_SUCCESS;
  std::int64_t written = 64;
  std::function<void()> on_build;
};

void with_presenter(bool mmio, const std::function<void(Presenter&, KernelBench&)>& body,
                    const top::PlatformConfig& platform = with_display()) {
  KernelBench bench(flipping(mmio), platform, &ScriptedDriver::entry);
  bench.run({[&](Kernel& kernel) {
    Presenter presenter(kernel);
    body(presenter, bench);
  }});
}

std::size_t presents(const KernelBench& bench) { return bench.events.of<event::Present>().size(); }

}  // namespace

TEST_CASE("a present without a DMA buffer queues a flip", "[calls]") {
  with_presenter(true, [](Presenter& it, KernelBench& bench) {
    std::vector<DXGKARG_SETVIDPNSOURCEADDRESS> shown;
    ScriptedDriver::replace<Ddi::DxgkDdiSetVidPnSourceAddress>([&](HANDLE, const auto* address) {
      shown.push_back(*address);
      return STATUS_SUCCESS;
    });
    CHECK(it.present() == STATUS_SUCCESS);
    REQUIRE(it.built.size() == 1);
    CHECK(it.built[0].pDmaBuffer == nullptr);
    CHECK(it.built[0].DmaSize == 0);
    CHECK(it.built[0].FlipInterval == 1);
    CHECK(it.built[0].Flags.Value == DXGK_PRESENTFLAGS::kFlip);
    CHECK(it.built[0].PrimaryAddress.QuadPart == 0x10000);
    CHECK(presents(bench) == 1);
    CHECK(it.context().submitted == 0);
    REQUIRE(shown.size() == 1);
    CHECK(shown[0].Flags.Value == DXGK_SETVIDPNSOURCEADDRESS_FLAGS::kFlipOnNextVSync);
  });
}

TEST_CASE("a present with interval 0 is shown at once", "[calls]") {
  with_presenter(true, [](Presenter& it, KernelBench&) {
    UINT flags = 0;
    ScriptedDriver::replace<Ddi::DxgkDdiSetVidPnSourceAddress>([&](HANDLE, const auto* address) {
      flags = address->Flags.Value;
      return STATUS_SUCCESS;
    });
    it.args.FlipInterval = 0;
    CHECK(it.present() == STATUS_SUCCESS);
    CHECK(flags == DXGK_SETVIDPNSOURCEADDRESS_FLAGS::kFlipImmediate);
  });
}

TEST_CASE("a present wakes the adapter and a pending flip keeps it in D0", "[calls]") {
  with_presenter(true, [](Presenter& it, KernelBench&) {
    ScriptedDriver::replace<Ddi::DxgkDdiSetVidPnSourceAddress>(
        [](HANDLE, const auto*) { return STATUS_SUCCESS; });
    AdapterPower& power = *it.kernel.system.adapters[0].power;
    REQUIRE(power.set(false) == STATUS_SUCCESS);
    it.on_build = [&] { CHECK(power.on()); };
    CHECK(it.present() == STATUS_SUCCESS);
    CHECK(power.on());
    CHECK(power.set(false) == STATUS_INVALID_DEVICE_STATE);
    it.kernel.system.adapters[0].flips->synced(0x10000);
    CHECK(power.set(false) == STATUS_SUCCESS);
  });
}

TEST_CASE("a present that is refused does not reach the driver", "[calls]") {
  with_presenter(true, [](Presenter& it, KernelBench& bench) {
    it.args.FlipInterval = 2;
    CHECK(it.present() == STATUS_INVALID_PARAMETER);
    it.args.FlipInterval = 1;
    ++it.args.hContext;
    CHECK(it.present() == STATUS_INVALID_HANDLE);
    --it.args.hContext;
    it.context().ended = true;
    CHECK(it.present() == STATUS_DEVICE_REMOVED);
    it.context().ended = false;
    CHECK(it.built.empty());
    it.status = STATUS_NO_MEMORY;
    CHECK(it.present() == STATUS_NO_MEMORY);
    CHECK(presents(bench) == 0);
  });
}

TEST_CASE("an adapter without a display shows nothing", "[calls]") {
  with_presenter(
      true,
      [](Presenter& it, KernelBench&) {
        CHECK(it.present() == STATUS_NOT_SUPPORTED);
        CHECK(it.built.empty());
      },
      support::small_platform());
}

TEST_CASE("an adapter whose driver has no source shows nothing", "[calls]") {
  using Start = ScriptedDriver;
  Start::replace<Ddi::DxgkDdiStartDevice>([](PVOID context, DXGK_START_INFO* info,
                                             DXGKRNL_INTERFACE* functions, ULONG* sources,
                                             ULONG* children) {
    const NTSTATUS status =
        Start::stub<Ddi::DxgkDdiStartDevice>()(context, info, functions, sources, children);
    *sources = 0;
    return status;
  });
  with_presenter(true, [](Presenter& it, KernelBench&) {
    CHECK(it.present() == STATUS_NOT_SUPPORTED);
    CHECK(it.built.empty());
  });
}

TEST_CASE("a source without a display shows nothing", "[calls]") {
  using Start = ScriptedDriver;
  Start::answer<Ddi::DxgkDdiControlInterrupt>(STATUS_SUCCESS);
  Start::replace<Ddi::DxgkDdiStartDevice>([](PVOID context, DXGK_START_INFO* info,
                                             DXGKRNL_INTERFACE* functions, ULONG* sources,
                                             ULONG* children) {
    const NTSTATUS status =
        Start::stub<Ddi::DxgkDdiStartDevice>()(context, info, functions, sources, children);
    *sources = 1;
    return status;
  });
  with_presenter(
      true,
      [](Presenter& it, KernelBench&) {
        REQUIRE(it.kernel.adapter(0).has_source());
        CHECK(it.present() == STATUS_NOT_SUPPORTED);
      },
      support::small_platform());
}

TEST_CASE("a flip of a DMA buffer goes through the context", "[calls]") {
  with_presenter(false, [](Presenter& it, KernelBench& bench) {
    it.context().holds = 1;  // it stays in the queue
    CHECK(it.present() == STATUS_SUCCESS);
    CHECK(it.present() == STATUS_SUCCESS);
    REQUIRE(it.built.size() == 2);
    CHECK(it.built[0].DmaSize == kDmaBytes);
    CHECK(it.built[0].pDmaBuffer != it.built[1].pDmaBuffer);
    CHECK(presents(bench) == 2);
    REQUIRE(it.context().packets.size() == 2);
    CHECK(it.context().packets[0].flips);
    CHECK(it.context().packets[0].bytes == 64);
    CHECK(it.context().packets[0].address == it.process.flip_buffers[0].address);
    it.context().holds = 0;
    it.context().packets.clear();
  });
}

TEST_CASE("a flip whose buffer the driver does not build is not queued", "[calls]") {
  with_presenter(false, [](Presenter& it, KernelBench& bench) {
    it.status = STATUS_NO_MEMORY;
    CHECK(it.present() == STATUS_NO_MEMORY);
    it.status = STATUS_SUCCESS;
    for (const std::int64_t outside : {std::int64_t{kDmaBytes} + 1, std::int64_t{-1}}) {
      it.written = outside;
      CHECK(it.present() == STATUS_UNSUCCESSFUL);
    }
    CHECK(bench.events.of<event::DriverMisuse>().size() == 2);
    CHECK(presents(bench) == 0);
    CHECK(it.context().submitted == 0);
    it.context().holds = 1;
    it.written = kDmaBytes;  // all of it
    CHECK(it.present() == STATUS_SUCCESS);
    CHECK(it.context().packets.size() == 1);
    it.context().packets.clear();
  });
}

TEST_CASE("a flip takes a buffer that no other flip uses", "[calls]") {
  with_presenter(false, [](Presenter& it, KernelBench&) {
    ContextQueue& context = it.context();
    context.holds = 1;
    for (const NTSTATUS status :
         {STATUS_SUCCESS, STATUS_SUCCESS, STATUS_NO_MEMORY, STATUS_SUCCESS}) {
      it.status = status;
      CHECK(it.present() == status);
    }
    const auto buffer = [&](std::size_t number) { return it.built.at(number).pDmaBuffer; };
    CHECK(buffer(0) != buffer(1));
    CHECK(buffer(2) != buffer(0));
    CHECK(buffer(2) != buffer(1));
    CHECK(buffer(3) == buffer(2));  // the driver has not built the third flip
    context.completed = 1;
    CHECK(it.present() == STATUS_SUCCESS);
    CHECK(buffer(4) == buffer(0));
    CHECK(it.process.flip_buffers.size() == 3);
    context.completed = 0;
    context.packets.clear();
  });
}

TEST_CASE("a thread that presents meanwhile takes a buffer of its own", "[calls]") {
  with_presenter(false, [](Presenter& it, KernelBench&) {
    it.context().holds = 1;
    it.on_build = [&] {
      it.on_build = nullptr;
      CHECK(it.present() == STATUS_SUCCESS);
    };
    CHECK(it.present() == STATUS_SUCCESS);
    REQUIRE(it.built.size() == 2);
    CHECK(it.built[0].pDmaBuffer != it.built[1].pDmaBuffer);
    it.context().packets.clear();
  });
}

}  // namespace fenceline::os::test_present_calls
