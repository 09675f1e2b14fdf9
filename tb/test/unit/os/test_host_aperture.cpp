#include <catch2/catch.hpp>
#include <stdexcept>

#include "tb/os/driver/bug_check.h"
#include "tb/os/vidmm/host_aperture.h"
#include "tb/test/support/os/kernel_bench.h"

namespace fenceline::os::test_host_aperture {

namespace {

using support::memory_bug_check;
using Pages = std::vector<std::uint32_t>;

constexpr std::uint64_t kBar = 1 << 20;
constexpr std::uint64_t kAt = 2 << 20;  ///< VRAM that the tests map

/// A page manager beside that of the kernel, on a machine with a small VRAM BAR.
template <typename Body>
void with_window(std::uint32_t pages, Body body, bool tracks = true) {
  support::KernelBench bench(support::managed_kernel(), support::small_platform(kBar));
  bench.run({[&](Kernel& kernel) {
    HostAperture window(kernel.adapter(0), pages, tracks);
    bench.events.all.clear();
    body(window, bench.events);
  }});
}

std::vector<std::uint64_t> vram(std::uint64_t pages, std::uint64_t first = kAt) {
  std::vector<std::uint64_t> result;
  for (std::uint64_t i = 0; i < pages; ++i) result.push_back(first + i * kPage);
  return result;
}

}  // namespace

TEST_CASE("a window keeps a sixteenth of its pages for kernel mode", "[aperture]") {
  with_window(64, [](HostAperture& window, auto& /*events*/) { CHECK(window.free_pages() == 60); });
}

TEST_CASE("a large window keeps 32 pages for kernel mode", "[aperture]") {
  with_window(1024,
              [](HostAperture& window, auto& /*events*/) { CHECK(window.free_pages() == 992); });
}

TEST_CASE("an allocation gets the lowest free pages of the window", "[aperture]") {
  with_window(64, [](HostAperture& window, auto& /*events*/) {
    CHECK(window.map(nullptr, vram(3)) == Pages{0, 1, 2});
    CHECK(window.map(nullptr, vram(1, kAt + 3 * kPage)) == Pages{3});
    window.unmap({1});
    CHECK(window.map(nullptr, vram(2, kAt + 4 * kPage)) == Pages{1, 4});
    CHECK(window.free_pages() == 60 - 5);
  });
}

TEST_CASE("an allocation gets all pages of the window but the reserve", "[aperture]") {
  with_window(64, [](HostAperture& window, auto& events) {
    CHECK_FALSE(window.map(nullptr, vram(61)));
    CHECK(events.template of<event::HostAperture>().empty());
    CHECK(window.map(nullptr, vram(60)));
    CHECK(window.free_pages() == 0);
    CHECK_FALSE(window.map(nullptr, vram(1, kAt + 60 * kPage)));
  });
}

TEST_CASE("kernel mode may use the reserve of the window", "[aperture]") {
  with_window(64, [](HostAperture& window, auto& /*events*/) {
    REQUIRE(window.map(nullptr, vram(60)));
    window.map_for_kernel(kAt + 60 * kPage, 4 * kPage);
    CHECK(window.free_pages() == 0);
    CHECK(window.kernel_offset(kAt + 61 * kPage + 8) == 61 * kPage + 8);
    CHECK_THROWS_AS(window.map_for_kernel(kAt + 64 * kPage, 1), std::invalid_argument);
    window.unmap({0});
    CHECK(window.free_pages() == 0);  // the reserve comes first
    window.map_for_kernel(kAt + 64 * kPage, 1);
    CHECK(window.kernel_offset(kAt + 64 * kPage) == 0);
  });
}

TEST_CASE("kernel mode maps each page that its range touches once", "[aperture]") {
  with_window(64, [](HostAperture& window, auto& /*events*/) {
    window.map_for_kernel(kAt + kPage - 8, 16);
    CHECK(window.free_pages() == 58);
    window.map_for_kernel(kAt, 2 * kPage);
    CHECK(window.map(nullptr, vram(1, kAt + 2 * kPage)) == Pages{2});
    CHECK(window.kernel_offset(kAt + 8) == 8);
    CHECK(window.kernel_offset(kAt + kPage) == kPage);
    CHECK_THROWS(window.kernel_offset(kAt + 3 * kPage));
  });
}

TEST_CASE("each page of the window is reported with what it shows", "[aperture]") {
  with_window(64, [](HostAperture& window, auto& events) {
    window.map(nullptr, vram(2));
    window.unmap({1});
    const auto seen = events.template of<event::HostAperture>();
    REQUIRE(seen.size() == 3);
    CHECK(seen[0].page == 0);
    CHECK(seen[0].vram == kAt / kPage);
    CHECK(seen[0].mapped);
    CHECK(seen[1].vram == kAt / kPage + 1);
    CHECK(seen[2].page == 1);
    CHECK(seen[2].vram == 0);
    CHECK_FALSE(seen[2].mapped);
  });
}

TEST_CASE("nothing is unmapped for an empty list", "[aperture]") {
  with_window(64, [](HostAperture& window, auto& events) {
    const std::size_t calls = events.all.size();
    window.unmap({});
    CHECK(events.all.size() == calls);
  });
}

TEST_CASE("a page of the window that nobody has is not given back", "[aperture]") {
  with_window(64, [](HostAperture& window, auto& /*events*/) {
    REQUIRE(window.map(nullptr, vram(1)));
    CHECK(memory_bug_check([&] { window.unmap({1}); }) == wddm::kMemoryHostApertureFree);
    CHECK(memory_bug_check([&] { window.unmap({0}); }) == 0);
    CHECK(memory_bug_check([&] { window.unmap({0}); }) == wddm::kMemoryHostApertureFree);
  });
}

TEST_CASE("a page of the window shows one page of VRAM", "[aperture]") {
  with_window(64, [](HostAperture& window, auto& /*events*/) {
    REQUIRE(window.map(nullptr, vram(1)));
    CHECK(memory_bug_check([&] { window.show(nullptr, {0}, vram(1, kAt + kPage)); }) ==
          wddm::kMemoryHostApertureMappedTwice);
  });
}

TEST_CASE("a page manager with the fault forgets who has a page of the window", "[aperture]") {
  with_window(
      64,
      [](HostAperture& window, auto& /*events*/) {
        CHECK(window.map(nullptr, vram(1)) == Pages{0});
        CHECK(window.map(nullptr, vram(1, kAt + kPage)) == Pages{0});
        CHECK(memory_bug_check([&] { window.unmap({5}); }) == 0);
      },
      false);
}

TEST_CASE("hidden pages of the window keep their owner and show nothing", "[aperture]") {
  with_window(64, [](HostAperture& window, auto& /*events*/) {
    const auto pages = window.map(nullptr, vram(2));
    REQUIRE(pages);
    CHECK(memory_bug_check([&] { window.check_empty(); }) == wddm::kMemoryHostApertureMappedAtD3);
    window.hide(*pages);
    window.check_empty();
    CHECK(window.free_pages() == 58);
    window.give_back(*pages);
    CHECK(window.free_pages() == 60);
  });
}

TEST_CASE("mappings of kernel mode are away during D3 and come back", "[aperture]") {
  with_window(64, [](HostAperture& window, auto& events) {
    window.sleep();
    window.wake();
    CHECK(events.template of<event::HostAperture>().empty());  // nothing is mapped yet
    window.map_for_kernel(kAt, 2 * kPage);
    window.sleep();
    window.check_empty();
    events.all.clear();
    window.wake();
    const auto seen = events.template of<event::HostAperture>();
    REQUIRE(seen.size() == 2);
    CHECK(seen[0].page == 0);
    CHECK(seen[1].vram == kAt / kPage + 1);
    CHECK(seen[1].mapped);
    CHECK(window.kernel_offset(kAt) == 0);
  });
}

}  // namespace fenceline::os::test_host_aperture
