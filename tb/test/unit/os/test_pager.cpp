// Paging buffers: what one holds, when it runs, and what a driver must not do with it.
#include "tb/os/vidmm/pager.h"
#include "tb/test/support/os/paging_bench.h"

namespace fenceline::os::test_pager {

namespace {

using Args = DXGKARG_BUILDPAGINGBUFFER;
using List = std::vector<Allocation*>;

/// A pager beside that of the kernel.
struct Bench : support::PagingBench {
  /// Runs `body` in a thread once the pager has started.
  template <typename Body>
  void with_pager(Body body) {
    with_kernel([&](Kernel& kernel) {
      System& system = kernel.system;
      Pager pager(system.cpu, *state().adapter, *system.contexts, system.monitored);
      pager.start(*state().system, system.pages, make_fence());
      target = &support::Caller(kernel).make();
      forget();
      body(pager);
    });
  }
  /// Fills a page of VRAM.
  Args fill() {
    Args args{};
    args.Operation = DXGK_OPERATION_FILL;
    args.Fill = {};
    args.Fill.hAllocation = target->driver_handle;
    args.Fill.FillSize = kPage;
    args.Fill.Destination.SegmentId = kVramSegment;
    args.Fill.Destination.SegmentAddress.QuadPart = static_cast<LONGLONG>(in_segment(vram_page()));
    return args;
  }
  void add_fill(Pager& pager) {
    Args args = fill();
    pager.build(args);
  }
  std::vector<event::ContextPacket> buffers() const { return events.of<event::ContextPacket>(); }
  /// The bug check of an operation to which the driver answers with that status.
  std::uint64_t stop_of(Pager& pager, NTSTATUS status, bool writes) {
    answer = [=](Args& args) {
      if (writes) build(args);
      return status;
    };
    Args args = fill();
    return support::memory_bug_check([&] { pager.build(args); });
  }
  /// The bug check of an operation after which the driver has moved its pointer by that much.
  std::uint64_t stop_after(Pager& pager, std::ptrdiff_t bytes) {
    answer = [=](Args& args) {
      args.pDmaBuffer = static_cast<std::byte*>(args.pDmaBuffer) + bytes;
      return STATUS_SUCCESS;
    };
    Args args = fill();
    return support::memory_bug_check([&] { pager.build(args); });
  }

  Allocation* target = nullptr;  ///< the driver knows it
};

}  // namespace

TEST_CASE("the context of paging buffers is at the paging node", "[memory][pager]") {
  Bench bench;
  bench.with_pager([&](Pager& /*pager*/) {
    const ContextQueue& context = bench.paging_context();
    CHECK(context.paging);
    CHECK(context.node == bench.state().adapter->caps().MemoryManagementCaps.PagingNode);
  });
}

TEST_CASE("the GPU reads the paging buffer in system memory and does not write it",
          "[memory][pager]") {
  Bench bench;
  bench.with_kernel([&](Kernel& kernel) {
    System& system = kernel.system;
    Pager pager(system.cpu, *bench.state().adapter, *system.contexts, system.monitored);
    const auto fence = bench.make_fence();
    bench.forget();
    pager.start(*bench.state().system, system.pages, fence);
    REQUIRE_FALSE(bench.operations.empty());
    const auto& entries = bench.operations.back().entries;
    CHECK(entries.size() * kPage == bench.state().adapter->paging_buffer_bytes());
    CHECK((entries[0].Flags & DXGK_PTE::kReadOnly) != 0);
    CHECK((entries[0].Flags & DXGK_PTE::kSegmentMask) == 0);
  });
}

TEST_CASE("an adapter without a context for paging does not start", "[memory][pager]") {
  Bench bench;
  bench.with_kernel([&](Kernel& kernel) {
    System& system = kernel.system;
    Pager pager(system.cpu, *bench.state().adapter, *system.contexts, system.monitored);
    bench.context_status = STATUS_NO_MEMORY;
    CHECK_THROWS_AS(pager.start(*bench.state().system, system.pages, bench.make_fence()),
                    StartFailure);
  });
}

TEST_CASE("operations are gathered in one paging buffer until it runs", "[memory][pager]") {
  Bench bench;
  bench.with_pager([&](Pager& pager) {
    bench.add_fill(pager);
    bench.add_fill(pager);
    CHECK(bench.buffers().empty());
    const Args& first = bench.operations.at(0).args;
    const Args& second = bench.operations.at(1).args;
    CHECK(first.DmaBufferWriteOffset == 0);
    CHECK(first.DmaSize == bench.state().adapter->paging_buffer_bytes());
    CHECK(second.DmaBufferWriteOffset != 0);
    CHECK(second.DmaSize == first.DmaSize - second.DmaBufferWriteOffset);
    CHECK(static_cast<std::byte*>(second.pDmaBuffer) ==
          static_cast<std::byte*>(first.pDmaBuffer) + second.DmaBufferWriteOffset);
    pager.run(true);
    REQUIRE(bench.buffers().size() == 1);
    CHECK(bench.buffers()[0].address == first.DmaBufferGpuVirtualAddress);
    CHECK(bench.buffers()[0].paging);
    CHECK(bench.paging_context().completed == 1);
    bench.add_fill(pager);
    CHECK(bench.operations.at(2).args.DmaBufferWriteOffset == 0);
  });
}

TEST_CASE("a paging buffer without commands is not submitted", "[memory][pager]") {
  Bench bench;
  bench.with_pager([&](Pager& pager) {
    bench.answer = [](Args& /*args*/) { return STATUS_SUCCESS; };
    bench.add_fill(pager);
    pager.run(true);
    CHECK(bench.events.of<event::ContextPacket>().empty());
    CHECK(bench.events.of<event::SoftwarePacket>().empty());
  });
}

TEST_CASE("an operation that does not fit goes on in a buffer of its own", "[memory][pager]") {
  Bench bench;
  bench.with_pager([&](Pager& pager) {
    int calls = 0;
    bench.answer = [&](Args& args) {
      CHECK(bench.paging_context().completed == (calls == 0 ? 0 : 1));
      const NTSTATUS status = bench.build(args);
      if (++calls != 1) return status;
      args.MultipassOffset = 3;
      return STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER;
    };
    Args args = bench.fill();
    args.MultipassOffset = 7;
    pager.build(args);
    REQUIRE(bench.operations.size() == 2);
    CHECK(bench.operations[0].args.MultipassOffset == 0);
    CHECK(bench.operations[1].args.MultipassOffset == 3);
    CHECK(bench.operations[1].args.DmaBufferWriteOffset == 0);
    CHECK(bench.buffers().size() == 1);
  });
}

TEST_CASE("an operation that does not fit in an empty buffer stops the machine",
          "[memory][pager]") {
  Bench bench;
  bench.with_pager([&](Pager& pager) {
    CHECK(bench.stop_of(pager, STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER, false) ==
          wddm::kMemoryPagingBufferStatus);
  });
}

TEST_CASE("an operation that the driver refuses stops the machine", "[memory][pager]") {
  Bench bench;
  bench.with_pager([&](Pager& pager) {
    CHECK(bench.stop_of(pager, STATUS_NO_MEMORY, true) == wddm::kMemoryPagingBufferStatus);
  });
}

TEST_CASE("a driver that writes behind the paging buffer stops the machine", "[memory][pager]") {
  Bench bench;
  bench.with_pager([&](Pager& pager) {
    const auto bytes = static_cast<std::ptrdiff_t>(bench.state().adapter->paging_buffer_bytes());
    CHECK(bench.stop_after(pager, bytes + 1) == wddm::kMemoryDmaBufferOverflow);
    CHECK(bench.stop_after(pager, bytes) == 0);
  });
}

TEST_CASE("a driver that takes back a part of the paging buffer stops the machine",
          "[memory][pager]") {
  Bench bench;
  bench.with_pager([&](Pager& pager) {
    CHECK(bench.stop_after(pager, 64) == 0);
    CHECK(bench.stop_after(pager, -8) == wddm::kMemoryDmaBufferOverflow);
  });
}

TEST_CASE("a paging buffer is reused when it is complete", "[memory][pager]") {
  Bench bench;
  bench.with_pager([&](Pager& pager) {
    const ContextQueue& context = bench.paging_context();
    bench.add_fill(pager);
    pager.run(false);
    CHECK(context.submitted == 1);
    CHECK(context.completed == 0);
    bench.answer = [&](Args& args) {
      CHECK(context.completed == 1);
      return bench.build(args);
    };
    bench.add_fill(pager);
    pager.run(true);
    CHECK(context.completed == 2);
  });
}

TEST_CASE("nobody waits for a paging buffer that is complete already", "[memory][pager]") {
  Bench bench;
  bench.with_pager([&](Pager& pager) {
    bench.add_fill(pager);
    pager.run(false);
    bench.kernel().cpu().sleep(common::kMillisecond);
    REQUIRE(bench.paging_context().completed == 1);
    bench.add_fill(pager);
    CHECK(bench.operations.size() == 2);
  });
}

TEST_CASE("a reset loses the allocations of the buffer that runs", "[memory][pager]") {
  Bench bench;
  bench.with_pager([&](Pager& pager) {
    Allocation first(bench.simulation().steps), second(bench.simulation().steps);
    bench.add_fill(pager);
    pager.set_subject(first);
    bench.add_fill(pager);
    pager.set_subject(second);
    bench.add_fill(pager);
    CHECK(pager.lose().empty());  // it does not run yet
    pager.run(false);
    CHECK(pager.lose() == List{&first, &second});
    CHECK(pager.lose().empty());
    bench.add_fill(pager);
    pager.run(true);
    CHECK(pager.lose().empty());
  });
}

TEST_CASE("an allocation that is destroyed is in no buffer any more", "[memory][pager]") {
  Bench bench;
  bench.with_pager([&](Pager& pager) {
    Allocation first(bench.simulation().steps), second(bench.simulation().steps);
    pager.set_subject(first);
    bench.add_fill(pager);
    pager.set_subject(second);
    bench.add_fill(pager);
    pager.forget(first);
    pager.run(false);
    CHECK(pager.lose() == List{&second});
    bench.add_fill(pager);  // still for the second
    pager.run(false);
    pager.forget(second);
    CHECK(pager.lose().empty());
    bench.add_fill(pager);
    pager.run(false);
    CHECK(pager.lose().empty());
  });
}

}  // namespace fenceline::os::test_pager
