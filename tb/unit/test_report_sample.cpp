#include "tb/unit/test_report_sample.h"

#include <limits>

namespace fenceline::report::sample {

namespace {

constexpr std::uint64_t kUs = common::kMicrosecond;
constexpr std::uint64_t kRoundTime = 100 * kUs;

std::uint64_t read_clock(const void* run) { return static_cast<const Run*>(run)->now; }

constexpr std::uint64_t transfer(common::TlpKind kind, std::uint64_t bytes) {
  return static_cast<std::uint64_t>(kind) << 32 | bytes;
}

}  // namespace

Run::Run(unsigned rounds) {
  stream.set_clock(read_clock, this);
  name_objects();
  record.attach(stream);
  at(0, EventKind::kFenceCreate, kOsAgent, kFrame, 0, 1);
  at(0, EventKind::kFenceCreate, kOsAgent, kData, 0, 1);
  for (unsigned round = 0; round < rounds; ++round) {
    start_ = round * kRoundTime;
    play(round);
  }
  at(kRoundTime, EventKind::kQuiescent, 0, 0);
  fill_report();
}

void Run::at(std::uint64_t time, EventKind kind, common::AgentId agent, std::uint32_t object,
             std::uint64_t a, std::uint64_t b, std::uint64_t c) {
  now = start_ + time;
  stream.emit(kind, agent, object, a, b, c);
}

void Run::name_objects() {
  const auto add = [&](ObjectKind kind, std::initializer_list<const char*> names) {
    for (const char* name : names) stream.add_object(kind, name);
  };
  add(ObjectKind::kFence, {"app/frame", "app/data"});
  add(ObjectKind::kQueue, {"app/render", "app/copy"});
  add(ObjectKind::kEngine, {"gpu0.gfx0", "gpu0.copy0"});
  add(ObjectKind::kThread, {"app/main", "app/worker"});
  add(ObjectKind::kCore, {"cpu0", "cpu1"});
  add(ObjectKind::kAdapter, {"gpu0"});
  add(ObjectKind::kLink, {"gpu0.up", "gpu0.down"});
  add(ObjectKind::kLog, {"app/render.signals", "app/render.waits"});
  add(ObjectKind::kProcess, {"app"});
  add(ObjectKind::kAgent, {"gpu0.gfx0", "gpu0.cmp", "os"});
  record.names.ddis = {"DxgkDdiUpdateMonitoredValues", "DxgkDdiInterruptRoutine"};
  record.names.labels = {"frame done"};
  record.names.c_states = {"C0", "C1", "C6"};
}

/// The engine signals the frame fence 30 us into the round; the decision says to tell the CMP.
void Run::signal(std::uint64_t value, std::uint64_t number) {
  at(30 * kUs, EventKind::kPacketBegin, kEngineAgent, kRender, 2, 0, kGfx);
  at(30 * kUs, EventKind::kSignalBegin, kEngineAgent, kFrame, value, number, kRender);
  at(30 * kUs + 100'000, EventKind::kCurrentValueIssued, kEngineAgent, kFrame, value, number);
  at(30 * kUs + 400'000, EventKind::kCurrentValueVisible, kEngineAgent, kFrame, value);
  at(30 * kUs + 500'000, EventKind::kShadowRead, kEngineAgent, kFrame, value - 1, kGpu);
  at(30 * kUs + 500'000, EventKind::kDecision, kEngineAgent, kFrame, value, number, 1);
  at(31 * kUs, EventKind::kSignalEnd, kEngineAgent, kFrame, value, number, kRender);
  at(31 * kUs, EventKind::kPacketEnd, kEngineAgent, kRender, 2, 0, kGfx);
  at(31 * kUs, EventKind::kLogEntryVisible, kEngineAgent, kSignalLog, number % 84, value);
}

/// From the CMP's decision to the thread that goes on.
void Run::interrupt(std::uint64_t value) {
  at(31 * kUs, EventKind::kCmpDecision, kCmpAgent, kFrame, value, value - 1, 1);
  at(31 * kUs + 200'000, EventKind::kInterruptRaised, kCmpAgent, kGpu, kFrame, value, kRender);
  at(31 * kUs + 300'000, EventKind::kMessageSent, kCmpAgent, kGpu, 0);
  at(32 * kUs, EventKind::kPcieTransfer, kCmpAgent, kUp,
     transfer(common::TlpKind::kMessageSignaledInterrupt, 4), start_ + 31 * kUs + 400'000, 600'000);
  at(32 * kUs, EventKind::kMessageDelivered, kOsAgent, kGpu, 0, 0, kCpu0);
  at(32 * kUs, EventKind::kPowerState, kOsAgent, kCpu0, 0, 22 * kUs);
  at(33 * kUs, EventKind::kIsrBegin, kOsAgent, kGpu, kCpu0);
  at(33 * kUs + 500'000, EventKind::kIsrAcknowledge, kOsAgent, kGpu, value);
  at(33 * kUs + 700'000, EventKind::kNotify, kOsAgent, kFrame, 0, kGpu, kRender);
  at(34 * kUs, EventKind::kIsrEnd, kOsAgent, kGpu, kCpu0);
  at(35 * kUs, EventKind::kDpcBegin, kOsAgent, kGpu, kCpu0);
  at(35 * kUs + 500'000, EventKind::kLogEntryRead, kOsAgent, kSignalLog, value % 84, value);
  at(36 * kUs, EventKind::kWaitRelease, kOsAgent, kFrame, value, value, kMain);
  at(36 * kUs + 500'000, EventKind::kUpdateMonitoredCall, kOsAgent, kFrame,
     std::numeric_limits<std::uint64_t>::max(), 2 * value, kGpu);
  at(37 * kUs, EventKind::kShadowVisible, kCmpAgent, kFrame,
     std::numeric_limits<std::uint64_t>::max(), kGpu);
  at(37 * kUs + 500'000, EventKind::kUpdateMonitoredReturn, kOsAgent, kFrame,
     std::numeric_limits<std::uint64_t>::max(), 2 * value, kGpu);
  at(38 * kUs, EventKind::kDpcEnd, kOsAgent, kGpu, kCpu0, 1);
  at(40 * kUs, EventKind::kWaitDone, kOsAgent, kFrame, value, value, kMain);
  at(40 * kUs, EventKind::kThreadState, kOsAgent, kMain, 1);
}

void Run::play(std::uint64_t round) {
  const std::uint64_t value = round + 1;
  at(0, EventKind::kThreadState, kOsAgent, kMain, 1);
  at(0, EventKind::kThreadStep, kOsAgent, kMain, 0, round);
  at(1 * kUs, EventKind::kDoorbell, kOsAgent, kRender, 64);
  at(1 * kUs, EventKind::kPcieTransfer, kOsAgent, kDown, transfer(common::TlpKind::kPostedWrite, 8),
     start_ + 400'000, 600'000);
  at(2 * kUs, EventKind::kQueueState, kEngineAgent, kRender, 2);
  at(2 * kUs, EventKind::kPacketBegin, kEngineAgent, kRender, 8, 7, kGfx);
  at(3 * kUs, EventKind::kPacketBegin, kEngineAgent, kCopy, 3, 0, kDma);
  at(3 * kUs, EventKind::kGpuWaitBegin, kEngineAgent, kFrame, value, 0, kCopy);
  at(4 * kUs, EventKind::kGpuWaitPark, kEngineAgent, kFrame, value, 0, kCopy);
  at(4 * kUs, EventKind::kQueueState, kEngineAgent, kCopy, 3);
  at(5 * kUs, EventKind::kWaitAdd, kOsAgent, kFrame, value, value, kMain);
  at(5 * kUs, EventKind::kThreadState, kOsAgent, kMain, 2);
  at(6 * kUs, EventKind::kUpdateMonitoredCall, kOsAgent, kFrame, value - 1, 2 * value - 1, kGpu);
  at(7 * kUs, EventKind::kMonitoredValueVisible, kOsAgent, kFrame, value - 1, kGpu);
  at(7 * kUs + 200'000, EventKind::kShadowVisible, kCmpAgent, kFrame, value - 1, kGpu);
  at(8 * kUs, EventKind::kUpdateMonitoredReturn, kOsAgent, kFrame, value - 1, 2 * value - 1, kGpu);
  at(10 * kUs, EventKind::kPowerState, kOsAgent, kCpu0, 2, 10 * kUs);
  at(30 * kUs, EventKind::kPacketEnd, kEngineAgent, kRender, 8, 7, kGfx);
  signal(value, value);
  at(31 * kUs, EventKind::kQueueState, kEngineAgent, kRender, 0);
  at(31 * kUs, EventKind::kGpuWaitUnblock, kEngineAgent, kFrame, value, value, kCopy);
  at(31 * kUs, EventKind::kQueueState, kEngineAgent, kCopy, 2);
  at(31 * kUs, EventKind::kPacketEnd, kEngineAgent, kCopy, 3, 0, kDma);
  interrupt(value);
  at(41 * kUs, EventKind::kMark, kOsAgent, kMain, 0);
  at(45 * kUs, EventKind::kLogOverrun, kOsAgent, kSignalLog, 3);
  at(50 * kUs, EventKind::kCpuSignal, kOsAgent, kData, value);
  at(51 * kUs, EventKind::kCurrentValueVisible, kOsAgent, kData, value);
}

void Run::fill_report() {
  scenario.name = "sample";
  scenario.title = "A frame with one wait <& one signal>";
  scenario.covers = {"NF3"};
  scenario.effective_json = R"({"name": "sample", "schema_version": 1})";
  report.scenario = &scenario;
  report.version = "1.2.3";
  report.end_time = now;
  report.verdict = "pass";
  report.fences = {{"app/frame", 1, std::numeric_limits<std::uint64_t>::max()}, {"app/data", 1, 7}};
  report.expected = {{"/expect/counters/0", "interrupts.raised between 1 and 1", "1", true}};
  report.exercised = {{"I1", "NO_LOST_WAITER", 12, 0}};
  record.finish(stream, report);
}

}  // namespace fenceline::report::sample
