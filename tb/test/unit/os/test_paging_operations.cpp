// What a driver is asked for when an allocation is moved, zeroed or mapped in the aperture segment.
#include "tb/os/vidmm/paging_operations.h"
#include "tb/test/support/os/paging_bench.h"

namespace fenceline::os::test_paging_operations {

namespace {

using Args = DXGKARG_BUILDPAGINGBUFFER;
using Flags = DXGK_TRANSFERFLAGS;
using support::Caller;
using Pages = std::vector<std::uint64_t>;

KernelOptions hasty() {
  KernelOptions options = support::managed_kernel();
  options.adapter.system.waits_for_transfers = false;
  return options;
}

/// Paging operations beside those of the kernel.
struct Bench : support::PagingBench {
  using PagingBench::PagingBench;

  template <typename Body>
  void with_paging(Body body) {
    with_kernel([&](Kernel& kernel) {
      System& system = kernel.system;
      VideoMemoryState all(system.cpu, *state().adapter, *system.contexts, system.monitored,
                           kernel.platform().system_memory(), kernel.platform().caches(), true);
      all.pager.start(*state().system, system.pages, make_fence());
      PagingOperations paging(all);
      paging.start(system.pages);
      Caller owner(kernel);
      caller = &owner;
      forget();
      body(paging);
    });
  }
  /// The driver does what it is asked for without commands.
  void ignore_operations() {
    answer = [](Args& /*args*/) { return STATUS_SUCCESS; };
  }
  /// An allocation with pages of system memory.
  Allocation& make(std::uint64_t pages, UINT flags = Allocation::Flags::kAccessedPhysically) {
    Allocation& made = caller->make(Caller::kBoth, abi::kUsedByCpu, pages * kPage);
    made.flags |= flags;
    for (std::uint64_t i = 0; i < pages; ++i)
      made.system.push_back(kernel().system.pages.allocate(kPage));
    return made;
  }
  /// The same with pages of VRAM, too. @param gap of a page before the last one
  Allocation& make_in_vram(std::uint64_t pages, bool gap = false) {
    Allocation& made = make(pages);
    for (std::uint64_t i = 0; i < pages; ++i) {
      if (gap && i + 1 == pages) vram_page();
      made.vram.push_back(vram_page());
    }
    return made;
  }
  /// Ends of a transfer: the system memory, and offset of VRAM in its segment.
  void check_ends(const DXGK_TRANSFEREND& system, const DXGK_TRANSFEREND& vram,
                  std::uint64_t page) {
    CHECK(system.SegmentId == kSystemSegment);
    CHECK(vram.SegmentId == kVramSegment);
    CHECK(static_cast<std::uint64_t>(vram.SegmentAddress.QuadPart) == in_segment(page));
  }

  Caller* caller = nullptr;
};

Pages numbers_of(const Allocation& allocation) {
  Pages result;
  for (const std::uint64_t page : allocation.system) result.push_back(page / kPage);
  return result;
}

}  // namespace

TEST_CASE("content moves to contiguous VRAM in one transfer", "[memory][paging]") {
  Bench bench;
  bench.with_paging([&](PagingOperations& paging) {
    bench.ignore_operations();
    Allocation& it = bench.make_in_vram(3);
    bench.forget();
    paging.transfer(it, true);
    REQUIRE(bench.operations.size() == 1);
    const auto& transfer = bench.operations[0].args.Transfer;
    CHECK(bench.operations[0].args.Operation == DXGK_OPERATION_TRANSFER);
    CHECK(transfer.hAllocation == it.driver_handle);
    CHECK(transfer.TransferSize == 3 * kPage);
    CHECK(transfer.TransferOffset == 0);
    CHECK(transfer.MdlOffset == 0);
    CHECK(transfer.Flags.Value ==
          (Flags::kAllocationIsIdle | Flags::kTransferStart | Flags::kTransferEnd));
    bench.check_ends(transfer.Source, transfer.Destination, it.vram[0]);
    CHECK(bench.operations[0].list == numbers_of(it));
  });
}

TEST_CASE("content moves out of scattered VRAM run by run", "[memory][paging]") {
  Bench bench;
  bench.with_paging([&](PagingOperations& paging) {
    bench.ignore_operations();
    Allocation& it = bench.make_in_vram(3, true);
    bench.forget();
    paging.transfer(it, false);
    REQUIRE(bench.operations.size() == 2);
    const auto& first = bench.operations[0].args.Transfer;
    const auto& second = bench.operations[1].args.Transfer;
    CHECK(first.TransferSize == 2 * kPage);
    CHECK(first.MdlOffset == 0);
    CHECK(first.Flags.Value == (Flags::kAllocationIsIdle | Flags::kTransferStart));
    bench.check_ends(first.Destination, first.Source, it.vram[0]);
    CHECK(second.TransferSize == kPage);
    CHECK(second.MdlOffset == 2);
    CHECK(second.Flags.Value == (Flags::kAllocationIsIdle | Flags::kTransferEnd));
    bench.check_ends(second.Destination, second.Source, it.vram[2]);
    CHECK(bench.operations[1].list == numbers_of(it));
  });
}

TEST_CASE("a transfer is complete on return and has moved the bytes", "[memory][paging]") {
  Bench bench;
  bench.with_paging([&](PagingOperations& paging) {
    Allocation& it = bench.make_in_vram(2);
    Cpu& cpu = bench.kernel().cpu();
    cpu.store(it.system[1] + 8, 42);
    cpu.drain_stores();
    paging.transfer(it, true);
    CHECK(bench.paging_context().completed == 1);
    const auto& vram = bench.state().adapter->gpu().vram().memory().bytes();
    CHECK(vram.word(it.vram[1] + 8) == 42);
  });
}

TEST_CASE("a transfer need not be complete where the OS does not wait for it", "[memory][paging]") {
  Bench bench(hasty());
  bench.with_paging([&](PagingOperations& paging) {
    Allocation& it = bench.make_in_vram(2);
    paging.transfer(it, true);
    CHECK(bench.paging_context().submitted == 1);
    CHECK(bench.paging_context().completed == 0);
  });
}

TEST_CASE("scattered new memory is zeroed run by run", "[memory][paging]") {
  Bench bench;
  bench.with_paging([&](PagingOperations& paging) {
    Allocation& it = bench.make_in_vram(3, true);
    bench.forget();
    paging.fill(it);
    REQUIRE(bench.operations.size() == 2);
    std::uint64_t page = 0;
    for (const auto& operation : bench.operations) {
      CHECK(operation.args.Operation == DXGK_OPERATION_FILL);
      const auto& fill = operation.args.Fill;
      CHECK(fill.hAllocation == it.driver_handle);
      CHECK(fill.FillPattern == 0);
      CHECK(fill.FillSize == (page == 0 ? 2 : 1) * kPage);
      CHECK(fill.Destination.SegmentId == kVramSegment);
      CHECK(static_cast<std::uint64_t>(fill.Destination.SegmentAddress.QuadPart) ==
            bench.in_segment(it.vram[page]));
      page += 2;
    }
    CHECK(bench.paging_context().completed == 1);
  });
}

TEST_CASE("the state of a context is initialised at both of its addresses", "[memory][paging]") {
  Bench bench;
  bench.with_paging([&](PagingOperations& paging) {
    Allocation& it = bench.make_in_vram(2);
    bench.forget();
    paging.init_state(it);
    REQUIRE(bench.operations.size() == 1);
    CHECK(bench.operations[0].args.Operation == DXGK_OPERATION_INIT_CONTEXT_RESOURCE);
    const auto& init = bench.operations[0].args.InitContextResource;
    CHECK(init.hAllocation == it.driver_handle);
    CHECK(init.Destination.SegmentId == kVramSegment);
    CHECK(static_cast<std::uint64_t>(init.Destination.SegmentAddress.QuadPart) ==
          bench.in_segment(it.vram[0]));
    CHECK(init.Destination.GpuVirtualAddress == it.gpu_address);
    CHECK(bench.paging_context().completed == 1);
  });
}

TEST_CASE("memory that engines access physically is mapped in the aperture segment",
          "[memory][paging]") {
  Bench bench;
  bench.with_paging([&](PagingOperations& paging) {
    Allocation& first = bench.make(3);
    Allocation& second = bench.make(2);
    bench.forget();
    paging.map_aperture(first);
    paging.map_aperture(second);
    REQUIRE(bench.operations.size() == 2);
    CHECK(bench.operations[0].args.Operation == DXGK_OPERATION_MAP_APERTURE_SEGMENT);
    const auto& map = bench.operations[0].args.MapApertureSegment;
    CHECK(map.hDevice == bench.caller->process.space->device());
    CHECK(map.hAllocation == first.driver_handle);
    CHECK(map.SegmentId == kApertureSegment);
    CHECK(map.OffsetInPages == 0);
    CHECK(map.NumberOfPages == 3);
    CHECK(map.MdlOffset == 0);
    CHECK(bench.operations[0].list == numbers_of(first));
    CHECK(bench.operations[1].args.MapApertureSegment.OffsetInPages == 3);
    CHECK(second.aperture == 3 * kPage);
  });
}

TEST_CASE("pages of the aperture segment are free again when they are unmapped",
          "[memory][paging]") {
  Bench bench;
  bench.with_paging([&](PagingOperations& paging) {
    Allocation& first = bench.make(3);
    Allocation& second = bench.make(2);
    Allocation& third = bench.make(3);
    Allocation& larger = bench.make(4);
    paging.map_aperture(first);
    paging.map_aperture(second);
    bench.forget();
    paging.unmap_aperture(first);
    REQUIRE(bench.operations.size() == 1);
    CHECK(bench.operations[0].args.Operation == DXGK_OPERATION_UNMAP_APERTURE_SEGMENT);
    const auto& unmap = bench.operations[0].args.UnmapApertureSegment;
    CHECK(unmap.hDevice == bench.caller->process.space->device());
    CHECK(unmap.hAllocation == first.driver_handle);
    CHECK(unmap.SegmentId == kApertureSegment);
    CHECK(unmap.OffsetInPages == 0);
    CHECK(unmap.NumberOfPages == 3);
    const auto dummy = static_cast<std::uint64_t>(unmap.DummyPage.QuadPart);
    CHECK(dummy != 0);
    CHECK(std::find(first.system.begin(), first.system.end(), dummy) == first.system.end());
    paging.map_aperture(larger);
    CHECK(larger.aperture == 5 * kPage);  // its pages are consecutive
    paging.map_aperture(third);
    CHECK(third.aperture == 0);
  });
}

TEST_CASE("memory that engines access by virtual addresses is not in the aperture segment",
          "[memory][paging]") {
  Bench bench;
  bench.with_paging([&](PagingOperations& paging) {
    Allocation& it = bench.make(2, 0);
    bench.forget();
    paging.map_aperture(it);
    paging.unmap_aperture(it);
    CHECK(bench.operations.empty());
    Allocation& first = bench.make(1);
    paging.map_aperture(first);
    CHECK(first.aperture == 0);
  });
}

}  // namespace fenceline::os::test_paging_operations
