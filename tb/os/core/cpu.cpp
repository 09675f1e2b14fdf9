#include "tb/os/core/cpu.h"

namespace fenceline::os {

using common::Footprint;
using common::Operation;
using common::Place;

void Cpu::place(common::AgentId agent, std::uint32_t core) {
  if (placed_.size() <= agent) placed_.resize(agent + 1U);
  placed_[agent] = core;
}

KIRQL Cpu::raise(KIRQL irql) {
  host::Core& here = core();
  const KIRQL old = this->irql();
  if (simulation_.steps.fine_steps() && old != irql && !here.is_free(simulation_.steps.current()))
    take_step(Operation::kLevel, Footprint().writes(Place::kInterrupt, here.number()));
  here.raise(irql);
  return old;
}

void Cpu::step(Operation operation, const Footprint& footprint) {
  if (simulation_.steps.fine_steps()) take_step(operation, footprint);
}

void Cpu::take_step(Operation operation, const Footprint& footprint) {
  const common::AgentId me = simulation_.steps.current();
  host::Core& here = core();
  simulation_.steps.step_when(
      here.changed(), [&] { return here.may_run(me); }, operation, footprint);
}

std::uint64_t Cpu::load(std::uint64_t bus) {
  std::uint64_t value = 0;
  auto load = simulation_.transactions.lend(tlm::TLM_READ_COMMAND, bus, &value, sizeof value);
  core().access(load, Operation::kRead);
  return value;
}

void Cpu::store(std::uint64_t bus, std::uint64_t value) {
  auto store = simulation_.transactions.lend(tlm::TLM_WRITE_COMMAND, bus, &value, sizeof value);
  core().access(store, Operation::kWrite);
}

void Cpu::store_lines(std::uint64_t bus, const void* data, std::uint64_t bytes) {
  auto store =
      simulation_.transactions.lend(tlm::TLM_WRITE_COMMAND, bus, const_cast<void*>(data), bytes);
  compute(core().config().store * (bytes / common::kLineBytes));
  core().access(store, Operation::kIdle);
}

void Cpu::pause(common::Time duration) {
  if (!simulation_.steps.exploring()) return compute(duration);
  yield_until([] { return true; });
}

KIRQL Cpu::acquire(SpinLock& lock, KIRQL irql) {
  const common::AgentId me = simulation_.steps.current();
  host::Core& here = core();
  const KIRQL old = this->irql();
  const bool fine = simulation_.steps.finest_steps();
  if (!fine) here.raise(irql);
  simulation_.steps.wait_until(here.changed(), [&] { return here.may_run(me); });
  here.before_atomic();
  const auto free = [&] {
    return !lock.held && (!fine || (here.may_run(me) && !here.stores_pending()));
  };
  simulation_.steps.step_when(lock.released, free, Operation::kLock,
                              Footprint().writes(Place::kLock, lock.id));
  if (fine) here.raise(irql);
  simulation_.steps.touch(Place::kLock, lock.id, true);
  lock.held = true;
  here.load_barrier();
  simulation_.steps.observe(lock.content != nullptr ? lock.content->state_hash() : lock.trail);
  compute(here.config().lock);
  return old;
}

void Cpu::release(SpinLock& lock, KIRQL old) {
  simulation_.steps.publish(lock.trail);
  // A plain store: it may wait behind earlier stores, and nothing waits for it.
  core().after_stores(lock.id, [&lock] {
    lock.steps.touch(Place::kLock, lock.id, true);
    lock.held = false;
    lock.released.open();
  });
  lower(old);
}

bool Cpu::block(KernelEvent& event, const common::Time* limit, common::Fires fires) {
  host::Core& here = core();
  here.drain_stores();
  here.leave();
  bool in_time = true;
  const auto set = [&] { return event.is_set(); };
  if (limit != nullptr)
    in_time = simulation_.steps.wait_until_for(event.changed, set, *limit, fires);
  else
    simulation_.steps.wait_until(event.changed, set);
  simulation_.steps.observe(in_time ? 1 : 0);
  here.enter(PASSIVE_LEVEL, Operation::kResume, here.config().thread_wake);
  return in_time;
}

}  // namespace fenceline::os
