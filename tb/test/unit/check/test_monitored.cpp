// I26, I50, I51, I52, I117: monitored fences, contexts, CPU events.
#include <algorithm>
#include <catch2/catch.hpp>

#include "kmd_stub/wddm/wddm.h"
#include "models/abi/private_data.h"
#include "models/abi/registers.h"
#include "tb/test/support/event_script.h"

namespace fenceline::check::test_monitored {

namespace {

using S = EventScript;
using Ids = std::vector<std::string>;

constexpr std::uint64_t kHalf = UINT32_MAX / 2;

/// Fence 1 of an adapter with 32-bit atomics.
S& narrow(S& s, std::uint64_t initial) {
  return s.create(1, initial).on(S::kCpu, event::FenceKind{1, 1, 32});
}
S& use_now(S& s) {
  return s.on(S::kCpu,
              event::CpuEventUse{1, 1, static_cast<std::uint64_t>(abi::CpuEventUse::kNow), 0});
}
void submit(S& s, std::uint64_t id) { s.on(S::kCpu, event::ContextSubmit{1, id, 1}); }
void map(S& s, std::uint64_t bits) { s.on(S::kCpu, event::FenceMapped{1, bits, 0x1000, 1}); }

}  // namespace

TEST_CASE("I26: a wait at the end of what 32 bits reach", "[check]") {
  S near;
  narrow(near, 10).wait(1, 10 + kHalf, 1);
  CHECK(near.broken().empty());
  CHECK(near.checked("I26") == 1);
  S far;
  narrow(far, 10).wait(1, 11 + kHalf, 1);
  CHECK(far.broken() == Ids{"I26"});
}

TEST_CASE("I26: signals of the CPU and of the GPU as well as waits of contexts", "[check]") {
  S cpu;
  narrow(cpu, 0).on(S::kCpu, event::CpuSignal{1, kHalf + 1, 0});
  CHECK(cpu.broken() == Ids{"I26"});
  S gpu;
  narrow(gpu, 0).begin(1, kHalf + 1, 1).issue(1, kHalf + 1, 1);
  CHECK(gpu.broken() == Ids{"I26"});
  S context;
  narrow(context, 0).gpu_wait(1, kHalf + 1, 1);
  CHECK(context.broken() == Ids{"I26"});
}

TEST_CASE("I26: any value of a device in error is signalled", "[check]") {
  constexpr auto kAlways = DXGK_UPDATECURRENTVALUESFROMCPU_FLAGS::kAlwaysSignaled;
  S s;
  narrow(s, 2).on(S::kCpu, event::CpuSignal{1, kHalf + 2, kAlways});
  s.wait(1, 1, 1);
  const Ids broken = s.broken();
  CHECK(std::find(broken.begin(), broken.end(), "I26") == broken.end());
}

TEST_CASE("I26: a fence of 64 bits may wait for anything", "[check]") {
  S s;
  s.create().wait(1, UINT64_MAX, 1);
  CHECK(s.broken().empty());
  CHECK(s.checked("I26") == 0);
}

TEST_CASE("a low half in memory stands for the value that was issued", "[check]") {
  constexpr std::uint64_t kBefore = 0xFFFFFFFF, kAfter = 0x100000001;
  S s;
  narrow(s, kBefore).wait(1, kAfter, 1).begin(1, kAfter, 1).issue(1, kAfter, 1);
  s.on(S::kEngine, event::CurrentValueVisible{{1, 1, 0}, 1}).end(1, kAfter, 1);
  s.read(1, 1, event::Reader::kOsDpcScan, S::kDpc).release(1, kAfter, 1).done(1, kAfter, 1);
  CHECK(s.quiescent().broken().empty());
}

TEST_CASE("a low half that was reached before the wrap releases nobody behind it", "[check]") {
  S s;
  narrow(s, 0xFFFFFFFE).wait(1, 0x100000005, 1).release(1, 0x100000005, 1);
  CHECK(s.done(1, 0x100000005, 1).broken() == Ids{"I4"});
}

TEST_CASE("I50: a buffer is submitted behind a wait", "[check]") {
  S s;
  submit(s.create(), 1);
  CHECK(s.broken().empty());
  submit(s.gpu_wait(1, 1, 1), 2);
  CHECK(s.broken() == Ids{"I50"});
}

TEST_CASE("I50: a buffer is submitted when the wait is over or is of another context", "[check]") {
  S s;
  s.create().gpu_wait(1, 1, 2);
  submit(s, 1);
  s.gpu_wait(1, 1, 1).signal(1, 1, 1, UINT64_MAX).unblock(1, 1, 1);
  submit(s, 2);
  CHECK(s.broken().empty());
  CHECK(s.checked("I50") == 2);
}

TEST_CASE("I51: an event is signalled between its creation and its destruction", "[check]") {
  S s;
  use_now(s.on(S::kCpu, event::CpuEventCreate{1, 1}));
  s.on(S::kDpc, event::CpuEventSignal{1, 1, 2, 0});
  CHECK(s.broken().empty());
  s.on(S::kCpu, event::CpuEventDestroy{1, 1}).on(S::kDpc, event::CpuEventSignal{1, 1, 2, 0});
  CHECK(s.broken() == Ids{"I51"});
}

TEST_CASE("I51: at device level or with wrong fields", "[check]") {
  S level;
  use_now(level.on(S::kCpu, event::CpuEventCreate{1, 1}));
  CHECK(level.on(S::kIsr, event::CpuEventSignal{1, 1, 5, 0}).broken() == Ids{"I51"});
  S fields;
  use_now(fields.on(S::kCpu, event::CpuEventCreate{1, 1}));
  fields.on(S::kDpc, event::CpuEventSignal{1, 1, 2, event::kEventWrongFields});
  CHECK(fields.broken() == Ids{"I51"});
}

TEST_CASE("I117: an event is signalled for the node that its user names", "[check]") {
  constexpr auto kBuffers = static_cast<std::uint64_t>(abi::CpuEventUse::kBufferCompleted);
  constexpr std::uint64_t kEngine = 2;
  const auto used = [](S& s) -> S& {
    s.on(S::kCpu, event::CpuEventCreate{1, 1});
    return s.on(S::kCpu, event::CpuEventUse{1, 1, kBuffers, kEngine + 1});
  };
  const auto completes = [](S& s, std::uint64_t engine) -> S& {
    return s.on(S::kCmp, event::EngineInterrupt{
                             1, static_cast<std::uint64_t>(abi::InterruptCause::kBufferCompleted),
                             7, engine});
  };
  const auto signals = [](S& s) -> S& { return s.on(S::kDpc, event::CpuEventSignal{1, 1, 2, 0}); };
  S own;
  CHECK(signals(completes(used(own), kEngine)).broken().empty());
  CHECK(own.checked("I117") == 1);
  CHECK(signals(own).broken() == Ids{"I117"});
  S earlier;  // complete, but not signalled yet
  used(completes(completes(earlier, kEngine), kEngine));
  CHECK(signals(signals(earlier)).broken().empty());
  CHECK(signals(earlier).broken() == Ids{"I117"});
  S other;
  CHECK(signals(completes(used(other), kEngine + 1)).broken() == Ids{"I117"});
  S unused;
  CHECK(signals(unused.on(S::kCpu, event::CpuEventCreate{1, 1})).broken() == Ids{"I117"});
}

TEST_CASE("I52: how a fence may be mapped", "[check]") {
  const auto broken = [](std::uint64_t bits) {
    S s;
    map(s.create(), bits);
    return s.broken() == Ids{"I52"};
  };
  CHECK_FALSE(broken(event::kMapCpuCached | event::kMapHostCoherent | event::kMapGpu));
  CHECK_FALSE(broken(event::kMapGpu));
  CHECK_FALSE(broken(event::kMapNoGpuAccess));
  CHECK_FALSE(broken(event::kMapCpuWritable | event::kMapIommu));
  CHECK_FALSE(broken(event::kMapIommu | event::kMapNoGpuAccess));
  CHECK(broken(event::kMapCpuCached | event::kMapGpu));
  CHECK(broken(event::kMapHostCoherent | event::kMapGpu));
  CHECK(broken(event::kMapGpu | event::kMapCpuWritable));
  CHECK(broken(event::kMapIommu | event::kMapCpuWritable | event::kMapGpu));
  CHECK(broken(event::kMapIommu));
  CHECK(broken(event::kMapNoGpuAccess | event::kMapGpu));
  CHECK(broken(0));
}

}  // namespace fenceline::check::test_monitored
