#include "tb/check/fences/lifetime.h"

#include "tb/os/driver/ddi_names.h"

namespace fenceline::check {

using common::At;
using common::hash_values;
using common::ObjectKind;

void LifetimeChecks::on(const At<event::FenceCreate>& event) {
  Slot& at = slot(event.fence, event.adapter);
  at.created = at.alive = true;
  note_alive(fences_[event.fence]);
}

void LifetimeChecks::note_alive(Fence& fence) {
  bool created = false;
  bool dead = false;
  for (const Slot& at : fence.slots) {
    created = created || at.created;
    dead = dead || (at.created && !at.alive);
  }
  fence.all_alive = created && !dead;
}

void LifetimeChecks::on(const At<event::FenceOpen>& event) {
  ++slot(event.fence, event.adapter).opens;
  use(event.fence, event.adapter, "an open");
}

void LifetimeChecks::on(const At<event::FenceClose>& event) {
  Slot& at = slot(event.fence, event.adapter);
  if (at.opens != 0) --at.opens;
}

bool LifetimeChecks::is_open(std::uint32_t fence, std::uint32_t adapter) const {
  for (const Slot& known : fences_[fence].slots)
    if (known.adapter == adapter) return known.opens != 0;
  return false;
}

void LifetimeChecks::on(const At<event::FenceDestroy>& event) {
  bool alive = false;
  world_.report.checked(Invariant::kHandleLive);
  for (Slot& at : fences_[event.fence].slots) {
    if (event.adapter == 0 || at.adapter == event.adapter) {
      if (at.opens != 0) {
        fail_fence(Invariant::kHandleLive, event.fence,
                   "was destroyed while it was open " + text(at.opens) + " times");
      }
      at.alive = false;
      at.opens = 0;
    }
    alive = alive || at.alive;
  }
  note_alive(fences_[event.fence]);
  if (!alive) world_.destroyed(event.fence);
}

void LifetimeChecks::judge_use(std::uint32_t fence, std::uint64_t adapter, const char* user) {
  bool known = false;
  bool known_here = false;
  bool alive = false;
  bool alive_here = false;
  for (const Slot& at : fences_[fence].slots) {
    if (!at.created) continue;
    const bool here = adapter == 0 || at.adapter == 0 || at.adapter == adapter;
    known = true;
    known_here = known_here || here;
    alive = alive || at.alive;
    alive_here = alive_here || (here && at.alive);
  }
  if (!known) return;
  world_.report.checked(Invariant::kHandleLive);
  if (known_here ? alive_here : alive) return;
  fail_fence(Invariant::kHandleLive, fence, std::string("is not alive, but was named by ") + user);
}

void LifetimeChecks::on(const At<event::HandleViolation>& event) {
  fail_fence(Invariant::kHandleLive, event.fence,
             "was named by hardware or driver while it was not alive");
}

void LifetimeChecks::on(const At<event::StalePacket>& event) {
  Reporter& report = world_.report;
  report.checked(Invariant::kStaleName);
  const auto queue = event.queue;
  if (!event.executed) return;
  report.fail(
      Invariant::kStaleName, queue, event.fence,
      "queue " + report.name(ObjectKind::kQueue, event.queue) + " executed a " +
          (event.wait ? "wait for" : "signal of") + " a fence that was destroyed " + report.now() +
          "; its slot is that of " +
          (event.fence != 0 ? "fence " + report.fence(event.fence) : std::string("no fence")));
}

void LifetimeChecks::add_to(Canonical& hash) const {
  std::uint64_t sum = 0;
  for (std::size_t f = 0; f < fences_.size(); ++f) {
    for (const Slot& at : fences_[f].slots) {
      sum += hash_values(pair_of(f, at.adapter), pair_of(at.opens, bits_of(at.created, at.alive)));
    }
  }
  hash.add(sum);
}

void IrqlChecks::on(const At<event::IrqlViolation>& event) {
  fail_adapter(Invariant::kIrql, event.adapter,
               std::string(os::ddi_info(static_cast<os::Ddi>(event.ddi)).name) + " ran at IRQL " +
                   text(event.irql) + " where " + text(event.required) + " is required");
}

void IrqlChecks::on(const At<event::UpdateMonitoredCall>& event) {
  Adapter& adapter = adapters_[event.adapter];
  ++adapter.updates;
  adapter.last_call = world_.report.seq();
  world_.report.checked(Invariant::kIrql);
  if (adapter.reporting) {
    fail_adapter(Invariant::kIrql, event.adapter,
                 "DxgkDdiUpdateMonitoredValues was called while an ISR was reporting fences");
  }
}

void IrqlChecks::on(const At<event::UpdateMonitoredReturn>& event) {
  Adapter& adapter = adapters_[event.adapter];
  if (adapter.updates != 0) --adapter.updates;
}

void IrqlChecks::on(const At<event::IsrAcknowledge>& event) {
  // The driver also serves the ring when it destroys a fence. That is not an ISR.
  Adapter& adapter = adapters_[event.adapter];
  if (adapter.in_isr) adapter.acknowledged = world_.report.seq();
}

void IrqlChecks::judge_notify(std::uint64_t number) {
  Adapter& adapter = adapters_[number];
  adapter.reporting = adapter.in_isr;
  world_.report.checked(Invariant::kIrql);
  const bool during = adapter.updates != 0;
  const bool between = adapter.acknowledged != 0 && adapter.last_call > adapter.acknowledged;
  if (during || between) {
    fail_adapter(Invariant::kIrql, number,
                 "an ISR reported fences while DxgkDdiUpdateMonitoredValues ran");
  }
}

void IrqlChecks::on(const At<event::IsrBegin>& event) {
  Adapter& adapter = adapters_[event.adapter];
  adapter.in_isr = true;
  adapter.reporting = false;
  adapter.acknowledged = 0;
}

void IrqlChecks::on(const At<event::IsrEnd>& event) {
  Adapter& adapter = adapters_[event.adapter];
  adapter.in_isr = adapter.reporting = false;
  adapter.acknowledged = 0;
}

/// A call is compared with the acknowledgement of the running ISR; only "later or not" counts.
void IrqlChecks::add_to(Canonical& hash) const {
  std::uint64_t sum = 0;
  for (std::size_t a = 0; a < adapters_.size(); ++a) {
    const Adapter& adapter = adapters_[a];
    const bool acknowledged = adapter.acknowledged != 0;
    const bool between = acknowledged && adapter.last_call > adapter.acknowledged;
    const std::uint64_t flags = bits_of(adapter.in_isr, adapter.reporting, acknowledged, between);
    if (flags == 0 && adapter.updates == 0) continue;
    sum += hash_values(pair_of(a, flags), adapter.updates);
  }
  hash.add(sum);
}

}  // namespace fenceline::check
