#pragma once

#include <array>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <systemc>
#include <utility>
#include <vector>

#include "models/common/events.h"
#include "models/common/hash.h"
#include "models/common/steps/kernel_time.h"
#include "models/common/steps/operations.h"
#include "models/common/steps/policy.h"
#include "models/common/steps/time.h"

namespace fenceline::common {

class Overlap;
class Steps;

/// A wake-up condition of agents. An agent that changes data of a waiting condition opens the gate.
/// Every waiter then checks its condition again. An extra opening is harmless.
class Gate {
 public:
  explicit Gate(Steps& steps);
  ~Gate();
  Gate(const Gate&) = delete;
  Gate& operator=(const Gate&) = delete;
  inline void open();

 private:
  friend class Steps;
  Steps& steps_;
  sc_core::sc_event event_;
  std::uint32_t waiting_ = 0;
};

/// The end of a wait is beyond the largest time value.
struct TimeOverflow : std::invalid_argument {
  using std::invalid_argument::invalid_argument;
};

/// The only primitive for time and for choice.
///
/// An agent is a process with its own sequence of actions. Before an action that other agents could
/// see it calls `step` (or `step_when`). When only time passes it calls `elapse`. When it has
/// nothing to do it calls `wait_until`.
///
/// In timing mode a step is a wait of its nominal duration. In exploring mode simulated time stands
/// still, exactly one agent runs at a time, and a `Policy` picks the agent of the next step. The
/// same modules then run in every order that the hardware allows.
///
/// No agent may wait in any other way.
class Steps {
 public:
  explicit Steps(EventStream& events);
  Steps(const Steps&) = delete;
  Steps& operator=(const Steps&) = delete;

  /// Adds an agent that runs `body` as a process from the start of simulation. During elaboration
  /// only. @param name unique, e.g. "gpu0.cmp".
  AgentId add_agent(const std::string& name, std::function<void()> body);

  /// The agent whose process runs now.
  AgentId current() const { return current_; }
  const std::string& name(AgentId agent) const { return agents_[agent]->name; }
  /// Agent with that name; 0 if there is none.
  AgentId find_agent(const std::string& name) const;
  std::size_t agent_count() const { return agents_.size(); }
  /// Wait position of the agent for policies: its operation, and whether it has no knowledge (see
  /// forget). Below kPositions.
  std::size_t position(AgentId agent) const {
    const Agent& it = *agents_[agent];
    return static_cast<std::size_t>(it.operation) << 1 |
           (it.history.value() == it.place.value() ? 1U : 0U);
  }
  static constexpr std::size_t kPositions = 2 * (kOperationCount + 1);
  /// False after the agent's body returned.
  bool alive(AgentId agent) const { return agents_[agent]->alive; }

  /// Time passes for the current agent. Other agents cannot see it.
  void elapse(Time duration) {
    if (mode_ == Mode::kExploring) return;
    beat();
    if (duration == 0) return;
    const AgentId me = current_;
    wait_for_time(duration);
    current_ = me;
  }

  /// True if time passes for an agent. False for the agent that asks.
  bool any_elapses() const { return elapsing_ != 0; }

  /// Progress beat of the current agent. Call it in loops that may run forever without a step and
  /// without simulated time. Steps and waits call it themselves.
  void beat() {
    if (--until_look_ == 0) look_out();
  }
  /// An agent calls `look` after every `every` beats. When `look` returns false the simulation
  /// pauses, and that agent never continues.
  void set_lookout(std::uint64_t every, std::function<bool()> look);
  /// Number of beats so far; may be low by up to `every` of set_lookout.
  std::uint64_t beats() const { return beats_; }
  /// Progress mark within a long operation of the current agent, for the detection of a stalled
  /// run.
  void advance() { ++advances_; }
  std::uint64_t advances() const { return advances_; }
  /// Announces that the current agent has work after `duration`. Long waits announce this
  /// themselves.
  void expect(Time duration) { end_of(duration); }
  /// Latest end of all waits longer than a millisecond that have begun.
  Time latest_end() const { return latest_end_; }
  /// Longest of these waits since forget_longest_wait().
  Time longest_wait() const { return longest_wait_; }
  void forget_longest_wait() { longest_wait_ = 0; }

  /// Step of the current agent: `operation` follows, after `nominal` in timing mode.
  void step(Operation operation, const Footprint& footprint, Time nominal = 0) {
    if (mode_ == Mode::kTiming) return elapse(nominal);
    controlled_step(operation, footprint, nominal, always(), nullptr);
  }

  /// Same as `step`, but only when `ready()` holds. Only this agent may make `ready()` false again.
  template <typename Ready>
  void step_when(Gate& gate, Ready&& ready, Operation operation, const Footprint& footprint,
                 Time nominal = 0) {
    if (mode_ == Mode::kTiming) {
      block_until(gate, ready);
      if (mode_ == Mode::kTiming) return elapse(nominal);
    }
    controlled_step(operation, footprint, nominal, guard(ready), &gate);
  }

  /// Blocks the current agent until `ready()` holds. Waking up is not a choice.
  template <typename Ready>
  void wait_until(Gate& gate, Ready&& ready) {
    if (mode_ != Mode::kExploring) block_until(gate, ready);
    if (ready()) return;
    park(Operation::kIdle, {}, guard(ready), false);
  }

  /// Same as wait_until with a time limit; false when the limit came first. While exploring, the
  /// timer may fire at any later choice until `ready()` holds, or as `fires` says.
  template <typename Ready>
  bool wait_until_for(Gate& gate, Ready&& ready, Time limit, Fires fires = Fires::kAnyTime) {
    if (mode_ != Mode::kExploring) {
      const bool in_time = block_until_for(gate, ready, limit);
      if (mode_ != Mode::kExploring) return in_time;
    }
    if (ready()) return true;
    return park(Operation::kTimer, {}, guard(ready), true, fires);
  }

  /// Records knowledge of the current agent. Its private state then need not be registered.
  void observe(std::uint64_t value) {
    if (mode_ == Mode::kExploring) agents_[current_]->history.add(value);
  }
  /// Knowledge of the current agent. `know_again` restores it after reads of which the agent keeps
  /// only what it then observes.
  Hasher knowledge() const { return agents_[current_]->history; }
  void know_again(const Hasher& knowledge) {
    if (mode_ == Mode::kExploring) agents_[current_]->history = knowledge;
  }
  /// Sets `trail` to the state that the current agent leaves for the next reader. It represents
  /// content without its own hash. The hash is 0 before the first call.
  void publish(std::uint64_t& trail) const {
    if (mode_ == Mode::kExploring) trail = mix(agents_[current_]->history.value() + 1);
  }
  /// The current agent forgets everything except its place in the program. Call it at the top of a
  /// loop, or where earlier reads no longer matter.
  void forget() {
    if (mode_ == Mode::kExploring) agents_[current_]->history = agents_[current_]->place;
  }
  /// Same as forget, at a new place in the program. @param place hash of the place.
  void forget_at(std::uint64_t place) {
    agents_[current_]->place = Hasher().add(place);
    forget();
  }

  /// The current agent reads or writes `place`. While exploring, the places touched between two
  /// steps are the footprint of the first step. Footprints distinguish orders.
  void touch(Place place, std::uint64_t index, bool write) {
    if (mode_ == Mode::kExploring)
      touched_.push_back({Footprint::access(place, index, write), current_});
  }
  /// All touches since the last step was picked, with their agents. Agents that the step wakes from
  /// an idle point are included. May contain repetitions.
  struct Touch {
    Footprint::Access access;
    AgentId agent;
  };
  const std::vector<Touch>& touched() const { return touched_; }

  /// A new unique number for footprints.
  std::uint64_t new_place() { return ++places_; }

  /// Adds state to `state_hash`; order matters. `state` must outlive the run.
  void add_state(const Hashed& state) { states_.push_back(&state); }
  std::uint64_t state_hash() const;

  /// True after the set-up.
  bool counting() const { return counting_; }
  /// Marks the end of the set-up: operations are counted and holds apply from here.
  void start_counting(std::vector<HoldRule> holds);

  /// Runs all other agents under `policy` until none can continue, the policy stops, or an agent
  /// fails. An agent must call it while time passes for no other; otherwise std::logic_error.
  /// @return the number of steps taken.
  std::uint64_t explore(Policy& policy, std::uint64_t max_steps);
  /// The two halves of `explore`. begin_exploring: the current agent becomes the controller, and
  /// all others stop before their next step. go_on: the others run, also from a choice at which the
  /// policy stopped.
  void begin_exploring(Policy& policy, std::uint64_t max_steps);
  void go_on();
  std::uint64_t steps_taken() const { return steps_taken_; }

  /// Used part of a suspended agent's stack while exploring: from `low`, below everything the agent
  /// needs, to `high`. Null pointers for an agent that is not suspended.
  struct StackRange {
    char* low = nullptr;
    char* high = nullptr;
  };
  StackRange stack(AgentId agent) const;
  /// Number of times the agent has run since exploring began. Its stack changes only when it runs.
  std::uint64_t runs(AgentId agent) const { return agents_[agent]->runs; }

  bool exploring() const { return mode_ == Mode::kExploring; }
  void take_steps_of(Grain grain) { grain_ = grain; }
  bool fine_steps() const { return grain_ != Grain::kCoarse && exploring(); }
  bool finest_steps() const { return grain_ == Grain::kAll && exploring(); }
  /// While exploring, a module may omit a step that no agent can distinguish from an immediate
  /// effect. Not allowed if a requested order names the agent, or after keep_all_steps().
  bool may_leave_out(AgentId agent) const;
  void keep_all_steps() { keeps_all_steps_ = true; }
  /// Number of choices with two or more candidates in the last exploration.
  std::uint64_t choice_points() const { return choice_points_; }
  /// Agents that have not ended, with the operation each waits at, for reports of hangs.
  struct Waiting {
    AgentId agent;
    Operation operation;
  };
  std::vector<Waiting> held() const;

  /// Simulated time since the origin. While exploring, each step adds one picosecond.
  Time now() const { return simulated() + logical_time_; }
  /// Simulated time since the origin, without these additions.
  Time simulated() const { return sc_core::sc_time_stamp().value() - origin_; }
  /// Sets time 0 to now: the end of the set-up.
  void set_origin() { origin_ = sc_core::sc_time_stamp().value(); }

  /// Exception of an agent's process; null if none. The simulation stops at the first.
  std::exception_ptr failure() const { return failure_; }

 private:
  friend class Gate;
  friend class Overlap;
  enum class Mode : std::uint8_t { kTiming, kHeld, kExploring };

  /// A wait condition. It lives on the waiter's stack during the wait.
  struct Guard {
    bool (*holds)(const void*) = nullptr;
    const void* context = nullptr;
    bool operator()() const { return holds == nullptr || holds(context); }
  };
  struct Agent {
    std::string name;
    sc_core::sc_event go;
    bool alive = true;
    bool parked = false;
    bool timer = false;  ///< a timer may also wake it
    bool last = false;   ///< the timer fires only when no other agent can run
    bool fired = false;
    Operation operation = Operation::kIdle;
    Footprint footprint;
    Guard guard;
    Hasher history;
    Hasher place;  ///< initial value of the history
    std::uint64_t runs = 0;
    char* stack_high = nullptr;
    char* stack_low = nullptr;
    std::array<std::uint32_t, kOperationCount + 1>
        done{};  ///< number per operation; the last one is the total
  };

  static Guard always() { return {}; }
  template <typename Ready>
  static Guard guard(const Ready& ready) {
    return {[](const void* context) { return (*static_cast<const Ready*>(context))(); }, &ready};
  }

  template <typename Ready>
  void block_until(Gate& gate, Ready&& ready) {
    const AgentId me = current_;
    while (!ready() && mode_ != Mode::kExploring) {
      beat();
      ++gate.waiting_;
      sc_core::wait(gate.event_);
      --gate.waiting_;
      current_ = me;
    }
  }
  template <typename Ready>
  bool block_until_for(Gate& gate, Ready&& ready, Time limit) {
    const AgentId me = current_;
    const Time end = end_of(limit);
    while (!ready()) {
      if (now() >= end || mode_ == Mode::kExploring) return false;
      beat();
      ++gate.waiting_;
      sc_core::wait(kernel_time(end - now()), gate.event_);
      --gate.waiting_;
      current_ = me;
    }
    return true;
  }

  void wait_for_time(Time duration) {
    if (duration > kMillisecond) end_of(duration);
    ++elapsing_;
    sc_core::wait(kernel_time(duration));
    --elapsing_;
  }
  /// End of a wait that begins now. Throws TimeOverflow if it cannot be represented.
  Time end_of(Time duration);
  void look_out();
  void run_agent(AgentId id, const std::function<void()>& body);
  void suspend(Agent& agent);
  void controlled_step(Operation operation, const Footprint& footprint, Time nominal, Guard guard,
                       Gate* gate);
  bool park(Operation operation, const Footprint& footprint, Guard guard, bool timer,
            Fires fires = Fires::kAnyTime);
  AgentId choose_next();
  void hand_over(AgentId next);
  bool released(const Agent& agent, AgentId id, Operation operation) const;
  bool happened(const OperationInstance& instance) const;
  void count(Agent& agent, Operation operation);

  EventStream& events_;
  Mode mode_ = Mode::kTiming;
  std::size_t elapsing_ = 0;  ///< agents for which time passes
  AgentId current_ = 0;
  std::vector<std::unique_ptr<Agent>> agents_;  ///< [0] is "nobody"
  std::vector<const Hashed*> states_;
  std::vector<Gate*> gates_;
  std::vector<HoldRule> holds_;
  bool keeps_all_steps_ = false;
  Grain grain_ = Grain::kCoarse;
  bool counting_ = false;
  Gate hold_gate_;
  // Exploring only.
  Policy* policy_ = nullptr;
  AgentId controller_ = 0;
  bool token_ = false;  ///< an agent has the right to run
  std::vector<Touch> touched_;
  std::uint64_t places_ = 0;
  std::vector<Candidate> candidates_;
  std::vector<Candidate> last_;  ///< timers that fire only when there is no other candidate
  std::uint64_t steps_taken_ = 0;
  std::uint64_t max_steps_ = 0;
  std::uint64_t choice_points_ = 0;
  Time logical_time_ = 0;
  Time origin_ = 0;
  // Timing only.
  std::uint64_t until_look_ = UINT64_MAX;
  std::uint64_t look_every_ = UINT64_MAX;
  std::uint64_t beats_ = 0;
  std::uint64_t advances_ = 0;
  std::function<bool()> look_;
  Time longest_wait_ = 0;
  Time latest_end_ = 0;
  std::exception_ptr failure_;
};

inline void Gate::open() {
  if (waiting_ != 0) event_.notify(sc_core::SC_ZERO_TIME);
}

}  // namespace fenceline::common
