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
#include "models/common/kernel_time.h"
#include "models/common/operations.h"
#include "models/common/policy.h"
#include "models/common/time.h"

namespace fenceline::common {

class Overlap;
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

/// An agent waits beyond the last instant that a time can name.
struct TimeOverflow : std::invalid_argument {
  using std::invalid_argument::invalid_argument;
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
  /// Where the agent waits, as far as who lets it go on may depend on that: its operation, and
  /// whether it knows nothing (see forget). Below kPositions.
  std::size_t position(AgentId agent) const {
    const Agent& it = *agents_[agent];
    return static_cast<std::size_t>(it.operation) << 1 |
           (it.history.value() == it.place.value() ? 1U : 0U);
  }
  static constexpr std::size_t kPositions = 2 * (kOperationCount + 1);
  /// False once the agent's body has returned.
  bool alive(AgentId agent) const { return agents_[agent]->alive; }

  /// Time passes for the current agent and nobody can see it.
  void elapse(Time duration) {
    if (mode_ == Mode::kExploring) return;
    beat();
    if (duration == 0) return;
    const AgentId me = current_;
    wait_for_time(duration);
    current_ = me;
  }

  /// The current agent has come along. To be called where it might go on for ever without a step
  /// and without time passing; steps and waits call it themselves.
  void beat() {
    if (--until_look_ == 0) look_out();
  }
  /// Has `look` called by an agent after every `every` beats. When it returns false the
  /// simulation pauses, and the agent never goes on.
  void set_lookout(std::uint64_t every, std::function<bool()> look);
  /// Beats so far, up to `every` of set_lookout too few.
  std::uint64_t beats() const { return beats_; }
  /// The current agent has done some of a long piece of work: the run does not stand still.
  void advance() { ++advances_; }
  std::uint64_t advances() const { return advances_; }
  /// The current agent will have something to do when `duration` has passed; waits that long say so
  /// themselves.
  void expect(Time duration) { end_of(duration); }
  /// When the last of all waits for more than a millisecond is over that have begun.
  Time latest_end() const { return latest_end_; }
  /// The longest of those that have begun since forget_longest_wait().
  Time longest_wait() const { return longest_wait_; }
  void forget_longest_wait() { longest_wait_ = 0; }

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
  /// timer may fire at any later choice until `ready()` holds, or as `fires` says.
  template <typename Ready>
  bool wait_until_for(Gate& gate, Ready&& ready, Time limit, Fires fires = Fires::kAnyTime) {
    if (mode_ != Mode::kExploring) return block_until_for(gate, ready, limit);
    if (ready()) return true;
    return park(Operation::kTimer, {}, guard(ready), true, fires);
  }

  /// Notes what the current agent has learnt, so that its private state need not be registered.
  void observe(std::uint64_t value) {
    if (mode_ == Mode::kExploring) agents_[current_]->history.add(value);
  }
  /// What the current agent knows, to be put back by `know_again` after reads of which it keeps
  /// only what it then observes.
  Hasher knowledge() const { return agents_[current_]->history; }
  void know_again(const Hasher& knowledge) {
    if (mode_ == Mode::kExploring) agents_[current_]->history = knowledge;
  }
  /// What the current agent leaves behind for whoever reads it next: stands for content that has
  /// no hash of its own. Null hash before the first.
  void publish(std::uint64_t& trail) const {
    if (mode_ == Mode::kExploring) trail = mix(agents_[current_]->history.value() + 1);
  }
  /// The current agent knows nothing any more but the place in its program: at the top of its
  /// loop, or where nothing that it has read will count.
  void forget() {
    if (mode_ == Mode::kExploring) agents_[current_]->history = agents_[current_]->place;
  }
  /// As forget, at a new place of its program. @param place hash of where it is.
  void forget_at(std::uint64_t place) {
    agents_[current_]->place = Hasher().add(place);
    forget();
  }

  /// The current agent reads or writes what `place` stands for. While exploring, what is touched
  /// from one step to the next is the footprint of that step, by which orders are told apart.
  void touch(Place place, std::uint64_t index, bool write) {
    if (mode_ == Mode::kExploring)
      touched_.push_back({Footprint::access(place, index, write), current_});
  }
  /// What has been touched since the last step was picked, and by whom: an agent that the step
  /// lets go on from an idle point runs in it too. Repetitions included.
  struct Touch {
    Footprint::Access access;
    AgentId agent;
  };
  const std::vector<Touch>& touched() const { return touched_; }

  /// A number for footprints that nobody else has.
  std::uint64_t new_place() { return ++places_; }

  /// Adds to what `state_hash` covers; order matters. `state` must outlive the run.
  void add_state(const Hashed& state) { states_.push_back(&state); }
  std::uint64_t state_hash() const;

  /// The set-up is over.
  bool counting() const { return counting_; }
  /// Marks the end of the set-up: operations are counted, and holds apply, from here.
  void start_counting(std::vector<HoldRule> holds);

  /// Runs all other agents under `policy` until none of them can go on, the policy stops, or one
  /// has failed. To be called by an agent when all others wait.
  /// @return the number of steps taken.
  std::uint64_t explore(Policy& policy, std::uint64_t max_steps);
  /// The two halves of `explore`: the current agent becomes the controller and all others stand
  /// before their next step; then they run, from a choice at which the policy stopped if it did.
  void begin_exploring(Policy& policy, std::uint64_t max_steps);
  void go_on();
  std::uint64_t steps_taken() const { return steps_taken_; }

  /// Part of a suspended agent's stack that is in use, while exploring: from `low`, which lies
  /// below everything the agent needs, up to `high`. Nulls for an agent that is not suspended.
  struct StackRange {
    char* low = nullptr;
    char* high = nullptr;
  };
  StackRange stack(AgentId agent) const;
  /// How often the agent has gone on since exploring began: its stack has not changed otherwise.
  std::uint64_t runs(AgentId agent) const { return agents_[agent]->runs; }
  AgentId controller() const { return controller_; }

  bool exploring() const { return mode_ == Mode::kExploring; }
  void take_steps_of(Grain grain) { grain_ = grain; }
  bool fine_steps() const { return grain_ != Grain::kCoarse && exploring(); }
  bool finest_steps() const { return grain_ == Grain::kAll && exploring(); }
  /// While exploring, a module need not make a step of what nobody can tell from its being at once,
  /// unless an order is asked for that names the agent, or keep_all_steps() was called.
  bool may_leave_out(AgentId agent) const;
  void keep_all_steps() { keeps_all_steps_ = true; }
  /// Choices with two or more candidates in the last exploration.
  std::uint64_t choice_points() const { return choice_points_; }
  /// Agents that have not ended, with the operation each waits at: for reports of hangs.
  struct Waiting {
    AgentId agent;
    Operation operation;
  };
  std::vector<Waiting> held() const;

  /// Simulated time since the origin; while exploring, one picosecond a step on top.
  Time now() const { return simulated() + logical_time_; }
  /// Simulated time since the origin alone.
  Time simulated() const { return sc_core::sc_time_stamp().value() - origin_; }
  /// Time 0 is now: the end of the set-up.
  void set_origin() { origin_ = sc_core::sc_time_stamp().value(); }

  /// What an agent's process threw; empty if none did. The simulation stops at the first.
  std::exception_ptr failure() const { return failure_; }

 private:
  friend class Gate;
  friend class Overlap;
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
    bool last = false;   ///< the timer fires when nobody else can go on
    bool fired = false;
    Operation operation = Operation::kIdle;
    Footprint footprint;
    Guard guard;
    Hasher history;
    Hasher place;  ///< what the history starts from
    std::uint64_t runs = 0;
    char* stack_high = nullptr;
    char* stack_low = nullptr;
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
      if (now() >= end) return false;
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
    sc_core::wait(kernel_time(duration));
  }
  /// When a wait that begins now is over; throws TimeOverflow if there is no such time.
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
  AgentId current_ = 0;
  std::vector<std::unique_ptr<Agent>> agents_;  ///< [0] stands for nobody
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
  bool token_ = false;  ///< somebody has been given the right to run
  std::vector<Touch> touched_;
  std::uint64_t places_ = 0;
  std::vector<Candidate> candidates_;
  std::vector<Candidate> last_;  ///< timers that fire when there is no candidate
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
