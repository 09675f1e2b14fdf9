#include <catch2/catch.hpp>

#include "tb/os/guard/kernel_ranges.h"

namespace fenceline::os_tests::test_kernel_ranges {

using fenceline::os::KernelRanges;
using fenceline::os::kPage;

namespace {
constexpr std::uint64_t kDevice = 1ULL << 40;
}

TEST_CASE("mappings of a driver are known to the byte", "[os]") {
  KernelRanges ranges(kDevice);
  ranges.add(1000, 100);
  CHECK(ranges.contains(1000, 100));
  CHECK_FALSE(ranges.contains(999, 1));
  CHECK_FALSE(ranges.contains(1000, 101));
  CHECK_FALSE(ranges.contains(1100, 1));
  CHECK_FALSE(ranges.contains(1000, UINT64_MAX));
}

TEST_CASE("mappings that overlap are one and neighbours are not", "[os]") {
  KernelRanges ranges(kDevice);
  ranges.add(1000, 100);
  ranges.add(1100, 100);
  CHECK_FALSE(ranges.contains(1000, 200));
  ranges.add(1050, 100);
  CHECK(ranges.contains(1000, 200));
  ranges.add(1000, 100);
  CHECK(ranges.contains(1000, 200));
}

TEST_CASE("memory given by the OS is known by page", "[os]") {
  KernelRanges ranges(kDevice);
  CHECK_FALSE(ranges.contains(0, 8));
  ranges.give(3 * kPage + 16, 8);
  CHECK(ranges.contains(3 * kPage, kPage));
  CHECK_FALSE(ranges.contains(4 * kPage - 8, 16));
  CHECK_FALSE(ranges.contains(2 * kPage, 8));
  ranges.give(kDevice + kPage, 2 * kPage);
  CHECK(ranges.contains(kDevice + kPage, 2 * kPage));
  CHECK_FALSE(ranges.contains(kDevice, 8));
  CHECK_FALSE(ranges.contains(kPage, 8));
  CHECK_FALSE(ranges.contains(kDevice + kPage, UINT64_MAX));
}

}  // namespace fenceline::os_tests::test_kernel_ranges
