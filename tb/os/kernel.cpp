#include "tb/os/kernel.h"

#include <algorithm>
#include <utility>

#include "models/top/gpu.h"

namespace fenceline::os {

Kernel::Kernel(common::Simulation& simulation, top::Platform& platform,
               const KernelOptions& options)
    : system(simulation, platform, options),
      fixed_memory(system),
      fence_storage(system, fixed_memory),
      fence_reclaimer(system, fence_storage),
      fence_driver(system, fence_storage, fence_reclaimer),
      cross_adapter_fences(system, fixed_memory, fence_storage, fence_reclaimer, fence_driver),
      peer_doorbells(system),
      cpu_events(system),
      hw_contexts(system),
      context_memory(system, fixed_memory),
      log_buffers(system, fixed_memory),
      device_errors(system),
      deferred_calls(system),
      user_access(system),
      native_fences(system, fence_storage, fence_reclaimer, fence_driver, cross_adapter_fences,
                    peer_doorbells, device_errors),
      sync_objects(system, fence_reclaimer, cross_adapter_fences, native_fences, cpu_events,
                   device_errors),
      waits(system),
      contexts(system, waits),
      renders(system),
      queues(system, fixed_memory, hw_contexts, log_buffers, native_fences, peer_doorbells),
      memory(system, sync_objects),
      presents(system, fixed_memory),
      devices(system),
      adapters(system),
      traces(system, log_buffers) {
  system.monitored.hand_monitored = [this](NativeFence& fence, std::uint64_t value) {
    system.of(*fence.adapter).scheduler->hand_monitored(fence, value);
  };
  simulation.tracks_memory = options.managed_memory;
  simulation.tracks_caches = options.managed_memory && platform.caches().keeps_content();
  simulation.tracks_combining = options.managed_memory && platform.core(0).combines();
  if (options.contexts || options.managed_memory) schedule_contexts();
  if (resets_hw_engines()) schedule_hw_contexts();
  for (std::uint32_t i = 0; i < system.adapters.size(); ++i) build(i);
}

Kernel::~Kernel() = default;

/// Engines are reset over hardware queues.
bool Kernel::resets_hw_engines() const {
  return system.suspends_contexts() || system.finds_hangs();
}

void Kernel::schedule_contexts() {
  const SystemOptions& rules = options().adapter.system;
  system.contexts = std::make_unique<ContextScheduler>(
      system.cpu, system.monitored, options().ordering.os, rules.preemption, system.resets);
  ContextScheduler& scheduler = *system.contexts;
  scheduler.table.wake = [this](const Adapter& adapter) { system.of(adapter).power->wake(); };
  scheduler.waits.scheduler_of = [this](const NativeFence& fence) -> FenceScheduler& {
    return *system.of(*fence.adapter).scheduler;
  };
  scheduler.recovery.on_restarted = [this, &rules](Adapter& adapter) {
    if (system.hardware != nullptr) {
      system.hardware->give_up_lost();
      system.hardware->ask_again(adapter);
    }
    if (FlipQueue* const flips = system.of(adapter).flips.get()) flips->show_again();
    if (rules.preemption.looks_after_reset) deferred_calls.look_at_all(adapter);
  };
  scheduler.recovery.on_blocked = [this](const ContextQueue& lost) {
    if (Process* const process = system.find_process(lost.owner)) device_errors.block(*process);
  };
  scheduler.recovery.resets_others = resets_hw_engines();
  scheduler.lost_work.on_aborted = [this](const void* owner) {
    if (Process* const process = system.find_process(owner)) device_errors.fail(*process);
  };
  scheduler.lost_work.on_ended = [this](const Adapter& adapter) {
    if (FlipQueue* const flips = system.of(adapter).flips.get()) flips->progress();
  };
}

void Kernel::schedule_hw_contexts() {
  const SystemOptions& rules = options().adapter.system;
  system.hardware = std::make_unique<HardwareScheduler>(system.cpu, rules.context_scheduling,
                                                        rules.preemption, system.resets);
  HardwareScheduler& scheduler = *system.hardware;
  scheduler.on_lost = [this](const HwContext& lost) {
    if (Process* const process = system.find_process(lost.owner)) device_errors.fail(*process);
  };
  scheduler.on_blocked = [this](const HwContext& lost) {
    if (Process* const process = system.find_process(lost.owner)) device_errors.block(*process);
  };
  scheduler.on_restarted = [this, &rules](const Adapter& adapter) {
    if (rules.preemption.looks_after_reset) deferred_calls.look_at_all(adapter);
  };
  if (system.contexts != nullptr)
    scheduler.reset_others = [this](Adapter& adapter) {
      system.contexts->recovery.reset_adapter(adapter);
    };
}

/// All parts of one adapter, in the order in which they need each other.
void Kernel::build(std::uint32_t number) {
  AdapterState& state = system.adapters[number];
  top::Platform& platform = system.platform;
  const KernelOptions& chosen = options();
  AdapterOptions adapter_options = chosen.adapter;
  adapter_options.device_lock = chosen.ordering.os.device_lock;
  kmd_host::DriverPolicy policy{chosen.ordering.kmd, {}};
  if (number < chosen.driver_caps.size()) policy.caps = chosen.driver_caps[number];
  state.adapter = std::make_unique<Adapter>(
      system.cpu, platform.gpu(number), number, system.pages, policy, adapter_options,
      platform.system_memory().config().size_bytes, system.dpc_queued);
  state.adapter->port().watch_stores(platform.gpu(number).vram().memory().watches(),
                                     platform.system_memory().memory().watches());
  state.scheduler = std::make_unique<FenceScheduler>(*state.adapter, chosen.ordering.os);
  if (chosen.ordering.os.fallback_timer) connect_fallback(state);
  if (chosen.ordering.os.watchdog != WatchdogRule::kOff)
    state.lost_wait_check = std::make_unique<LostWaitCheck>(
        *state.adapter, chosen.ordering.os.watchdog, chosen.adapter.interrupt_core);
  if (chosen.managed_memory) {
    state.memory = std::make_unique<VideoMemory>(system.cpu, *state.adapter, *system.contexts,
                                                 system.monitored, platform.system_memory(),
                                                 platform.caches(), platform.snoops(number));
    state.paging_queues = std::make_unique<Mutex>(system.cpu, *state.memory);
  }
  if (system.contexts != nullptr && platform.gpu(number).config().has_display())
    state.flips = std::make_unique<FlipQueue>(system.cpu, *state.adapter,
                                              chosen.adapter.system.flips_wait_for_drawing);
  if (state.adapter->shares_doorbells())
    state.doorbells = std::make_unique<Doorbells>(system.cpu, *state.adapter);
  state.power = std::make_unique<AdapterPower>(system.cpu, state, system.contexts.get());
  state.adapter->on_vram_use = [&power = *state.power](bool begins) {
    begins ? power.hold() : power.release();
  };
  follow_logs(state);
  name_objects(state);
  connect(state);
}

void Kernel::follow_logs(AdapterState& state) {
  state.logs =
      std::make_unique<LogFollower>(*state.adapter, *state.scheduler, options().ordering.os);
  state.logs->fence_of = [this](std::size_t process, D3DKMT_HANDLE handle) {
    return system.processes[process]->native_of(handle);
  };
  state.logs->fences_of = [this](std::size_t process) {
    return system.processes[process]->signalled_natives();
  };
  state.logs->has_any = [this](std::size_t process, const FenceList& fences) {
    const Process& device = *system.processes[process];
    return std::any_of(fences.begin(), fences.end(),
                       [&device](const auto& fence) { return device.may_signal(*fence); });
  };
}

/// Connects VidMm to events of the context queues.
void Kernel::follow_contexts() {
  ContextScheduler& scheduler = *system.contexts;
  scheduler.table.on_completed = [this](const Adapter& adapter) {
    system.of(adapter).memory->progress();
  };
  scheduler.dispatch.on_state_needed = [this](ContextQueue& context) {
    system.of(context.adapter).memory->bring_state(context);
  };
  scheduler.lost_work.on_paging_lost = [this](Adapter& adapter) {
    system.of(adapter).memory->lose_paging();
  };
  if (!options().adapter.system.allocation_lists) return;
  scheduler.table.on_listed = [this](const Adapter& adapter, const std::vector<Allocation*>& listed,
                                     ListedWork work) {
    system.of(adapter).memory->caches().follow_lists(listed, work);
  };
}

/// Gives the adapter the objects behind handles that a driver gets and returns.
void Kernel::name_objects(AdapterState& state) {
  state.adapter->fence_of = [this, &state](HANDLE handle) -> std::uint32_t {
    system.objects.footprint(false);
    for (const auto& fence : system.fences)
      if (fence->adapter == state.adapter.get() && fence->os_handle() == handle && fence->alive)
        return fence->object;
    return 0;
  };
  state.adapter->fence_behind = [this](HANDLE handle) -> std::uint32_t {
    const auto number = reinterpret_cast<std::uint64_t>(handle);
    const bool given = number <= system.simulation.events.object_count(common::ObjectKind::kFence);
    return given ? static_cast<std::uint32_t>(number) : 0;
  };
  state.adapter->queue_of = [this](HANDLE handle) -> std::uint32_t {
    for (const auto& process : system.processes)
      for (const auto& queue : process->queues)
        if (queue->driver_handle == handle) return queue->object;
    return 0;
  };
  state.adapter->knows = [this](Adapter::Known kind, HANDLE handle) {
    if (handle == nullptr) return false;
    if (kind == Adapter::Known::kCpuEvent) return cpu_events.knows(handle);
    return std::any_of(system.processes.begin(), system.processes.end(),
                       [&](const auto& process) { return process->has(kind, handle); });
  };
}

/// Sets the callbacks of the adapter into the kernel.
void Kernel::connect(AdapterState& state) {
  const SystemOptions& rules = options().adapter.system;
  if (state.memory != nullptr && system.suspends_contexts() && rules.suspends_queues)
    state.memory->moves().on_hold = [this](const Process& process, bool hold) {
      hw_contexts.hold(process, hold);
    };
  if ((system.contexts != nullptr || system.suspends_contexts()) && rules.preemption.enabled) {
    state.adapter->create_context_allocation = [this](DXGKARGCB_CREATECONTEXTALLOCATION& args) {
      return context_memory.create(args);
    };
    state.adapter->destroy_context_allocation = [](HANDLE) { return STATUS_SUCCESS; };
  }
  if (system.hardware != nullptr)
    state.adapter->invalidate_hw_context = [this, &state](HANDLE context, UINT flags) {
      return system.hardware->invalidated(*state.adapter, context, flags);
    };
  state.adapter->on_fences_signaled = [this, &state](const FenceNotification& notification) {
    deferred_calls.follow(state, notification);
  };
}

/// The timer of an adapter also serves waiters elsewhere that depend on signals of its GPU.
void Kernel::connect_fallback(AdapterState& state) {
  state.fallback = std::make_unique<FallbackTimer>(*state.adapter, *state.scheduler,
                                                   options().adapter.interrupt_core);
  state.fallback->waited_elsewhere = [this, &state] {
    return deferred_calls.waits_elsewhere(state);
  };
  state.fallback->look_elsewhere = [this]() -> std::size_t {
    if (system.monitored.all().empty()) return 0;
    MonitoredScan everything;
    everything.all = true;
    return system.monitored.scan(everything);
  };
  state.fallback->visit_elsewhere = [this] { return system.monitored.visit_all(); };
  const auto note = [this](const AdapterState* by, bool news) {
    for (AdapterState& other : system.adapters)
      if (&other != by && other.scheduler != nullptr) other.scheduler->news().note(news);
  };
  state.scheduler->on_waits_changed = [note, &state](bool news) { note(&state, news); };
  system.monitored.on_waits_changed = [note](bool news) { note(nullptr, news); };
}

void Kernel::add_agents() {
  common::Steps& steps = system.simulation.steps;
  const std::uint32_t interrupt_core = options().adapter.interrupt_core;
  for (std::uint32_t core = 0; core < system.cpu.core_count(); ++core) {
    const std::string prefix = "core" + std::to_string(core);
    system.cpu.place(steps.find_agent(prefix + ".isr"), core);
    if (core != interrupt_core) continue;
    const common::AgentId dpc =
        steps.add_agent(prefix + ".dpc", [this, core] { deferred_calls.run(core); });
    system.cpu.place(dpc, core);
    for (AdapterState& state : system.adapters) state.adapter->set_deferred_agent(dpc);
  }
  const auto add = [&](const std::string& name, std::function<void()> body) {
    system.cpu.place(steps.add_agent(name, std::move(body)), interrupt_core);
  };
  if (system.contexts != nullptr) add("scheduler", [this] { system.contexts->run(); });
  if (system.finds_hangs()) add("recovery", [this] { system.hardware->run(); });
  if (options().managed_memory) follow_contexts();
  for (AdapterState& state : system.adapters) {
    const std::string& name = state.adapter->gpu().config().name;
    if (state.fallback != nullptr) add(name + ".fallback", [&state] { state.fallback->run(); });
    if (state.memory != nullptr) add(name + ".vidmm", [&state] { state.memory->run(); });
    if (state.lost_wait_check != nullptr)
      add(name + ".watchdog", [&state] { state.lost_wait_check->run(); });
  }
}

void Kernel::start(DriverEntryFunction entry) {
  for (std::size_t i = 0; i < system.adapters.size(); ++i) {
    AdapterState& state = system.adapters[i];
    try {
      state.adapter->start(entry);
      state.vram_pages = std::make_unique<PagePool>(
          state.adapter->vram_segment_base(), state.adapter->gpu().config().vram.size_bytes,
          "the VRAM of " + state.adapter->gpu().config().name);
      state.system = std::make_unique<AddressSpace>(*state.adapter, *state.vram_pages);
      state.system->create(true);
      memory.start(i);
    } catch (const StartFailure& failure) {
      state.failure = failure;
      continue;
    }
    if (system.hardware != nullptr) system.hardware->set_up(*state.adapter);
  }
}

}  // namespace fenceline::os
