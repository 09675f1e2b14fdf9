#include "tb/report/meters/activity_meter.h"

#include <algorithm>
#include <fmt/format.h>

#include "tb/report/record/at_or_grow.h"

namespace fenceline::report {

using common::At;
using common::ObjectKind;

namespace {

constexpr std::array<const char*, 4> kTlpNames{"posted_write", "read_request", "completion", "msi"};

std::string state_name(const Names& names, std::size_t state) {
  if (state == 0 && names.c_states.empty()) return "C0";
  return Names::entry(names.c_states, state, "state");
}

}  // namespace

void ActivityMeter::on(const At<event::PacketBegin>& event) {
  const auto engine = static_cast<std::uint32_t>(event.engine);
  ++at_or_grow(opcodes_, event.opcode);
  ++at_or_grow(engines_, engine).packets;
  at_or_grow(queues_, event.queue) = {engine, false};
  start(engine, event.time);
}

void ActivityMeter::on(const At<event::PacketEnd>& event) {
  Queue& queue = at_or_grow(queues_, event.queue);
  if (queue.engine != 0 && !queue.parked) stop(queue.engine, event.time);
  queue = {};
}

void ActivityMeter::on(const At<event::GpuWaitPark>& event) { park(event.queue, true, event.time); }

void ActivityMeter::on(const At<event::GpuWaitUnblock>& event) {
  park(event.queue, false, event.time);
}

// The event has the residency of the state that it leaves. Time outside of idle states is C0.
void ActivityMeter::on(const At<event::PowerState>& event) {
  Core& core = at_or_grow(cores_, event.core);
  if (core.state != 0) at_or_grow(core.residency, core.state) += event.residency;
  if (core.state != 0 && event.state == 0) {
    ++wakeups_;
    wakeups_at_last_ = event.time == last_wakeup_ ? wakeups_at_last_ + 1 : 1;
    last_wakeup_ = event.time;
  }
  core.state = event.state;
  core.since = event.time;
}

void ActivityMeter::on(const At<event::PcieTransfer>& event) {
  Link& link = at_or_grow(links_, event.link);
  const std::size_t kind = static_cast<std::size_t>(event.kind.value) % kTlpKinds;
  ++link.transfers[kind];
  link.bytes[kind] += event.bytes;
  link.busy += event.duration;
}

void ActivityMeter::on(const At<event::DdiCall>& event) { ++at_or_grow(ddis_, event.ddi); }

void ActivityMeter::start(std::uint32_t engine, std::uint64_t time) {
  Engine& it = at_or_grow(engines_, engine);
  if (it.running++ == 0) it.since = time;
}

void ActivityMeter::stop(std::uint32_t engine, std::uint64_t time) {
  Engine& it = at_or_grow(engines_, engine);
  if (it.running > 0 && --it.running == 0) it.busy += time - it.since;
}

// A parked queue does not occupy its engine although its wait packet has not ended.
void ActivityMeter::park(std::uint64_t queue_number, bool parked, std::uint64_t time) {
  Queue& queue = at_or_grow(queues_, queue_number);
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
  report_packets(names, end_time, counters);
  for (std::size_t i = 0; i < ddis_.size(); ++i) {
    if (ddis_[i] == 0) continue;
    const std::string name = Names::entry(names.ddis, i, "ddi");
    counters.push_back({"ddi." + name, "count", "calls of " + name, ddis_[i]});
  }
  report_power(names, end_time, counters);
  report_links(names, counters);
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
  // Cores that sleep at the end of the run are woken then: that is no wake-up.
  const std::uint64_t wakeups = wakeups_ - (last_wakeup_ == end_time ? wakeups_at_last_ : 0);
  out.push_back({"cpu_wakeups", "count", "times a core left an idle state", wakeups});
  std::vector<std::uint64_t> total(names.c_states.empty() ? 1 : names.c_states.size());
  std::vector<Counter> per_core;
  for (std::uint32_t i = 1; i <= names.count(ObjectKind::kCore); ++i) {
    Core core = i < cores_.size() ? cores_[i] : Core{};
    if (core.state != 0) at_or_grow(core.residency, core.state) += end_time - core.since;
    std::uint64_t idle = 0;
    for (const std::uint64_t residency : core.residency) idle += residency;
    at_or_grow(core.residency, 0) += end_time - std::min(idle, end_time);
    for (std::size_t s = 0; s < core.residency.size(); ++s) {
      at_or_grow(total, s) += core.residency[s];
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
