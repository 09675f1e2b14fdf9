#include <catch2/catch.hpp>
#include <cstdint>
#include <string>

#include "kmd_stub/wddm/names.h"
#include "kmd_stub/wddm/wddm.h"

namespace fenceline::kmd_tests::test_wddm_names {

TEST_CASE("a status has the documented number and its name", "[wddm]") {
  using fenceline::wddm::status_name;
  const struct {
    std::uint32_t code;
    NTSTATUS status;
    std::string name;
  } rows[] = {
      {0x00000000, STATUS_SUCCESS, "STATUS_SUCCESS"},
      {0x00000102, STATUS_TIMEOUT, "STATUS_TIMEOUT"},
      {0x00000103, STATUS_PENDING, "STATUS_PENDING"},
      {0xC0000001, STATUS_UNSUCCESSFUL, "STATUS_UNSUCCESSFUL"},
      {0xC0000002, STATUS_NOT_IMPLEMENTED, "STATUS_NOT_IMPLEMENTED"},
      {0xC0000008, STATUS_INVALID_HANDLE, "STATUS_INVALID_HANDLE"},
      {0xC000000D, STATUS_INVALID_PARAMETER, "STATUS_INVALID_PARAMETER"},
      {0xC0000017, STATUS_NO_MEMORY, "STATUS_NO_MEMORY"},
      {0xC0000022, STATUS_ACCESS_DENIED, "STATUS_ACCESS_DENIED"},
      {0xC0000023, STATUS_BUFFER_TOO_SMALL, "STATUS_BUFFER_TOO_SMALL"},
      {0xC000009A, STATUS_INSUFFICIENT_RESOURCES, "STATUS_INSUFFICIENT_RESOURCES"},
      {0xC00000BB, STATUS_NOT_SUPPORTED, "STATUS_NOT_SUPPORTED"},
      {0xC0000184, STATUS_INVALID_DEVICE_STATE, "STATUS_INVALID_DEVICE_STATE"},
      {0xC00002B6, STATUS_DEVICE_REMOVED, "STATUS_DEVICE_REMOVED"},
      {0xC01E0001, STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER,
       "STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER"},
      {0xC01E0102, STATUS_GRAPHICS_ALLOCATION_BUSY, "STATUS_GRAPHICS_ALLOCATION_BUSY"},
      {0xC01E0200, STATUS_GRAPHICS_GPU_EXCEPTION_ON_DEVICE,
       "STATUS_GRAPHICS_GPU_EXCEPTION_ON_DEVICE"},
  };
  for (const auto& row : rows) {
    INFO(row.name);
    CHECK(static_cast<std::uint32_t>(row.status) == row.code);
    CHECK(status_name(row.status) == row.name);
    CHECK(NT_SUCCESS(row.status) == (row.code < 0x80000000));
  }
  CHECK(status_name(fenceline::wddm::make_status(0xC0FFEE00)) == std::string("unknown"));
}

TEST_CASE("bug checks have names", "[wddm]") {
  using fenceline::wddm::bug_check_name;
  CHECK(bug_check_name(0x119) == std::string("VIDEO_SCHEDULER_INTERNAL_ERROR"));
  CHECK(bug_check_name(0x116) == std::string("VIDEO_TDR_FAILURE"));
  CHECK(bug_check_name(0x10E) == std::string("VIDEO_MEMORY_MANAGEMENT_INTERNAL"));
  CHECK(bug_check_name(0) == std::string("unknown"));
}

TEST_CASE("the feature interface is named by its GUID", "[wddm]") {
  GUID guid{0x94BB3993, 0xC6C3, 0x4DA7, {0x89, 0x49, 0xA1, 0x13, 0x82, 0x32, 0xE7, 0x59}};
  CHECK((guid == GUID_WDDM_INTERFACE_FEATURE));
  guid.Data4[7] = 0;
  CHECK((guid != GUID_WDDM_INTERFACE_FEATURE));
}

}  // namespace fenceline::kmd_tests::test_wddm_names
