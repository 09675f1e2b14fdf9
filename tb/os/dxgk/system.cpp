#include "tb/os/dxgk/system.h"

#include <algorithm>

#include "models/top/gpu.h"

namespace fenceline::os {

namespace {
constexpr std::uint64_t kFirstSystemPage = 1ULL << 20;

std::vector<host::Core*> cores_of(top::Platform& platform) {
  std::vector<host::Core*> result;
  for (std::size_t i = 0; i < platform.core_count(); ++i) result.push_back(&platform.core(i));
  return result;
}
}  // namespace

System::System(common::Simulation& of, top::Platform& machine, const KernelOptions& chosen)
    : simulation(of),
      platform(machine),
      options(chosen),
      cpu(of, cores_of(machine)),
      pages(kFirstSystemPage, machine.system_memory().config().size_bytes, "the system memory"),
      dpc_queued(of.steps),
      objects(cpu, true),
      adapters(machine.gpu_count()),
      monitored(cpu, chosen.ordering),
      resets(cpu, chosen.adapter.system.preemption),
      threads(of.steps) {}

AdapterState& System::of(const Adapter& adapter) {
  return *std::find_if(adapters.begin(), adapters.end(),
                       [&](const AdapterState& state) { return state.adapter.get() == &adapter; });
}

Process* System::find_process(const void* owner) const {
  const auto found = std::find_if(processes.begin(), processes.end(),
                                  [&](const auto& process) { return process.get() == owner; });
  return found != processes.end() ? found->get() : nullptr;
}

std::shared_ptr<Fence> System::shared_fence(HANDLE handle) const {
  objects.read();
  const auto is = [handle](const Fence& fence) {
    return fence.os_handle() == handle && fence.shared && fence.usable;
  };
  for (const auto& fence : monitored.all())
    if (is(*fence)) return fence;
  for (const auto& fence : fences)
    if (is(*fence) && fence->origin == nullptr) return fence;
  return nullptr;
}

std::vector<ContextQueue::Mark> System::marks_of(const Process& process) const {
  return contexts != nullptr ? contexts->table.marks(&process) : std::vector<ContextQueue::Mark>{};
}

bool System::finds_hangs() const {
  for (std::size_t i = 0; i < platform.gpu_count(); ++i)
    if (platform.gpu(i).config().command_processor.engine_timeout != 0) return true;
  return false;
}

void System::enter_call() {
  cpu.compute(cpu.core().config().system_call);
  objects.look();
}

std::string System::name_for(const Process& process, const char* kind) {
  const std::string& wanted = threads.current().options.name;
  return wanted.empty() ? process.name + "." + kind + std::to_string(++unnamed_) : wanted;
}

}  // namespace fenceline::os
