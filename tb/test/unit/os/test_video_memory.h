#pragma once

#include "tb/test/support/os/paging_bench.h"

/// VidMm of a small machine, called by processes.
namespace fenceline::os::test_video_memory {

using event::Placement;
using support::Caller;

constexpr std::uint32_t kVram = Caller::kVram, kBoth = Caller::kBoth;
constexpr std::uint64_t kLimit = 4;  ///< pages of VRAM for allocations

inline KernelOptions small_memory() {
  KernelOptions options = support::managed_kernel();
  options.adapter.system.video_memory = kLimit * kPage;
  return options;
}
inline KernelOptions memory_without(bool SystemOptions::*option) {
  KernelOptions options = small_memory();
  options.adapter.system.*option = false;
  return options;
}

struct Bench : support::PagingBench {
  explicit Bench(const KernelOptions& options = small_memory(),
                 const top::PlatformConfig& config = support::small_platform())
      : PagingBench(options, config) {}

  template <typename Body>
  void with_caller(Body body) {
    with_kernel([&](Kernel& kernel) {
      Caller caller(kernel);
      body(caller);
    });
  }
  /// VidMm serves what it can meanwhile.
  void settle() { kernel().cpu().sleep(10 * common::kMillisecond); }
  VideoMemory& memory() { return *state().memory; }

  static Allocation& make(Caller& caller, std::uint64_t pages, std::uint32_t segments = kVram) {
    return caller.make(segments, abi::kUsedByCpu, pages * kPage);
  }
  static NTSTATUS bring(Caller& caller, const Allocation& allocation, UINT64* to_trim = nullptr) {
    return caller.make_resident(caller.handle_of(allocation), to_trim);
  }
  /// As bring, but returns before it is served.
  NTSTATUS ask_for(Caller& caller, Allocation& allocation) {
    std::uint64_t to_trim = 0;
    return memory().make_resident(caller.process, {&allocation}, ++caller.process.paging_value,
                                  to_trim);
  }
  static NTSTATUS evict(Caller& caller, const Allocation& allocation, UINT flags = 0) {
    return caller.evict(caller.handle_of(allocation), flags);
  }
  static NTSTATUS destroy(Caller& caller, const Allocation& allocation, UINT flags = 0) {
    return caller.destroy(caller.handle_of(allocation), flags);
  }
  /// A context of the process with this number of buffers that do not end by themselves.
  ContextQueue& add_work(Caller& caller, std::uint64_t buffers) {
    ContextQueue& context =
        kernel().system.contexts->table.create(*state().adapter, "work", 0, nullptr);
    context.owner = &caller.process;
    context.submitted = buffers;
    return context;
  }
  void complete(ContextQueue& context, std::uint64_t buffers) {
    context.completed = buffers;
    memory().progress();
    settle();
  }
};

}  // namespace fenceline::os::test_video_memory
