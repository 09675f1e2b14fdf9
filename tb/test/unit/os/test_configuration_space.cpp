// The bus driver's work on the configuration space of a device: the size of the VRAM BAR.
#include <catch2/catch.hpp>

#include "models/abi/configuration.h"
#include "models/top/gpu.h"
#include "tb/os/driver/configuration_space.h"
#include "tb/test/support/os/kernel_bench.h"

namespace fenceline::os::test_configuration_space {

namespace {

constexpr std::uint64_t kMiB = 1ULL << 20;

struct Bar {
  std::uint64_t bytes;
  std::uint64_t largest;
  std::uint64_t window;
  std::uint64_t vram;
};

/// Size of the VRAM BAR for the driver after the bus driver has looked at it [bytes].
std::uint64_t sized(const Bar& bar) {
  top::PlatformConfig platform = support::small_platform();
  platform.gpus[0].vram.size_bytes = bar.vram;
  platform.gpus[0].vram_bar = {bar.bytes, bar.largest, bar.window};
  KernelOptions options = support::managed_kernel();
  options.adapter.system.resize_bar = false;
  std::uint64_t result = 0;
  support::run_in_kernel(
      [&](Kernel& kernel) {
        Adapter& adapter = kernel.adapter(0);
        HostPortModel& port = adapter.port();
        CHECK(port.vram_bar().bytes == bar.bytes);
        ConfigurationSpace(kernel.cpu(), adapter.gpu()).size_bar(port);
        CHECK(port.vram_bar().address == adapter.gpu().bars().vram);
        result = port.vram_bar().bytes;
        // Memory is decoded again, to the end of the BAR.
        const void* const last = to_kernel_address(port.vram_bar().address + result - 8);
        if (adapter.host_aperture() == nullptr) CHECK(port.read_memory(last) == 0);
        ConfigurationSpace(kernel.cpu(), adapter.gpu()).size_bar(port);
        CHECK(port.vram_bar().bytes == result);
      },
      options, platform);
  return result;
}

}  // namespace

TEST_CASE("a BAR that cannot be resized keeps its size", "[driver]") {
  CHECK(sized({kMiB, 0, 0, 4 * kMiB}) == kMiB);
}

TEST_CASE("a BAR gets the size of VRAM", "[driver]") {
  CHECK(sized({kMiB, 16 * kMiB, 0, 4 * kMiB}) == 4 * kMiB);
}

TEST_CASE("a BAR gets no size that the device does not list", "[driver]") {
  CHECK(sized({kMiB, 2 * kMiB, 0, 4 * kMiB}) == 2 * kMiB);
}

TEST_CASE("a BAR gets no more than the bridge has room for", "[driver]") {
  CHECK(sized({kMiB, 16 * kMiB, 2 * kMiB, 4 * kMiB}) == 2 * kMiB);
}

TEST_CASE("a BAR that is as large as it can be stays as it is", "[driver]") {
  CHECK(sized({4 * kMiB, 4 * kMiB, 0, 4 * kMiB}) == 4 * kMiB);
}

TEST_CASE("the power state of the function is in its configuration space", "[driver]") {
  support::run_in_kernel([](Kernel& kernel) {
    top::Gpu& gpu = kernel.adapter(0).gpu();
    ConfigurationSpace configuration(kernel.cpu(), gpu);
    const auto state = [&] {
      std::uint32_t value = 0;
      auto load = kernel.simulation().transactions.lend(
          tlm::TLM_READ_COMMAND, gpu.bars().configuration + abi::kPowerControl, &value,
          sizeof value);
      load->attributes.operation = common::Operation::kRegisterRead;
      kernel.cpu().core().access(load, common::Operation::kRegisterRead);
      return value & abi::kPowerStateMask;
    };
    CHECK(state() == 0);
    configuration.set_power(false);
    CHECK(state() == abi::kPowerD3);
    configuration.set_power(true);
    CHECK(state() == 0);
  });
}

}  // namespace fenceline::os::test_configuration_space
