// Submissions of threads to contexts: the order, the limit, and devices in error.
#include <catch2/catch.hpp>

#include "tb/test/support/os/context_bench.h"

namespace fenceline::os::test_context_submission {

using common::kMillisecond;
using support::ContextBench;
using Kind = ContextQueue::Packet::Kind;

namespace {

std::shared_ptr<const PatchedPart> part_of(const std::shared_ptr<PatchedBuffer>& buffer,
                                           bool last) {
  auto part = std::make_shared<PatchedPart>();
  part->buffer = buffer;
  part->range = {40, 100, 0, 0};
  part->last = last;
  return part;
}

}  // namespace

TEST_CASE("packets of a context stay in the order of their submission") {
  ContextBench bench;
  CHECK(bench.run([&] {
    ContextQueue& context = bench.create();
    ContextSubmission& submission = bench.parts.submission;
    const auto fence = std::make_shared<MonitoredFence>();
    const auto native = std::make_shared<NativeFence>();
    bench.parts.table.work.clear();
    submission.wait(context, MonitoredFences::Point{fence, 5}, 11);
    CHECK(bench.parts.table.work.signaled);
    submission.submit(context, 0x1000, 64);
    submission.signal(context, std::vector<MonitoredFences::Point>{{fence, 6}});
    submission.wait(context, FenceScheduler::Point{native, 7}, 12);
    submission.signal(context, std::vector<FenceScheduler::Point>{{native, 8}});
    submission.submit(context, 0x2000, 64);
    REQUIRE(context.packets.size() == 6);
    const auto& packets = context.packets;
    CHECK(packets[0].kind == Kind::kWait);
    CHECK(&packets[0].wait->fence() == fence.get());
    CHECK(packets[0].wait->point.value == 5);
    CHECK(packets[0].wait->waiter.number == 11);
    CHECK(packets[0].wait->waiter.event == &bench.parts.table.work);
    CHECK(packets[1].kind == Kind::kBuffer);
    CHECK(packets[1].number == 1);
    CHECK(packets[2].kind == Kind::kSignal);
    CHECK(packets[2].number == 2);  // of waits and signals
    CHECK(packets[2].points[0].value == 6);
    CHECK(&packets[3].wait->fence() == native.get());
    CHECK(packets[3].wait->number == 3);
    CHECK(packets[3].wait->point.value == 7);
    CHECK(packets[4].natives[0].value == 8);
    CHECK(packets[5].number == 2);
    CHECK(context.buffers == 2);
    CHECK(context.submitted == 2);
  }));
}

TEST_CASE("a thread that submits too many buffers waits until one is complete") {
  ContextBench bench;
  common::Time completed = 0;
  bench.machine.add("device", [&] {
    bench.machine.sleep(kMillisecond);
    completed = bench.machine.steps().simulated();
    bench.completed(1);
  });
  CHECK(bench.run([&] {
    ContextQueue& context = bench.create();
    for (std::size_t i = 0; i < ContextSubmission::kMaxQueued; ++i) bench.submit(context);
    bench.give(context);
    CHECK(bench.machine.steps().simulated() < kMillisecond);
    CHECK(bench.parts.submission.submit(context, 0x1000, 64) == STATUS_SUCCESS);
    CHECK(completed != 0);
    CHECK(context.buffers == ContextSubmission::kMaxQueued);
  }));
}

TEST_CASE("waits and signals need no room") {
  ContextBench bench;
  CHECK(bench.run([&] {
    ContextQueue& context = bench.create();
    for (std::size_t i = 0; i < ContextSubmission::kMaxQueued; ++i) bench.submit(context);
    bench.parts.submission.signal(context, std::vector<MonitoredFences::Point>{});
    CHECK(context.packets.size() == ContextSubmission::kMaxQueued + 1);
  }));
}

TEST_CASE("nothing is queued for a device in error") {
  ContextBench bench;
  CHECK(bench.run([&] {
    ContextQueue& context = bench.create();
    context.ended = true;
    CHECK(bench.parts.submission.submit(context, 0x1000, 64) == STATUS_DEVICE_REMOVED);
    CHECK(bench.parts.submission.submit_flip(context, 0x1000, 64) == STATUS_DEVICE_REMOVED);
    bench.parts.submission.signal(context, std::vector<MonitoredFences::Point>{});
    CHECK(context.packets.empty());
    CHECK(context.buffers == 0);
    CHECK(context.submitted == 0);
  }));
}

TEST_CASE("a thread that waits for room goes on when the device is in error") {
  ContextBench bench;
  ContextQueue* context = nullptr;
  bench.machine.add("reset", [&] {
    bench.machine.sleep(kMillisecond);
    context->ended = true;
    context->room.set();
  });
  CHECK(bench.run([&] {
    context = &bench.create();
    for (std::size_t i = 0; i < ContextSubmission::kMaxQueued; ++i) bench.submit(*context);
    CHECK(bench.parts.submission.submit(*context, 0x1000, 64) == STATUS_DEVICE_REMOVED);
    CHECK(context->packets.size() == ContextSubmission::kMaxQueued);
  }));
}

TEST_CASE("a buffer of a present is marked") {
  ContextBench bench;
  CHECK(bench.run([&] {
    ContextQueue& context = bench.create();
    CHECK(bench.parts.submission.submit_flip(context, 0x1000, 64) == STATUS_SUCCESS);
    bench.submit(context);
    CHECK(context.packets[0].flips);
    CHECK_FALSE(context.packets[1].flips);
  }));
}

TEST_CASE("another thread queues nothing between the parts of a buffer") {
  ContextBench bench;
  ContextQueue* context = nullptr;
  const auto buffer = std::make_shared<PatchedBuffer>();
  bench.machine.add("other", [&] {
    bench.machine.sleep(kMillisecond);
    bench.submit(*context, 0x9000);
    CHECK(bench.machine.steps().simulated() >= 2 * kMillisecond);
  });
  CHECK(bench.run([&] {
    context = &bench.create();
    CHECK(bench.parts.submission.submit(*context, part_of(buffer, false)) == STATUS_SUCCESS);
    CHECK(context->sender != 0);
    bench.machine.sleep(2 * kMillisecond);
    CHECK(context->packets.size() == 1);
    bench.parts.submission.submit(*context, part_of(buffer, true));
    CHECK(context->sender == 0);
    CHECK(context->packets[0].bytes == 60);
    bench.machine.sleep(kMillisecond);
    REQUIRE(context->packets.size() == 3);
    CHECK(context->packets[2].address == 0x9000);
  }));
}

TEST_CASE("a thread reserves several contexts and others wait until it is through") {
  ContextBench bench;
  ContextQueue* first = nullptr;
  ContextQueue* second = nullptr;
  const auto buffer = std::make_shared<PatchedBuffer>();
  common::Time reserved = 0;
  bench.machine.add("other", [&] {
    bench.machine.sleep(kMillisecond);
    bench.parts.submission.reserve({first, second});
    reserved = bench.machine.steps().simulated();
  });
  CHECK(bench.run([&] {
    first = &bench.create();
    second = &bench.create();
    bench.parts.submission.reserve({second, first});
    bench.parts.submission.reserve({first, second});  // its own
    CHECK(first->sender == second->sender);
    CHECK(first->sender == bench.machine.steps().current());
    bench.machine.sleep(2 * kMillisecond);
    for (ContextQueue* context : {first, second})
      bench.parts.submission.submit(*context, part_of(buffer, true));
  }));
  CHECK(reserved >= 2 * kMillisecond);
}

}  // namespace fenceline::os::test_context_submission
