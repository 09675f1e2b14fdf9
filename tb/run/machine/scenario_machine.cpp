#include "tb/run/machine/scenario_machine.h"

#include <algorithm>
#include <stdexcept>

#include "models/top/gpu.h"
#include "tb/run/machine/faults.h"
#include "tb/run/threads/thread_program.h"
#include "tb/scenario/shapes/driver.h"

namespace fenceline::run {

using common::Operation;

namespace {

/// By adapter: what the scenario says, and a driver built for its OS where it says nothing.
std::vector<kmd_host::DriverCaps> driver_caps(const scenario::Platform& platform) {
  std::vector<kmd_host::DriverCaps> result;
  for (const top::GpuConfig& gpu : platform.gpus) {
    kmd_host::DriverCaps& caps = result.emplace_back();
    caps.wddm = platform.system.wddm;
    for (const scenario::Driver& driver : platform.drivers) {
      if (driver.adapter != gpu.name) continue;
      caps = driver.caps;
      caps.wddm = driver.wddm.value_or(platform.system.wddm);
      caps.scheduling = scenario::scheduling_bits(driver.scheduling_caps);
    }
  }
  return result;
}

/// Some program has a step of one of these types.
template <class... S>
bool any_step(const scenario::Steps& steps) {
  return std::any_of(steps.begin(), steps.end(), [](const scenario::Step& step) {
    const auto* loop = std::get_if<scenario::RepeatStep>(&step.what);
    return (std::holds_alternative<S>(step.what) || ...) ||
           (loop != nullptr && any_step<S...>(loop->body));
  });
}

template <class... S>
bool any_step(const scenario::Scenario& scenario) {
  return std::any_of(scenario.programs.begin(), scenario.programs.end(),
                     [](const auto& program) { return any_step<S...>(program.steps); });
}

/// There are allocations that the memory manager has.
bool manages_memory(const scenario::Scenario& scenario) {
  for (const scenario::Process& process : scenario.processes)
    for (const scenario::Allocation& allocation : process.allocations)
      if (allocation.segments != 0) return true;
  return any_step<scenario::CreateAllocationStep, scenario::MemoryStressStep>(scenario);
}

os::KernelOptions kernel_options(const scenario::Scenario& scenario) {
  os::KernelOptions options;
  options.ordering = static_cast<const os::Ordering&>(scenario.platform.ordering);
  options.adapter.system = scenario.platform.system;
  options.adapter.system.resets_asked = any_step<scenario::ResetEngineStep>(scenario);
  options.driver_caps = driver_caps(scenario.platform);
  for (const scenario::Process& process : scenario.processes)
    options.contexts = options.contexts || !process.contexts.empty();
  options.managed_memory = manages_memory(scenario);
  return options;
}

}  // namespace

ScenarioMachine::ScenarioMachine(common::Simulation& simulation, const scenario::Scenario& scenario,
                                 os::DriverEntryFunction driver)
    : user::Machine(simulation, with_faults(scenario), kernel_options(scenario), driver),
      objects(kernel(), scenario, checks),
      scenario_(scenario) {
  simulation.steps.add_state(*this);
  for (const scenario::Program& program : scenario.programs)
    for (std::uint64_t index = 0; index < program.count; ++index) add_program(program, index);
  simulation.steps.take_steps_of(scenario.explore.steps.value_or(common::Grain::kCoarse));
}

void ScenarioMachine::add_program(const scenario::Program& program, std::uint64_t index) {
  auto made = std::make_unique<Thread>();
  Thread& thread = *made;
  programs_.push_back(&thread);
  thread.name = program.queue ? program.name + ".submit" : program.name;
  if (program.count > 1) thread.name += std::to_string(index);
  thread.program = &program;
  thread.index = index;
  thread.body = [this, &thread] { run_program(thread); };
  add_thread(std::move(made), program.core);
  thread.event = &kernel().system.threads.of(thread.agent).event;
}

std::uint64_t ScenarioMachine::state_hash() const {
  common::Hasher hasher;
  for (const Thread* thread : programs_) hasher.add(thread->event->signaled ? 1 : 0);
  for (const auto& [name, process] : objects.processes())
    for (const auto& [event_name, event] : process.events) hasher.add(event->signaled ? 1 : 0);
  return hasher.value();
}

void ScenarioMachine::before_start() {
  if (on_ready) on_ready();
  simulation().steps.start_counting(hold_rules());
}

void ScenarioMachine::after_start() {
  if (run_programs) run_programs();
}

void ScenarioMachine::run_program(Thread& thread) {
  const auto state = [&](event::ThreadStateKind what) {
    simulation().events.emit(thread.agent, event::ThreadState{thread.object, what});
  };
  state(event::ThreadStateKind::kRunning);
  // Without its adapter a process does not even begin.
  if (objects.process(thread.program->process).process != nullptr)
    ThreadProgram(*this, thread).run();
  state(event::ThreadStateKind::kFinished);
}

bool ScenarioMachine::somebody_polls() const {
  return std::any_of(programs_.begin(), programs_.end(),
                     [](const auto& thread) { return thread->polls != nullptr; });
}

std::string ScenarioMachine::place_of(common::AgentId agent) const {
  for (const auto& thread : programs_)
    if (thread->agent == agent && thread->step != nullptr) return place(thread->step->at);
  return scenario_.path + ": ";
}

std::string ScenarioMachine::place(const scenario::Location& at) const {
  const std::string numbers =
      at.line == 0 ? "" : ":" + std::to_string(at.line) + ":" + std::to_string(at.column);
  return scenario_.path + numbers + ": " + at.pointer + ": ";
}

common::OperationInstance ScenarioMachine::resolve(const scenario::OperationRef& reference,
                                                   const scenario::Location& at) const {
  common::OperationInstance result;
  result.agent = simulation().steps.find_agent(reference.agent);
  result.operation = common::find_operation(reference.op);
  result.nth = reference.nth;
  if (result.agent == 0) {
    std::string names;
    for (std::size_t id = 1; id < simulation().steps.agent_count(); ++id)
      names += (id > 1 ? ", " : "") + simulation().steps.name(static_cast<common::AgentId>(id));
    throw std::invalid_argument(place(at) + "no agent is called \"" + reference.agent +
                                "\"; the agents are " + names);
  }
  if (result.operation == Operation::kCount)
    throw std::invalid_argument(place(at) + "no operation is called \"" + reference.op + "\"");
  return result;
}

std::vector<common::HoldRule> ScenarioMachine::hold_rules() const {
  std::vector<common::HoldRule> rules;
  for (const scenario::Hold& hold : scenario_.holds)
    rules.push_back({resolve(hold.operation, hold.at), resolve(hold.until, hold.at)});
  return rules;
}

void ScenarioMachine::reach_mark(const Thread& thread, const std::string& label) {
  const auto known = std::find(labels_.begin(), labels_.end(), label);
  const auto index = static_cast<std::uint64_t>(known - labels_.begin());
  if (known == labels_.end()) labels_.push_back(label);
  for (std::size_t gpu = 0; gpu < platform().gpu_count(); ++gpu) platform().gpu(gpu).reach(label);
  simulation().events.emit(thread.agent, event::Mark{thread.object, index});
  const auto& expected = scenario_.expect.marks;
  if (std::none_of(expected.begin(), expected.end(),
                   [&](const scenario::MarkExpectation& it) { return it.label == label; }))
    return;
  marks_[label] = objects.current_values();
}

const std::map<std::string, std::uint64_t>* ScenarioMachine::values_at(
    const std::string& label) const {
  const auto found = marks_.find(label);
  return found == marks_.end() ? nullptr : &found->second;
}

}  // namespace fenceline::run
