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

  /// Any event.
  EventScript& on(common::EventKind kind, common::AgentId agent, std::uint32_t object,
                  std::uint64_t a = 0, std::uint64_t b = 0, std::uint64_t c = 0) {
    time += 10;
    stream.emit(kind, agent, object, a, b, c);
    return *this;
  }

  // Fences.
  EventScript& create(std::uint32_t f = 1, std::uint64_t initial = 0, std::uint64_t adapter = 1) {
    return on(Kind::kFenceCreate, kCpu, f, initial, adapter);
  }
  EventScript& open(std::uint32_t f = 1, std::uint64_t adapter = 1, std::uint64_t process = 1) {
    return on(Kind::kFenceOpen, kCpu, f, process, adapter);
  }
  EventScript& close(std::uint32_t f = 1, std::uint64_t adapter = 1, std::uint64_t process = 1) {
    return on(Kind::kFenceClose, kCpu, f, process, adapter);
  }
  EventScript& destroy(std::uint32_t f = 1, std::uint64_t adapter = 1) {
    return on(Kind::kFenceDestroy, kCpu, f, 1, adapter);
  }

  // The steps of a signal `s` of value `v` on fence `f`, by engine 1 and queue 1 unless said.
  EventScript& begin(std::uint32_t f, std::uint64_t v, std::uint64_t s, Agent by = kEngine) {
    return on(Kind::kSignalBegin, by, f, v, s, by);
  }
  EventScript& issue(std::uint32_t f, std::uint64_t v, std::uint64_t s, Agent by = kEngine) {
    return on(Kind::kCurrentValueIssued, by, f, v, s);
  }
  EventScript& visible(std::uint32_t f, std::uint64_t v, Agent by = kEngine) {
    return on(Kind::kCurrentValueVisible, by, f, v);
  }
  EventScript& shadow_read(std::uint32_t f, std::uint64_t mv, Agent by = kEngine) {
    return on(Kind::kShadowRead, by, f, mv, 1);
  }
  EventScript& decide(std::uint32_t f, std::uint64_t v, std::uint64_t s, bool told,
                      Agent by = kEngine) {
    return on(Kind::kDecision, by, f, v, s, told ? 1 : 0);
  }
  EventScript& end(std::uint32_t f, std::uint64_t v, std::uint64_t s, Agent by = kEngine) {
    return on(Kind::kSignalEnd, by, f, v, s, by);
  }
  /// A whole signal in order, whose engine reads MonitoredValue `mv`.
  EventScript& signal(std::uint32_t f, std::uint64_t v, std::uint64_t s, std::uint64_t mv,
                      Agent by = kEngine) {
    begin(f, v, s, by).issue(f, v, s, by).visible(f, v, by).shadow_read(f, mv, by);
    return decide(f, v, s, v > mv, by).end(f, v, s, by);
  }
  EventScript& cpu_signal(std::uint32_t f, std::uint64_t v, std::uint64_t flags = 0) {
    on(Kind::kCpuSignal, kCpu, f, v, flags);
    return issue(f, v, 0, kCpu).visible(f, v, kCpu);
  }
  EventScript& read(std::uint32_t f, std::uint64_t v, common::Reader how, Agent by) {
    return on(Kind::kCurrentValueRead, by, f, v, static_cast<std::uint64_t>(how));
  }

  // The CMP.
  EventScript& cmp_decide(std::uint32_t f, std::uint64_t v, std::uint64_t mv, common::Decider why,
                          bool raised) {
    return on(Kind::kCmpDecision, kCmp, f, v, mv,
              (static_cast<std::uint64_t>(why) << 1) | (raised ? 1U : 0U));
  }
  EventScript& raise(std::uint32_t f, std::uint64_t v, std::uint64_t queue = 1,
                     std::uint32_t adapter = 1) {
    return on(Kind::kInterruptRaised, kCmp, adapter, f, v, queue);
  }
  /// The CMP handles the notice of an engine: compares, and raises if it must.
  EventScript& notice(std::uint32_t f, std::uint64_t v, std::uint64_t mv) {
    cmp_decide(f, v, mv, common::Decider::kSignalNotice, v > mv);
    return v > mv ? raise(f, v) : *this;
  }

  // Updates of MonitoredValue.
  EventScript& call(std::uint32_t f, std::uint64_t mv, std::uint64_t u) {
    return on(Kind::kUpdateMonitoredCall, kCpu, f, mv, u, 1);
  }
  EventScript& monitored(std::uint32_t f, std::uint64_t mv, std::uint64_t adapter = 1) {
    return on(Kind::kMonitoredValueVisible, kCpu, f, mv, adapter);
  }
  EventScript& shadow(std::uint32_t f, std::uint64_t mv) {
    return on(Kind::kShadowIssued, kCmp, f, mv, 1).on(Kind::kShadowVisible, kCmp, f, mv, 1);
  }
  EventScript& recheck(std::uint32_t f, std::uint64_t v, std::uint64_t mv) {
    read(f, v, common::Reader::kCmp, kCmp);
    cmp_decide(f, v, mv, common::Decider::kMonitoredUpdate, v > mv);
    return v > mv ? raise(f, v, 0) : *this;
  }
  EventScript& ret(std::uint32_t f, std::uint64_t mv, std::uint64_t u) {
    return on(Kind::kUpdateMonitoredReturn, kCpu, f, mv, u, 1);
  }
  /// A whole update in order, while CurrentValue is `v`.
  EventScript& update(std::uint32_t f, std::uint64_t mv, std::uint64_t u, std::uint64_t v) {
    return call(f, mv, u).shadow(f, mv).recheck(f, v, mv).ret(f, mv, u);
  }

  // The interrupt path.
  EventScript& message() {
    return on(Kind::kMessageSent, kCmp, 1, 0).on(Kind::kMessageDelivered, kCmp, 1, 0, 0, 1);
  }
  EventScript& isr_begin() { return on(Kind::kIsrBegin, kIsr, 1, 1); }
  EventScript& notified(std::uint32_t f, std::uint64_t queue = 1) {
    return on(Kind::kNotify, kIsr, f, kNativeFenceSignaled, 1, queue);
  }
  EventScript& notified_all(std::uint64_t engine = 0) {
    return on(Kind::kNotifyAll, kIsr, 1, kNativeFenceSignaled, 0, engine);
  }
  EventScript& isr_end() { return on(Kind::kIsrEnd, kIsr, 1, 1); }
  EventScript& isr(std::uint32_t f) { return isr_begin().notified(f).isr_end(); }
  EventScript& dpc_begin() { return on(Kind::kDpcBegin, kDpc, 1, 1); }
  EventScript& scan(std::uint32_t f, std::uint64_t v) {
    return read(f, v, common::Reader::kOsDpcScan, kDpc);
  }
  EventScript& dpc_end(std::uint64_t released = 1) {
    return on(Kind::kDpcEnd, kDpc, 1, 1, released);
  }
  /// Message, ISR and DPC for fence `f`, whose CurrentValue the DPC reads as `v`.
  EventScript& interrupt(std::uint32_t f, std::uint64_t v) {
    return message().isr(f).dpc_begin().scan(f, v).dpc_end();
  }

  // Waits. `kind` 1 is any, 2 is all.
  EventScript& wait(std::uint32_t f, std::uint64_t v, std::uint64_t w, std::uint64_t kind = 0) {
    return on(Kind::kWaitAdd, kUser, f, v, w, (kind << 32) | 1);
  }
  EventScript& release(std::uint32_t f, std::uint64_t v, std::uint64_t w) {
    return on(Kind::kWaitRelease, kDpc, f, v, w, 1);
  }
  EventScript& done(std::uint32_t f, std::uint64_t v, std::uint64_t w) {
    return on(Kind::kWaitDone, kUser, f, v, w, 1);
  }
  EventScript& timeout(std::uint32_t f, std::uint64_t v, std::uint64_t w) {
    return on(Kind::kWaitTimeout, kUser, f, v, w, 1);
  }
  EventScript& gpu_wait(std::uint32_t f, std::uint64_t v, std::uint64_t queue = 1) {
    return on(Kind::kGpuWaitBegin, kEngine, f, v, 0, queue);
  }
  EventScript& unblock(std::uint32_t f, std::uint64_t v, std::uint64_t queue = 1) {
    return on(Kind::kGpuWaitUnblock, kEngine, f, v, 0, queue);
  }

  EventScript& quiescent() { return on(Kind::kQuiescent, 0, 0); }
  EventScript& stopped() { return on(Kind::kEndOfRun, 0, 0); }

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
  using Kind = common::EventKind;
  static constexpr std::uint64_t kNativeFenceSignaled = 19;
};

}  // namespace fenceline::check
