#include "models/host/core.h"

#include <algorithm>
#include <utility>

namespace fenceline::host {

using common::AgentId;
using common::Footprint;
using common::Operation;
using common::Place;

namespace {
/// Footprint place of pending interrupts, separate from the running agents of a core: an arriving
/// interrupt affects only the agent that serves it.
constexpr std::uint64_t kPending = 1ULL << 32;
}  // namespace

Core::Core(const sc_core::sc_module_name& name, common::Simulation& simulation,
           std::uint32_t number, const std::string& agent_name, const HostConfig& config)
    : sc_module(name),
      simulation_(simulation),
      number_(number),
      config_(config),
      object_(simulation.events.add_object(common::ObjectKind::kCore, agent_name)),
      changed_(simulation.steps),
      load_place_(simulation.steps.new_place()) {
  simulation_.steps.add_agent(agent_name + ".isr", [this] { serve_interrupts(); });
  if (loads_apart()) simulation_.steps.add_agent(agent_name + ".load", [this] { serve_loads(); });
  if (config.memory_model != MemoryModel::kStrong)
    stores_ = std::make_unique<StoreBuffer>(
        simulation, config.memory_model, agent_name, [this](common::TransactionPool::Loan& store) {
          store->attributes.core = number_ + 1;
          common::send(simulation_.steps, memory, store);
          if (window_ != nullptr)
            window_->stored(store->payload.get_address(), store->payload.get_data_length());
        });
  if (config.memory_model == MemoryModel::kWeak)
    window_ = std::make_unique<LoadWindow>(simulation, agent_name);
  if (config.write_combining.buffers != 0)
    combining_ = std::make_unique<WriteCombining>(
        simulation, config.write_combining, agent_name, object_,
        [this](const WriteCombining::Write& write) { send_combined(write); });
  simulation_.steps.add_state(*this);
}

std::uint64_t Core::state_hash() const {
  common::Hasher hasher;
  hasher.add(pending_);
  for (const Running& running : running_) hasher.add(running.agent).add(running.level);
  std::uint64_t threads = 0;  // threads are unordered
  for (const Running& thread : threads_)
    threads += common::mix(std::uint64_t{thread.agent} << 8 | thread.level);
  hasher.add(threads);
  for (const Load& load : loads_)
    hasher.add(std::uint64_t{load.agent} << 1 | (load.done ? 1U : 0U)).add(load.content);
  return hasher.value();
}

void Core::on_interrupt(std::uint32_t vector, Level level, std::function<void()> handler) {
  interrupt_level_ = level;
  if (handlers_.size() <= vector) handlers_.resize(vector + 1U);
  handlers_[vector] = std::move(handler);
}

void Core::post_interrupt(std::uint32_t vector) {
  simulation_.steps.touch(Place::kInterrupt, kPending | number_, true);
  const bool lost = simulation_.ordering.host.masked_edges == common::MaskedEdges::kLost;
  if (lost) touch(false);
  if (lost && masks_interrupts()) return simulation_.emit(event::MessageLost{object_, vector});
  pending_ |= 1ULL << vector;
  changed_.open();
}

/// Changes the agents on the core, and reports whether it masks interrupts where that can lose one.
template <typename Change>
void Core::change_masking(const Change& change) {
  const bool lost = simulation_.ordering.host.masked_edges == common::MaskedEdges::kLost;
  if (!lost || handlers_.empty()) return change();
  const bool before = masks_interrupts();
  change();
  const bool after = masks_interrupts();
  if (before != after) simulation_.emit(event::InterruptsMasked{object_, after});
}

/// True if an agent at or above the interrupt level runs on this core.
bool Core::masks_interrupts() const {
  const auto masks = [this](const Running& running) { return running.level >= interrupt_level_; };
  return (!running_.empty() && masks(running_.back())) ||
         std::any_of(threads_.begin(), threads_.end(), masks);
}

void Core::serve_interrupts() {
  for (;;) {
    simulation_.steps.forget();
    simulation_.steps.wait_until(changed_, [this] { return pending_ != 0; });
    enter(interrupt_level_, Operation::kDeliver, config_.interrupt_delivery);
    simulation_.steps.touch(Place::kInterrupt, kPending | number_, true);
    std::uint32_t vector = 0;
    while ((pending_ >> vector & 1U) == 0) ++vector;
    pending_ &= ~(1ULL << vector);
    simulation_.steps.observe(vector);
    if (serializes()) wait_for_combined(event::CombiningDrain::kInterrupt);
    simulation_.steps.elapse(config_.isr_overhead);
    if (vector < handlers_.size() && handlers_[vector]) handlers_[vector]();
    leave();
  }
}

void Core::enter(Level level, Operation operation, common::Time latency) {
  const AgentId me = simulation_.steps.current();
  if (level == 0 &&
      (simulation_.steps.finest_steps() || (simulation_.steps.fine_steps() && handlers_.empty()))) {
    simulation_.steps.step(operation, {});
    threads_.push_back({me, level});
    return close_window();
  }
  const bool queues = level == 0 && !simulation_.steps.exploring();
  if (queues) turns_.push_back(me);
  const auto free = [&] {
    if (level > 0) return running_.empty() || this->level() < level;
    return running_.empty() && (!queues || turns_.front() == me);
  };
  simulation_.steps.step_when(changed_, free, operation,
                              Footprint().writes(Place::kInterrupt, number_));
  if (queues) turns_.pop_front();
  touch(true);
  const common::Time duration = latency + wake();
  // The switch does not count: with a shorter slice no thread would ever run.
  if (queues) slice_end_ = simulation_.steps.now() + duration + config_.time_slice;
  change_masking([&] { running_.push_back({me, level}); });
  close_window();
  compute(duration);  // an interrupt may come first
}

const Core::Running* Core::find_thread(AgentId agent) const {
  const auto it = std::find_if(threads_.begin(), threads_.end(),
                               [agent](const Running& thread) { return thread.agent == agent; });
  return it == threads_.end() ? nullptr : &*it;
}

/// False if the current agent is not a free thread. The level of a free thread matters only when
/// interrupts can be lost.
bool Core::change_thread(Level level) {
  const Running* thread = find_thread(simulation_.steps.current());
  if (thread == nullptr) return false;
  if (simulation_.ordering.host.masked_edges == common::MaskedEdges::kLost) touch(true);
  change_masking(
      [&] { threads_[static_cast<std::size_t>(thread - threads_.data())].level = level; });
  return true;
}

void Core::leave() {
  if (window_ != nullptr) window_->leave();
  if (const Running* thread = find_thread(simulation_.steps.current())) {
    return change_masking([&] { threads_.erase(threads_.begin() + (thread - threads_.data())); });
  }
  await_return();
  touch(true);
  change_masking([this] { running_.pop_back(); });
  if (running_.empty()) idle_since_ = simulation_.steps.now();
  changed_.open();
}

/// Another agent may have interrupted this one and may still run on the core. Waits until the other
/// agent leaves.
void Core::await_return() {
  const AgentId me = simulation_.steps.current();
  const auto mine = [me](const Running& running) { return running.agent == me; };
  if (running_.back().agent == me || std::none_of(running_.begin(), running_.end(), mine)) return;
  simulation_.steps.wait_until(changed_, [&] { return mine(running_.back()); });
}

bool Core::set_level(Level level) {
  if (change_thread(level)) return false;
  await_return();
  if (running_.back().level == level) return false;
  touch(true);
  change_masking([&] { running_.back().level = level; });
  return true;
}

void Core::raise(Level level) { set_level(level); }

void Core::lower(Level level) {
  if (set_level(level)) changed_.open();
}

Level Core::level_of(AgentId agent) const {
  for (const Running& running : running_)
    if (running.agent == agent) return running.level;
  const Running* thread = find_thread(agent);
  return thread != nullptr ? thread->level : Level{0};
}

/// Ends the idle period. Returns the exit latency of the idle state that the core has reached.
common::Time Core::wake() {
  if (!running_.empty()) return 0;
  account_idle();
  if (simulation_.steps.exploring()) return 0;
  const common::Time idle = simulation_.steps.now() - idle_since_;
  common::Time exit_latency = 0;
  for (const CState& state : config_.c_states)
    if (idle >= state.target_residency) exit_latency = state.exit_latency;
  return exit_latency;
}

/// Reports how the ending idle period divides over the states. A core enters a state when the
/// period has lasted for its target residency.
void Core::account_idle() {
  const common::Time idle = simulation_.steps.now() - idle_since_;
  common::Time entered = 0;
  std::uint64_t state = 0;
  const auto move_to = [&](std::uint64_t next, common::Time at) {
    simulation_.emit(event::PowerState{object_, next, at - entered, state});
    state = next;
    entered = at;
  };
  for (std::size_t i = 0; i < config_.c_states.size(); ++i)
    if (idle >= config_.c_states[i].target_residency)
      move_to(i + 1, config_.c_states[i].target_residency);
  if (state != 0 || idle != 0) move_to(0, idle);
}

void Core::finish() {
  if (running_.empty()) account_idle();
  idle_since_ = simulation_.steps.now();
}

void Core::compute(Time duration) {
  const AgentId me = simulation_.steps.current();
  for (Time left = duration;;) {
    share(me);
    const Time piece = level() == 0 ? std::min(left, config_.time_slice) : left;
    simulation_.steps.elapse(piece);
    wait_to_run();
    left -= piece;
    if (left == 0) return;
  }
}

/// When the time slice is over, gives the core to the next agent that waits at level 0.
void Core::share(AgentId me) {
  if (turns_.empty() || simulation_.steps.exploring() || level() != 0 || !may_run(me)) return;
  if (simulation_.steps.now() < slice_end_) return;
  leave();
  enter(0, Operation::kResume, config_.thread_wake);
}

tlm::tlm_response_status Core::access(common::TransactionPool::Loan& transaction,
                                      Operation operation) {
  const AgentId me = simulation_.steps.current();
  transaction->attributes.core = number_ + 1;
  const std::uint64_t index = transaction->payload.get_address() / common::kLineBytes;
  const auto mine = [&] { return may_run(me); };
  const bool write = transaction->payload.is_write() ||
                     transaction->attributes.maintenance != common::CacheMaintenance::kNone;
  if (combining_ != nullptr && combine(transaction))
    return transaction->payload.get_response_status();
  if (stores_ != nullptr && buffer(transaction)) return transaction->payload.get_response_status();
  if (operation == Operation::kIdle || transaction->attributes.operation != Operation::kIdle) {
    // A private access, or its step is taken at the far end of the link.
    simulation_.steps.wait_until(changed_, mine);
  } else {
    const bool moves = window_ != nullptr && transaction->payload.is_read();
    if (moves)
      window_->offer(transaction->payload.get_address(), transaction->payload.get_data_length());
    simulation_.steps.step_when(changed_, mine, operation,
                                write ? Footprint().writes(Place::kMemory, index)
                                      : Footprint().reads(Place::kMemory, index));
    if (moves) transaction->attributes.seen_before = window_->take();
  }
  load(transaction);
  wait_to_run();
  return transaction->payload.get_response_status();
}

void Core::wait_to_run() {
  const AgentId me = simulation_.steps.current();
  simulation_.steps.wait_until(changed_, [&] { return may_run(me); });
}

/// Takes a store through a write-combined mapping. False for other accesses; the buffers that must
/// be sent before them have been sent. A combined store passes stores in the store buffer.
bool Core::combine(common::TransactionPool::Loan& transaction) {
  tlm::tlm_generic_payload& payload = transaction->payload;
  const common::Attributes& attributes = transaction->attributes;
  if (!attributes.write_combined) {
    const bool uncached = attributes.posted || attributes.operation != Operation::kIdle;
    if (!uncached || !serializes()) return false;
    wait_for_combined(event::CombiningDrain::kUncached);
    wait_to_run();
    return false;
  }
  wait_to_run();
  if (payload.is_read()) {
    combining_->send_line(payload.get_address());
    wait_to_run();
    return false;
  }
  simulation_.steps.elapse(config_.store);
  combining_->store(payload.get_address(), payload.get_data_ptr(), payload.get_data_length(),
                    attributes.posted);
  payload.set_response_status(tlm::TLM_OK_RESPONSE);
  wait_to_run();
  return true;
}

void Core::send_combined(const WriteCombining::Write& write) {
  auto transaction =
      simulation_.transactions.lend(tlm::TLM_WRITE_COMMAND, write.address, write.data, write.bytes);
  transaction->attributes.core = number_ + 1;
  transaction->attributes.posted = write.device;
  common::send(simulation_.steps, memory, transaction);
  if (window_ != nullptr) window_->stored(write.address, write.bytes);
}

/// Puts a store into the store buffer. False for an access that does not use it; the access stays
/// in order.
bool Core::buffer(common::TransactionPool::Loan& transaction) {
  const tlm::tlm_generic_payload& payload = transaction->payload;
  wait_to_run();
  if (!payload.is_write()) {
    if (transaction->attributes.operation != Operation::kIdle) stores_->drain_for_device();
    return false;
  }
  if (payload.get_data_length() > StoreBuffer::kMaxBytes) {
    stores_->drain();
    return false;
  }
  simulation_.steps.elapse(config_.store);
  stores_->push(transaction->payload);
  wait_to_run();
  return true;
}

/// Performs the access. A load first looks at the core's own stores.
void Core::load(common::TransactionPool::Loan& transaction) {
  const bool own = stores_ != nullptr && transaction->payload.is_read() &&
                   transaction->attributes.operation == Operation::kIdle;
  if (own && stores_->forward(transaction->payload))
    return transaction->payload.set_response_status(tlm::TLM_OK_RESPONSE);
  common::send(simulation_.steps, memory, transaction);
  if (own) stores_->forward(transaction->payload);
}

bool Core::loads_apart() const {
  return simulation_.ordering.host.load_order == common::LoadOrder::kWeak ||
         config_.memory_model == MemoryModel::kWeak;
}

void Core::drain_stores() {
  wait_for_combined(event::CombiningDrain::kBarrier);
  if (stores_ != nullptr) stores_->drain();
  if (stores_ != nullptr || combining_ != nullptr) wait_to_run();
  close_window();
}

void Core::before_atomic() {
  if (serializes()) wait_for_combined(event::CombiningDrain::kAtomic);
  if (stores_ != nullptr) stores_->drain();
  if (stores_ != nullptr || combining_ != nullptr) wait_to_run();
  close_window();
}

void Core::store_fence() {
  if (combining_ == nullptr) return;
  if (stores_ != nullptr) stores_->drain();
  combining_->fence();
  wait_to_run();
}

void Core::after_stores(std::uint64_t what, std::function<void()> action) {
  if (stores_ != nullptr && !stores_->empty())
    return stores_->push_release(what, std::move(action));
  action();
}

}  // namespace fenceline::host
