#include "models/common/steps/steps.h"

#include <algorithm>

namespace fenceline::common {

namespace {
/// [bytes] Upper bound of the stack that the SystemC kernel uses below the waiting frame: saved
/// registers and a few frames.
constexpr std::ptrdiff_t kKernelFrames = 2048;
/// 64 bits of picoseconds, minus the time that may pass between two checks.
constexpr Time kLastInstant = UINT64_MAX - (Time{1} << 60);
}  // namespace

Gate::Gate(Steps& steps) : steps_(steps) { steps_.gates_.push_back(this); }

Gate::~Gate() {
  // Short-lived gates are at the end: search from there.
  auto& gates = steps_.gates_;
  for (std::size_t i = gates.size(); i-- > 0;)
    if (gates[i] == this) {
      gates.erase(gates.begin() + static_cast<std::ptrdiff_t>(i));
      return;
    }
}

Steps::Steps(EventStream& events) : events_(events), hold_gate_(*this) {
  agents_.push_back(std::make_unique<Agent>());
  agents_[0]->name = "none";
  agents_[0]->alive = false;
  events_.set_clock([](const void* steps) { return static_cast<const Steps*>(steps)->now(); },
                    this);
}

AgentId Steps::add_agent(const std::string& name, std::function<void()> body) {
  if (find_agent(name) != 0) throw std::invalid_argument("two agents are called " + name);
  const auto id = static_cast<AgentId>(agents_.size());
  agents_.push_back(std::make_unique<Agent>());
  agents_[id]->name = name;
  events_.add_object(ObjectKind::kAgent, name);
  sc_core::sc_spawn([this, id, body = std::move(body)] { run_agent(id, body); },
                    sc_core::sc_gen_unique_name("agent"));
  return id;
}

void Steps::set_lookout(std::uint64_t every, std::function<bool()> look) {
  look_ = std::move(look);
  look_every_ = until_look_ = every;
}

void Steps::look_out() {
  beats_ += look_every_;
  until_look_ = look_every_;
  end_of(0);
  if (!look_ || look_()) return;
  sc_core::sc_pause();
  for (;;) sc_core::wait(agents_[current_]->go);  // never notified in timing mode
}

Time Steps::end_of(Time duration) {
  const Time from = sc_core::sc_time_stamp().value();
  if (duration > kLastInstant || from > kLastInstant - duration)
    throw TimeOverflow("simulated time ends after 213 days, and agent " + name(current_) +
                       " would wait for longer");
  const Time end = now() + duration;
  if (duration > kMillisecond) {
    longest_wait_ = std::max(longest_wait_, duration);
    latest_end_ = std::max(latest_end_, end);
  }
  return end;
}

void Steps::run_agent(AgentId id, const std::function<void()>& body) {
  current_ = id;
  Agent& me = *agents_[id];
  me.stack_high = static_cast<char*>(__builtin_frame_address(0));
  try {
    body();
  } catch (const sc_core::sc_unwind_exception&) {
    throw;
  } catch (const std::exception&) {
    if (!failure_) failure_ = std::current_exception();
    if (mode_ != Mode::kExploring) sc_core::sc_stop();
  }
  current_ = id;
  me.alive = false;
  me.history = Hasher();
  if (mode_ != Mode::kExploring || id == controller_) {
    me.stack_high = nullptr;
    return;
  }
  hand_over(choose_next());
  // The process stays: an exploration can go back to a state in which the agent lives.
  for (;;) suspend(me);
}

void Steps::suspend(Agent& agent) {
  agent.stack_low = static_cast<char*>(__builtin_frame_address(0)) - kKernelFrames;
  sc_core::wait(agent.go);
  ++agent.runs;
}

Steps::StackRange Steps::stack(AgentId agent) const {
  const Agent& of = *agents_[agent];
  if (of.stack_high == nullptr || agent == controller_) return {};
  return {of.stack_low, of.stack_high};
}

AgentId Steps::find_agent(const std::string& name) const {
  for (std::size_t i = 1; i < agents_.size(); ++i)
    if (agents_[i]->name == name) return static_cast<AgentId>(i);
  return 0;
}

std::uint64_t Steps::state_hash() const {
  Hasher hasher;
  for (const auto& agent : agents_)
    hasher.add(agent->history.value())
        .add(static_cast<std::uint64_t>(agent->operation) << 1 | (agent->alive ? 1U : 0U));
  for (const Hashed* state : states_) hasher.add(state->state_hash());
  for (const HoldRule& hold : holds_)
    hasher.add(happened(hold.until) ? 1 : 0)
        .add(agents_[hold.operation.agent]
                 ->done[static_cast<std::size_t>(hold.operation.operation)]);
  return hasher.value();
}

void Steps::start_counting(std::vector<HoldRule> holds) {
  holds_ = std::move(holds);
  counting_ = true;
  if (mode_ == Mode::kTiming && !holds_.empty()) mode_ = Mode::kHeld;
}

bool Steps::may_leave_out(AgentId agent) const {
  return exploring() && !keeps_all_steps_ &&
         std::none_of(holds_.begin(), holds_.end(), [agent](const HoldRule& hold) {
           return hold.operation.agent == agent || hold.until.agent == agent;
         });
}

bool Steps::happened(const OperationInstance& instance) const {
  return agents_[instance.agent]->done[static_cast<std::size_t>(instance.operation)] >=
         instance.nth;
}

bool Steps::released(const Agent& agent, AgentId id, Operation operation) const {
  for (const HoldRule& hold : holds_) {
    if (hold.operation.agent != id) continue;
    const Operation held = hold.operation.operation;
    if (held != operation && held != Operation::kAny) continue;
    const std::uint32_t next = agent.done[static_cast<std::size_t>(held)] + 1;
    if (next == hold.operation.nth && !happened(hold.until)) return false;
  }
  return true;
}

void Steps::count(Agent& agent, Operation operation) {
  if (!counting_) return;
  ++agent.done[static_cast<std::size_t>(operation)];
  ++agent.done[static_cast<std::size_t>(Operation::kAny)];
  hold_gate_.open();
}

void Steps::controlled_step(Operation operation, const Footprint& footprint, Time nominal,
                            Guard guard, Gate* gate) {
  Agent& me = *agents_[current_];
  const AgentId id = current_;
  if (mode_ == Mode::kExploring) {
    park(operation, footprint, guard, false);
    return;
  }
  if (!released(me, id, operation)) {
    me.operation = operation;
    block_until(hold_gate_, [&] { return released(me, id, operation); });
    me.operation = Operation::kIdle;
  }
  if (gate != nullptr) block_until(*gate, [&] { return guard(); });
  elapse(nominal);
  count(me, operation);
}

bool Steps::park(Operation operation, const Footprint& footprint, Guard guard, bool timer,
                 Fires fires) {
  const AgentId id = current_;
  Agent& me = *agents_[id];
  me.operation = operation;
  me.footprint = footprint;
  me.guard = guard;
  me.timer = timer;
  me.last = fires == Fires::kLast;
  me.fired = false;
  me.parked = true;
  const bool had_token = token_;
  const AgentId next = had_token ? choose_next() : 0;
  if (next != id || !had_token) {
    if (had_token) hand_over(next);
    suspend(me);
    current_ = id;
  }
  me.parked = false;
  if (operation != Operation::kIdle) {
    count(me, operation);
    me.history.add(static_cast<std::uint64_t>(operation) << 1 | (me.fired ? 1U : 0U));
  }
  return !me.fired;
}

void Steps::hand_over(AgentId next) { agents_[next != 0 ? next : controller_]->go.notify(); }

AgentId Steps::choose_next() {
  if (failure_) return 0;
  candidates_.clear();
  last_.clear();
  // An agent that checks its condition and stays blocked has touched nothing.
  const std::size_t touched = touched_.size();
  for (std::size_t i = 1; i < agents_.size(); ++i) {
    Agent& agent = *agents_[i];
    const auto id = static_cast<AgentId>(i);
    if (!agent.alive || !agent.parked || id == controller_) continue;
    const bool ready = agent.guard();
    if (!ready && !agent.timer) continue;
    // Leaving an idle point commutes with everything: it is no choice.
    if (ready && agent.operation == Operation::kIdle) {
      touched_.resize(touched);
      current_ = id;
      agent.guard();
      return id;
    }
    if (released(agent, id, agent.operation))
      (ready || !agent.last ? candidates_ : last_)
          .push_back({id, agent.operation, agent.footprint, agent.history.value()});
  }
  touched_.resize(touched);
  if (candidates_.empty()) candidates_.swap(last_);
  if (candidates_.empty() || steps_taken_ >= max_steps_) return 0;
  const std::size_t pick = policy_->pick(candidates_, [this] { return state_hash(); });
  if (pick == Policy::kStop) return 0;
  touched_.clear();
  if (candidates_.size() > 1) ++choice_points_;
  ++steps_taken_;
  ++logical_time_;
  current_ = candidates_[pick].agent;
  Agent& chosen = *agents_[current_];
  const bool ready = chosen.guard();
  chosen.fired = chosen.timer && !ready;
  return current_;
}

void Steps::begin_exploring(Policy& policy, std::uint64_t max_steps) {
  policy_ = &policy;
  max_steps_ = max_steps;
  steps_taken_ = 0;
  choice_points_ = 0;
  controller_ = current_;
  token_ = false;
  mode_ = Mode::kExploring;
  // Every agent waiting at a gate wakes, sees the new mode and parks.
  for (Gate* gate : gates_) gate->open();
  for (int delta = 0; delta < 4; ++delta) sc_core::wait(sc_core::SC_ZERO_TIME);
  current_ = controller_;
  token_ = true;
  for (std::size_t i = 1; i < agents_.size(); ++i)
    if (i != controller_ && agents_[i]->alive && !agents_[i]->parked)
      throw std::logic_error("agent " + agents_[i]->name +
                             " is in the middle of a step when the exploration begins");
}

void Steps::go_on() {
  if (const AgentId next = choose_next(); next != 0) {
    hand_over(next);
    sc_core::wait(agents_[controller_]->go);
  }
  current_ = controller_;
}

std::uint64_t Steps::explore(Policy& policy, std::uint64_t max_steps) {
  begin_exploring(policy, max_steps);
  go_on();
  return steps_taken_;
}

std::vector<Steps::Waiting> Steps::held() const {
  std::vector<Waiting> result;
  for (std::size_t i = 1; i < agents_.size(); ++i)
    if (agents_[i]->alive && agents_[i]->operation != Operation::kIdle)
      result.push_back({static_cast<AgentId>(i), agents_[i]->operation});
  return result;
}

}  // namespace fenceline::common
