#include "tb/generate/sharing.h"

#include "tb/generate/negotiation.h"
#include "tb/generate/world.h"

namespace fenceline::generate {

namespace {

using common::kMicrosecond;
using common::kNanosecond;

common::Time some_time(Draw& draw, std::uint64_t most_microseconds) {
  return draw.chance(50) ? 0 : draw.between(1, most_microseconds) * kMicrosecond;
}

bool shares_engines(const os::SystemOptions& system) {
  return system.preemption.enabled || system.context_scheduling.enabled;
}

}  // namespace

void draw_sharing(const Constraints& constraints, Draw& draw, scenario::Platform& platform) {
  os::SystemOptions& system = platform.system;
  system.preemption.enabled = draw.occurs(constraints.features.preemption);
  system.context_scheduling.enabled = draw.occurs(constraints.features.context_scheduling);
  if (!shares_engines(system)) return;
  system.preemption.detects_timeouts = draw.chance(system.preemption.enabled ? 8 : 50);
  // With a quantum shorter than a switch and its transfers no context would advance.
  system.preemption.quantum = draw.between(100, 400) * kMicrosecond;
  for (common::Time& grace : system.context_scheduling.band_grace)
    if (system.context_scheduling.enabled) grace = some_time(draw, 20);
  for (top::GpuConfig& gpu : platform.gpus) {
    abi::Granularity& levels = gpu.preemption.granularity;
    levels.graphics = abi::kGraphicsGranularities[draw.between(1, 5)].value;
    levels.compute = abi::kComputeGranularities[draw.between(1, 5)].value;
  }
}

void draw_doorbells(const Constraints& constraints, Draw& draw, scenario::Platform& platform) {
  constexpr std::uint64_t kFewDoorbells = 3;
  for (top::GpuConfig& gpu : platform.gpus) {
    if (!has_native_fences(platform, gpu) || !draw.occurs(constraints.features.doorbells)) continue;
    gpu.command_processor.doorbells = static_cast<std::uint32_t>(draw.between(1, kFewDoorbells));
    const bool notifies = draw.chance(30);
    for (scenario::Driver& driver : platform.drivers)
      if (driver.adapter == gpu.name) driver.caps.notify_kmd = notifies;
  }
}

bool shares_doorbells(const top::GpuConfig& adapter) {
  return adapter.command_processor.doorbells != 0;
}

const engine::EngineConfig& draw_engine(Plan& plan, std::size_t process) {
  Draw& draw = plan.draw();
  const top::GpuConfig& adapter = adapter_of(plan.scenario(), process);
  if (!shares_engines(plan.scenario().platform.system) || draw.chance(25))
    return draw.one_of(adapter.engines);
  std::vector<std::size_t> busy;
  for (const Agent& agent : plan.agents())
    for (std::size_t i = 0; i < adapter.engines.size(); ++i)
      if (agent.engine == adapter.engines[i].name &&
          &adapter_of(plan.scenario(), agent.process) == &adapter)
        busy.push_back(i);
  return busy.empty() ? draw.one_of(adapter.engines) : adapter.engines[draw.one_of(busy)];
}

os::SchedulingProperties draw_scheduling(Draw& draw) {
  os::SchedulingProperties properties;
  properties.band = static_cast<std::uint32_t>(draw.below(scenario::kBands.size()));
  properties.realtime_level = static_cast<std::uint32_t>(draw.below(32));
  properties.priority = static_cast<std::int32_t>(draw.between(0, 14)) - 7;
  properties.quantum = some_time(draw, 50);
  properties.grace_same = some_time(draw, 10);
  properties.grace_lower = some_time(draw, 10);
  return properties;
}

void draw_hardware_context(Plan& plan, scenario::Process& process, scenario::Queue& queue) {
  Draw& draw = plan.draw();
  if (!plan.scenario().platform.system.context_scheduling.enabled || draw.chance(30)) return;
  std::vector<std::string> there;
  for (const scenario::Queue& other : process.queues)
    if (other.engine == queue.engine && other.context) there.push_back(*other.context);
  if (!there.empty() && draw.chance(60)) {
    queue.context = draw.one_of(there);
    return;
  }
  scenario::HardwareContext context;
  context.name = plan.fresh_name("h");
  context.properties = draw_scheduling(draw);
  queue.context = context.name;
  process.hardware_contexts.push_back(std::move(context));
}

common::Time draw_work_time(Plan& plan) {
  Draw& draw = plan.draw();
  const common::Time time = draw.between(1, 40) * 25 * kNanosecond;
  const bool is_long = shares_engines(plan.scenario().platform.system) && draw.chance(40);
  return is_long ? 100 * time : time;
}

}  // namespace fenceline::generate
