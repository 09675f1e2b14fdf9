#pragma once

#include <array>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <string>
#include <systemc>
#include <vector>

#include "models/common/events.h"
#include "models/common/hash.h"
#include "models/common/operations.h"
#include "models/common/time.h"

namespace fenceline::common {

class Steps;

/// Something an agent waits for. Whoever changes what the waiting condition reads opens the gate;
/// every waiter then looks again, so an opening too many is harmless.
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

/// Contributes to the hash of the whole state, by which replays are checked.
class Hashed {
 public:
  virtual ~Hashed() = default;
  virtual std::uint64_t state_hash() const = 0;
};

/// An agent as a policy sees it at a choice.
struct Candidate {
  AgentId agent;
  Operation operation;
  Footprint footprint;
};

/// Decides which of the agents that could go on goes on.
class Policy {
 public:
  virtual ~Policy() = default;
  /// Returns an index into `candidates` (at least one, in the order of agent numbers).
  /// `state` computes the hash of the whole state.
  virtual std::size_t pick(const std::vector<Candidate>& candidates,
                           const std::function<std::uint64_t()>& state) = 0;
};

/// A condition on an operation of one agent, counted from the end of the set-up.
struct OperationInstance {
  AgentId agent = 0;
  Operation operation = Operation::kAny;  ///< kAny: every operation of the agent counts
  std::uint32_t nth = 1;                  ///< 1-based
};
/// `operation` does not happen before `until` has.
struct HoldRule {
  OperationInstance operation;
  OperationInstance until;
};

/// The one primitive for time and for choice.
///
/// An agent is a process that does things in some order of its own. Wherever its next deed could
/// be seen by others it calls `step` (or `step_when`) and then does the deed; wherever time
/// merely passes it calls `elapse`; wherever it has nothing to do it calls `wait_until`.
///
/// In timing mode a step is a wait of its nominal duration. In exploring mode simulated time
/// stands still, exactly one agent runs at any moment, and a `Policy` picks who takes the next
/// step: the same modules then run in any order that the hardware may take.
///
/// No agent may wait in any other way.
class Steps {
 public:
  explicit Steps(EventStream& events);
  Steps(const Steps&) = delete;
  Steps& operator=(const Steps&) = delete;

  /// Adds an agent that runs `body` as a process from the start of simulation. During
  /// elaboration only. @param name unique, e.g. "gpu0.cmp".
  AgentId add_agent(const std::string& name, std::function<void()> body);

  /// The agent whose process runs now.
  AgentId current() const { return current_; }
  const std::string& name(AgentId agent) const { return agents_[agent]->name; }
  /// Agent of that name; 0 if there is none.
  AgentId find_agent(const std::string& name) const;
  std::size_t agent_count() const { return agents_.size(); }

  /// Time passes for the current agent and nobody can see it.
  void elapse(Time duration) {
    if (mode_ == Mode::kExploring || duration == 0) return;
    const AgentId me = current_;
    sc_core::wait(sc_core::sc_time::from_value(duration));
    current_ = me;
  }

  /// The current agent is about to do `operation`, after `nominal` in timing mode.
  void step(Operation operation, const Footprint& footprint, Time nominal = 0) {
    if (mode_ == Mode::kTiming) return elapse(nominal);
    controlled_step(operation, footprint, nominal, always(), nullptr);
  }

  /// As `step`, but not before `ready()` holds. Nothing but this agent may make it false again.
  template <typename Ready>
  void step_when(Gate& gate, Ready&& ready, Operation operation, const Footprint& footprint,
                 Time nominal = 0) {
    if (mode_ == Mode::kTiming) {
      block_until(gate, ready);
      if (mode_ == Mode::kTiming) return elapse(nominal);
    }
    controlled_step(operation, footprint, nominal, guard(ready), &gate);
  }

  /// Blocks the current agent until `ready()` holds; going on is no choice.
  template <typename Ready>
  void wait_until(Gate& gate, Ready&& ready) {
    if (mode_ != Mode::kExploring) block_until(gate, ready);
    if (ready()) return;
    park(Operation::kIdle, {}, guard(ready), false);
  }

  /// As wait_until with a time limit; false when the limit came first. While exploring, the
  /// timer may fire at any later choice until `ready()` holds.
  template <typename Ready>
  bool wait_until_for(Gate& gate, Ready&& ready, Time limit) {
    if (mode_ != Mode::kExploring) return block_until_for(gate, ready, limit);
    if (ready()) return true;
    return park(Operation::kTimer, {}, guard(ready), true);
  }

  /// Notes what the current agent has learnt, so that its private state need not be registered.
  void observe(std::uint64_t value) {
    if (mode_ == Mode::kExploring) agents_[current_]->history.add(value);
  }
  /// The current agent is at the top of its loop and knows nothing any more.
  void forget() {
    if (mode_ == Mode::kExploring) agents_[current_]->history = Hasher();
  }

  /// Adds to what `state_hash` covers; order matters. `state` must outlive the run.
  void add_state(const Hashed& state) { states_.push_back(&state); }
  std::uint64_t state_hash() const;

  /// Marks the end of the set-up: operations are counted, and holds apply, from here.
  void start_counting(std::vector<HoldRule> holds);

  /// Runs all other agents under `policy` until none of them can go on. To be called by an agent
  /// when all others wait. Exploring mode ends there.
  /// @return the number of steps taken.
  std::uint64_t explore(Policy& policy, std::uint64_t max_steps);

  bool exploring() const { return mode_ == Mode::kExploring; }
  /// Choices with two or more candidates in the last exploration.
  std::uint64_t choice_points() const { return choice_points_; }
  /// Agents that have not ended, with the operation each waits at: for reports of hangs.
  struct Waiting {
    AgentId agent;
    Operation operation;
  };
  std::vector<Waiting> held() const;

  /// Simulated time since the origin; while exploring, one picosecond a step on top.
  Time now() const { return sc_core::sc_time_stamp().value() - origin_ + logical_time_; }
  /// Time 0 is now: the end of the set-up.
  void set_origin() { origin_ = sc_core::sc_time_stamp().value(); }

  /// What an agent's process threw; empty if none did. The simulation stops at the first.
  std::exception_ptr failure() const { return failure_; }

 private:
  friend class Gate;
  enum class Mode : std::uint8_t { kTiming, kHeld, kExploring };

  /// A condition somebody waits on; lives on the waiter's stack while it waits.
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
    bool timer = false;  ///< may also go on because its timer fires
    bool fired = false;
    Operation operation = Operation::kIdle;
    Footprint footprint;
    Guard guard;
    Hasher history;
    std::array<std::uint32_t, kOperationCount + 1> done{};  ///< counts; the last one is of all
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
      ++gate.waiting_;
      sc_core::wait(gate.event_);
      --gate.waiting_;
      current_ = me;
    }
  }
  template <typename Ready>
  bool block_until_for(Gate& gate, Ready&& ready, Time limit) {
    const AgentId me = current_;
    const Time end = now() + limit;
    while (!ready()) {
      if (now() >= end) return false;
      ++gate.waiting_;
      sc_core::wait(sc_core::sc_time::from_value(end - now()), gate.event_);
      --gate.waiting_;
      current_ = me;
    }
    return true;
  }

  void run_agent(AgentId id, const std::function<void()>& body);
  void controlled_step(Operation operation, const Footprint& footprint, Time nominal, Guard guard,
                       Gate* gate);
  bool park(Operation operation, const Footprint& footprint, Guard guard, bool timer);
  AgentId choose_next();
  void hand_over(AgentId next);
  bool released(const Agent& agent, AgentId id, Operation operation) const;
  bool happened(const OperationInstance& instance) const;
  void count(Agent& agent, Operation operation);

  EventStream& events_;
  Mode mode_ = Mode::kTiming;
  AgentId current_ = 0;
  std::vector<std::unique_ptr<Agent>> agents_;  ///< [0] stands for nobody
  std::vector<const Hashed*> states_;
  std::vector<Gate*> gates_;
  std::vector<HoldRule> holds_;
  bool counting_ = false;
  Gate hold_gate_;
  // Exploring only.
  Policy* policy_ = nullptr;
  AgentId controller_ = 0;
  bool token_ = false;  ///< somebody has been given the right to run
  std::vector<Candidate> candidates_;
  std::uint64_t steps_taken_ = 0;
  std::uint64_t max_steps_ = 0;
  std::uint64_t choice_points_ = 0;
  Time logical_time_ = 0;
  Time origin_ = 0;
  std::exception_ptr failure_;
};

inline void Gate::open() {
  if (waiting_ != 0) event_.notify(sc_core::SC_ZERO_TIME);
}

}  // namespace fenceline::common
