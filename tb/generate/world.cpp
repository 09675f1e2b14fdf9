#include "tb/generate/world.h"

#include <algorithm>
#include <map>

#include "tb/generate/display.h"
#include "tb/generate/errors.h"
#include "tb/generate/managed.h"
#include "tb/generate/negotiation.h"
#include "tb/generate/power.h"
#include "tb/generate/sharing.h"
#include "tb/generate/values.h"
#include "tb/scenario/profiles.h"

namespace fenceline::generate {

namespace {

using common::Home;
using kmd_types = D3DDDI_SYNCHRONIZATIONOBJECT_FLAGS;

/// Profiles are parsed once.
const top::GpuConfig& gpu_profile(const std::string& name) {
  static const std::map<std::string, top::GpuConfig> profiles = [] {
    std::map<std::string, top::GpuConfig> all;
    for (const std::string& one : scenario::profile_names("gpus"))
      scenario::load_gpu_profile(one, all[one]);
    return all;
  }();
  return profiles.at(name);
}

const top::PlatformConfig& host_profile(const std::string& name) {
  static const std::map<std::string, top::PlatformConfig> profiles = [] {
    std::map<std::string, top::PlatformConfig> all;
    for (const std::string& one : scenario::profile_names("hosts"))
      scenario::load_host_profile(one, all[one]);
    return all;
  }();
  return profiles.at(name);
}

/// A word by its weight. The first one if all weights are 0.
std::string drawn_word(Draw& draw, const Weights& weights) {
  std::vector<std::string> words;
  std::vector<std::uint32_t> numbers;
  for (const auto& [word, weight] : weights) {
    words.push_back(word);
    numbers.push_back(weight);
  }
  const std::size_t index = draw.weighted(numbers);
  return words[index < words.size() ? index : 0];
}

std::uint64_t drawn(Draw& draw, const Span& span) { return draw.between(span.min, span.max); }

/// Size of a small BAR: page tables and fences have to fit. With a larger one no fence is in VRAM,
/// so that the adapter may go to D3.
constexpr std::uint64_t kLeastBar = 1U << 22U;

Home drawn_home(Draw& draw) { return draw.chance(50) ? Home::kVram : Home::kSysmem; }

bool has_flag(const scenario::Fence& fence, UINT flag) {
  return std::find(fence.flags.begin(), fence.flags.end(), flag) != fence.flags.end();
}

FenceHandle handle_of(const scenario::Fence& fence, bool monitored) {
  return {fence.name, monitored, !has_flag(fence, kmd_types::kNoSignal),
          !has_flag(fence, kmd_types::kNoWait), !has_flag(fence, kmd_types::kNoGPUAccess)};
}

/// A device in error gives up fences without NoSignalMaxValueOnTdr: the plan relies on that.
void draw_flag(Plan& plan, std::size_t process, scenario::Fence& fence) {
  if (!plan.draw().chance(plan.constraints().features.fence_flags)) return;
  std::vector<UINT> flags{kmd_types::kUnwaitCpuWaitersOnlyOnDestroy};
  if (!plan.errors().hit(process)) flags.push_back(kmd_types::kNoSignalMaxValueOnTdr);
  if (fence.monitored)
    flags.insert(flags.end(), {kmd_types::kNoSignal, kmd_types::kNoWait, kmd_types::kNoGPUAccess});
  fence.flags.push_back(plan.draw().one_of(flags));
}

/// The handle of a process that opens a monitored fence.
void draw_flag_of_opened(Plan& plan, scenario::Fence& opened) {
  if (!plan.draw().chance(plan.constraints().features.fence_flags)) return;
  opened.flags.push_back(plan.draw().chance(50) ? kmd_types::kNoSignal : kmd_types::kNoWait);
}

/// Adds a fence with the names by which other processes open it.
void add_fence(Plan& plan, std::size_t owner, const std::string& name, bool everywhere) {
  Draw& draw = plan.draw();
  auto& processes = plan.scenario().processes;
  scenario::Fence fence = draw_fence(plan, owner, name);
  if (everywhere) fence.traced = false;
  if (everywhere) fence.flags.clear();
  if (everywhere) fence.monitored = !is_native(plan, owner);
  const Features& features = plan.constraints().features;
  const bool shared =
      processes.size() > 1 && !fence.traced && (everywhere || draw.chance(features.shared_fences));
  const bool several = plan.scenario().platform.gpus.size() > 1;
  fence.cross_adapter =
      shared && several && (everywhere || draw.chance(features.cross_adapter_fences));
  fence.shared = shared && !fence.cross_adapter;
  FencePlan made = plan_of(fence, owner);
  made.kept = everywhere;
  const top::GpuConfig& home = adapter_of(plan.scenario(), owner);
  for (std::size_t other = 0; shared && other < processes.size(); ++other) {
    const top::GpuConfig& adapter = adapter_of(plan.scenario(), other);
    const bool same = adapter.name == home.name;
    if (other == owner || (!same && !fence.cross_adapter)) continue;
    if (!everywhere && draw.chance(40)) continue;
    scenario::Fence opened;
    opened.name = name;
    opened.open = processes[owner].name + "/" + name;
    const bool monitored = !is_native(plan, other) || (same && fence.monitored);
    if (monitored && !everywhere) draw_flag_of_opened(plan, opened);
    made.names[other] = handle_of(opened, monitored);
    processes[other].fences.push_back(std::move(opened));
  }
  processes[owner].fences.push_back(std::move(fence));
  plan.add_fence(std::move(made));
}

void draw_fences(Plan& plan) {
  const std::size_t processes = plan.scenario().processes.size();
  const std::uint64_t count = drawn(plan.draw(), plan.constraints().sizes.fences);
  for (std::uint64_t i = 0; i < count; ++i)
    add_fence(plan, i % processes, "F" + std::to_string(i), i == 0);
}

void draw_queue(Plan& plan, std::size_t process, const std::string& name) {
  Draw& draw = plan.draw();
  const Features& features = plan.constraints().features;
  const engine::EngineConfig& engine = draw_engine(plan, process);
  scenario::Queue queue;
  queue.name = name;
  queue.engine = engine.name;
  queue.logs = draw.chance(features.logs);
  if (draw.chance(features.short_logs))
    queue.log_entries = static_cast<std::uint32_t>(draw.between(1, 8));
  queue.progress_fence = plan.sleeps(process) || draw.chance(features.progress_fences);
  queue.gpu_timeout = !draw.chance(10);
  draw_hardware_context(plan, plan.scenario().processes[process], queue);
  const AgentId id = plan.add_queue(process, queue, engine.kind);
  plan.scenario().processes[process].queues.push_back(std::move(queue));
  if (draw.chance(features.queue_programs)) plan.add_queue_program(id);
}

void draw_context(Plan& plan, std::size_t process, const std::string& name) {
  Draw& draw = plan.draw();
  const engine::EngineConfig& engine = draw_engine(plan, process);
  scenario::Context context;
  context.name = name;
  context.engine = engine.name;
  if (draw.chance(30)) context.priority = static_cast<std::int32_t>(draw.between(0, 14)) - 7;
  // A scenario does not tell whether the fences of another adapter are native ones here.
  context.patched =
      (is_native(plan, process) || !adapter_of(plan.scenario(), process).native_fences) &&
      draw.chance(plan.constraints().features.patched_contexts);
  plan.add_context(process, context, engine.kind);
  plan.scenario().processes[process].contexts.push_back(std::move(context));
}

/// An allocation that stays in its place.
void draw_memory(Plan& plan, std::size_t process, const std::string& name) {
  scenario::Allocation allocation;
  allocation.name = name;
  allocation.bytes = 4096 * plan.draw().between(1, 4);
  allocation.home = drawn_home(plan.draw());
  MemoryPlan memory;
  memory.process = process;
  memory.name = name;
  memory.bytes = allocation.bytes;
  memory.in_vram = allocation.home == Home::kVram;
  plan.add_memory(std::move(memory));
  plan.scenario().processes[process].allocations.push_back(std::move(allocation));
}

void draw_memories(Plan& plan) {
  const std::size_t processes = plan.scenario().processes.size();
  const std::uint64_t count = drawn(plan.draw(), plan.constraints().sizes.allocations);
  const bool moves = plan.draw().occurs(plan.constraints().features.memory);
  for (std::uint64_t i = 0; i < count; ++i) {
    const std::string name = "A" + std::to_string(i);
    if (moves && plan.draw().chance(75))
      draw_managed(plan, i % processes, name);
    else
      draw_memory(plan, i % processes, name);
  }
  if (moves) draw_video_memory(plan);
}

void draw_threads(Plan& plan) {
  const std::size_t processes = plan.scenario().processes.size();
  const std::uint64_t count =
      std::max<std::uint64_t>(processes, drawn(plan.draw(), plan.constraints().sizes.threads));
  for (std::uint64_t i = 0; i < count; ++i) {
    const AgentId thread = plan.add_thread(i % processes);
    if (!plan.draw().chance(plan.constraints().features.thread_cores)) continue;
    const std::uint32_t cores = plan.scenario().platform.host.cores;
    plan.scenario().programs[plan.agent(thread).program].core =
        static_cast<std::uint32_t>(plan.draw().below(cores));
  }
}

void draw_processes(Plan& plan) {
  const auto& gpus = plan.scenario().platform.gpus;
  const std::uint64_t count = drawn(plan.draw(), plan.constraints().sizes.processes);
  for (std::uint64_t i = 0; i < count; ++i) {
    scenario::Process process;
    process.name = "p" + std::to_string(i);
    if (i % gpus.size() != 0) process.adapter = gpus[i % gpus.size()].name;
    if (plan.draw().chance(plan.constraints().features.guests))
      process.kind =
          plan.draw().chance(50) ? os::ProcessKind::kGuest : os::ProcessKind::kSecuredGuest;
    plan.scenario().processes.push_back(std::move(process));
  }
}

}  // namespace

bool is_native(Plan& plan, std::size_t process) {
  return has_native_fences(plan.scenario().platform, adapter_of(plan.scenario(), process));
}

const top::GpuConfig& adapter_of(const scenario::Scenario& scenario, std::size_t process) {
  const std::string& name = scenario.processes[process].adapter;
  for (const top::GpuConfig& gpu : scenario.platform.gpus)
    if (gpu.name == name) return gpu;
  return scenario.platform.gpus.front();
}

bool has_32_bits(const scenario::Scenario& scenario) {
  return !scenario.platform.gpus.front().atomics64;
}

FencePlan plan_of(const scenario::Fence& fence, std::size_t process) {
  FencePlan plan;
  plan.names[process] = handle_of(fence, fence.monitored);
  plan.value = fence.initial_value;
  plan.traced = fence.traced;
  plan.cross_adapter = fence.cross_adapter;
  plan.ends_waits_last = has_flag(fence, kmd_types::kUnwaitCpuWaitersOnlyOnDestroy);
  return plan;
}

std::size_t create_fence(Plan& plan, AgentId thread, scenario::CreateFenceStep create) {
  FencePlan fence = plan_of(create.fence, plan.agent(thread).process);
  fence.made = plan.step(thread, std::move(create));
  return plan.add_fence(std::move(fence));
}

scenario::Fence draw_fence(Plan& plan, std::size_t process, const std::string& name) {
  Draw& draw = plan.draw();
  const Features& features = plan.constraints().features;
  scenario::Fence fence;
  fence.name = name;
  if (draw.chance(features.initial_values)) fence.initial_value = draw.between(1, 100);
  // Soon its values need more than 32 bits.
  if (has_32_bits(plan.scenario()) && draw.chance(60))
    fence.initial_value = (1ULL << 32U) - draw.between(1, 20);
  const bool native = is_native(plan, process);
  fence.monitored = !native || draw.chance(features.monitored_fences);
  fence.traced = !fence.monitored && draw.chance(features.traced_fences);
  if (draw.chance(features.fence_homes)) fence.current_value_home = drawn_home(draw);
  if (draw.chance(features.fence_homes)) fence.monitored_value_home = drawn_home(draw);
  if (adapter_of(plan.scenario(), process).vram_bar.bytes > kLeastBar)
    fence.current_value_home = fence.monitored_value_home = Home::kSysmem;
  draw_flag(plan, process, fence);
  return fence;
}

namespace {

/// Values that other rules do not depend on.
void draw_rare_values(const Features& features, Draw& draw, scenario::Platform& platform) {
  if (draw.occurs(features.weak_hosts)) platform.host.memory_model = host::MemoryModel::kWeak;
  if (draw.occurs(features.early_checks))
    platform.host.fence_fallback = draw.between(2, 60) * common::kMicrosecond;
  if (draw.occurs(features.stale_caches)) platform.host.io_coherent = false;
  top::GpuConfig& gpu = platform.gpus.front();
  if (platform.gpus.size() == 1 && !has_native_fences(platform, gpu) &&
      draw.occurs(features.fences_of_32_bits))
    gpu.atomics64 = false;
  if (features.small_bars == 0) return;
  for (top::GpuConfig& one : platform.gpus)
    if (draw.chance(features.small_bars)) one.vram_bar.bytes = kLeastBar << draw.below(3);
  // Otherwise a stress of memory finds no way to VRAM.
  for (scenario::Driver& driver : platform.drivers) driver.caps.offers_host_aperture = true;
}

}  // namespace

void draw_platform(const Constraints& constraints, Draw& draw, scenario::Platform& platform) {
  static_cast<top::PlatformConfig&>(platform) = host_profile(drawn_word(draw, constraints.hosts));
  platform.host.cores = static_cast<std::uint32_t>(draw.between(2, 4));
  platform.gpus.clear();
  const std::uint64_t count = drawn(draw, constraints.sizes.adapters);
  for (std::uint64_t i = 0; i < count; ++i) {
    platform.gpus.push_back(gpu_profile(drawn_word(draw, constraints.gpus)));
    platform.gpus.back().name = "gpu" + std::to_string(i);
    platform.gpus.back().iommu = draw.chance(constraints.features.iommu);
    if (!draw.chance(constraints.features.drivers)) continue;
    scenario::Driver driver;
    driver.adapter = platform.gpus.back().name;
    if (draw.chance(50)) driver.caps.interrupt_entries = 2U << draw.below(3);  // soon full
    driver.caps.map_to_system_process = draw.chance(50);
    platform.drivers.push_back(std::move(driver));
  }
  ValueDrawer values(draw, constraints.features.platform_values, "");
  scenario::Platform::fields(values, platform);
  if (draw.chance(constraints.features.reused_addresses))
    platform.system.closes_together = static_cast<std::uint32_t>(draw.between(1, 3));
  draw_negotiation(constraints, draw, platform);
  draw_sharing(constraints, draw, platform);
  draw_doorbells(constraints, draw, platform);
  draw_rare_values(constraints.features, draw, platform);
  // A thread that polls keeps its core for a time slice: long ones would take most of a run. In
  // short ones threads would only wake.
  platform.host.time_slice =
      4 * platform.host.thread_wake + draw.between(5, 50) * common::kMicrosecond;
  for (scenario::Driver& driver : platform.drivers)
    for (const top::GpuConfig& gpu : platform.gpus)
      if (gpu.name == driver.adapter && !has_native_fences(platform, gpu))
        driver.caps.optimized_interrupt = false;  // it needs native fences
}

void draw_world(Plan& plan) {
  const Sizes& sizes = plan.constraints().sizes;
  draw_processes(plan);
  draw_threads(plan);
  draw_power(plan);
  draw_fences(plan);
  const std::size_t processes = plan.scenario().processes.size();
  const std::uint64_t queues = drawn(plan.draw(), sizes.queues);
  for (std::uint64_t i = 0; i < queues; ++i)
    if (is_native(plan, i % processes))
      draw_queue(plan, i % processes, "q" + std::to_string(i));
    else
      draw_context(plan, i % processes, "q" + std::to_string(i));
  const std::uint64_t contexts = drawn(plan.draw(), sizes.contexts);
  for (std::uint64_t i = 0; i < contexts; ++i)
    draw_context(plan, plan.draw().below(processes), "c" + std::to_string(i));
  draw_memories(plan);
  draw_displays(plan);
  draw_errors(plan);
}

}  // namespace fenceline::generate
