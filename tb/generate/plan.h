#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "tb/generate/clock.h"
#include "tb/generate/constraints.h"
#include "tb/generate/draw.h"
#include "tb/generate/plan_objects.h"
#include "tb/scenario/scenario.h"

namespace fenceline::generate {

/// Features with steps of their own.
enum class WordsOf : std::uint8_t { kAny, kMemory, kEvents, kErrors, kPower, kDisplay };

/// Features whose steps occur often where the feature does.
constexpr WordsOf kFeaturesWithSteps[] = {WordsOf::kMemory, WordsOf::kEvents, WordsOf::kDisplay};

/// Whether a step is legal in a process whose device is in error.
enum class InError : std::uint8_t {
  kNever,    ///< the error comes after it
  kMayMeet,  ///< the error may come first: the call is refused then, and the thread goes on
  kLegal
};

/// A value that no signal has.
constexpr std::uint64_t kNever = 1ULL << 62U;

/// Part of a scenario that acts.
struct Agent {
  enum class Kind : std::uint8_t {
    kThread,
    kQueue,
    kContext,
    kStart  ///< submits the work of one queue before the start
  };
  Kind kind = Kind::kThread;
  bool takes_commands() const { return kind == Kind::kQueue || kind == Kind::kContext; }
  bool patched = false;  ///< a context whose buffers have physical addresses
  std::size_t process = 0;
  std::string name;
  std::string engine;  ///< of a queue or context
  engine::EngineKind engine_kind = engine::EngineKind::kCompute;
  Clock known;  ///< what is over before its next action begins
  Clock needs;  ///< what has to begin before it: more than `known` around loops
  std::map<std::size_t, std::uint64_t> seen;  ///< values of fences for which it has waited
  std::uint64_t acts = 0;                     ///< actions so far
  // A thread, or a queue with work before the start:
  std::size_t program = 0;
  Event device_call;  ///< the last step that is not legal in a process whose device is in error
  // A queue or context:
  struct Submission {
    AgentId submitter;
    std::optional<std::size_t> step;  ///< step of the submitter; none: the program of the queue
    std::uint64_t room;               ///< for so many more commands
    Clock begun;                      ///< what the submitter knew
  };
  std::optional<Submission> open;
  std::optional<AgentId> speaker;       ///< of kStart: the queue
  Event submitted;                      ///< the last submission
  std::uint64_t packets = 0;            ///< upper bound of those that are not done
  std::vector<std::uint64_t> buffers;   ///< of a context: its last action before each of them
  bool wraps = false;                   ///< its ring is small, and it writes more than that holds
  bool waits = false;                   ///< some of its commands wait
  std::optional<std::size_t> progress;  ///< its progress fence
};

/// Names the queue or context in a step for it.
template <class S>
void address(const Agent& agent, S& step) {
  if (agent.kind == Agent::Kind::kContext)
    step.context = agent.name;
  else
    step.queue = agent.name;
}

/// The plan of a scenario: one legal order of all actions. An action may wait only for actions
/// that the plan has before it, so every wait ends. Signals of one fence, and accesses to one
/// allocation, are ordered by waits, so the outcome is determined.
class Plan {
 public:
  Plan(const Constraints& constraints, Draw& draw, scenario::Scenario& scenario);

  /// Plans actions until the scenario has its size, and ends all programs.
  void fill();

  const Constraints& constraints() const { return constraints_; }
  Draw& draw() { return draw_; }
  scenario::Scenario& scenario() { return scenario_; }
  const scenario::Scenario& scenario() const { return scenario_; }
  std::vector<FencePlan>& fences() { return fences_; }
  const FencePlan& fence(std::size_t index) const { return fences_[index]; }
  std::vector<MemoryPlan>& memories() { return memories_; }
  std::vector<Agent>& agents() { return agents_; }
  /// Drivers signal events of user mode.
  bool driver_signals() const { return driver_signals_; }
  /// The feature occurs in the process of the thread, now.
  bool occurs(WordsOf feature, AgentId thread) const;
  /// Events for which no step waits yet.
  std::vector<PendingEvent>& events() { return events_; }
  std::vector<CpuEventPlan>& cpu_events() { return cpu_events_; }
  std::vector<ClosedName>& closed_names() { return closed_names_; }
  Agent& agent(AgentId id) { return agents_[id]; }
  const Agent& agent(AgentId id) const { return agents_[id]; }
  DeviceErrors& errors() { return errors_; }
  /// At most one for each adapter.
  std::vector<DisplayPlan>& displays() { return displays_; }
  /// Names of adapters that steps send to D3.
  std::set<std::string>& sleepers() { return sleepers_; }
  /// The adapter of the process is one of them.
  bool sleeps(std::size_t process) const;
  /// A device that is in error has the fence, or one that will be.
  bool may_be_given_up(const FencePlan& fence) const;
  /// Waits for the fence tell nothing any more.
  bool is_given_up(std::size_t fence) const {
    return errors_.planned && may_be_given_up(fences_[fence]);
  }
  /// True if a wait of the process for kNever is legal now, and nothing ends it.
  bool may_never_reach(std::size_t process, std::size_t fence) const {
    return fences_[fence].may_never_reach(process) && !is_given_up(fence);
  }
  /// The device of the process is in error.
  bool in_error(std::size_t process) const { return errors_.planned && errors_.hit(process); }

  std::size_t add_fence(FencePlan fence);
  void add_memory(MemoryPlan memory) { memories_.push_back(std::move(memory)); }
  AgentId add_thread(std::size_t process);
  AgentId add_queue(std::size_t process, const scenario::Queue& queue, engine::EngineKind kind);
  AgentId add_context(std::size_t process, const scenario::Context& context,
                      engine::EngineKind kind);
  /// The queue has work before the start, if it has a fence with which threads can learn of it.
  void add_queue_program(AgentId queue);

  /// Uses of a fence by an agent.
  enum class Use : std::uint8_t { kAny, kSignal, kWait };
  /// True if the agent can use this fence so in general.
  bool can_use(AgentId id, const FencePlan& fence, Use use = Use::kAny) const;
  std::vector<std::size_t> usable_fences(AgentId id, Use use = Use::kAny) const;
  std::vector<std::size_t> native_fences(AgentId id) const;
  std::vector<AgentId> threads_of(std::size_t process) const;
  std::vector<AgentId> queues_of(std::size_t process) const;
  std::vector<AgentId> contexts_of(std::size_t process) const;
  /// True if the fence is a monitored one for the agent. @pre its process has the fence.
  bool monitored(AgentId id, std::size_t fence) const;
  const std::string& name_of(AgentId id, std::size_t fence) const;

  /// Counts an action of the agent. Returns its event.
  Event act(AgentId id);
  /// Adds a step of a thread, and counts it. Returns its event.
  Event step(AgentId thread, scenario::Steps steps);
  template <class S>
  Event step(AgentId thread, S what) {
    return step(thread, scenario::Steps{scenario::Step{std::move(what), {}}});
  }
  /// Makes room for a command that needs what `needs` names when it is recorded. False if no thread
  /// can submit it.
  bool open(AgentId queue, const Event& needs = {});
  /// Adds a command behind open(), and counts it.
  template <class C>
  Event command(AgentId queue, C what) {
    return add(queue, scenario::Command{std::move(what), {}}, 1);
  }
  /// @param rounds packets of the command
  Event add(AgentId queue, scenario::Command command, std::uint64_t rounds);
  /// Ends the open submission. The next command begins another one.
  void close(AgentId queue);
  /// A thread that may submit next. All earlier submissions are over when it goes on.
  std::optional<AgentId> submitter(AgentId queue, const Event& needs);
  /// Makes room for commands in a submission by this thread, which knows all earlier ones.
  void open_by(AgentId queue, AgentId thread);
  /// The action that has to be over before the context has room for another buffer; index 0: it has
  /// room.
  Event room(AgentId queue) const;
  /// The commands of the queue so far are done whatever comes later in the plan.
  bool makes_room(AgentId queue) const;
  /// The thread comes after the last submission, and the context has room for another buffer.
  bool take_turn(AgentId thread, AgentId context);
  /// Counts a submission by a step of the thread that the caller has added.
  void submitted(AgentId queue, AgentId thread);

  /// Plans a wait, so that `event` is over before the agent's next action. False if there is no
  /// fence for it; the plan stays legal.
  bool order(AgentId id, const Event& event);
  bool order(AgentId id, const Clock& events);
  /// The same, by signals that the plan has already.
  bool order_by_signals(AgentId id, const Event& event);
  /// True if the agent may wait for this signal without blocking what the signal needs.
  bool may_wait(AgentId id, std::size_t fence, const Signal& signal) const;
  /// Plans a wait for the first signal of at least this value.
  bool wait_for(AgentId id, std::size_t fence, std::uint64_t value);
  /// The agent knows what this wait tells it.
  void learn(AgentId id, std::size_t fence, std::uint64_t value);
  /// The agent may have to wait until the fence has this value.
  void depend(AgentId id, std::size_t fence, std::uint64_t value);
  /// The agent's last action has the fence as an operand.
  void use(AgentId id, std::size_t fence) {
    fences_[fence].used.learn(Event{id, agents_[id].acts});
  }
  /// True if the agent's next action comes after all signals of the fence so far.
  bool knows_signals(AgentId id, std::size_t fence) const;
  /// Makes the next signal of the fence by this agent legal; a queue or context has room for it.
  bool prepare_signal(AgentId id, std::size_t fence);
  bool signal(AgentId id, std::size_t fence);
  /// The next value of a fence.
  std::uint64_t next_value(std::size_t fence);
  /// Values that rise by `stride`.
  struct Values {
    std::uint64_t first = 0;
    std::uint64_t count = 1;
    std::uint64_t stride = 1;

    std::uint64_t at(std::uint64_t round) const { return first + round * stride; }
    /// The value of a round, whose counter is "i".
    scenario::Expression expression() const { return {first, {{"i", stride}}}; }
  };
  /// The next values of a fence.
  Values next_values(std::size_t fence, std::uint64_t count);
  /// Notes a signal that the agent's last action makes.
  void note_signal(AgentId id, std::size_t fence, std::uint64_t value);
  /// The same for an action that signals several fences, in no order: the value of one does not
  /// tell that the others are there. `before`: what is over before the action.
  void note_signal_of_several(AgentId id, std::size_t fence, std::uint64_t value,
                              const Clock& before);
  /// Notes signals of these values, which the agent's last action makes. `before`: what is over
  /// before the first of them.
  void note_signals(AgentId id, std::size_t fence, const Values& values, const Clock& before);

  /// Orders an access of a queue behind all that conflicts with it. Needs open() before.
  bool access(AgentId queue, std::size_t memory, bool writes);
  /// The same for an access of the CPU.
  bool access_by_cpu(AgentId thread, std::size_t memory, bool writes);
  /// True if the memory manager may move memory that work of the agent's adapter uses.
  bool moves_memory(AgentId id) const;
  void note_access(std::size_t memory, bool writes, const Event& event);
  /// All writes of the queue so far are in their places from now on.
  void note_barrier(AgentId queue);

  std::vector<FreeEvent>& free_events() { return free_events_; }
  std::uint64_t stamp() { return ++stamp_; }
  std::string fresh_name(const char* prefix) { return prefix + std::to_string(++names_); }

 private:
  scenario::Commands& target(AgentId queue);
  void note_buffer(AgentId queue, std::size_t fence);
  std::optional<std::size_t> shared_fence(AgentId from, AgentId to);
  std::string engine_of(AgentId id) const;
  std::set<std::string> engines_before(AgentId id, const Signal& signal) const;
  bool may_wait_for_engine(const std::string& engine, const std::string& other) const;
  void act_once();
  void size_rings();
  void drop_empty_parts();
  void settle(std::size_t memory, AgentId reader);
  bool settle_before_read(std::size_t memory, AgentId queue);
  void note_drained(AgentId thread);
  AgentId add(Agent agent);
  std::vector<AgentId> agents_of(std::size_t process, Agent::Kind kind) const;
  /// Adds the program of an agent.
  scenario::Program& add_program(Agent& agent);

  const Constraints& constraints_;
  Draw& draw_;
  bool driver_signals_ = false;
  scenario::Scenario& scenario_;
  std::vector<FencePlan> fences_;
  std::vector<MemoryPlan> memories_;
  std::vector<Agent> agents_;
  std::vector<PendingEvent> events_;
  std::vector<FreeEvent> free_events_;
  std::vector<CpuEventPlan> cpu_events_;
  std::vector<ClosedName> closed_names_;
  DeviceErrors errors_;
  std::vector<DisplayPlan> displays_;
  /// By engine: others whose work a buffer may need that waits there. They make no circle.
  std::map<std::string, std::set<std::string>> engine_waits_;
  std::set<std::string> sleepers_;
  std::uint64_t stamp_ = 0;
  std::uint64_t names_ = 0;
  struct {
    std::uint64_t commands = 0;
    std::uint64_t steps = 0;
  } left_;  ///< sizes that the plan has not reached yet
};

}  // namespace fenceline::generate
