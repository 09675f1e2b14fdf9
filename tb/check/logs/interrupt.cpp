#include "tb/check/logs/interrupt.h"

#include <algorithm>

namespace fenceline::check {

using common::AgentId;
using common::At;
using event::Decider;

namespace {
constexpr std::size_t kNotices = 32;  // kept per fence; above that the least demanding notice goes
constexpr std::size_t kDue = 32;
}  // namespace

void InterruptChecks::push(Fence& fence, const Notice& notice) {
  auto& notices = fence.notices;
  if (notices.size() >= kNotices) {
    const auto settled = [this](const Notice& n) {
      return n.position != kNever && (n.covered || told(n.adapter, n.queue, n.seq));
    };
    notices.erase(std::remove_if(notices.begin(), notices.end(), settled), notices.end());
  }
  if (notices.size() >= kNotices) {  // of the two oldest notices, the lower value is silenced first
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

void InterruptChecks::on(const At<event::Decision>& event) {
  if (!event.above && !updates_.decided_above()) return;
  world_.report.checked(Invariant::kContract);
  Notice notice;
  notice.signal = event.signal;
  notice.value = event.value;
  notice.seq = world_.report.seq();
  notice.time = event.time;
  notice.adapter = updates_.adapter_of(event.agent);
  if (Signal* signal = world_.signals.find(event.signal)) {
    signal->told = event.above;
    signal->noticed = true;
    notice.queue = signal->queue;
    notice.position = signal->position;
    notice.log = signal->log;
    notice.entry = signal->entry;
  } else {
    notice.position = 0;
  }
  push(fences_[event.fence], notice);
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
  // A GPU without native fences reads no MonitoredValue of its own or of another adapter.
  if (adapter == 0 && world_.fences[signal.fence].cross_adapter) return;
  const Update* update = updates_.settled(signal.fence, adapter);
  if (update == nullptr || signal.value <= update->value) return;
  world_.report.checked(Invariant::kContract);
  fences_[signal.fence].unseen = {
      world_.report.seq(), world_.report.time(), signal.position, signal.number,
      signal.value,        update->value,        adapter,         signal.queue};
}

void InterruptChecks::on(const At<event::CurrentValueRead>& event) {
  switch (event.reader) {
    case event::Reader::kCmp:
      return on_cmp_read(event);
    case event::Reader::kOsDpcScan:
    case event::Reader::kOsResample:
      return on_os_read(event);
    default:
      return;
  }
}

void InterruptChecks::on_cmp_read(const At<event::CurrentValueRead>& event) {
  Agent& agent = agents_[event.agent];
  agent.fence = event.fence;
  agent.position = world_.newest(event.fence, world_.whole(event));
}

void InterruptChecks::on(const At<event::CmpDecision>& event) {
  Agent& agent = agents_[event.agent];
  const bool from_memory = agent.fence == event.fence && agent.position != kNever;
  const std::uint64_t position = from_memory ? agent.position : kNever;
  agent.fence = 0;
  agent.decided = 0;
  if (!event.raised) {
    dismiss(event, position);
    return;
  }
  agent.decided = event.fence;
  agent.decided_position = position;
  agent.for_update = event.decider == Decider::kMonitoredUpdate;
  if (!agent.for_update) return;
  world_.report.checked(Invariant::kContract);
  Notice notice;
  notice.value = event.current;
  notice.seq = world_.report.seq();
  notice.time = event.time;
  notice.position = 0;
  notice.adapter = updates_.adapter_of(event.agent);
  notice.passed = true;
  push(fences_[event.fence], notice);
}

/// The CMP decided not to raise. That settles values that its MonitoredValue silences. If the CMP
/// read CurrentValue in memory, it also settles values that a later write has replaced.
void InterruptChecks::dismiss(const At<event::CmpDecision>& event, std::uint64_t position) {
  Fence& fence = fences_[event.fence];
  const std::uint32_t adapter = updates_.adapter_of(event.agent);
  bool consumed = event.decider != Decider::kSignalNotice;
  for (Notice& notice : fence.notices) {
    if (adapter != 0 && notice.adapter != 0 && notice.adapter != adapter) continue;
    if (!consumed && !notice.passed && notice.value == event.current) {
      notice.passed = consumed = true;
    }
    const bool silenced = event.monitored >= notice.value;
    const bool replaced = position != kNever && event.current <= event.monitored &&
                          notice.position != kNever && notice.position <= position;
    if (silenced || replaced) notice.covered = true;
  }
  drop_dealt(fence);
  Unseen& unseen = fence.unseen;
  const bool seen = unseen.seq != 0 && position != kNever && position >= unseen.position &&
                    event.current <= event.monitored && event.monitored == unseen.monitored;
  if (seen) unseen = {};
}

/// The oldest notice of the value by the queue in the event. If that queue has none, or the event
/// names no queue: the oldest notice by any queue, if all notices of the value come from one queue.
InterruptChecks::Notice* InterruptChecks::claim(Fence& fence,
                                                const At<event::InterruptRaised>& event) {
  Notice* any = nullptr;
  Notice* claimed = nullptr;
  bool several = false;
  for (Notice& notice : fence.notices) {
    if (notice.passed || notice.value != event.value) continue;
    if (claimed == nullptr && notice.queue != 0 && notice.queue == event.queue) claimed = &notice;
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

void InterruptChecks::on(const At<event::InterruptRaised>& event) {
  Agent& agent = agents_[event.agent];
  const std::uint32_t object = event.fence;
  Adapter& adapter = adapters_[event.adapter];
  Raise raise;
  raise.index = ++adapter.ring.written;
  raise.value = event.value;
  raise.fence = object;
  raise.queue = event.queue;
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
  raised_ = {raise.signal, raise.logged};
}

void InterruptChecks::on(const At<event::IsrAcknowledge>& event) {
  adapters_[event.adapter].ring.acknowledge(event.read);
}

/// Entries that the routine has read without naming a fence were merged into a wider notification.
void InterruptChecks::on(const At<event::IsrEnd>& event) {
  Adapter& adapter = adapters_[event.adapter];
  if (adapter.ring.uncounted) return;
  auto& raises = adapter.raises;
  while (!raises.empty() && raises.front().index <= adapter.ring.acknowledged) raises.pop_front();
}

/// Takes the oldest entry that the notification can stand for. After a NULL array has covered some
/// entries, the notification may stand for a newer entry: then the weakest demand applies.
bool InterruptChecks::take(Adapter& adapter, const At<event::Notify>& event, Raise& taken) {
  auto& raises = adapter.raises;
  for (std::uint64_t i = raises.first_index(); i != raises.end_index(); ++i) {
    const bool same =
        event.fence != 0 ? raises[i].fence == event.fence : raises[i].queue == event.queue;
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

void InterruptChecks::on(const At<event::Notify>& event) {
  const std::uint64_t now = world_.report.seq();
  // Only the optimised form, which names no fence, makes the OS look at the queue.
  if (event.fence == 0 && event.queue != 0) {
    queues_[event.queue].notify = now;
    adapters_[event.adapter].optimised = true;
  }
  Raise raise;
  const bool matched = take(adapters_[event.adapter], event, raise);
  if (event.fence != 0) {
    Fence& fence = fences_[event.fence];
    for (Notice& notice : fence.notices) notice.covered = true;
    drop_dealt(fence);
    fence.unseen = {};
    if (matched && raise.fence != 0) {
      if (fence.due.size() == kDue) fence.due.erase(fence.due.begin());
      fence.due.push_back({raise, event.adapter, now});
    }
  }
  notified_ = matched ? raise.logged : LoggedSignal{};
}

void InterruptChecks::on(const At<event::NotifyAll>& event) {
  Adapter& adapter = adapters_[event.adapter];
  adapter.skipped = true;
  if (event.engine == 0 || !adapter.optimised) {
    adapter.notify_all = world_.report.seq();
  } else {
    engines_[event.engine].notify = world_.report.seq();
  }
}

bool InterruptChecks::told(std::uint32_t adapter, std::uint32_t queue, std::uint64_t since) const {
  if (told_for_good(adapter, queue, since)) return true;
  if (queue != 0 && queues_[queue].engine != 0) return false;
  for (std::size_t e = 0; e < engines_.size(); ++e) {  // the engine is unknown
    if (engines_[e].notify > since) return true;
  }
  return false;
}

void InterruptChecks::on(const At<event::DpcBegin>& event) {
  adapters_[event.adapter].dpc_begin = world_.report.seq();
  agents_[event.agent].dpc_begin = world_.report.seq();
}

void InterruptChecks::on(const At<event::SpuriousInterrupt>& /*event*/) {
  ++spurious_;
  world_.report.checked(Invariant::kSpuriousOk);
}

void InterruptChecks::on_os_read(const At<event::CurrentValueRead>& event) {
  Fence& fence = fences_[event.fence];
  if (event.reader == event::Reader::kOsDpcScan && !fence.due.empty()) judge_due(fence, event);
  if (fence.unseen.seq == 0 && fence.closed_on.empty()) return;
  const std::uint64_t position = world_.newest(event.fence, world_.whole(event));
  if (position == kNever) return;
  if (position >= fence.unseen.position) fence.unseen = {};
  // The OS looks itself when it closes a fence, and passes the value on: I23.
  for (Notice& notice : fence.notices)
    if (fence.closed_on.count(notice.adapter) != 0 && position >= notice.position)
      notice.covered = true;
}

void InterruptChecks::judge_due(Fence& fence, const At<event::CurrentValueRead>& event) {
  const std::uint64_t own = agents_[event.agent].dpc_begin;
  const std::uint64_t position = world_.newest(event.fence, world_.whole(event));
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

void InterruptChecks::fail_due(const Due& due, const At<event::CurrentValueRead>& event,
                               bool visible) {
  Reporter& report = world_.report;
  const std::string signal =
      due.raise.signal == 0 ? "" : " (signal " + text(due.raise.signal) + ")";
  report.fail_fence(
      Invariant::kIntData, event.fence,
      "an interrupt named fence " + report.fence(event.fence) + " for value " +
          text(due.raise.value) + signal + ", but the DPC read CurrentValue " +
          text(world_.whole(event)) + " " + at_time(event.time) +
          (visible ? ", older than that write" : " while that write was not visible"));
}

void InterruptChecks::on(const At<event::UpdateMonitoredCall>& event) {
  fences_[event.fence].unseen = {};
}

void InterruptChecks::on_destroyed(std::uint32_t fence) { fences_.forget(fence); }

}  // namespace fenceline::check
