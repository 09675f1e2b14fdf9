#include "tb/scenario/checks/checks.h"
#include "tb/scenario/checks/commands.h"
#include "tb/scenario/checks/field_checker.h"
#include "tb/scenario/text/diagnostics.h"

namespace fenceline::scenario {

namespace {

/// Collects names that the steps of a program define: fences, events and marks.
class Collector {
 public:
  Collector(Names& names, ProcessNames& own) : names_(names), own_(own) {}

  void walk(const Steps& steps) {
    for (const Step& step : steps) std::visit(*this, step.what);
  }
  void operator()(const WaitStep& step) {
    if (step.event) own_.events.insert(*step.event);
  }
  void operator()(const MarkStep& step) { names_.marks.insert(step.label); }
  void operator()(const CreateFenceStep& step) {
    own_.fences.emplace(step.fence.name, &step.fence);
  }
  void operator()(const CaptureLogsStep&) {}
  void operator()(const DestroyFenceStep& step) { own_.destroyed.insert(step.fence); }
  void operator()(const PassHandleStep& step) { own_.events.insert(step.event); }
  void operator()(const CreateCpuEventStep& step) {
    static const Fence kEvent;
    own_.events.insert(step.event);
    own_.fences.emplace(step.name, &kEvent);
    own_.cpu_events.insert(step.name);
  }
  void operator()(const CreateAllocationStep& step) {
    own_.allocations.emplace(step.allocation.name, &step.allocation);
  }
  void operator()(const RepeatStep& step) { walk(step.body); }
  template <class T>
  void operator()(const T&) {}

 private:
  Names& names_;
  ProcessNames& own_;
};

/// Checks the steps of one thread: what their fields name, and rules of some steps besides.
class StepChecker {
 public:
  StepChecker(const Places& places, const Names& names, const ProcessNames& own, Loops& loops)
      : places_(places), names_(names), own_(own), loops_(loops), commands_(places, own, loops) {}

  void walk(const Steps& steps) {
    for (const Step& step : steps) {
      loops_.count_one(step.at.pointer);
      at_ = step.at.pointer;
      StepFields<const StepChecker> fields(*this, step);
      Step::verbs(fields);
      std::visit(*this, step.what);
    }
  }

  // For the fields.
  bool has(const std::string& pointer) const { return places_.has(pointer); }
  void check_expression(const Expression& value, const std::string& pointer) const {
    loops_.check(value, pointer);
  }
  void check_name(NameOf of, const std::string& name, const std::string& pointer) const {
    switch (of) {
      case NameOf::kFence:
        return commands_.fence(name, pointer);
      case NameOf::kQueue:
        return void(commands_.queue(name, pointer));
      case NameOf::kContext:
        return void(commands_.context(name, pointer));
      case NameOf::kHardwareContext:
        return commands_.hardware_context(name, pointer);
      case NameOf::kManaged:
        return commands_.managed(name, pointer);
      case NameOf::kPrimary:
        return commands_.primary(name, pointer);
      case NameOf::kCpuEvent:
        return void(places_.find(pointer, "CPU event", name, own_.cpu_events));
      case NameOf::kEvent:
        return void(places_.find(pointer, "wait that sets an event", name, own_.events));
      case NameOf::kEngine:
        return void(places_.find(pointer, "engine", name, own_.adapter->engines));
    }
  }

  void operator()(const WaitStep& step) {
    if (step.event && step.timeout) {
      places_.fail(at_ + "/wait/timeout",
                   "a wait with an event returns at once and cannot time out", {},
                   "give the timeout to the wait_event");
    }
  }
  void operator()(const SignalStep& step) {
    if (step.bad_handle && *step.bad_handle >= step.points.size())
      places_.fail(at_ + "/signal/bad_handle",
                   "there are " + std::to_string(step.points.size()) + " fences");
  }
  void operator()(const TouchLogStep& step) {
    const std::string pointer = at_ + "/touch_log";
    if (!queue_of(step, pointer).logs)
      places_.fail(pointer + "/queue", "queue " + in_quotes(step.queue) + " has no logs");
  }
  void operator()(const SubmitStep& step) {
    const std::string pointer = at_ + "/submit";
    if (step.context)
      commands_.walk(step.commands, commands_.context(*step.context, pointer + "/context"), true);
    else
      commands_.walk(step.commands, commands_.queue(step.queue, pointer + "/queue"));
  }
  void operator()(const SetLogBuffersStep& step) {
    const std::string pointer = at_ + "/set_log_buffers/queue";
    if (!commands_.queue(step.queue, pointer).logs) {
      places_.fail(pointer, "queue " + in_quotes(step.queue) + " keeps no logs");
    }
  }
  void operator()(const DestroyFenceStep& step) {
    const std::string pointer = at_ + "/destroy_fence";
    commands_.fence(step.fence, places_.has(pointer + "/fence") ? pointer + "/fence" : pointer);
  }
  void operator()(const CreateFenceStep& step) {
    const Fence* first = own_.fences.at(step.fence.name);
    if (first != &step.fence && own_.destroyed.count(step.fence.name) == 0) {
      places_.fail(at_ + "/create_fence/name",
                   "a second fence with the name " + in_quotes(step.fence.name), {},
                   "the first is at " + first->at.pointer + " and no step destroys it");
    }
  }
  void operator()(const SetPowerStep& /*step*/) {
    if (own_.process->queues.empty() || own_.adapter->command_processor.doorbells != 0) return;
    places_.fail(at_ + "/set_power", "the adapter of a process with hardware queues stays in D0",
                 {}, "their doorbells would have to be disconnected first: see /platform/adapters");
  }
  void operator()(const ResetEngineStep& /*step*/) {
    if (own_.schedules) return;
    places_.fail(at_ + "/reset_engine", "the OS does not schedule hardware contexts", {},
                 "set /platform/os/context_scheduling/enabled");
  }
  void operator()(const LockStep& step) {
    if (!step.older && !step.flags.empty())
      places_.fail(at_ + "/lock/flags", "D3DKMTLock2 has reserved flags only", {},
                   "give it \"call\": \"lock\", or \"reserved\" bits");
  }
  void operator()(const RepeatStep& step) {
    loops_.enter(step.count, step.counter, at_ + "/repeat");
    walk(step.body);
    loops_.leave();
  }
  template <class T>
  void operator()(const T&) {}

 private:
  const Queue& queue_of(const TouchLogStep& step, const std::string& pointer) const {
    if (!step.process) return commands_.queue(step.queue, pointer + "/queue");
    const auto& owner =
        places_.find(pointer + "/process", "process", *step.process, names_.processes);
    return *places_
                .find(pointer + "/queue", "queue", step.queue, owner.second.queues,
                      "process " + in_quotes(*step.process))
                .second;
  }

  const Places& places_;
  const Names& names_;
  const ProcessNames& own_;
  Loops& loops_;
  CommandChecker commands_;
  std::string at_;  ///< pointer of the step
};

/// The process of a program. Throws if the program names none and there are several.
ProcessNames& process_of(const Program& program, const Scenario& scenario, const Places& places,
                         Names& names) {
  if (program.process.empty()) {
    places.fail(program.at.pointer, "the key \"process\" is missing",
                one_of(names_in(names.processes)),
                "it is needed because there are " + std::to_string(scenario.processes.size()) +
                    " processes");
  }
  return places.find(program.at.pointer + "/process", "process", program.process, names.processes)
      .second;
}

void check_program_names(const Scenario& scenario, const Places& places) {
  std::map<std::string, std::string> threads;
  std::map<std::string, std::string> queues;
  std::uint64_t count = 0;
  for (const Program& program : scenario.programs) {
    const bool thread = !program.queue;
    count += program.count;
    if (count > kMaxThreads)
      places.fail(program.at.pointer,
                  "the programs have more than " + std::to_string(kMaxThreads) + " threads");
    for (std::uint32_t i = 0; thread && program.count > 1 && i < program.count; ++i)
      threads.emplace(program.name + std::to_string(i), program.at.pointer);
    const std::string name = thread ? program.name : program.process + "/" + program.name;
    const auto [first, fresh] = (thread ? threads : queues).emplace(name, program.at.pointer);
    if (fresh) continue;
    places.fail(program.at.pointer + (thread ? "/thread" : "/queue"),
                "a second program for the " + std::string(thread ? "thread " : "queue ") +
                    in_quotes(program.name),
                {}, "the first is at " + first->second);
  }
}

/// The opened fence must be created by its process; this excludes cycles.
void check_opened_fence(const Fence& fence, const std::string& own_path, const Names& names,
                        const Places& places) {
  const std::string pointer = fence.at.pointer + "/open";
  if (*fence.open == own_path) places.fail(pointer, "the fence opens itself");
  const auto [process, name] = split_path(*fence.open);
  const Fence& target =
      *places
           .find(pointer, "fence", name,
                 places.find(pointer, "process", process, names.processes).second.fences,
                 "process " + in_quotes(process))
           .second;
  if (target.open) {
    places.fail(pointer, "fence " + in_quotes(*fence.open) + " is itself opened", {},
                "open " + in_quotes(*target.open) + " instead");
  }
  if (!target.shared && !target.cross_adapter) {
    places.fail(pointer, "fence " + in_quotes(*fence.open) + " is not shared", {},
                "give it \"shared\": true at " + target.at.pointer);
  }
}

/// Finds monitored fences. A monitored fence opened on an adapter with native fences is a native
/// fence there; on an adapter without native fences a native one is monitored.
void find_monitored(Names& names) {
  for (auto& [process, own] : names.processes)
    for (const auto& [name, fence] : own.fences) {
      const Fence* made = fence;
      const ProcessNames* owner = &own;
      if (fence->open) {
        const auto [maker, opened] = split_path(*fence->open);
        const auto found = names.processes.find(maker);
        if (found == names.processes.end()) continue;  // reported elsewhere
        owner = &found->second;
        const auto target = owner->fences.find(opened);
        if (target == owner->fences.end()) continue;
        made = target->second;
      }
      // A native fence is a monitored one on an adapter without native fences.
      const bool elsewhere = owner->adapter != own.adapter && own.adapter->native_fences;
      const bool old = made->cross_adapter && !own.adapter->native_fences;
      if ((made->monitored && !elsewhere) || old) own.monitored.insert(name);
    }
}

/// Checks all fences, also opened ones and those of create_fence steps.
void check_traced(const Names& names, const Places& places) {
  for (const auto& [process, own] : names.processes)
    for (const auto& [name, fence] : own.fences)
      if (fence->traced && own.monitored.count(name) != 0)
        places.fail(fence->at.pointer + "/traced",
                    "fence " + in_quotes(name) + " is a monitored fence, which is in no log", {},
                    "only native fences can be traced");
}

}  // namespace

void check_programs(const Scenario& scenario, const Places& places, Names& names) {
  for (const Program& program : scenario.programs) {
    ProcessNames& own = process_of(program, scenario, places, names);
    Collector(names, own).walk(program.steps);
  }
  find_monitored(names);
  check_traced(names, places);
  check_program_names(scenario, places);
  Loops loops(places);
  for (const Program& program : scenario.programs) {
    const ProcessNames& own = process_of(program, scenario, places, names);
    if (program.queue) {
      CommandChecker commands(places, own, loops);
      commands.walk(program.commands,
                    commands.queue(*program.queue, program.at.pointer + "/queue"));
      continue;
    }
    const std::uint32_t cores = scenario.platform.host.cores;
    if (program.core && *program.core >= cores) {
      places.fail(program.at.pointer + "/core",
                  "core " + std::to_string(*program.core) + " does not exist",
                  "a core below " + std::to_string(cores));
    }
    loops.enter(Expression(program.count), program.counter, program.at.pointer);
    StepChecker(places, names, own, loops).walk(program.steps);
    loops.leave();
  }
}

void check_opened_fences(const Names& names, const Places& places) {
  for (const auto& [process, own] : names.processes) {
    for (const auto& [name, fence] : own.fences) {
      if (fence->open) check_opened_fence(*fence, fence_path(process, name), names, places);
    }
  }
}

}  // namespace fenceline::scenario
