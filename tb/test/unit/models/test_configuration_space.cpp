#include <catch2/catch.hpp>

#include "models/abi/registers.h"
#include "models/pcie/configuration_space.h"
#include "models/pcie/host_aperture.h"

namespace fenceline::models_tests::test_configuration_space {

namespace abi = fenceline::abi;
using fenceline::pcie::ConfigurationSpace;
using fenceline::pcie::HostAperture;

namespace {

constexpr std::uint64_t kMiB = 1ULL << 20;
constexpr std::uint64_t kBase = 0x12'3000'0000;
constexpr std::uint32_t kVramBar = abi::kConfigurationBar0 + 4 * abi::kVramBar;

ConfigurationSpace space(std::uint64_t bytes, std::uint64_t largest) {
  return {{0x1000'0000, 0x2000'0000, kBase}, bytes, largest};
}
void decode(ConfigurationSpace& of, bool on) {
  of.write(abi::kConfigurationCommand, on ? abi::kCommandMemorySpace : 0U);
}
void resize(ConfigurationSpace& of, std::uint32_t code) {
  of.write(abi::kResizableBarControl, code << abi::kResizableBarSizeShift);
}

}  // namespace

TEST_CASE("the resizable-BAR capability lists sizes and names its BAR", "[pcie][memory]") {
  const ConfigurationSpace with = space(kMiB, 16 * kMiB);
  CHECK((with.read(abi::kExtendedCapabilities) & 0xFFFF) == 0x15);
  CHECK(with.read(abi::kExtendedCapabilities) >> 16 == 1);  // version 1, and no next
  CHECK(with.read(abi::kResizableBarSizes) == 0x1F0);       // 1 to 16 MiB
  const std::uint32_t control = with.read(abi::kResizableBarControl);
  CHECK((control & abi::kResizableBarIndexMask) == abi::kVramBar);
  CHECK((control >> abi::kResizableBarCountShift & 7U) == 1);
  CHECK((control >> abi::kResizableBarSizeShift & abi::kResizableBarSizeMask) == 0);
  const ConfigurationSpace without = space(kMiB, 0);
  CHECK(without.read(abi::kExtendedCapabilities) == 0);
  CHECK(without.read(abi::kResizableBarSizes) == 0);
}

TEST_CASE("the BAR follows its size only while memory space is not decoded", "[pcie][memory]") {
  ConfigurationSpace of = space(kMiB, 16 * kMiB);
  resize(of, 4);
  CHECK(of.vram_bytes() == kMiB);
  decode(of, false);
  CHECK_FALSE(of.decodes_memory());
  resize(of, 5);  // 32 MiB are not listed
  CHECK(of.vram_bytes() == kMiB);
  resize(of, 4);
  CHECK(of.vram_bytes() == 16 * kMiB);
  CHECK((of.read(abi::kResizableBarControl) >> abi::kResizableBarSizeShift) == 4);
  decode(of, true);
  CHECK(of.decodes_memory());
  CHECK(of.vram_base() == kBase);
}

TEST_CASE("ones written to a BAR read back as its size", "[pcie][memory]") {
  ConfigurationSpace of = space(8 * kMiB, 0);
  of.write(kVramBar, 0xFFFF'FFFF);
  of.write(kVramBar + 4, 0xFFFF'FFFF);
  const std::uint64_t seen =
      std::uint64_t{of.read(kVramBar + 4)} << 32 | (of.read(kVramBar) & ~0xFU);
  CHECK(~seen + 1 == 8 * kMiB);
  CHECK((of.read(kVramBar) & 0xF) == abi::kBar64Prefetchable);
  of.write(kVramBar, 0x4000'0000);
  of.write(kVramBar + 4, 0x21);
  CHECK(of.vram_base() == 0x21'4000'0000);
}

TEST_CASE("what is read only stays and there is one capability below 256", "[pcie][memory]") {
  ConfigurationSpace of = space(kMiB, 0);
  of.write(abi::kConfigurationId, 0);
  CHECK(of.read(abi::kConfigurationId) != 0);
  const std::uint32_t at = of.read(abi::kConfigurationPointer);
  CHECK((of.read(at) & 0xFF) == abi::kPowerManagementId);
  CHECK((of.read(at) >> 8 & 0xFF) == 0);
  of.write(abi::kPowerControl, abi::kPowerD3);
  CHECK(of.power_state() == abi::kPowerD3);
  CHECK(of.read(0xFFC) == 0);
}

TEST_CASE("a window page leads where its entry says and nowhere without one", "[pcie][memory]") {
  HostAperture window;
  CHECK_FALSE(window.enabled());
  window.set_entry(abi::host_aperture_entry(3, 0x1234, true));
  CHECK(window.translate(3 * 4096 + 8, 8) == 0x1234ULL * 4096 + 8);
  CHECK_FALSE(window.translate(4 * 4096, 8));
  CHECK_FALSE(window.translate(3 * 4096 + 4092, 8));  // it crosses the page
  window.set_entry(abi::host_aperture_entry(3, 7, true));
  CHECK(window.translate(3 * 4096, 8) == 7ULL * 4096);
  window.set_entry(abi::host_aperture_entry(3, 0, false));
  CHECK_FALSE(window.translate(3 * 4096, 8));
}

}  // namespace fenceline::models_tests::test_configuration_space
