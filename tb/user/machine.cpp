#include "tb/user/machine.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace fenceline::user {

using common::Operation;

namespace {

/// The only machine for programs of this process.
Machine*& the_machine() {
  static Machine* machine = nullptr;
  return machine;
}

/// Only managed allocations have write-combined mappings in user mode.
top::PlatformConfig with_buffers(top::PlatformConfig platform, bool managed_memory) {
  if (!managed_memory) platform.host.write_combining.buffers = 0;
  return platform;
}

os::KernelOptions kernel_options(const os::Ordering& ordering, bool managed_memory) {
  os::KernelOptions options;
  options.ordering = ordering;
  options.contexts = true;
  options.managed_memory = managed_memory;
  return options;
}

}  // namespace

Machine::Machine(const top::PlatformConfig& platform, os::DriverEntryFunction driver,
                 bool managed_memory, const os::Ordering& ordering)
    : Machine(std::make_unique<common::Simulation>(ordering), platform,
              kernel_options(ordering, managed_memory), driver) {
  if (the_machine() != nullptr) throw std::logic_error("there is a machine already");
  the_machine() = this;
}

Machine::Machine(std::unique_ptr<common::Simulation> simulation,
                 const top::PlatformConfig& platform, const os::KernelOptions& options,
                 os::DriverEntryFunction driver)
    : Machine(*simulation, platform, options, driver) {
  own_ = std::move(simulation);
}

Machine::Machine(common::Simulation& simulation, const top::PlatformConfig& platform,
                 const os::KernelOptions& options, os::DriverEntryFunction driver)
    : simulation_(simulation),
      platform_(std::make_unique<top::Platform>("platform", simulation,
                                                with_buffers(platform, options.managed_memory))),
      kernel_(std::make_unique<os::Kernel>(simulation, *platform_, options)),
      next_core_(static_cast<std::uint32_t>(platform_->core_count() - 1)),
      start_(simulation.steps) {
  kernel_->add_agents();
  const common::AgentId agent =
      simulation.steps.add_agent("set-up", [this, driver] { set_up(driver); });
  kernel_->cpu().place(agent, 0);
}

Machine::~Machine() {
  if (the_machine() == this) the_machine() = nullptr;
}

Machine& Machine::current() { return *the_machine(); }

std::size_t Machine::add_process(const std::string& name, os::ProcessKind kind) {
  processes_.push_back(std::make_unique<SimulatedProcess>());
  processes_.back()->name = name;
  processes_.back()->kind = kind;
  return processes_.size() - 1;
}

void Machine::add_thread(const std::string& name, std::size_t process, std::function<void()> body) {
  auto thread = std::make_unique<Thread>();
  thread->name = name;
  thread->process = processes_[process].get();
  thread->body = std::move(body);
  add_thread(std::move(thread));
}

void Machine::add_thread(std::unique_ptr<Thread> added, std::optional<std::uint32_t> core) {
  Thread& thread = *threads_.emplace_back(std::move(added));
  thread.object = simulation_.events.add_object(common::ObjectKind::kThread, thread.name);
  thread.agent = simulation_.steps.add_agent(thread.name, [this, &thread] { run_thread(thread); });
  by_agent_[thread.agent] = &thread;
  kernel_->system.threads.add(thread.agent, thread.object);
  kernel_->cpu().place(thread.agent, core.value_or(next_core_));
  if (core) return;
  // Core 0 takes the interrupts: use the other cores first.
  next_core_ =
      next_core_ > 1 ? next_core_ - 1 : static_cast<std::uint32_t>(platform_->core_count() - 1);
}

SimulatedProcess& Machine::process() { return *by_agent_.at(simulation_.steps.current())->process; }

os::Process* device_of(D3DKMT_HANDLE handle) {
  const auto& devices = Machine::current().process().devices;
  const std::size_t number = os::device_number(handle);
  return handle != 0 && number < devices.size() ? devices[number] : nullptr;
}

void Machine::set_up(os::DriverEntryFunction driver) {
  os::Cpu& cpu = kernel_->cpu();
  cpu.run_thread(Operation::kIdle, 0);
  kernel_->start(driver);
  prepare();
  cpu.stop_thread();
  do simulation_.steps.elapse(10 * common::kMicrosecond);
  while (!platform_->quiet() || simulation_.steps.any_elapses());
  simulation_.steps.set_origin();
  for (std::size_t i = 0; i < platform_->core_count(); ++i) platform_->core(i).restart_idle();
  before_start();
  started_ = true;
  start_.open();
  after_start();
}

void Machine::run_thread(Thread& thread) {
  simulation_.steps.wait_until(start_, [this] { return started_; });
  os::Cpu& cpu = kernel_->cpu();
  cpu.run_thread(simulation_.steps.fine_steps() ? Operation::kBegin : Operation::kIdle, 0);
  thread.body();
  cpu.stop_thread();
  thread.finished = true;
  ++finished_;
}

// NOLINTNEXTLINE(readability-make-member-function-const): it changes the machine.
bool Machine::run(std::optional<common::Time> limit) {
  sc_core::sc_start(sc_core::SC_ZERO_TIME);
  while (simulation_.steps.failure() == nullptr && sc_core::sc_pending_activity()) {
    const common::Time next = sc_core::sc_time_to_pending_activity().value();
    if (limit && started_ && now() + next > *limit) break;
    sc_core::sc_start(sc_core::sc_time::from_value(std::max<common::Time>(next, 1)),
                      sc_core::SC_EXIT_ON_STARVATION);
  }
  if (const std::exception_ptr failure = simulation_.steps.failure())
    std::rethrow_exception(failure);
  return all_finished();
}

}  // namespace fenceline::user
