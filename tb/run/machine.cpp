#include "tb/run/machine.h"

#include <algorithm>
#include <stdexcept>
#include <tuple>

#include "models/abi/private_data.h"
#include "tb/run/faults.h"
#include "tb/run/thread_program.h"
#include "tb/scenario/shapes/system.h"

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

/// Some step creates allocations that the memory manager has.
bool makes_allocations(const scenario::Steps& steps) {
  for (const scenario::Step& step : steps) {
    if (std::holds_alternative<scenario::CreateAllocationStep>(step.what) ||
        std::holds_alternative<scenario::MemoryStressStep>(step.what))
      return true;
    const auto* loop = std::get_if<scenario::RepeatStep>(&step.what);
    if (loop != nullptr && makes_allocations(loop->body)) return true;
  }
  return false;
}

/// There are allocations that the memory manager has.
bool manages_memory(const scenario::Scenario& scenario) {
  for (const scenario::Process& process : scenario.processes)
    for (const scenario::Allocation& allocation : process.allocations)
      if (allocation.segments != 0) return true;
  return std::any_of(scenario.programs.begin(), scenario.programs.end(),
                     [](const auto& program) { return makes_allocations(program.steps); });
}

/// User mode has write-combined mappings of such allocations alone.
top::PlatformConfig platform_of(const scenario::Scenario& scenario) {
  top::PlatformConfig platform = with_faults(scenario);
  if (!manages_memory(scenario)) platform.host.write_combining.buffers = 0;
  return platform;
}

os::KernelOptions kernel_options(const scenario::Scenario& scenario) {
  os::KernelOptions options;
  options.ordering = scenario.platform.ordering;
  options.adapter.system = scenario.platform.system;
  options.driver_caps = driver_caps(scenario.platform);
  for (const scenario::Process& process : scenario.processes)
    options.contexts = options.contexts || !process.contexts.empty();
  options.managed_memory = manages_memory(scenario);
  return options;
}

}  // namespace

Machine::Machine(common::Simulation& simulation, const scenario::Scenario& scenario,
                 os::DriverEntryFunction driver)
    : simulation_(simulation),
      scenario_(scenario),
      submitters_(scenario),
      platform_(std::make_unique<top::Platform>("platform", simulation, platform_of(scenario))),
      kernel_(std::make_unique<os::Kernel>(simulation, *platform_, kernel_options(scenario))),
      names_(kernel_->cpu()),
      start_(simulation.steps) {
  simulation_.steps.add_state(*this);
  kernel_->add_agents();
  const common::AgentId set_up_agent =
      simulation_.steps.add_agent("set-up", [this, driver] { set_up(driver); });
  kernel_->cpu().place(set_up_agent, 0);
  add_threads();
  simulation_.steps.take_steps_of(scenario.explore.steps.value_or(common::Grain::kCoarse));
}

void Machine::add_threads() {
  const auto last = static_cast<std::uint32_t>(platform_->core_count() - 1);
  std::uint32_t next_core = last;
  for (const scenario::Program& program : scenario_.programs)
    for (std::uint64_t index = 0; index < program.count; ++index) {
      add_thread(program, index, program.core.value_or(next_core));
      // Core 0 takes the interrupts: programs are spread over the others first.
      if (!program.core) next_core = next_core > 1 ? next_core - 1 : last;
    }
}

void Machine::add_thread(const scenario::Program& program, std::uint64_t index,
                         std::uint32_t core) {
  threads_.push_back(std::make_unique<Thread>());
  Thread& thread = *threads_.back();
  thread.name = program.queue ? program.name + ".submit" : program.name;
  if (program.count > 1) thread.name += std::to_string(index);
  thread.object = simulation_.events.add_object(common::ObjectKind::kThread, thread.name);
  thread.program = &program;
  thread.index = index;
  thread.agent = simulation_.steps.add_agent(thread.name, [this, &thread] { run_thread(thread); });
  thread.event = &kernel_->system.threads.add(thread.agent, thread.object).event;
  kernel_->cpu().place(thread.agent, core);
}

Machine::~Machine() = default;

std::uint64_t Machine::state_hash() const {
  common::Hasher hasher;
  for (const auto& thread : threads_) hasher.add(thread->event->signaled ? 1 : 0);
  for (const auto& [name, process] : processes_)
    for (const auto& [event_name, event] : process.events) hasher.add(event->signaled ? 1 : 0);
  return hasher.value();
}

void Machine::set_up(os::DriverEntryFunction driver) {
  os::Cpu& cpu = kernel_->cpu();
  cpu.run_thread(Operation::kIdle, 0);
  kernel_->start(driver);
  create_processes();
  cpu.stop_thread();
  settle();
  start_programs();
  if (run_programs) run_programs();
}

void Machine::create_processes() {
  for (const scenario::Process& config : scenario_.processes) {
    std::size_t adapter = 0;
    while (adapter + 1 < scenario_.platform.gpus.size() && !config.adapter.empty() &&
           scenario_.platform.gpus[adapter].name != config.adapter)
      ++adapter;
    ProcessState& state = processes_[config.name];
    state.config = &config;
    if (kernel_->system.adapters[adapter].failure) continue;
    try {
      state.process = &kernel_->devices.create_process(config.name, adapter);
    } catch (const os::StartFailure&) {
      continue;  // the kernel knows
    }
    state.process->kind = config.kind;
    create_allocations(state);
    for (const scenario::Fence& fence : config.fences)
      if (!fence.open) create_fence(state, fence);
    for (const scenario::Queue& queue : config.queues) create_queue(state, queue);
    create_contexts(state);
  }
  for (auto& [name, state] : processes_)
    for (const scenario::Fence& fence : state.config->fences)
      if (fence.open && state.process != nullptr) create_fence(state, fence);
}

D3DKMT_HANDLE Machine::hw_context(ProcessState& state, const scenario::Queue& queue, UINT node) {
  const std::string& name = queue.context.value_or(queue.name);
  const auto [at, fresh] = state.hw_contexts.try_emplace(name);
  if (!fresh) return at->second;
  D3DKMT_CREATEHWCONTEXT args{};
  args.hDevice = state.process->device();
  args.NodeOrdinal = node;
  const os::WithOptions named(kernel_->system.threads, {name});
  kernel_->queues.D3DKMTCreateHwContext(*state.process, args);
  for (const scenario::HardwareContext& context : state.config->hardware_contexts)
    if (context.name == name)
      state.process->hw_context(args.hHwContext)->properties = context.properties;
  return at->second = args.hHwContext;
}

void Machine::create_queue(ProcessState& state, const scenario::Queue& queue) {
  const auto& engines = platform_->gpu(state.process->adapter).config().engines;
  UINT node = 0;
  while (node < engines.size() && engines[node].name != queue.engine) ++node;
  auto& writer = state.queues[queue.name];
  writer = std::make_unique<user::QueueWriter>(*kernel_, *state.process,
                                               scenario_.platform.ordering.umd);
  for (const scenario::Driver& driver : scenario_.platform.drivers)
    if (driver.adapter == platform_->gpu(state.process->adapter).config().name)
      writer->write_status(driver.user_writes_status);
  writer->disable_gpu_timeout(!queue.gpu_timeout);
  if (submitters_.share_queue(state.config->name, queue.name)) writer->share();
  const NTSTATUS status =
      writer->create(queue.name, hw_context(state, queue, node), queue.ring_bytes,
                     queue.logs ? queue.log_entries : 0, queue.progress_fence);
  check_status(queue.at.pointer, "D3DKMTCreateHwQueue", status, queue.status);
  if (!NT_SUCCESS(status)) return void(state.queues.erase(queue.name));
  if (!queue.progress_fence) return;
  const std::string name = queue.name + ".progress";
  state.fences[name] = writer->progress_fence();
  fences_[state.config->name + "/" + name] =
      state.process->fence(writer->progress_fence().handle)->fence;
}

void Machine::create_contexts(ProcessState& state) {
  for (const scenario::Context& context : state.config->contexts) create_context(state, context);
}

void Machine::create_context(ProcessState& state, const scenario::Context& context) {
  const auto& engines = platform_->gpu(state.process->adapter).config().engines;
  UINT node = 0;
  while (node < engines.size() && engines[node].name != context.engine) ++node;
  auto& writer = state.contexts[context.name];
  if (context.patched)
    writer = std::make_unique<user::PatchedWriter>(*kernel_, *state.process,
                                                   scenario_.platform.ordering.umd);
  else
    writer = std::make_unique<user::ContextWriter>(*kernel_, *state.process,
                                                   scenario_.platform.ordering.umd);
  if (submitters_.share_context(state.config->name, context.name)) writer->share();
  writer->fence_stores(state.config->map_duties.fences);
  NTSTATUS status = writer->create(context.name, node);
  if (NT_SUCCESS(status) && kernel_->options().managed_memory) status = writer->track_usage();
  check_status(context.at.pointer, "creating the context", status, {});
  if (!NT_SUCCESS(status)) return void(state.contexts.erase(context.name));
  if (context.priority != 0) writer->set_priority(context.priority);
}

/// Waits until nothing of the set-up is on its way any more.
void Machine::settle() {
  do simulation_.steps.elapse(10 * common::kMicrosecond);
  while (!platform_->quiet());
}

void Machine::start_programs() {
  simulation_.steps.set_origin();
  for (std::size_t i = 0; i < platform_->core_count(); ++i) platform_->core(i).restart_idle();
  if (on_ready) on_ready();
  simulation_.steps.start_counting(hold_rules());
  ready_ = started_ = true;
  start_.open();
}

void Machine::run_thread(Thread& thread) {
  simulation_.steps.wait_until(start_, [this] { return started_; });
  os::Cpu& cpu = kernel_->cpu();
  cpu.run_thread(simulation_.steps.fine_steps() ? Operation::kBegin : Operation::kIdle, 0);
  const auto state = [&](event::ThreadStateKind what) {
    simulation_.events.emit(thread.agent, event::ThreadState{thread.object, what});
  };
  state(event::ThreadStateKind::kRunning);
  // Without its adapter a process does not even begin.
  if (process(thread.program->process).process != nullptr) ThreadProgram(*this, thread).run();
  state(event::ThreadStateKind::kFinished);
  cpu.stop_thread();
  thread.finished = true;
  ++finished_;
}

bool Machine::somebody_polls() const {
  return std::any_of(threads_.begin(), threads_.end(),
                     [](const auto& thread) { return thread->polls != nullptr; });
}

std::string Machine::place_of(common::AgentId agent) const {
  for (const auto& thread : threads_)
    if (thread->agent == agent && thread->at != nullptr) return place(*thread->at);
  return scenario_.path + ": ";
}

std::string Machine::place(const scenario::Location& at) const {
  const std::string numbers =
      at.line == 0 ? "" : ":" + std::to_string(at.line) + ":" + std::to_string(at.column);
  return scenario_.path + numbers + ": " + at.pointer + ": ";
}

common::OperationInstance Machine::resolve(const scenario::OperationRef& reference,
                                           const scenario::Location& at) const {
  common::OperationInstance result;
  result.agent = simulation_.steps.find_agent(reference.agent);
  result.operation = common::find_operation(reference.op);
  result.nth = reference.nth;
  if (result.agent == 0) {
    std::string names;
    for (std::size_t id = 1; id < simulation_.steps.agent_count(); ++id)
      names += (id > 1 ? ", " : "") + simulation_.steps.name(static_cast<common::AgentId>(id));
    throw std::invalid_argument(place(at) + "no agent is called \"" + reference.agent +
                                "\"; the agents are " + names);
  }
  if (result.operation == Operation::kCount)
    throw std::invalid_argument(place(at) + "no operation is called \"" + reference.op + "\"");
  return result;
}

std::vector<common::HoldRule> Machine::hold_rules() const {
  std::vector<common::HoldRule> rules;
  for (const scenario::Hold& hold : scenario_.holds)
    rules.push_back({resolve(hold.operation, hold.at), resolve(hold.until, hold.at)});
  return rules;
}

ProcessState& Machine::process(const std::string& name) {
  if (name.empty() && processes_.size() == 1) return processes_.begin()->second;
  return processes_.at(name);
}

os::KernelEvent& Machine::event(ProcessState& process, const std::string& name) {
  auto& event = process.events[name];
  if (!event) {
    event = std::make_unique<os::KernelEvent>(simulation_.steps);
    process.process->add_event(*event);
  }
  return *event;
}

void Machine::reach_mark(const Thread& thread, const std::string& label) {
  const auto known = std::find(labels_.begin(), labels_.end(), label);
  const auto index = static_cast<std::uint64_t>(known - labels_.begin());
  if (known == labels_.end()) labels_.push_back(label);
  for (std::size_t gpu = 0; gpu < platform_->gpu_count(); ++gpu) platform_->gpu(gpu).reach(label);
  simulation_.events.emit(thread.agent, event::Mark{thread.object, index});
  const auto& expected = scenario_.expect.marks;
  if (std::none_of(expected.begin(), expected.end(),
                   [&](const scenario::MarkExpectation& it) { return it.label == label; }))
    return;
  std::map<std::string, std::uint64_t>& values = marks_[label];
  values.clear();
  for (const auto& [name, fence] : fences_) values[name] = current_value(*fence);
}

const std::map<std::string, std::uint64_t>* Machine::values_at(const std::string& label) const {
  const auto found = marks_.find(label);
  return found == marks_.end() ? nullptr : &found->second;
}

std::shared_ptr<const os::Fence> Machine::find_fence(const std::string& name) const {
  if (const auto it = fences_.find(name); it != fences_.end()) return it->second;
  for (const auto& [full, fence] : fences_)
    if (full.size() > name.size() &&
        full.compare(full.size() - name.size() - 1, std::string::npos, "/" + name) == 0)
      return fence;
  return nullptr;
}

std::vector<std::shared_ptr<const os::Fence>> Machine::fences() const {
  std::vector<std::shared_ptr<const os::Fence>> result;
  const auto add = [&result](const std::shared_ptr<const os::Fence>& fence) {
    if (std::find(result.begin(), result.end(), fence) == result.end()) result.push_back(fence);
  };
  for (const auto& fence : kernel_->system.fences) add(fence);
  for (const auto& fence : kernel_->system.monitored.all())
    if (fence->alive && !fence->native) add(fence);
  for (const auto& [name, fence] : fences_) add(fence);
  std::stable_sort(result.begin(), result.end(), [](const auto& left, const auto& right) {
    return std::tie(left->kind, left->object) < std::tie(right->kind, right->object);
  });
  return result;
}

std::uint64_t Machine::current_value(const os::Fence& fence) const {
  auto& memory = fence.current.vram ? fence.adapter->gpu().vram().memory()
                                    : platform_->system_memory().memory();
  const std::uint64_t word = memory.bytes().word(fence.current.address + fence.current_offset);
  if (fence.kind == os::Fence::Kind::kNative) return word;
  return kernel_->system.monitored.whole(static_cast<const os::MonitoredFence&>(fence), word);
}

/// None for a monitored fence.
std::uint64_t Machine::monitored_value(const os::Fence& of) const {
  if (of.kind != os::Fence::Kind::kNative) return UINT64_MAX;
  const auto& fence = static_cast<const os::NativeFence&>(of);
  auto& memory = fence.monitored.vram ? fence.adapter->gpu().vram().memory()
                                      : platform_->system_memory().memory();
  return memory.bytes().word(fence.monitored.address + fence.monitored_offset);
}

}  // namespace fenceline::run
