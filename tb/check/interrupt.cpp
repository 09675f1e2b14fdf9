#include "tb/check/interrupt.h"

#include <algorithm>

namespace fenceline::check {

using common::AgentId;
using common::Decider;
using common::Event;

namespace {
constexpr std::size_t kNotices = 32;  // kept a fence; above that the least demanding goes
constexpr std::size_t kDue = 32;
}  // namespace

void InterruptChecks::Fence::clear() {
  notices.clear();
  due.clear();
  unseen = {};
}

void InterruptChecks::Adapter::clear() {
  raises.clear();
  ring = {};
  notify_all = dpc_begin = 0;
  skipped = optimised = false;
}

void InterruptChecks::on_packet_begin(const Event& event) {
  queues_[event.object].engine = static_cast<std::uint32_t>(event.c);
}

void InterruptChecks::push(Fence& fence, const Notice& notice) {
  auto& notices = fence.notices;
  if (notices.size() >= kNotices) {
    const auto settled = [this](const Notice& n) {
      return n.position != kNever && (n.covered || told(n.adapter, n.queue, n.seq));
    };
    notices.erase(std::remove_if(notices.begin(), notices.end(), settled), notices.end());
  }
  if (notices.size() >= kNotices) {  // of the two oldest, the lower value is silenced first
    const bool first = notices[0].covered || notices[0].value <= notices[1].value;
    notices.erase(notices.begin() + (first ? 0 : 1));
  }
  notices.push_back(notice);
}

void InterruptChecks::drop_dealt(Fence& fence) {
  const auto dealt = [](const Notice& n) { return n.covered && n.passed && n.position != kNever; };
  auto& all = fence.notices;
  all.erase(std::remove_if(all.begin(), all.end(), dealt), all.end());
}

void InterruptChecks::on_decision(const Event& event, bool above) {
  if (event.c == 0 && !above) return;
  world_.report.checked(Invariant::kContract);
  Notice notice;
  notice.signal = event.b;
  notice.value = event.a;
  notice.seq = world_.report.seq();
  notice.time = event.time;
  notice.adapter = updates_.adapter_of(event.agent);
  if (Signal* signal = world_.signals.find(event.b)) {
    signal->told = event.c != 0;
    signal->noticed = true;
    notice.queue = signal->queue;
    notice.position = signal->position;
    notice.log = signal->log;
    notice.entry = signal->entry;
  } else {
    notice.position = 0;
  }
  push(fences_[event.object], notice);
}

void InterruptChecks::on_visible(Signal& signal, AgentId writer) {
  if (signal.noticed) {
    for (Notice& notice : fences_[signal.fence].notices) {
      if (notice.signal == signal.number) notice.position = signal.position;
    }
  }
  if (signal.raised) {
    for (Due& due : fences_[signal.fence].due) {
      if (due.raise.signal == signal.number) due.raise.position = signal.position;
    }
    for (std::size_t a = 0; a < adapters_.size(); ++a) {
      auto& raises = adapters_[a].raises;
      for (std::uint64_t i = raises.first_index(); i != raises.end_index(); ++i) {
        if (raises[i].signal == signal.number) raises[i].position = signal.position;
      }
    }
  }
  const std::uint32_t adapter = signal.adapter != 0 ? signal.adapter : updates_.adapter_of(writer);
  // A GPU without native fences asks no MonitoredValue, least of all that of another adapter.
  if (adapter == 0 && world_.fences[signal.fence].cross_adapter) return;
  const Update* update = updates_.settled(signal.fence, adapter);
  if (update == nullptr || signal.value <= update->value) return;
  world_.report.checked(Invariant::kContract);
  fences_[signal.fence].unseen = {
      world_.report.seq(), world_.report.time(), signal.position, signal.number,
      signal.value,        update->value,        adapter,         signal.queue};
}

void InterruptChecks::on_cmp_read(const Event& event) {
  Agent& agent = agents_[event.agent];
  agent.fence = event.object;
  agent.position = world_.newest(event.object, event.a);
}

void InterruptChecks::on_cmp_decision(const Event& event) {
  Agent& agent = agents_[event.agent];
  const bool from_memory = agent.fence == event.object && agent.position != kNever;
  const std::uint64_t position = from_memory ? agent.position : kNever;
  agent.fence = 0;
  agent.decided = 0;
  if ((event.c & 1) == 0) {
    dismiss(event, position);
    return;
  }
  agent.decided = event.object;
  agent.decided_position = position;
  agent.for_update = static_cast<Decider>(event.c >> 1) == Decider::kMonitoredUpdate;
  if (!agent.for_update) return;
  world_.report.checked(Invariant::kContract);
  Notice notice;
  notice.value = event.a;
  notice.seq = world_.report.seq();
  notice.time = event.time;
  notice.position = 0;
  notice.adapter = updates_.adapter_of(event.agent);
  notice.passed = true;
  push(fences_[event.object], notice);
}

/// The CMP decided not to raise. That settles values that its MonitoredValue silences, and values
/// that a later one has replaced if the CMP looked at CurrentValue in memory.
void InterruptChecks::dismiss(const Event& event, std::uint64_t position) {
  Fence& fence = fences_[event.object];
  const std::uint32_t adapter = updates_.adapter_of(event.agent);
  bool consumed = static_cast<Decider>(event.c >> 1) != Decider::kSignalNotice;
  for (Notice& notice : fence.notices) {
    if (adapter != 0 && notice.adapter != 0 && notice.adapter != adapter) continue;
    if (!consumed && !notice.passed && notice.value == event.a) {
      notice.passed = consumed = true;
    }
    const bool silenced = event.b >= notice.value;
    const bool replaced = position != kNever && event.a <= event.b && notice.position != kNever &&
                          notice.position <= position;
    if (silenced || replaced) notice.covered = true;
  }
  drop_dealt(fence);
  Unseen& unseen = fence.unseen;
  const bool seen = unseen.seq != 0 && position != kNever && position >= unseen.position &&
                    event.a <= event.b && event.b == unseen.monitored;
  if (seen) unseen = {};
}

/// The oldest notice of the value by the queue that the event names; by any queue if it names none
/// that fits and all notices of the value come from one.
InterruptChecks::Notice* InterruptChecks::claim(Fence& fence, const Event& event) {
  Notice* any = nullptr;
  Notice* claimed = nullptr;
  bool several = false;
  for (Notice& notice : fence.notices) {
    if (notice.passed || notice.value != event.b) continue;
    if (claimed == nullptr && notice.queue != 0 && notice.queue == event.c) claimed = &notice;
    if (any == nullptr) any = &notice;
    several = several || notice.queue != any->queue;
  }
  if (claimed == nullptr && !several) claimed = any;
  if (claimed == nullptr) return nullptr;
  for (Notice* older = fence.notices.data(); older != claimed; ++older) {
    if (older->queue == claimed->queue) older->passed = true;
  }
  claimed->passed = true;
  return claimed;
}

RaisedSignal InterruptChecks::on_raised(const Event& event) {
  Agent& agent = agents_[event.agent];
  const auto object = static_cast<std::uint32_t>(event.a);
  Adapter& adapter = adapters_[event.object];
  Raise raise;
  raise.index = ++adapter.ring.written;
  raise.value = event.b;
  raise.fence = object;
  raise.queue = static_cast<std::uint32_t>(event.c);
  if (object != 0) {
    const bool from_memory = agent.decided == object && agent.decided_position != kNever;
    if (from_memory) raise.position = agent.decided_position;
    const bool of_signal = agent.decided != object || !agent.for_update;
    agent.decided = 0;
    Fence& fence = fences_[object];
    if (Notice* notice = of_signal ? claim(fence, event) : nullptr) {
      if (!from_memory) raise.position = notice->position;
      raise.signal = notice->signal;
      raise.logged = {notice->log, notice->entry};
      if (Signal* signal = world_.signals.find(notice->signal)) signal->raised = true;
    }
    drop_dealt(fence);
  }
  adapter.raises.push(raise);
  return {raise.signal, raise.logged};
}

void InterruptChecks::on_acknowledge(const Event& event) {
  adapters_[event.object].ring.acknowledge(event.a);
}

/// Entries that the routine has read and named nobody for were merged into a wider notification.
void InterruptChecks::on_isr_end(const Event& event) {
  Adapter& adapter = adapters_[event.object];
  if (adapter.ring.uncounted) return;
  auto& raises = adapter.raises;
  while (!raises.empty() && raises.front().index <= adapter.ring.acknowledged) raises.pop_front();
}

/// Takes the oldest entry that the notification can stand for. Once a NULL array has covered some,
/// it may stand for a newer one: then the weakest demand of them holds.
bool InterruptChecks::take(Adapter& adapter, const Event& event, Raise& taken) {
  auto& raises = adapter.raises;
  for (std::uint64_t i = raises.first_index(); i != raises.end_index(); ++i) {
    const bool same =
        event.object != 0 ? raises[i].fence == event.object : raises[i].queue == event.c;
    if (!same) continue;
    taken = raises[i];
    for (std::uint64_t later = i + 1; adapter.skipped && later < raises.end_index(); ++later) {
      if (raises[later].fence != taken.fence) continue;
      taken.position = std::min(taken.position, raises[later].position);
    }
    if (i == raises.first_index()) {
      raises.pop_front();
    } else {
      raises.erase(i);
    }
    return true;
  }
  return false;
}

LoggedSignal InterruptChecks::on_notify(const Event& event) {
  const std::uint64_t now = world_.report.seq();
  // Only the optimised form, which names no fence, has the OS look at the queue.
  if (event.object == 0 && event.c != 0) {
    queues_[event.c].notify = now;
    adapters_[event.b].optimised = true;
  }
  Raise raise;
  const bool matched = take(adapters_[event.b], event, raise);
  if (event.object != 0) {
    Fence& fence = fences_[event.object];
    for (Notice& notice : fence.notices) notice.covered = true;
    drop_dealt(fence);
    fence.unseen = {};
    if (matched && raise.fence != 0) {
      if (fence.due.size() == kDue) fence.due.erase(fence.due.begin());
      fence.due.push_back({raise, static_cast<std::uint32_t>(event.b), now});
    }
  }
  return matched ? raise.logged : LoggedSignal{};
}

void InterruptChecks::on_notify_all(const Event& event) {
  Adapter& adapter = adapters_[event.object];
  adapter.skipped = true;
  if (event.c == 0 || !adapter.optimised) {
    adapter.notify_all = world_.report.seq();
  } else {
    engines_[event.c].notify = world_.report.seq();
  }
}

bool InterruptChecks::told(std::uint32_t adapter, std::uint32_t queue, std::uint64_t since) {
  if (adapter != 0 && adapters_[adapter].notify_all > since) return true;
  if (adapter == 0) {
    for (std::size_t a = 0; a < adapters_.size(); ++a) {
      if (adapters_[a].notify_all > since) return true;
    }
  }
  if (queue != 0 && queues_[queue].notify > since) return true;
  const std::uint32_t engine = queue == 0 ? 0 : queues_[queue].engine;
  if (engine != 0) return engines_[engine].notify > since;
  for (std::size_t e = 0; e < engines_.size(); ++e) {  // the engine is not known
    if (engines_[e].notify > since) return true;
  }
  return false;
}

void InterruptChecks::on_dpc_begin(const Event& event) {
  adapters_[event.object].dpc_begin = world_.report.seq();
  agents_[event.agent].dpc_begin = world_.report.seq();
}

void InterruptChecks::on_spurious() {
  ++spurious_;
  world_.report.checked(Invariant::kSpuriousOk);
}

void InterruptChecks::on_os_read(const Event& event, bool scan) {
  Fence& fence = fences_[event.object];
  if (scan && !fence.due.empty()) judge_due(fence, event);
  if (fence.unseen.seq == 0) return;
  const std::uint64_t position = world_.newest(event.object, event.a);
  if (position != kNever && position >= fence.unseen.position) fence.unseen = {};
}

void InterruptChecks::judge_due(Fence& fence, const Event& event) {
  const std::uint64_t own = agents_[event.agent].dpc_begin;
  const std::uint64_t position = world_.newest(event.object, event.a);
  std::size_t kept = 0;
  for (std::size_t i = 0; i < fence.due.size(); ++i) {
    const Due& due = fence.due[i];
    const std::uint64_t begin = own != 0 ? own : adapters_[due.adapter].dpc_begin;
    if (due.seq > begin) {  // this DPC began before the notification
      if (kept != i) fence.due[kept] = due;
      ++kept;
      continue;
    }
    world_.report.checked(Invariant::kIntData);
    const bool visible = due.raise.position != kNever;
    const bool seen = visible && (position == kNever || position >= due.raise.position);
    if (!seen) fail_due(due, event, visible);
  }
  fence.due.resize(kept);
}

void InterruptChecks::fail_due(const Due& due, const Event& event, bool visible) {
  Reporter& report = world_.report;
  if (!report.broken(Invariant::kIntData, event.object)) return;
  const std::string signal =
      due.raise.signal == 0 ? "" : " (signal " + text(due.raise.signal) + ")";
  report.add(Invariant::kIntData, event.object,
             "an interrupt named fence " + report.fence(event.object) + " for value " +
                 text(due.raise.value) + signal + ", but the DPC read CurrentValue " +
                 text(event.a) + " " + at_time(event.time) +
                 (visible ? ", older than that write" : " while that write was not visible"));
}

void InterruptChecks::on_update_call(const Event& event) { fences_[event.object].unseen = {}; }

void InterruptChecks::on_destroy(std::uint32_t fence) { fences_.forget(fence); }

void InterruptChecks::finish_quiescent() {
  for (std::size_t f = 0; f < fences_.size(); ++f) {
    if (!fences_.known(f)) continue;
    judge_notices(static_cast<std::uint32_t>(f));
    judge_unseen(static_cast<std::uint32_t>(f));
  }
}

void InterruptChecks::judge_notices(std::uint32_t fence) {
  Reporter& report = world_.report;
  for (const Notice& notice : fences_[fence].notices) {
    if (notice.covered || told(notice.adapter, notice.queue, notice.seq)) continue;
    if (!report.broken(Invariant::kContract, fence)) continue;
    const std::string who = notice.signal == 0
                                ? "the CMP found CurrentValue "
                                : "signal " + text(notice.signal) + " had the value ";
    report.add(Invariant::kContract, fence,
               "fence " + report.fence(fence) + ": " + who + text(notice.value) +
                   " above MonitoredValue " + at_time(notice.time) +
                   ", and no notification that covers the fence followed");
  }
}

void InterruptChecks::judge_unseen(std::uint32_t fence) {
  const Unseen unseen = fences_[fence].unseen;
  if (unseen.seq == 0 || told(unseen.adapter, unseen.queue, unseen.seq)) return;
  Reporter& report = world_.report;
  if (!report.broken(Invariant::kContract, fence)) return;
  report.add(Invariant::kContract, fence,
             "fence " + report.fence(fence) + ": signal " + text(unseen.signal) + " of value " +
                 text(unseen.value) + " became visible " + at_time(unseen.time) +
                 " after the update to MonitoredValue " + text(unseen.monitored) +
                 " had returned, and neither a notification nor an OS read followed");
}

void InterruptChecks::clear() {
  fences_.clear();
  adapters_.clear();
  agents_.clear();
  queues_.clear();
  engines_.clear();
  spurious_ = 0;
}

}  // namespace fenceline::check
