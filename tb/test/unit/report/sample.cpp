#include "tb/test/unit/report/sample.h"

#include <limits>

namespace fenceline::report::sample {

namespace {

constexpr std::uint64_t kUs = common::kMicrosecond;
constexpr std::uint64_t kRoundTime = 100 * kUs;
constexpr std::uint64_t kNone = std::numeric_limits<std::uint64_t>::max();  ///< nobody waits

std::uint64_t read_clock(const void* run) { return static_cast<const Run*>(run)->now; }

}  // namespace

Run::Run(unsigned rounds) {
  stream.set_clock(read_clock, this);
  name_objects();
  record.attach(stream);
  at(0, kOsAgent, event::FenceCreate{kFrame, 0, 1, 0});
  at(0, kOsAgent, event::FenceCreate{kData, 0, 1, 0});
  for (unsigned round = 0; round < rounds; ++round) {
    start_ = round * kRoundTime;
    play(round);
  }
  at(kRoundTime, 0, event::Quiescent{});
  fill_report();
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
  at(30 * kUs, kEngineAgent, event::PacketBegin{kRender, 2, 0, kGfx});
  at(30 * kUs, kEngineAgent, event::SignalBegin{kFrame, value, number, kRender});
  at(30 * kUs + 100'000, kEngineAgent, event::CurrentValueIssued{kFrame, value, number});
  at(30 * kUs + 400'000, kEngineAgent, event::CurrentValueVisible{kFrame, value, 0});
  at(30 * kUs + 500'000, kEngineAgent, event::ShadowRead{kFrame, value - 1, kGpu});
  at(30 * kUs + 500'000, kEngineAgent, event::Decision{kFrame, value, number, true});
  at(31 * kUs, kEngineAgent, event::SignalEnd{kFrame, value, number, kRender});
  at(31 * kUs, kEngineAgent, event::PacketEnd{kRender, 2, 0, kGfx});
  at(31 * kUs, kEngineAgent, event::LogEntryVisible{kSignalLog, number % 84, value});
}

/// From the CMP's decision to the thread that goes on.
void Run::interrupt(std::uint64_t value) {
  at(31 * kUs, kCmpAgent,
     event::CmpDecision{kFrame, value, value - 1, true, event::Decider::kSignalNotice});
  at(31 * kUs + 200'000, kCmpAgent, event::InterruptRaised{kGpu, kFrame, value, kRender, false});
  at(31 * kUs + 300'000, kCmpAgent, event::MessageSent{kGpu, 0});
  at(32 * kUs, kCmpAgent,
     event::PcieTransfer{kUp, 4, event::TlpKind::kMessageSignaledInterrupt,
                         start_ + 31 * kUs + 400'000, 600'000});
  at(32 * kUs, kOsAgent, event::MessageDelivered{kGpu, 0, kCpu0});
  at(32 * kUs, kOsAgent, event::PowerState{kCpu0, 0, 22 * kUs, 0});
  at(33 * kUs, kOsAgent, event::IsrBegin{kGpu, kCpu0});
  at(33 * kUs + 500'000, kOsAgent, event::IsrAcknowledge{kGpu, value});
  at(33 * kUs + 700'000, kOsAgent, event::Notify{kFrame, 0, kGpu, kRender});
  at(34 * kUs, kOsAgent, event::IsrEnd{kGpu, kCpu0});
  at(35 * kUs, kOsAgent, event::DpcBegin{kGpu, kCpu0});
  at(35 * kUs + 500'000, kOsAgent, event::LogEntryRead{kSignalLog, value % 84, value, 0});
  at(36 * kUs, kOsAgent, event::WaitRelease{kFrame, value, value, kMain});
  at(36 * kUs + 500'000, kOsAgent, event::UpdateMonitoredCall{kFrame, kNone, 2 * value, kGpu});
  at(37 * kUs, kCmpAgent, event::ShadowVisible{kFrame, kNone, kGpu});
  at(37 * kUs + 500'000, kOsAgent, event::UpdateMonitoredReturn{kFrame, kNone, 2 * value, kGpu});
  at(38 * kUs, kOsAgent, event::DpcEnd{kGpu, kCpu0, 1});
  at(40 * kUs, kOsAgent, event::WaitDone{kFrame, value, value, kMain});
  at(40 * kUs, kOsAgent, event::ThreadState{kMain, event::ThreadStateKind::kRunning});
}

void Run::play(std::uint64_t round) {
  const std::uint64_t value = round + 1;
  at(0, kOsAgent, event::ThreadState{kMain, event::ThreadStateKind::kRunning});
  at(0, kOsAgent, event::ThreadStep{kMain, 0, round});
  at(1 * kUs, kOsAgent, event::Doorbell{kRender, 64, 0, 0});
  at(1 * kUs, kOsAgent,
     event::PcieTransfer{kDown, 8, event::TlpKind::kPostedWrite, start_ + 400'000, 600'000});
  at(2 * kUs, kEngineAgent, event::QueueState{kRender, event::QueueStateKind::kRunning});
  at(2 * kUs, kEngineAgent, event::PacketBegin{kRender, 8, 7, kGfx});
  at(3 * kUs, kEngineAgent, event::PacketBegin{kCopy, 3, 0, kDma});
  at(3 * kUs, kEngineAgent, event::GpuWaitBegin{kFrame, value, kCopy});
  at(4 * kUs, kEngineAgent, event::GpuWaitPark{kFrame, value, kCopy});
  at(4 * kUs, kEngineAgent, event::QueueState{kCopy, event::QueueStateKind::kParked});
  at(5 * kUs, kOsAgent, event::WaitAdd{kFrame, value, value, kMain, 0, 0});
  at(5 * kUs, kOsAgent, event::ThreadState{kMain, event::ThreadStateKind::kBlocked});
  at(6 * kUs, kOsAgent, event::UpdateMonitoredCall{kFrame, value - 1, 2 * value - 1, kGpu});
  at(7 * kUs, kOsAgent, event::MonitoredValueVisible{kFrame, value - 1, kGpu});
  at(7 * kUs + 200'000, kCmpAgent, event::ShadowVisible{kFrame, value - 1, kGpu});
  at(8 * kUs, kOsAgent, event::UpdateMonitoredReturn{kFrame, value - 1, 2 * value - 1, kGpu});
  at(10 * kUs, kOsAgent, event::PowerState{kCpu0, 2, 10 * kUs, 0});
  at(30 * kUs, kEngineAgent, event::PacketEnd{kRender, 8, 7, kGfx});
  signal(value, value);
  at(31 * kUs, kEngineAgent, event::QueueState{kRender, event::QueueStateKind::kIdle});
  at(31 * kUs, kEngineAgent, event::GpuWaitUnblock{kFrame, value, value, kCopy});
  at(31 * kUs, kEngineAgent, event::QueueState{kCopy, event::QueueStateKind::kRunning});
  at(31 * kUs, kEngineAgent, event::PacketEnd{kCopy, 3, 0, kDma});
  interrupt(value);
  at(41 * kUs, kOsAgent, event::Mark{kMain, 0});
  at(45 * kUs, kOsAgent, event::LogOverrun{kSignalLog, 3});
  at(50 * kUs, kOsAgent, event::CpuSignal{kData, value, 0});
  at(51 * kUs, kOsAgent, event::CurrentValueVisible{kData, value, 0});
}

void Run::fill_report() {
  scenario.name = "sample";
  scenario.title = "A frame with one wait <& one signal>";
  scenario.covers = {"NF3"};
  scenario.effective_json = R"({"name": "sample", "schema_version": 1,
    "processes": [{"name": "app"}], "programs": [{"thread": "t", "steps": [{"delay": "1us"}]}],
    "expect": {}})";
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
