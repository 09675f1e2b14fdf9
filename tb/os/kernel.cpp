#include "tb/os/kernel.h"

#include <algorithm>
#include <utility>

#include "tb/os/known_objects.h"

namespace fenceline::os {

using common::Home;
using common::Operation;
using common::WatchKind;

namespace {
constexpr std::uint64_t kFirstSystemPage = 1ULL << 20;

std::vector<host::Core*> cores_of(top::Platform& platform) {
  std::vector<host::Core*> result;
  for (std::size_t i = 0; i < platform.core_count(); ++i) result.push_back(&platform.core(i));
  return result;
}
}  // namespace

Kernel::Kernel(common::Simulation& simulation, top::Platform& platform,
               const KernelOptions& options)
    : simulation_(simulation),
      platform_(platform),
      options_(options),
      cpu_(simulation, cores_of(platform)),
      system_pages_(kFirstSystemPage, platform.system_memory().config().size_bytes,
                    "the system memory"),
      dpc_queued_(simulation.steps),
      objects_(cpu_, true),
      adapters_(platform.gpu_count()),
      monitored_(cpu_, options.ordering),
      resets_(cpu_, options.adapter.system.preemption) {
  monitored_.hand_monitored = [this](NativeFence& fence, std::uint64_t value) {
    for (AdapterState& state : adapters_)
      if (state.adapter.get() == fence.adapter) state.scheduler->hand_monitored(fence, value);
  };
  simulation.tracks_memory = options_.managed_memory;
  simulation.tracks_caches = options_.managed_memory && platform.caches().keeps_content();
  simulation.tracks_combining = options_.managed_memory && platform.core(0).combines();
  if (options_.contexts || options_.managed_memory) schedule_contexts();
  if (suspends_contexts() || finds_hangs()) follow_hw_contexts();
  for (std::uint32_t i = 0; i < adapters_.size(); ++i) {
    AdapterState& state = adapters_[i];
    AdapterOptions adapter_options = options_.adapter;
    adapter_options.device_lock = options_.ordering.os.device_lock;
    kmd_host::DriverPolicy policy{options_.ordering.kmd, {}};
    if (i < options_.driver_caps.size()) policy.caps = options_.driver_caps[i];
    state.adapter =
        std::make_unique<Adapter>(cpu_, platform.gpu(i), i, system_pages_, policy, adapter_options,
                                  platform.system_memory().config().size_bytes, dpc_queued_);
    state.adapter->port().watch_stores(platform.gpu(i).vram().memory().watches(),
                                       platform.system_memory().memory().watches());
    state.scheduler = std::make_unique<FenceScheduler>(*state.adapter, options_.ordering.os);
    if (options_.ordering.os.fallback_timer) connect_fallback(state);
    if (options_.ordering.os.watchdog != WatchdogRule::kOff)
      state.watchdog = std::make_unique<Watchdog>(*state.adapter, options_.ordering.os.watchdog,
                                                  options_.adapter.interrupt_core);
    if (options_.managed_memory) {
      state.memory = std::make_unique<VideoMemory>(cpu_, *state.adapter, *contexts_, monitored_,
                                                   platform.system_memory(), platform.caches(),
                                                   platform.snoops(i));
      state.paging_queues = std::make_unique<Mutex>(cpu_, *state.memory);
    }
    if (contexts_ != nullptr && platform.gpu(i).config().has_display())
      state.flips = std::make_unique<FlipQueue>(cpu_, *state.adapter,
                                                options_.adapter.system.flips_wait_for_drawing);
    if (state.adapter->shares_doorbells())
      state.doorbells = std::make_unique<Doorbells>(cpu_, *state.adapter);
    state.power_changed = std::make_unique<KernelEvent>(simulation.steps);
    state.power = std::make_unique<SharedData>(cpu_);
    follow_logs(state);
    connect(state);
  }
}

void Kernel::schedule_contexts() {
  contexts_ = std::make_unique<ContextScheduler>(cpu_, monitored_, options_.ordering.os,
                                                 options_.adapter.system.preemption, resets_);
  contexts_->scheduler_of = [this](const NativeFence& fence) -> FenceScheduler& {
    const auto own = std::find_if(
        adapters_.begin(), adapters_.end(),
        [&](const AdapterState& state) { return state.adapter.get() == fence.adapter; });
    return *own->scheduler;
  };
  contexts_->on_restarted = [this](Adapter& adapter) {
    if (hardware_ != nullptr) {
      hardware_->give_up_lost();
      hardware_->ask_again(adapter);
    }
    if (options_.adapter.system.preemption.looks_after_reset) look_at_all(adapter);
  };
  contexts_->on_blocked = [this](const ContextQueue& lost) {
    for (const auto& process : processes_)
      if (process.get() == lost.owner) block_device(*process);
  };
  contexts_->resets_others = finds_hangs();
  contexts_->on_aborted = [this](const void* owner) {
    for (const auto& process : processes_)
      if (process.get() == owner) fail_device(*process);
    for (const AdapterState& state : adapters_)
      if (state.flips != nullptr) state.flips->progress();
  };
}

/// What VidMm learns from the queues of contexts.
void Kernel::follow_contexts() {
  contexts_->on_completed = [this](const Adapter& adapter) {
    for (AdapterState& state : adapters_)
      if (state.adapter.get() == &adapter) state.memory->progress();
  };
  contexts_->on_state_needed = [this](ContextQueue& context) {
    for (AdapterState& state : adapters_)
      if (state.adapter.get() == &context.adapter) state.memory->bring_state(context);
  };
  contexts_->on_paging_lost = [this](Adapter& adapter) {
    for (AdapterState& state : adapters_)
      if (state.adapter.get() == &adapter) state.memory->lose_paging();
  };
  if (!options_.adapter.system.allocation_lists) return;
  contexts_->on_listed = [this](const Adapter& adapter, const std::vector<Allocation*>& listed,
                                ListedWork work) {
    for (AdapterState& state : adapters_)
      if (state.adapter.get() == &adapter) state.memory->follow_lists(listed, work);
  };
}

/// What the adapter asks the kernel for.
void Kernel::connect(AdapterState& state) {
  state.adapter->fence_of = [this, &state](HANDLE handle) -> std::uint32_t {
    objects_.footprint(false);
    for (const auto& fence : fences_)
      if (fence->adapter == state.adapter.get() && fence->os_handle() == handle && fence->alive)
        return fence->object;
    return 0;
  };
  state.adapter->fence_behind = [this](HANDLE handle) -> std::uint32_t {
    const auto number = reinterpret_cast<std::uint64_t>(handle);
    const bool given = number <= simulation_.events.object_count(common::ObjectKind::kFence);
    return given ? static_cast<std::uint32_t>(number) : 0;
  };
  state.adapter->queue_of = [this](HANDLE handle) -> std::uint32_t {
    for (const auto& process : processes_)
      for (const auto& queue : process->queues)
        if (queue->driver_handle == handle) return queue->object;
    return 0;
  };
  state.adapter->knows = [this](Adapter::Known kind, HANDLE handle) {
    return KnownObjects{processes_, cpu_events_}.has(kind, handle);
  };
  if (state.memory != nullptr && suspends_contexts() && options_.adapter.system.suspends_queues)
    state.memory->on_hold = [this](const Process& process, bool hold) {
      hold_hw_contexts(process, hold);
    };
  if ((contexts_ != nullptr || suspends_contexts()) && options_.adapter.system.preemption.enabled) {
    state.adapter->create_context_allocation = [this](DXGKARGCB_CREATECONTEXTALLOCATION& args) {
      return create_context_allocation(args);
    };
    state.adapter->destroy_context_allocation = [](HANDLE) { return STATUS_SUCCESS; };
  }
  if (hardware_ != nullptr)
    state.adapter->invalidate_hw_context = [this, &state](HANDLE context, UINT flags) {
      return hardware_->invalidated(*state.adapter, context, flags);
    };
  state.adapter->on_fences_signaled = [this, &state](const FenceNotification& notification) {
    on_fences_signaled(state, notification);
  };
}

Kernel::~Kernel() = default;

void Kernel::add_agents() {
  for (std::uint32_t core = 0; core < cpu_.core_count(); ++core) {
    const std::string prefix = "core" + std::to_string(core);
    cpu_.place(simulation_.steps.find_agent(prefix + ".isr"), core);
    if (core != options_.adapter.interrupt_core) continue;
    const common::AgentId dpc =
        simulation_.steps.add_agent(prefix + ".dpc", [this, core] { run_deferred_calls(core); });
    cpu_.place(dpc, core);
    for (AdapterState& state : adapters_) state.adapter->set_deferred_agent(dpc);
  }
  if (contexts_ != nullptr) {
    const common::AgentId scheduler =
        simulation_.steps.add_agent("scheduler", [this] { contexts_->run(); });
    cpu_.place(scheduler, options_.adapter.interrupt_core);
  }
  if (finds_hangs())
    cpu_.place(simulation_.steps.add_agent("recovery", [this] { hardware_->run(); }),
               options_.adapter.interrupt_core);
  if (options_.managed_memory) follow_contexts();
  for (AdapterState& state : adapters_) {
    const std::string& name = state.adapter->gpu().config().name;
    const auto add_timer = [&](const char* suffix, std::function<void()> body) {
      const common::AgentId timer = simulation_.steps.add_agent(name + suffix, std::move(body));
      cpu_.place(timer, options_.adapter.interrupt_core);
    };
    if (state.fallback != nullptr) add_timer(".fallback", [&state] { state.fallback->run(); });
    if (state.memory != nullptr) add_timer(".vidmm", [&state] { state.memory->run(); });
    if (state.watchdog != nullptr) add_timer(".watchdog", [&state] { state.watchdog->run(); });
  }
}

void Kernel::run_deferred_calls(std::uint32_t core) {
  host::Core& here = cpu_.core(core);
  for (;;) {
    simulation_.steps.forget();
    const auto queued = [&] {
      return std::any_of(adapters_.begin(), adapters_.end(),
                         [](const AdapterState& state) { return state.adapter->dpc_queued(); });
    };
    simulation_.steps.wait_until(dpc_queued_, queued);
    here.enter(DISPATCH_LEVEL, Operation::kDeferredCall, here.config().dpc_latency);
    for (AdapterState& state : adapters_) {
      simulation_.steps.observe(state.adapter->dpc_queued() ? 1 : 0);
      if (state.adapter->dpc_queued()) state.adapter->run_dpc();
    }
    here.leave();
  }
}

void Kernel::start(DriverEntryFunction entry) {
  for (AdapterState& state : adapters_) {
    try {
      state.adapter->start(entry);
      state.vram_pages = std::make_unique<PagePool>(
          state.adapter->vram_segment_base(), state.adapter->gpu().config().vram.size_bytes,
          "the VRAM of " + state.adapter->gpu().config().name);
      state.system = std::make_unique<AddressSpace>(*state.adapter, *state.vram_pages);
      state.system->create(true);
      start_memory(static_cast<std::size_t>(&state - adapters_.data()));
    } catch (const StartFailure& failure) {
      state.failure = failure;
      continue;
    }
    if (hardware_ != nullptr) hardware_->set_up(*state.adapter);
  }
}

Process& Kernel::create_process(const std::string& name, std::size_t adapter) {
  processes_.push_back(std::make_unique<Process>());
  Process& process = *processes_.back();
  process.name = name;
  process.object = simulation_.events.add_object(common::ObjectKind::kProcess, name);
  process.adapter = adapter;
  AdapterState& state = adapters_[adapter];
  process.space = std::make_unique<AddressSpace>(*state.adapter, *state.vram_pages);
  try {
    process.space->create(false);
  } catch (const StartFailure& failure) {
    state.failure = failure;
    processes_.pop_back();
    throw;
  }
  process.space->signal_handle = [&process](HANDLE handle) -> NTSTATUS {
    // A handle of a guest means nothing on the host.
    const auto found = std::find(process.events.begin(), process.events.end(), handle);
    if (process.kind != ProcessKind::kHost || found == process.events.end())
      return STATUS_INVALID_HANDLE;
    (*found)->set();
    return STATUS_SUCCESS;
  };
  return process;
}

Backing Kernel::allocate(Process& process, std::uint64_t bytes, Home home, bool used) {
  objects_.footprint(true);
  const auto take = [&](PagePool& pool) {
    return used && bytes == kPage ? pool.take_page() : pool.allocate(bytes);
  };
  // It is to be mapped, and page tables behind a window are out of reach in D3.
  if (adapters_[process.adapter].adapter->host_aperture() != nullptr) wake(process.adapter, 0);
  if (home == Home::kVram) {
    AdapterState& state = adapters_[process.adapter];
    const std::uint64_t address = take(*state.vram_pages);
    state.adapter->map_for_kernel(address, bytes);
    return {true, address, bytes};
  }
  return {false, take(system_pages_), bytes};
}

void Kernel::watch(const Backing& backing, std::uint64_t offset, std::uint64_t bytes,
                   WatchKind kind, std::uint32_t object, const AdapterState& state) {
  auto& memory =
      backing.vram ? state.adapter->gpu().vram().memory() : platform_.system_memory().memory();
  memory.watches().add(
      {backing.gpu_physical() + offset, bytes, kind, object, state.adapter->object()});
}

PVOID Process::add_shared_address(D3DGPU_VIRTUAL_ADDRESS address, std::uint64_t bus) {
  shared_addresses[address] = bus;
  return reinterpret_cast<PVOID>(address);  // NOLINT(performance-no-int-to-ptr)
}

std::uint64_t Kernel::read_user(Process& process, const void* address, common::Reader reader) {
  const auto shared = process.shared_addresses.find(reinterpret_cast<std::uint64_t>(address));
  const void* kernel =
      shared != process.shared_addresses.end() ? to_kernel_address(shared->second) : address;
  const bool cached = process.cached_pages.count(to_bus_address(kernel) / kPage) != 0;
  return adapters_[process.adapter].adapter->port().read_value(kernel, Operation::kReadValue,
                                                               reader, cached);
}

std::uint64_t Kernel::read_user_value(Process& process, const Fence& fence, const void* address) {
  const std::uint64_t word = read_user(process, address, common::Reader::kUserPoll);
  if (fence.kind == Fence::Kind::kNative) return word;
  return monitored_.whole(static_cast<const MonitoredFence&>(fence), word);
}

}  // namespace fenceline::os
