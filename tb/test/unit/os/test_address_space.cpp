// GPU address spaces: which addresses are handed out, and what is written to page tables.
#include <memory>
#include <stdexcept>

#include "tb/os/vidmm/address_space.h"
#include "tb/test/support/os/paging_bench.h"

namespace fenceline::os::test_address_space {

namespace {

constexpr std::uint64_t kFirst = 0x10000;  ///< first address that is handed out
constexpr std::uint64_t kTableBytes = abi::kPageTableEntries * kPage;  ///< that a leaf table maps
constexpr std::uint64_t kLow = 0x12000;                                ///< bounds of fences
constexpr std::uint64_t kHigh = kLow + 2 * kPage - 1;

/// An address space beside those of the kernel. Nothing accesses the memory that it maps.
struct Bench : support::PagingBench {
  using PagingBench::PagingBench;

  template <typename Body>
  void with_space(Body body) {
    with_kernel([&](Kernel& /*kernel*/) {
      AddressSpace space(*state().adapter, *state().vram_pages);
      space.create(false);
      forget();
      body(space);
    });
  }
  /// The updates of leaf tables so far.
  std::vector<Operation> leaves() const { return updates(0); }
  std::vector<Operation> updates(UINT level) const {
    std::vector<Operation> result;
    for (const Operation& one : operations)
      if (one.args.Operation == DXGK_OPERATION_UPDATE_PAGE_TABLE &&
          one.args.UpdatePageTable.PageTableLevel == level)
        result.push_back(one);
    return result;
  }
};

Backing pages(std::uint64_t count, bool vram = false, std::uint64_t address = 1 << 20) {
  return {vram, address, count * kPage};
}
std::uint64_t segment_of(const DXGK_PTE& entry) {
  return (entry.Flags & DXGK_PTE::kSegmentMask) >> DXGK_PTE::kSegmentShift;
}
/// With the bounds of fences.
D3DGPU_VIRTUAL_ADDRESS map_fence(AddressSpace& space, std::uint64_t count = 1,
                                 std::uint64_t low = kLow, std::uint64_t high = kHigh) {
  return space.map_between(pages(count), true, low, high, false);
}

}  // namespace

TEST_CASE("a backing has an address for the GPU and one on the bus", "[memory][space]") {
  Bench bench;
  bench.with_kernel([&](Kernel& kernel) {
    const top::Gpu& gpu = kernel.adapter(0).gpu();
    const Backing vram = pages(1, true), system = pages(1, false);
    CHECK(vram.gpu_physical() == vram.address);
    CHECK(system.gpu_physical() == (system.address | abi::kSystemMemoryBit));
    CHECK(vram.bus_address(gpu) == gpu.bars().vram + vram.address);
    CHECK(system.bus_address(gpu) == system.address);
  });
}

TEST_CASE("memory is mapped at the next addresses in whole pages", "[memory][space]") {
  Bench bench;
  bench.with_space([&](AddressSpace& space) {
    CHECK(space.map({false, 1 << 20, kPage + 1}, true) == kFirst);
    CHECK(space.map({false, 1 << 20, kPage}, true) == kFirst + 2 * kPage);
    const auto leaves = bench.leaves();
    REQUIRE(leaves.size() == 2);
    CHECK(leaves[0].entries.size() == 2);
    CHECK(leaves[0].args.UpdatePageTable.StartIndex == kFirst / kPage);
    CHECK(leaves[0].args.UpdatePageTable.hProcess == space.process());
    CHECK(leaves[0].entries[0].PageAddress == (1 << 20) / kPage);
    CHECK(leaves[0].entries[1].PageAddress == (1 << 20) / kPage + 1);
    CHECK(leaves[1].entries.size() == 1);
    CHECK(leaves[1].args.UpdatePageTable.StartIndex == kFirst / kPage + 2);
  });
}

TEST_CASE("an entry tells segment and right of its page", "[memory][space]") {
  Bench bench;
  bench.with_space([&](AddressSpace& space) {
    space.map(pages(1, false), true);
    space.map(pages(1, true), false);
    const auto leaves = bench.leaves();
    const DXGK_PTE system = leaves.at(0).entries[0], vram = leaves.at(1).entries[0];
    CHECK((system.Flags & DXGK_PTE::kValid) != 0);
    CHECK((system.Flags & DXGK_PTE::kReadOnly) == 0);
    CHECK(segment_of(system) == kSystemSegment);
    CHECK((vram.Flags & DXGK_PTE::kReadOnly) != 0);
    CHECK(segment_of(vram) == kVramSegment);
    CHECK(vram.PageAddress == bench.in_segment(1 << 20) / kPage);
  });
}

TEST_CASE("a page table is made once and linked in the table above", "[memory][space]") {
  Bench bench;
  bench.with_space([&](AddressSpace& space) {
    space.map(pages(1), true);
    CHECK(bench.updates(2).size() == 1);
    REQUIRE(bench.updates(1).size() == 1);
    const DXGK_PTE link = bench.updates(1)[0].entries[0];
    CHECK((link.Flags & DXGK_PTE::kValid) != 0);
    CHECK(segment_of(link) == kVramSegment);
    const auto bar = reinterpret_cast<std::uintptr_t>(
        bench.leaves()[0].args.UpdatePageTable.PageTableAddress.CpuVirtual);
    const auto root = reinterpret_cast<std::uintptr_t>(
        bench.updates(2)[0].args.UpdatePageTable.PageTableAddress.CpuVirtual);
    CHECK(bar - root == (link.PageTableAddress * kPage) - bench.in_segment(space.root()));
    space.map(pages(1), true);
    CHECK(bench.updates(1).size() == 1);
    space.reserve(kTableBytes / kPage);
    space.map(pages(1), true);
    CHECK(bench.updates(1).size() == 2);
    CHECK(bench.updates(1)[1].args.UpdatePageTable.StartIndex == 1);
    CHECK(bench.updates(2).size() == 1);
  });
}

TEST_CASE("a range over two page tables is written table by table", "[memory][space]") {
  Bench bench;
  bench.with_space([&](AddressSpace& space) {
    space.reserve((kTableBytes - kFirst) / kPage - 1);
    space.map_pages(kTableBytes - kPage, {5 * kPage, 3 * kPage, 9 * kPage}, false);
    const auto leaves = bench.leaves();
    REQUIRE(leaves.size() == 2);
    CHECK(leaves[0].args.UpdatePageTable.StartIndex == abi::kPageTableEntries - 1);
    REQUIRE(leaves[0].entries.size() == 1);
    CHECK(leaves[0].entries[0].PageAddress == 5);
    CHECK(leaves[1].args.UpdatePageTable.StartIndex == 0);
    REQUIRE(leaves[1].entries.size() == 2);
    CHECK(leaves[1].entries[0].PageAddress == 3);
    CHECK(leaves[1].entries[1].PageAddress == 9);
    CHECK((leaves[1].entries[1].Flags & DXGK_PTE::kReadOnly) == 0);
  });
}

TEST_CASE("an address is reused when it is unmapped and given back", "[memory][space]") {
  Bench bench;
  bench.with_space([&](AddressSpace& space) {
    const auto address = space.map(pages(1), true);
    bench.forget();
    space.unmap(address + 8);
    const auto leaves = bench.leaves();
    REQUIRE(leaves.size() == 1);
    CHECK(leaves[0].args.UpdatePageTable.StartIndex == address / kPage);
    REQUIRE(leaves[0].entries.size() == 1);
    CHECK((leaves[0].entries[0].Flags & DXGK_PTE::kValid) == 0);
    CHECK(space.map(pages(1), true) == address + kPage);
    space.give_back(address + 8);
    CHECK(space.map(pages(2), true) == address + 2 * kPage);
    CHECK(space.map(pages(1), true) == address);
    CHECK(space.map(pages(1), true) == address + 4 * kPage);
  });
}

TEST_CASE("an address space ends at the last address of its page tables", "[memory][space]") {
  Bench bench;
  bench.with_space([&](AddressSpace& space) {
    const std::uint64_t all = (1ULL << abi::kVirtualAddressBits) - kFirst;
    CHECK(space.reserve(all / kPage - 1) == kFirst);
    CHECK_THROWS_AS(space.reserve(2), std::runtime_error);
  });
}

TEST_CASE("a fence without bounds is mapped at the next address", "[memory][space]") {
  Bench bench;
  bench.with_space([&](AddressSpace& space) {
    CHECK(space.map_between(pages(1), true, 0, 0, true) == kFirst);
    CHECK(bench.leaves().size() == 1);
    CHECK(space.map_between(pages(1), true, 0, 0, false) == kFirst + kPage);
    CHECK(bench.leaves().size() == 1);  // only reserved
    CHECK(space.map(pages(1), true) == kFirst + 2 * kPage);
  });
}

TEST_CASE("fences get the addresses between their bounds and no more", "[memory][space]") {
  Bench bench;
  bench.with_space([&](AddressSpace& space) {
    CHECK(map_fence(space) == kLow);
    CHECK(map_fence(space) == kLow + kPage);
    CHECK_THROWS_AS(map_fence(space), std::runtime_error);
    space.give_back(kLow + kPage + 8);
    CHECK_THROWS_AS(map_fence(space, 2), std::runtime_error);
    CHECK(map_fence(space) == kLow + kPage);
  });
}

TEST_CASE("other memory is mapped around the addresses of fences", "[memory][space]") {
  Bench bench;
  bench.with_space([&](AddressSpace& space) {
    map_fence(space);
    CHECK(space.reserve(1) == kFirst);
    CHECK(space.reserve(1) == kFirst + kPage);  // up to the lower bound
    CHECK(space.reserve(1) == kHigh + 1);
    space.give_back(kLow);
    CHECK(space.reserve(1) == kHigh + 1 + kPage);
    CHECK(map_fence(space) == kLow);
    space.give_back(kHigh + 1);
    CHECK(space.reserve(1) == kHigh + 1);
  });
}

TEST_CASE("memory that does not fit below the addresses of fences is mapped above",
          "[memory][space]") {
  Bench bench;
  bench.with_space([&](AddressSpace& space) {
    map_fence(space);
    CHECK(space.reserve(3) == kHigh + 1);
    CHECK(space.reserve(1) == kHigh + 1 + 3 * kPage);
  });
}

TEST_CASE("a lower bound alone is rounded up and the range ends with the space",
          "[memory][space]") {
  Bench bench;
  bench.with_space([&](AddressSpace& space) {
    CHECK(map_fence(space, 1, kLow + 1, 0) == kLow + kPage);
    CHECK(map_fence(space, 4, kLow + 1, 0) == kLow + 2 * kPage);
    CHECK(space.reserve(3) == kFirst);
    CHECK_THROWS_AS(space.reserve(1), std::runtime_error);
  });
}

TEST_CASE("an upper bound alone leaves the addresses that are in use", "[memory][space]") {
  Bench bench;
  bench.with_space([&](AddressSpace& space) {
    space.reserve(3);
    CHECK(map_fence(space, 1, 0, kHigh) == kFirst + 3 * kPage);
    CHECK_THROWS_AS(map_fence(space, 1, 0, kHigh), std::runtime_error);
    CHECK(space.reserve(1) == kHigh + 1);
  });
}

TEST_CASE("the TLB is flushed for the root of the address space", "[memory][space]") {
  Bench bench;
  bench.with_space([&](AddressSpace& space) {
    space.flush_tlb();
    REQUIRE(bench.operations.size() == 1);
    CHECK(bench.operations[0].args.Operation == DXGK_OPERATION_FLUSH_TLB);
    const auto& flush = bench.operations[0].args.FlushTlb;
    CHECK(flush.hProcess == space.process());
    CHECK(flush.RootPageTableAddress.SegmentId == kVramSegment);
    CHECK(flush.RootPageTableAddress.SegmentOffset == bench.in_segment(space.root()));
  });
}

TEST_CASE("the TLB is not flushed where the OS leaves that out", "[memory][space]") {
  KernelOptions options = support::managed_kernel();
  options.adapter.system.flushes_tlb = false;
  Bench bench(options);
  bench.with_space([&](AddressSpace& space) {
    space.flush_tlb();
    CHECK(bench.operations.empty());
  });
}

TEST_CASE("a driver that cannot write a page table stops the machine", "[memory][space]") {
  Bench bench;
  bench.with_space([&](AddressSpace& space) {
    bench.answer = [](DXGKARG_BUILDPAGINGBUFFER& /*args*/) { return STATUS_NO_MEMORY; };
    CHECK(support::memory_bug_check([&] { space.map(pages(1), true); }) ==
          wddm::kMemoryPagingBufferStatus);
  });
}

TEST_CASE("a process uses an IOMMU where its context asks for one", "[memory][space]") {
  Bench bench;
  bench.with_kernel([&](Kernel& kernel) {
    const auto uses_iommu = [&] {
      AddressSpace space(kernel.adapter(0), *bench.state().vram_pages);
      space.create(false);
      CHECK_FALSE(space.is_system());
      return space.uses_iommu();
    };
    CHECK_FALSE(uses_iommu());
    bench.context_caps = DXGK_CONTEXTINFO_CAPS::kNoPatchingRequired;
    CHECK_FALSE(uses_iommu());
    bench.context_caps = DXGK_CONTEXTINFO_CAPS::kUseIoMmu;
    CHECK(uses_iommu());
  });
}

TEST_CASE("the system process uses no IOMMU", "[memory][space]") {
  Bench bench;
  bench.context_caps = DXGK_CONTEXTINFO_CAPS::kUseIoMmu;
  bench.with_kernel([&](Kernel& /*kernel*/) {
    CHECK(bench.state().system->is_system());
    CHECK_FALSE(bench.state().system->uses_iommu());
  });
}

TEST_CASE("a process is not marked as the system at the driver", "[memory][space]") {
  Bench bench;
  bench.with_space([&](AddressSpace& /*space*/) {
    CHECK(bench.created.process == 0);
    CHECK(bench.created.device == 0);
    CHECK(bench.created.context == DXGK_CREATECONTEXTFLAGS::kVirtualAddressing);
  });
}

TEST_CASE("the system process is marked at the driver", "[memory][space]") {
  KernelOptions options;  // without other processes, and without a pager
  Bench bench(options);
  bench.with_kernel([&](Kernel& /*kernel*/) {
    CHECK(bench.created.process == DXGK_CREATEPROCESSFLAGS::kSystemProcess);
    CHECK(bench.created.device == DXGK_CREATEDEVICEFLAGS::kSystemDevice);
    CHECK(bench.created.context ==
          (DXGK_CREATECONTEXTFLAGS::kVirtualAddressing | DXGK_CREATECONTEXTFLAGS::kSystemContext));
  });
}

TEST_CASE("an address space needs a context of the driver", "[memory][space]") {
  Bench bench;
  bench.with_kernel([&](Kernel& kernel) {
    AddressSpace space(kernel.adapter(0), *bench.state().vram_pages);
    bench.context_status = STATUS_NO_MEMORY;
    CHECK_THROWS_AS(space.create(false), StartFailure);
  });
}

TEST_CASE("a thread uses a new table when another one has linked it", "[memory][space]") {
  Bench bench;
  std::unique_ptr<AddressSpace> space;
  bool links = false, linked = false;
  bench.answer = [&](DXGKARG_BUILDPAGINGBUFFER& args) {
    const bool first = space != nullptr && args.UpdatePageTable.PageTableLevel != 0 && !links;
    if (!first) return bench.build(args);
    links = true;
    bench.kernel().cpu().sleep(common::kMicrosecond);
    linked = true;
    return bench.build(args);
  };
  const auto create = [&](Kernel&) {
    auto made = std::make_unique<AddressSpace>(*bench.state().adapter, *bench.state().vram_pages);
    made->create(false);
    space = std::move(made);
    space->map(pages(1), true);
  };
  const auto follow = [&](Kernel& kernel) {
    while (!links) kernel.cpu().sleep(100 * common::kNanosecond);
    space->map(pages(1), true);
    CHECK(linked);
  };
  bench.run({create, follow});
}

}  // namespace fenceline::os::test_address_space
