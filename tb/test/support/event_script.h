#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "models/common/events.h"
#include "tb/check/checkers.h"

namespace fenceline::check {

/// An event list written by hand, and the checkers that judge it. For tests.
///
/// Each event comes 10 ps after the one before. There are fences 1 to 4, adapters 1 and 2, queues
/// 1 and 2 of engines 1 and 2, log 1, and the agents below.
class EventScript {
 public:
  enum Agent : common::AgentId { kEngine = 1, kEngine2, kCmp, kCpu, kIsr, kDpc, kUser };

  explicit EventScript(const CheckOptions& options = {}) : checkers(stream, options) {
    stream.set_clock([](const void* self) { return static_cast<const EventScript*>(self)->time; },
                     this);
    using common::ObjectKind;
    for (const char* name : {"alpha", "beta", "gamma", "delta"}) {
      stream.add_object(ObjectKind::kFence, name);
    }
    for (const char* name : {"engine 3D", "engine copy", "cmp", "cpu", "isr", "dpc", "user"}) {
      stream.add_object(ObjectKind::kAgent, name);
    }
    for (const char* name : {"gpu0", "gpu1"}) stream.add_object(ObjectKind::kAdapter, name);
    for (const char* name : {"queue a", "queue b"}) stream.add_object(ObjectKind::kQueue, name);
    stream.add_object(ObjectKind::kLog, "log a");
    stream.add_object(ObjectKind::kThread, "thread t");
  }

  /// Any event of models/common/events.
  template <class E>
  EventScript& on(common::AgentId agent, const E& event) {
    time += 10;
    stream.emit(agent, event);
    return *this;
  }

  // Fences.
  EventScript& create(std::uint32_t f = 1, std::uint64_t initial = 0, std::uint32_t adapter = 1) {
    return on(kCpu, event::FenceCreate{f, initial, adapter, 0});
  }
  EventScript& open(std::uint32_t f = 1, std::uint32_t adapter = 1, std::uint32_t process = 1) {
    return on(kCpu, event::FenceOpen{f, process, adapter});
  }
  EventScript& close(std::uint32_t f = 1, std::uint32_t adapter = 1, std::uint32_t process = 1) {
    return on(kCpu, event::FenceClose{f, process, adapter, false});
  }
  EventScript& destroy(std::uint32_t f = 1, std::uint32_t adapter = 1) {
    return on(kCpu, event::FenceDestroy{f, 1, adapter});
  }

  // The steps of a signal `s` of value `v` on fence `f`, by engine 1 and queue 1 unless said.
  EventScript& begin(std::uint32_t f, std::uint64_t v, std::uint64_t s, Agent by = kEngine) {
    return on(by, event::SignalBegin{f, v, s, by});
  }
  EventScript& issue(std::uint32_t f, std::uint64_t v, std::uint64_t s, Agent by = kEngine) {
    in_flight_.push_back({f, v, s, by});
    return on(by, event::CurrentValueIssued{f, v, s});
  }
  /// The oldest write of the value that `by` has in flight arrives, or a store of a CPU.
  EventScript& visible(std::uint32_t f, std::uint64_t v, Agent by = kEngine) {
    const auto write = std::find_if(in_flight_.begin(), in_flight_.end(), [&](const Write& one) {
      return one.fence == f && one.value == v && one.by == by;
    });
    event::CurrentValueVisible landed{{f, v, 0}};
    if (write != in_flight_.end()) {
      landed.signal = write->signal;
      in_flight_.erase(write);
    }
    return on(by, landed);
  }
  EventScript& shadow_read(std::uint32_t f, std::uint64_t mv, Agent by = kEngine) {
    return on(by, event::ShadowRead{f, mv, 1});
  }
  EventScript& decide(std::uint32_t f, std::uint64_t v, std::uint64_t s, bool told,
                      Agent by = kEngine) {
    return on(by, event::Decision{f, v, s, told});
  }
  EventScript& end(std::uint32_t f, std::uint64_t v, std::uint64_t s, Agent by = kEngine) {
    return on(by, event::SignalEnd{f, v, s, by});
  }
  /// A whole signal in order, whose engine reads MonitoredValue `mv`.
  EventScript& signal(std::uint32_t f, std::uint64_t v, std::uint64_t s, std::uint64_t mv,
                      Agent by = kEngine) {
    begin(f, v, s, by).issue(f, v, s, by).visible(f, v, by).shadow_read(f, mv, by);
    return decide(f, v, s, v > mv, by).end(f, v, s, by);
  }
  EventScript& cpu_signal(std::uint32_t f, std::uint64_t v, std::uint64_t flags = 0) {
    on(kCpu, event::CpuSignal{f, v, flags});
    return visible(f, v, kCpu);
  }
  EventScript& read(std::uint32_t f, std::uint64_t v, event::Reader how, Agent by) {
    return on(by, event::CurrentValueRead{f, v, how});
  }

  // The CMP.
  EventScript& cmp_decide(std::uint32_t f, std::uint64_t v, std::uint64_t mv, event::Decider why,
                          bool raised) {
    return on(kCmp, event::CmpDecision{f, v, mv, raised, why});
  }
  EventScript& raise(std::uint32_t f, std::uint64_t v, std::uint32_t queue = 1,
                     std::uint32_t adapter = 1) {
    return on(kCmp, event::InterruptRaised{adapter, f, v, queue, false});
  }
  /// The CMP handles the notice of an engine: compares, and raises if it must.
  EventScript& notice(std::uint32_t f, std::uint64_t v, std::uint64_t mv) {
    cmp_decide(f, v, mv, event::Decider::kSignalNotice, v > mv);
    return v > mv ? raise(f, v) : *this;
  }

  // Updates of MonitoredValue.
  EventScript& call(std::uint32_t f, std::uint64_t mv, std::uint64_t u) {
    return on(kCpu, event::UpdateMonitoredCall{f, mv, u, 1});
  }
  EventScript& monitored(std::uint32_t f, std::uint64_t mv, std::uint32_t adapter = 1) {
    return on(kCpu, event::MonitoredValueVisible{f, mv, adapter});
  }
  EventScript& shadow(std::uint32_t f, std::uint64_t mv) {
    return on(kCmp, event::ShadowIssued{f, mv, 1}).on(kCmp, event::ShadowVisible{f, mv, 1});
  }
  EventScript& recheck(std::uint32_t f, std::uint64_t v, std::uint64_t mv) {
    read(f, v, event::Reader::kCmp, kCmp);
    cmp_decide(f, v, mv, event::Decider::kMonitoredUpdate, v > mv);
    return v > mv ? raise(f, v, 0) : *this;
  }
  EventScript& ret(std::uint32_t f, std::uint64_t mv, std::uint64_t u) {
    return on(kCpu, event::UpdateMonitoredReturn{f, mv, u, 1});
  }
  /// A whole update in order, while CurrentValue is `v`.
  EventScript& update(std::uint32_t f, std::uint64_t mv, std::uint64_t u, std::uint64_t v) {
    return call(f, mv, u).shadow(f, mv).recheck(f, v, mv).ret(f, mv, u);
  }

  // The interrupt path.
  EventScript& message() {
    return on(kCmp, event::MessageSent{1, 0}).on(kCmp, event::MessageDelivered{1, 0, 1});
  }
  EventScript& isr_begin() { return on(kIsr, event::IsrBegin{1, 1}); }
  EventScript& notified(std::uint32_t f, std::uint32_t queue = 1) {
    return on(kIsr, event::Notify{f, kNativeFenceSignaled, 1, queue});
  }
  EventScript& notified_all(std::uint64_t engine = 0) {
    return on(kIsr, event::NotifyAll{1, kNativeFenceSignaled, engine});
  }
  EventScript& isr_end() { return on(kIsr, event::IsrEnd{1, 1}); }
  EventScript& isr(std::uint32_t f) { return isr_begin().notified(f).isr_end(); }
  EventScript& dpc_begin() { return on(kDpc, event::DpcBegin{1, 1}); }
  EventScript& scan(std::uint32_t f, std::uint64_t v) {
    return read(f, v, event::Reader::kOsDpcScan, kDpc);
  }
  EventScript& dpc_end(std::uint64_t released = 1) {
    return on(kDpc, event::DpcEnd{1, 1, released});
  }
  /// Message, ISR and DPC for fence `f`, whose CurrentValue the DPC reads as `v`.
  EventScript& interrupt(std::uint32_t f, std::uint64_t v) {
    return message().isr(f).dpc_begin().scan(f, v).dpc_end();
  }

  // Waits. `kind` 1 is any, 2 is all.
  EventScript& wait(std::uint32_t f, std::uint64_t v, std::uint64_t w, std::uint64_t kind = 0) {
    return on(kUser, event::WaitAdd{f, v, w, 1U, kind, 0});
  }
  EventScript& release(std::uint32_t f, std::uint64_t v, std::uint64_t w) {
    return on(kDpc, event::WaitRelease{f, v, w, 1U});
  }
  EventScript& done(std::uint32_t f, std::uint64_t v, std::uint64_t w) {
    return on(kUser, event::WaitDone{f, v, w, 1U});
  }
  EventScript& timeout(std::uint32_t f, std::uint64_t v, std::uint64_t w) {
    return on(kUser, event::WaitTimeout{f, v, w, 1U});
  }
  EventScript& gpu_wait(std::uint32_t f, std::uint64_t v, std::uint32_t queue = 1) {
    return on(kEngine, event::GpuWaitBegin{f, v, queue});
  }
  EventScript& unblock(std::uint32_t f, std::uint64_t v, std::uint32_t queue = 1) {
    return on(kEngine, event::GpuWaitUnblock{f, v, 0, queue});
  }

  EventScript& quiescent() { return on(0, event::Quiescent{}); }
  EventScript& stopped() { return on(0, event::EndOfRun{}); }

  /// Ids of the broken invariants, sorted, each once.
  std::vector<std::string> broken() {
    checkers.finish();
    std::vector<std::string> ids;
    for (const Violation& violation : checkers.violations()) ids.push_back(violation.invariant);
    std::sort(ids.begin(), ids.end());
    ids.erase(std::unique(ids.begin(), ids.end()), ids.end());
    return ids;
  }
  /// How often an invariant was put to the test.
  std::uint64_t checked(const std::string& id) const {
    for (const Exercise& exercise : checkers.exercised()) {
      if (exercise.invariant == id) return exercise.checked;
    }
    return 0;
  }

  std::uint64_t time = 0;
  common::EventStream stream;
  Checkers checkers;

 private:
  static constexpr std::uint64_t kNativeFenceSignaled = 19;
  struct Write {
    std::uint32_t fence;
    std::uint64_t value;
    std::uint64_t signal;
    Agent by;
  };
  std::vector<Write> in_flight_;
};

}  // namespace fenceline::check
