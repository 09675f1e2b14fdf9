// VidMm: when it serves a request, and what it does for one.
#include "tb/test/unit/os/test_video_memory.h"

namespace fenceline::os::test_video_memory::test_memory_service {

namespace {

using DestroyFlags = D3DDDICB_DESTROYALLOCATION2FLAGS;

/// Whether an allocation of a process with incomplete work is freed before the work ends.
bool freed_early(const KernelOptions& options, UINT flags) {
  Bench bench(options);
  bool early = false;
  bench.with_caller([&](Caller& caller) {
    Allocation& it = Bench::make(caller, 1);
    REQUIRE(Bench::bring(caller, it) == STATUS_SUCCESS);
    ContextQueue& work = bench.add_work(caller, 1);
    REQUIRE(Bench::destroy(caller, it, flags) == STATUS_SUCCESS);
    bench.settle();
    early = bench.destroyed != 0;
    bench.complete(work, 1);
    CHECK(bench.destroyed == 1);
    const auto freed = bench.events.of<event::AllocationDestroyed>();
    REQUIRE(freed.size() == 1);
    CHECK(freed[0].unused == ((flags & DestroyFlags::kAssumeNotInUse) != 0));
  });
  return early;
}

/// State memory of a context that can be in VRAM only.
struct StateBench : Bench {
  template <typename Body>
  void with_state(Body body) {
    with_caller([&](Caller& caller) {
      answer = [](DXGKARG_BUILDPAGINGBUFFER& /*args*/) { return STATUS_SUCCESS; };
      DXGKARGCB_CREATECONTEXTALLOCATION args{};
      args.Size = 2 * kPage;
      args.SupportedSegmentSet = kVram;
      args.PreferredSegment = kVramSegment;
      Allocation made(simulation().steps);
      CHECK(memory().create_state(caller.process, args, made) == STATUS_SUCCESS);
      ContextQueue& context = add_work(caller, 0);
      VideoMemory::join(context, made);
      CHECK(context.states == std::vector<Allocation*>{&made});
      CHECK(made.contexts == std::vector<ContextQueue*>{&context});
      body(caller, made, context);
      context.states.clear();
      made.contexts.clear();
      memory().moves().take_away(made);
    });
  }
  void move_out(Allocation& state_of_context, ContextQueue& context) {
    memory().moves().move(state_of_context, Placement::kSystem);
    context.state_asked = true;
  }
};

}  // namespace

TEST_CASE("an allocation is evicted when each of its MakeResident calls has an Evict",
          "[memory][vidmm]") {
  Bench bench;
  bench.with_caller([&](Caller& caller) {
    Allocation& it = Bench::make(caller, 1);
    for (int i = 0; i < 2; ++i) REQUIRE(Bench::bring(caller, it) == STATUS_SUCCESS);
    CHECK(it.residency == 2);
    REQUIRE(Bench::evict(caller, it) == STATUS_SUCCESS);
    bench.settle();
    CHECK(it.residency == 1);
    CHECK(it.placement == Placement::kVram);
    REQUIRE(Bench::evict(caller, it) == STATUS_SUCCESS);
    bench.settle();
    CHECK(it.placement == Placement::kSystem);
    bench.memory().evict(caller.process, {&it}, false);
    CHECK(it.residency == 0);
  });
}

TEST_CASE("an allocation that is evicted only if necessary stays", "[memory][vidmm]") {
  Bench bench;
  bench.with_caller([&](Caller& caller) {
    Allocation& it = Bench::make(caller, 1);
    REQUIRE(Bench::bring(caller, it) == STATUS_SUCCESS);
    REQUIRE(Bench::evict(caller, it, D3DDDI_EVICT_FLAGS::kEvictOnlyIfNecessary) == STATUS_SUCCESS);
    bench.settle();
    CHECK(it.residency == 0);
    CHECK(it.placement == Placement::kVram);
  });
}

TEST_CASE("an allocation is evicted when the work before the Evict is complete",
          "[memory][vidmm]") {
  Bench bench;
  bench.with_caller([&](Caller& caller) {
    Allocation& it = Bench::make(caller, 1);
    REQUIRE(Bench::bring(caller, it) == STATUS_SUCCESS);
    ContextQueue& work = bench.add_work(caller, 2);
    REQUIRE(Bench::evict(caller, it) == STATUS_SUCCESS);
    bench.complete(work, 1);
    CHECK(it.placement == Placement::kVram);
    bench.complete(work, 2);
    CHECK(it.placement == Placement::kSystem);
  });
}

TEST_CASE("an allocation that is wanted again is not evicted", "[memory][vidmm]") {
  Bench bench;
  bench.with_caller([&](Caller& caller) {
    Allocation& it = Bench::make(caller, 1);
    REQUIRE(Bench::bring(caller, it) == STATUS_SUCCESS);
    ContextQueue& work = bench.add_work(caller, 1);
    REQUIRE(Bench::evict(caller, it) == STATUS_SUCCESS);
    REQUIRE(Bench::bring(caller, it) == STATUS_SUCCESS);
    bench.complete(work, 1);
    CHECK(it.placement == Placement::kVram);
    work.submitted = 3;
    REQUIRE(Bench::evict(caller, it) == STATUS_SUCCESS);
    REQUIRE(Bench::bring(caller, it) == STATUS_SUCCESS);
    work.submitted = 4;
    REQUIRE(Bench::evict(caller, it) == STATUS_SUCCESS);
    bench.complete(work, 3);  // the first Evict is served, and the second one has work before it
    CHECK(it.placement == Placement::kVram);
    bench.complete(work, 4);
    CHECK(it.placement == Placement::kSystem);
  });
}

TEST_CASE("a destroyed allocation lives until the work before is complete", "[memory][vidmm]") {
  CHECK_FALSE(freed_early(small_memory(), 0));
}

TEST_CASE("an allocation that is said to be unused is freed at once", "[memory][vidmm]") {
  CHECK(freed_early(small_memory(), DestroyFlags::kAssumeNotInUse));
}

TEST_CASE("an allocation is freed at once where destruction is not deferred", "[memory][vidmm]") {
  CHECK(freed_early(memory_without(&SystemOptions::defers_destruction), 0));
}

TEST_CASE("a synchronous destruction returns when the memory is free", "[memory][vidmm]") {
  Bench bench;
  bench.with_caller([&](Caller& caller) {
    REQUIRE(Bench::destroy(caller, Bench::make(caller, 1), 0) == STATUS_SUCCESS);
    CHECK(bench.destroyed == 0);
    REQUIRE(Bench::destroy(caller, Bench::make(caller, 1), DestroyFlags::kSynchronousDestroy) ==
            STATUS_SUCCESS);
    CHECK(bench.destroyed == 2);
  });
}

TEST_CASE("requests for an allocation that was freed meanwhile are served", "[memory][vidmm]") {
  Bench bench;
  bench.with_caller([&](Caller& caller) {
    Allocation& it = Bench::make(caller, 1);
    Allocation& large = Bench::make(caller, 3);
    Allocation& waits = Bench::make(caller, 2);
    REQUIRE(Bench::bring(caller, it) == STATUS_SUCCESS);
    REQUIRE(Bench::bring(caller, large) == STATUS_SUCCESS);
    ContextQueue& work = bench.add_work(caller, 1);
    REQUIRE(Bench::evict(caller, it) == STATUS_SUCCESS);
    REQUIRE(Bench::destroy(caller, large) == STATUS_SUCCESS);
    REQUIRE(bench.ask_for(caller, waits) == STATUS_PENDING);
    const std::uint64_t asked = caller.process.paging_value;
    for (const Allocation* one : {&it, &waits})
      REQUIRE(Bench::destroy(caller, *one, DestroyFlags::kAssumeNotInUse) == STATUS_SUCCESS);
    CHECK(caller.wait(caller.process.paging_fence, asked) == STATUS_SUCCESS);
    bench.complete(work, 1);
    CHECK(bench.destroyed == 3);
    for (const Allocation* one : {&it, &waits}) {
      CHECK_FALSE(one->exists);
      CHECK(one->vram.empty());
      CHECK(one->system.empty());
    }
  });
}

TEST_CASE("an allocation that is freed is not locked any more", "[memory][vidmm]") {
  Bench bench;
  bench.with_caller([&](Caller& caller) {
    Allocation& it = Bench::make(caller, 1);
    REQUIRE(caller.lock(caller.handle_of(it)) == STATUS_SUCCESS);
    REQUIRE(Bench::destroy(caller, it, DestroyFlags::kSynchronousDestroy) == STATUS_SUCCESS);
    std::uint64_t value = 0;
    CHECK(bench.memory().locks().touch(it, 0, false, value) == STATUS_ACCESS_VIOLATION);
    CHECK(bench.memory().locks().lock(it, {}) == STATUS_INVALID_HANDLE);
  });
}

TEST_CASE("MakeResident calls of one process are served in order", "[memory][vidmm]") {
  Bench bench;
  bench.with_caller([&](Caller& caller) {
    Caller other(caller.kernel);
    Allocation& large = Bench::make(caller, 3);
    REQUIRE(Bench::bring(caller, large) == STATUS_SUCCESS);
    ContextQueue& work = bench.add_work(caller, 1);
    REQUIRE(Bench::destroy(caller, large) == STATUS_SUCCESS);
    Allocation& first = Bench::make(caller, 2);
    Allocation& second = Bench::make(caller, 1);
    REQUIRE(bench.ask_for(caller, first) == STATUS_PENDING);
    REQUIRE(bench.ask_for(caller, second) == STATUS_PENDING);
    bench.settle();
    CHECK(second.placement == Placement::kSystem);  // there is room, but it is not its turn
    Allocation& another = Bench::make(other, 1);
    CHECK(Bench::bring(other, another) == STATUS_SUCCESS);
    CHECK(another.placement == Placement::kVram);
    bench.complete(work, 1);
    CHECK(first.placement == Placement::kVram);
    CHECK(second.placement == Placement::kVram);
  });
}

TEST_CASE("a request wakes an adapter in D3", "[memory][vidmm]") {
  Bench bench;
  bench.with_caller([&](Caller& caller) {
    Allocation& it = Bench::make(caller, 1);
    AdapterPower& power = *bench.state().power;
    REQUIRE(power.set(false) == STATUS_SUCCESS);
    bench.answer = [&](DXGKARG_BUILDPAGINGBUFFER& args) {
      CHECK(bench.memory().serving());
      return bench.build(args);
    };
    CHECK(Bench::bring(caller, it) == STATUS_SUCCESS);
    CHECK(power.on());
    CHECK_FALSE(bench.memory().serving());
  });
}

TEST_CASE("a lost paging buffer puts the owner of its memory in error once", "[memory][vidmm]") {
  Bench bench(memory_without(&SystemOptions::waits_for_transfers));
  bench.with_caller([&](Caller& caller) {
    Caller other(caller.kernel);
    Allocation* ones[] = {&Bench::make(caller, 1), &Bench::make(caller, 1),
                          &Bench::make(caller, 1)};
    for (Allocation* one : ones) REQUIRE(Bench::bring(caller, *one) == STATUS_SUCCESS);
    for (int i : {0, 2})
      REQUIRE(Bench::destroy(caller, *ones[i], DestroyFlags::kSynchronousDestroy) ==
              STATUS_SUCCESS);
    Allocation& scattered = Bench::make(caller, 2);
    REQUIRE(caller.lock(caller.handle_of(scattered)) == STATUS_SUCCESS);
    REQUIRE(caller.unlock(caller.handle_of(scattered)) == STATUS_SUCCESS);
    REQUIRE(Bench::bring(caller, scattered) == STATUS_SUCCESS);
    bench.events.all.clear();
    bench.memory().lose_paging();
    CHECK(scattered.lost);
    CHECK_FALSE(ones[1]->lost);
    const auto lost = bench.events.of<event::Recovery>();
    REQUIRE(lost.size() == 1);
    CHECK(lost[0].stage == event::RecoveryStage::kMemoryLost);
    CHECK(caller.process.in_error);
    CHECK_FALSE(other.process.in_error);
    bench.memory().lose_paging();
    CHECK(bench.events.of<event::Recovery>().size() == 1);
  });
}

TEST_CASE("VidMm brings the state of a context back and says that it is there", "[memory][vidmm]") {
  StateBench bench;
  bench.with_state([&](Caller& /*caller*/, Allocation& it, ContextQueue& context) {
    CHECK(it.placement == Placement::kVram);
    bench.move_out(it, context);
    CHECK_FALSE(it.reached);
    bench.memory().bring_state(context);
    CHECK(context.state_asked);
    bench.settle();
    CHECK(it.placement == Placement::kVram);
    CHECK(it.reached);
    CHECK_FALSE(context.state_asked);
  });
}

TEST_CASE("a context waits for its state until VRAM has room", "[memory][vidmm]") {
  StateBench bench;
  bench.with_state([&](Caller& caller, Allocation& it, ContextQueue& context) {
    bench.move_out(it, context);
    Allocation& large = Bench::make(caller, 3);
    REQUIRE(Bench::bring(caller, large) == STATUS_SUCCESS);
    bench.memory().bring_state(context);
    bench.settle();
    CHECK(it.placement == Placement::kSystem);
    CHECK(context.state_asked);
    REQUIRE(Bench::evict(caller, large) == STATUS_SUCCESS);
    bench.settle();
    CHECK(it.placement == Placement::kVram);
    CHECK_FALSE(context.state_asked);
  });
}

}  // namespace fenceline::os::test_video_memory::test_memory_service
