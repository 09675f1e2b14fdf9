// Memory that a driver allocates for the state of contexts: whose it is, and whether it moves.
#include "tb/os/vidmm/context_memory.h"
#include "tb/test/support/os/paging_bench.h"

namespace fenceline::os::test_context_memory {

namespace {

using Args = DXGKARGCB_CREATECONTEXTALLOCATION;
using event::Placement;
using support::Caller;

KernelOptions fed_contexts() {
  KernelOptions options;
  options.contexts = true;
  return options;
}
KernelOptions hardware_contexts() {
  KernelOptions options = support::managed_kernel();
  options.adapter.system.context_scheduling.enabled = true;
  return options;
}

/// A driver that asks for memory. It builds no commands for it.
struct Bench : support::PagingBench {
  using PagingBench::PagingBench;

  template <typename Body>
  void with_memory(Body body) {
    with_kernel([&](Kernel& kernel) {
      Caller owner(kernel);
      caller = &owner;
      answer = [](DXGKARG_BUILDPAGINGBUFFER& /*args*/) { return STATUS_SUCCESS; };
      body(kernel.context_memory);
    });
  }
  /// For a context.
  static Args args_for(HANDLE context, SIZE_T bytes = kPage + 1) {
    Args args{};
    args.hContext = context;
    args.Size = bytes;
    args.SupportedSegmentSet = Caller::kBoth;
    args.PreferredSegment = kVramSegment;
    return args;
  }
  /// For all contexts of a device.
  static Args args_for_device(HANDLE device, SIZE_T bytes = kPage + 1) {
    Args args = args_for(nullptr, bytes);
    args.ContextAllocationFlags.Value = DXGK_CREATECONTEXTALLOCATIONFLAGS::kSharedAcrossContexts;
    args.hDevice = device;
    return args;
  }
  Process& process() const { return caller->process; }

  Caller* caller = nullptr;
};

NTSTATUS create(ContextMemory& memory, Args args) { return memory.create(args); }

}  // namespace

TEST_CASE("memory of a context names a context and shared memory names none",
          "[memory][context_memory]") {
  Bench bench;
  bench.with_memory([&](ContextMemory& memory) {
    CHECK(create(memory, Bench::args_for(nullptr)) == STATUS_INVALID_PARAMETER);
    Args both = Bench::args_for_device(bench.process().space.get());
    both.hContext = &bench.process();
    CHECK(create(memory, both) == STATUS_INVALID_PARAMETER);
    CHECK(bench.process().states.empty());
    CHECK(bench.process().device_states.empty());
  });
}

TEST_CASE("a context without a process gets no memory", "[memory][context_memory]") {
  Bench bench;
  bench.with_memory([&](ContextMemory& memory) {
    CHECK(create(memory, Bench::args_for(&memory)) == STATUS_NOT_SUPPORTED);
    CHECK(create(memory, Bench::args_for(&memory, 0)) == STATUS_NOT_SUPPORTED);
    CHECK(create(memory, Bench::args_for(&bench.process(), 0)) == STATUS_INVALID_PARAMETER);
  });
}

TEST_CASE("without a memory manager the state of a context is in fixed VRAM",
          "[memory][context_memory]") {
  Bench bench(fed_contexts());
  bench.with_memory([&](ContextMemory& memory) {
    Caller other(bench.kernel());
    const std::uint64_t left = bench.state().vram_pages->left();
    Args args = Bench::args_for(&bench.process());
    CHECK(memory.create(args) == STATUS_SUCCESS);
    CHECK(args.hAllocation == &bench.process());
    CHECK(bench.process().space->reserve(1) == args.GpuVirtualAddress + 2 * kPage);
    CHECK(bench.state().vram_pages->left() <= left - 2 * kPage);
    CHECK(bench.process().states.empty());
    REQUIRE_FALSE(bench.operations.empty());
    CHECK(bench.operations.back().entries.size() == 2);
    CHECK((bench.operations.back().entries[0].Flags & DXGK_PTE::kReadOnly) == 0);
  });
}

TEST_CASE("the memory manager keeps the state of a context for its process",
          "[memory][context_memory]") {
  Bench bench;
  bench.with_memory([&](ContextMemory& memory) {
    Caller other(bench.kernel());
    Args args = Bench::args_for(&bench.process());
    args.hDriverAllocation = &bench;
    CHECK(memory.create(args) == STATUS_SUCCESS);
    REQUIRE(bench.process().states.size() == 1);
    const Allocation& made = *bench.process().states[0];
    CHECK(args.hAllocation == &made);
    CHECK(args.GpuVirtualAddress == made.gpu_address);
    CHECK(made.process == &bench.process());
    CHECK(made.driver_handle == &bench);
    CHECK(made.of_context);
    CHECK(made.pages == 2);
    CHECK(made.placement == Placement::kVram);
    CHECK(bench.process().states_made.at(bench.simulation().steps.current()) == &made);
    CHECK(other.process.states.empty());
    Args next = Bench::args_for(&bench.process(), kPage);
    CHECK(memory.create(next) == STATUS_SUCCESS);
    CHECK(bench.process().states[1]->pages == 1);
    CHECK(bench.process().states[1]->number == made.number + 1);
  });
}

TEST_CASE("a state that has no room anywhere is refused", "[memory][context_memory]") {
  Bench bench;
  bench.with_memory([&](ContextMemory& memory) {
    Args args = Bench::args_for(&bench.process(), 8 << 20);
    args.SupportedSegmentSet = Caller::kVram;
    CHECK(memory.create(args) == STATUS_NO_MEMORY);
    args.SupportedSegmentSet = Caller::kBoth;
    CHECK(memory.create(args) == STATUS_SUCCESS);
    CHECK(bench.process().states.back()->placement == Placement::kAperture);
  });
}

TEST_CASE("the state of a hardware context does not move", "[memory][context_memory]") {
  Bench bench(hardware_contexts());
  bench.with_memory([&](ContextMemory& memory) {
    auto context = std::make_unique<HwContext>(bench.simulation().steps, bench.kernel().adapter(0));
    Args args = Bench::args_for(context.get());
    CHECK(create(memory, args) == STATUS_NOT_SUPPORTED);  // nobody's
    bench.process().hw_contexts.push_back(std::move(context));
    CHECK(memory.create(args) == STATUS_SUCCESS);
    CHECK(args.hAllocation == &bench.process());
    CHECK(bench.process().states.empty());
    bench.process().hw_contexts.clear();
  });
}

TEST_CASE("hardware contexts have no state where the OS does not suspend them",
          "[memory][context_memory]") {
  Bench bench;
  bench.with_memory([&](ContextMemory& memory) {
    bench.process().hw_contexts.push_back(
        std::make_unique<HwContext>(bench.simulation().steps, bench.kernel().adapter(0)));
    CHECK(create(memory, Bench::args_for(bench.process().hw_contexts[0].get())) ==
          STATUS_NOT_SUPPORTED);
    bench.process().hw_contexts.clear();
  });
}

TEST_CASE("memory that the contexts of a device share is that of its process",
          "[memory][context_memory]") {
  Bench bench;
  bench.with_memory([&](ContextMemory& memory) {
    Caller other(bench.kernel());
    Args args = Bench::args_for_device(other.process.space.get());
    CHECK(memory.create(args) == STATUS_SUCCESS);
    REQUIRE(other.process.device_states.size() == 1);
    const Allocation& made = *other.process.device_states[0];
    CHECK(args.hAllocation == &made);
    CHECK(args.GpuVirtualAddress == made.gpu_address);
    CHECK(made.pages == 2);
    CHECK(made.placement == Placement::kVram);
    CHECK(bench.process().device_states.empty());
    CHECK(other.process.states.empty());
  });
}

TEST_CASE("memory for all contexts needs a device and a size", "[memory][context_memory]") {
  Bench bench;
  bench.with_memory([&](ContextMemory& memory) {
    AddressSpace* const device = bench.process().space.get();
    CHECK(create(memory, Bench::args_for_device(nullptr)) == STATUS_INVALID_PARAMETER);
    CHECK(create(memory, Bench::args_for_device(&memory)) == STATUS_INVALID_PARAMETER);
    CHECK(create(memory, Bench::args_for_device(device, 0)) == STATUS_INVALID_PARAMETER);
    CHECK(bench.process().device_states.empty());
  });
}

TEST_CASE("memory for all contexts needs a memory manager", "[memory][context_memory]") {
  Bench bench(fed_contexts());
  bench.with_memory([&](ContextMemory& memory) {
    CHECK(create(memory, Bench::args_for_device(bench.process().space.get())) ==
          STATUS_NOT_SUPPORTED);
  });
}

}  // namespace fenceline::os::test_context_memory
