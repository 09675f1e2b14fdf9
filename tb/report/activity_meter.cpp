#include "tb/report/activity_meter.h"

#include <algorithm>
#include <fmt/format.h>

#include "tb/report/grown.h"

namespace fenceline::report {

using common::At;
using common::ObjectKind;

namespace {

constexpr std::array<const char*, 4> kTlpNames{"posted_write", "read_request", "completion", "msi"};

constexpr std::uint64_t kNotificationOnly = 2;  ///< of DXGK_UPDATECURRENTVALUESFROMCPU_FLAGS

std::string state_name(const Names& names, std::size_t state) {
  if (state == 0 && names.c_states.empty()) return "C0";
  return Names::entry(names.c_states, state, "state");
}

}  // namespace

void ActivityMeter::on(const At<event::PacketBegin>& event) {
  const auto engine = static_cast<std::uint32_t>(event.engine);
  ++grown(opcodes_, event.opcode);
  ++grown(engines_, engine).packets;
  grown(queues_, event.queue) = {engine, false};
  start(engine, event.time);
}

void ActivityMeter::on(const At<event::PacketEnd>& event) {
  Queue& queue = grown(queues_, event.queue);
  if (queue.engine != 0 && !queue.parked) stop(queue.engine, event.time);
  queue = {};
}

void ActivityMeter::on(const At<event::GpuWaitPark>& event) { park(event.queue, true, event.time); }

void ActivityMeter::on(const At<event::GpuWaitUnblock>& event) {
  park(event.queue, false, event.time);
}

// The event says how long the state lasted that it leaves; whatever no idle state had is C0.
void ActivityMeter::on(const At<event::PowerState>& event) {
  Core& core = grown(cores_, event.core);
  if (core.state != 0) grown(core.residency, core.state) += event.residency;
  if (core.state != 0 && event.state == 0) {
    ++wakeups_;
    wakeups_then_ = event.time == last_wakeup_ ? wakeups_then_ + 1 : 1;
    last_wakeup_ = event.time;
  }
  core.state = event.state;
  core.since = event.time;
}

void ActivityMeter::on(const At<event::PcieTransfer>& event) {
  Link& link = grown(links_, event.link);
  const std::size_t kind = static_cast<std::size_t>(event.kind.value) % kTlpKinds;
  ++link.transfers[kind];
  link.bytes[kind] += event.bytes;
  link.busy += event.duration;
}

void ActivityMeter::on(const At<event::DdiCall>& event) { ++grown(ddis_, event.ddi); }

void ActivityMeter::on(const At<event::LogOverrun>& event) { lost_entries_ += event.lost; }

void ActivityMeter::on(const At<event::EngineInterrupt>&) { ++engine_interrupts_; }

void ActivityMeter::on(const At<event::PreemptCall>&) { ++preempt_requests_; }

void ActivityMeter::on(const At<event::BufferFaulted>&) { ++faulted_; }

void ActivityMeter::on(const At<event::BufferStopped>&) { ++buffers_stopped_; }

void ActivityMeter::on(const At<event::ContextSaved>& event) {
  state_bytes_ += event.bytes;
  ++context_saves_;
}

void ActivityMeter::on(const At<event::Present>& event) {
  ++grown(displays_, event.adapter).waiting;
}

void ActivityMeter::on(const At<event::FlipEffective>& event) {
  Display& display = grown(displays_, event.adapter);
  ++flips_;
  display.flipped = true;
  display.waiting -= display.waiting > 0 ? 1 : 0;
}

void ActivityMeter::on(const At<event::VerticalSync>& event) {
  Display& display = grown(displays_, event.adapter);
  ++frames_;
  missed_syncs_ += !display.flipped && display.waiting > 0 ? 1 : 0;
  display.flipped = false;
}

void ActivityMeter::on(const At<event::ScanTop>& event) {
  Display& display = grown(displays_, event.adapter);
  display.top = event.word;
  display.top_address = event.address;
}

void ActivityMeter::on(const At<event::ScanBottom>& event) {
  const Display& display = grown(displays_, event.adapter);
  if (display.top_address != event.address)
    ++tears_;
  else if (display.top != event.word)
    ++unfinished_;
}

void ActivityMeter::on(const At<event::Recovery>& event) {
  const auto stage = static_cast<std::size_t>(event.stage);
  ++recoveries_[stage < recoveries_.size() ? stage : 0];
}

void ActivityMeter::on(const At<event::ContextSubmit>&) { ++context_submits_; }

void ActivityMeter::on(const At<event::CpuSignal>& event) {
  passed_on_ += event.told != 0 && (event.flags & kNotificationOnly) != 0 ? 1 : 0;
}

void ActivityMeter::on(const At<event::PeerDoorbell>& event) {
  ++peer_doorbells_;
  peer_scanned_ += event.queues;
}

void ActivityMeter::on(const At<event::CpuEventSignal>&) { ++cpu_event_signals_; }

void ActivityMeter::on(const At<event::AdapterPower>& event) {
  if (event.state == 0) ++adapter_wakes_;
}

void ActivityMeter::start(std::uint32_t engine, std::uint64_t time) {
  Engine& it = grown(engines_, engine);
  if (it.running++ == 0) it.since = time;
}

void ActivityMeter::stop(std::uint32_t engine, std::uint64_t time) {
  Engine& it = grown(engines_, engine);
  if (it.running > 0 && --it.running == 0) it.busy += time - it.since;
}

// A parked queue does not occupy its engine although its wait packet has not ended.
void ActivityMeter::park(std::uint64_t queue_number, bool parked, std::uint64_t time) {
  Queue& queue = grown(queues_, queue_number);
  if (queue.engine == 0 || queue.parked == parked) return;
  queue.parked = parked;
  if (parked) {
    stop(queue.engine, time);
  } else {
    start(queue.engine, time);
  }
}

void ActivityMeter::report(const Names& names, std::uint64_t end_time,
                           std::vector<Counter>& counters) const {
  counters.push_back(
      {"log.lost", "entries", "log entries overwritten before the OS read them", lost_entries_});
  report_packets(names, end_time, counters);
  for (std::size_t i = 0; i < ddis_.size(); ++i) {
    if (ddis_[i] == 0) continue;
    const std::string name = Names::entry(names.ddis, i, "ddi");
    counters.push_back({"ddi." + name, "count", "calls of " + name, ddis_[i]});
  }
  report_power(names, end_time, counters);
  report_links(names, counters);
  report_contexts(counters);
  report_display(counters);
}

/// As of contexts: what did not happen is not listed, but for tears where there is a display.
void ActivityMeter::report_display(std::vector<Counter>& out) const {
  if (frames_ == 0) return;
  const auto add = [&](const char* name, const char* meaning, std::uint64_t value) {
    out.push_back({name, "count", meaning, value});
  };
  add("display.frames", "frames that the displays have scanned out", frames_);
  add("display.flips", "times that another primary was scanned out from then on", flips_);
  add("display.missed_syncs", "vertical syncs that had no new image, although one was presented",
      missed_syncs_);
  add("display.tears", "frames with two images", tears_);
  add("display.unfinished", "frames with an image that was being drawn", unfinished_);
}

/// What native fences do not need: as DDIs, they are listed if they happened.
void ActivityMeter::report_contexts(std::vector<Counter>& out) const {
  const auto add = [&](const char* name, const char* meaning, std::uint64_t value) {
    if (value != 0) out.push_back({name, "count", meaning, value});
  };
  add("interrupts.engine", "interrupt entries for monitored fences and complete buffers",
      engine_interrupts_);
  add("contexts.submits", "buffers that the OS gave to a driver", context_submits_);
  add("contexts.faults", "buffers that a node has given up over a packet", faulted_);
  report_preemption(out);
  add("cpu_events.signals", "CPU events signalled by a driver", cpu_event_signals_);
  add("signals.passed_on", "adapters told of a signal elsewhere by NotificationOnly", passed_on_);
  add("doorbells.peer", "doorbells of other GPUs that arrived", peer_doorbells_);
  add("doorbells.peer_scanned", "queues that looked again for them", peer_scanned_);
  add("power.adapter_wakes", "adapters that left D3", adapter_wakes_);
}

/// All of them where anything was preempted, so that tables of many runs have the same columns.
void ActivityMeter::report_preemption(std::vector<Counter>& out) const {
  const bool any = preempt_requests_ + recoveries_[0] != 0;
  const auto add = [&](const char* name, const char* unit, const char* meaning,
                       std::uint64_t value) {
    if (any || value != 0) out.push_back({name, unit, meaning, value});
  };
  add("preemption.requests", "count", "calls of DxgkDdiPreemptCommand", preempt_requests_);
  add("preemption.stopped", "count", "buffers that left a node before their end", buffers_stopped_);
  add("preemption.saves", "count", "times that state of a context was saved", context_saves_);
  add("preemption.state_bytes", "bytes", "saved of stopped work", state_bytes_);
  add("tdr.timeouts", "count", "preemptions that were not acknowledged in time", recoveries_[0]);
  add("tdr.engine_resets", "count", "nodes that were reset alone", recoveries_[1]);
  add("tdr.adapter_resets", "count", "nodes that were reset with their adapter", recoveries_[2]);
  if (recoveries_[4] != 0)
    out.push_back({"tdr.dependents", "count", "nodes preempted before another was reset with them",
                   recoveries_[4]});
  if (recoveries_[5] != 0)
    out.push_back(
        {"tdr.blocked", "count", "processes that may use an adapter no more", recoveries_[5]});
  if (recoveries_[6] != 0)
    out.push_back(
        {"submissions.refused", "count", "buffers that a driver has not taken", recoveries_[6]});
  if (recoveries_[7] != 0)
    out.push_back({"tdr.memory_lost", "count",
                   "processes that a reset has cost memory that was being moved", recoveries_[7]});
}

void ActivityMeter::report_packets(const Names& names, std::uint64_t end_time,
                                   std::vector<Counter>& out) const {
  for (std::size_t i = 0; i < opcodes_.size(); ++i) {
    if (opcodes_[i] == 0) continue;
    const std::string name = Names::entry(names.opcodes, i, "opcode");
    out.push_back({"packets." + name, "count", name + " packets begun", opcodes_[i]});
  }
  for (std::uint32_t i = 1; i <= names.count(ObjectKind::kEngine); ++i) {
    const Engine engine = i < engines_.size() ? engines_[i] : Engine{};
    const std::uint64_t open = engine.running > 0 ? end_time - engine.since : 0;
    const std::string name(names.object(ObjectKind::kEngine, i));
    out.push_back({"engine." + name + ".busy", "ps", "time with a packet that is not parked",
                   engine.busy + open});
    out.push_back({"engine." + name + ".packets", "count", "packets begun", engine.packets});
  }
}

void ActivityMeter::report_power(const Names& names, std::uint64_t end_time,
                                 std::vector<Counter>& out) const {
  // Whoever sleeps at the end of the run is told awake then, and is no wake-up.
  const std::uint64_t wakeups = wakeups_ - (last_wakeup_ == end_time ? wakeups_then_ : 0);
  out.push_back({"cpu_wakeups", "count", "times a core left an idle state", wakeups});
  std::vector<std::uint64_t> total(names.c_states.empty() ? 1 : names.c_states.size());
  std::vector<Counter> per_core;
  for (std::uint32_t i = 1; i <= names.count(ObjectKind::kCore); ++i) {
    Core core = i < cores_.size() ? cores_[i] : Core{};
    if (core.state != 0) grown(core.residency, core.state) += end_time - core.since;
    std::uint64_t idle = 0;
    for (const std::uint64_t residency : core.residency) idle += residency;
    grown(core.residency, 0) += end_time - std::min(idle, end_time);
    for (std::size_t s = 0; s < core.residency.size(); ++s) {
      grown(total, s) += core.residency[s];
      if (core.residency[s] == 0) continue;
      per_core.push_back(
          {fmt::format("core.{}.{}", names.object(ObjectKind::kCore, i), state_name(names, s)),
           "ps", "residency of one core in this state", core.residency[s]});
    }
  }
  for (std::size_t s = 0; s < total.size(); ++s) {
    out.push_back(
        {"cstate." + state_name(names, s), "ps", "residency summed over all cores", total[s]});
  }
  out.insert(out.end(), per_core.begin(), per_core.end());
}

void ActivityMeter::report_links(const Names& names, std::vector<Counter>& out) const {
  for (std::uint32_t i = 1; i <= names.count(ObjectKind::kLink); ++i) {
    const Link link = i < links_.size() ? links_[i] : Link{};
    const std::string prefix = fmt::format("pcie.{}.", names.object(ObjectKind::kLink, i));
    for (std::size_t k = 0; k < kTlpKinds; ++k) {
      out.push_back(
          {prefix + kTlpNames[k] + ".tlps", "count", "TLPs that crossed", link.transfers[k]});
      out.push_back(
          {prefix + kTlpNames[k] + ".bytes", "bytes", "payload that crossed", link.bytes[k]});
    }
    out.push_back({prefix + "busy", "ps", "transfer times added up", link.busy});
  }
}

}  // namespace fenceline::report
