#include <catch2/catch.hpp>
#include <dlfcn.h>
#include <vector>

#include "tb/test/support/mock_host_port.h"

namespace fenceline::kmd_tests::test_module {

#ifdef FENCELINE_KMD
using fenceline::support::MockHostPort;
using fenceline::support::MockSystem;

TEST_CASE("the driver can be loaded as a module and works", "[kmd][module]") {
  void* module = dlopen(FENCELINE_KMD, RTLD_NOW | RTLD_LOCAL);
  INFO(FENCELINE_KMD);
  REQUIRE(module != nullptr);
  const auto entry = reinterpret_cast<decltype(&DriverEntry)>(dlsym(module, "DriverEntry"));
  REQUIRE(entry != nullptr);
  REQUIRE(entry != &DriverEntry);
  {
    MockHostPort port;
    MockSystem system(port);
    system.ddi = {};
    REQUIRE(entry(&system.ddi) == STATUS_SUCCESS);
    CHECK(system.ddi.Version == DXGKDDI_INTERFACE_VERSION_WDDM3_2);
    REQUIRE(system.start() == STATUS_SUCCESS);
    const HANDLE os_handle = &port;
    const HANDLE fence = system.create_fence(os_handle);
    port.push_entry(0);
    CHECK(system.interrupt() == TRUE);
    REQUIRE(system.notifications.size() == 1);
    CHECK(system.notifications[0].handles == std::vector{os_handle});
    CHECK(system.destroy_fence(fence) == STATUS_SUCCESS);
  }
  CHECK(dlclose(module) == 0);
}
#endif

}  // namespace fenceline::kmd_tests::test_module
