// Buffers of contexts that list the allocations that they use.
#include <catch2/catch.hpp>

#include "tb/os/calls/context_calls.h"
#include "tb/test/support/os/kernel_bench.h"

namespace fenceline::os::test_context_calls_lists {

namespace {

using support::Caller;
using support::KernelBench;

KernelOptions with_lists(bool lists = true) {
  KernelOptions options = support::managed_kernel();
  options.adapter.system.allocation_lists = lists;
  return options;
}

/// A context whose buffers stay in the OS.
struct Bench : Caller {
  explicit Bench(Kernel& of) : Caller(of) {
    D3DKMT_CREATECONTEXTVIRTUAL args{};
    args.hDevice = process.device();
    REQUIRE(kernel.contexts.D3DKMTCreateContextVirtual(process, args) == STATUS_SUCCESS);
    handle = args.hContext;
    context().holds = 1;
  }
  ContextQueue& context() { return *process.context(handle); }
  NTSTATUS submit(const std::vector<D3DKMT_HANDLE>& used) {
    CallOptions options;
    for (const D3DKMT_HANDLE one : used) options.used.push_back({one, 0});
    const WithOptions scope(kernel.system.threads, options);
    D3DKMT_SUBMITCOMMAND command{};
    command.Commands = 0x1000;
    command.CommandLength = 64;
    command.BroadcastContextCount = 1;
    command.BroadcastContext[0] = handle;
    return kernel.contexts.D3DKMTSubmitCommand(process, command);
  }

  D3DKMT_HANDLE handle = 0;
};

void with_bench(const KernelOptions& options, const std::function<void(Bench&)>& body) {
  support::run_in_kernel(
      [&](Kernel& kernel) {
        Bench bench(kernel);
        body(bench);
        bench.context().packets.clear();
      },
      options);
}

}  // namespace

TEST_CASE("an allocation is listed while a buffer uses it", "[calls]") {
  with_bench(with_lists(), [](Bench& it) {
    Allocation& used = it.make();
    const D3DKMT_HANDLE handle = it.handle_of(used);
    used.unlisted.set();
    CHECK(it.submit({handle, handle + 1}) == STATUS_INVALID_HANDLE);
    CHECK(used.listed == 0);
    CHECK(used.unlisted.is_set());
    CHECK(it.submit({handle}) == STATUS_SUCCESS);
    CHECK(used.listed == 1);
    CHECK_FALSE(used.unlisted.is_set());
    REQUIRE(it.context().packets.size() == 1);
    CHECK(it.context().packets[0].listed == std::vector<Allocation*>{&used});
    used.listed = 0;
  });
}

TEST_CASE("an OS without allocation lists does not look at them", "[calls]") {
  with_bench(with_lists(false), [](Bench& it) {
    Allocation& used = it.make();
    CHECK(it.submit({it.handle_of(used), 1}) == STATUS_SUCCESS);
    CHECK(used.listed == 0);
  });
}

TEST_CASE("an allocation is not listed by a buffer of a device in error", "[calls]") {
  KernelBench machine(with_lists());
  std::unique_ptr<Bench> it;
  machine.run(
      {[&](Kernel& kernel) {
         it = std::make_unique<Bench>(kernel);
         Allocation& often = it->make();
         Allocation& once = it->make();
         for (std::size_t i = 0; i < ContextSubmission::kMaxQueued; ++i)
           REQUIRE(it->submit({it->handle_of(often)}) == STATUS_SUCCESS);
         CHECK(it->submit({it->handle_of(often), it->handle_of(once)}) == STATUS_DEVICE_REMOVED);
         CHECK(often.listed == ContextSubmission::kMaxQueued);
         CHECK_FALSE(often.unlisted.is_set());
         CHECK(once.listed == 0);
         CHECK(once.unlisted.is_set());
         often.listed = 0;
         it->context().packets.clear();
       },
       [&](Kernel& kernel) {
         while (it == nullptr || it->process.contexts.empty() ||
                it->context().buffers < ContextSubmission::kMaxQueued)
           kernel.cpu().sleep(common::kMicrosecond);
         kernel.cpu().sleep(common::kMillisecond);
         it->context().ended = true;
         it->context().room.set();
       }});
}

}  // namespace fenceline::os::test_context_calls_lists
