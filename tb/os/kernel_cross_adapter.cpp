// Fences that several adapters share: how each adapter comes to its native one.
#include <algorithm>
#include <cstring>

#include "models/abi/mutant.h"
#include "models/abi/private_data.h"
#include "tb/os/kernel.h"

namespace fenceline::os {

using common::Home;
using common::WatchKind;

/// The value is in system memory and the waiters are kept apart from any adapter; the one that it
/// is created on gets a native fence in its place, as will others.
/// STATUS_INVALID_PARAMETER for one that is not shared.
/// Source: WDDM, native fences across adapters.
NTSTATUS Kernel::create_cross_adapter(Process& process, D3DKMT_CREATENATIVEFENCE& args,
                                      const std::string& name, Home monitored_home,
                                      LocalFence& local) {
  if ((args.Info.Flags.Value & SynchronizationFlags::kShared) == 0 ||
      (args.Info.Flags.Value & SynchronizationFlags::kNtSecuritySharing) == 0)
    return STATUS_INVALID_PARAMETER;
  AdapterState& state = adapters_[process.adapter];
  auto made = std::make_shared<MonitoredFence>();
  made->name = name;
  made->object = simulation_.events.add_object(common::ObjectKind::kFence, name);
  made->adapter = state.adapter.get();
  made->shared = made->native = true;
  made->rings = state.adapter->system().peer_doorbells != PeerDoorbells::kOff;
  made->initial_value = made->last = args.Info.InitialFenceValue;
  made->flags = args.Info.Flags.Value;
  made->take_flags(made->flags);
  made->current = {false, system_pages_.take_page(), kPage};
  state.adapter->port().write_memory(to_kernel_address(made->current_bus()), made->last);
  cpu_.drain_stores();
  watch(made->current, 0, 8, WatchKind::kCurrentValue, made->object, state);
  simulation_.emit(
      event::FenceCreate{made->object, made->last, state.adapter->object(), made->flags_told()});
  const auto origin = monitored_.add(std::move(made));
  const NTSTATUS status =
      open_in_place(process, *origin, local, monitored_home, args.PrivateDriverData);
  if (NT_SUCCESS(status)) return status;
  origin->usable = origin->alive = false;
  retire(process, origin, true, {});
  return status;
}

NTSTATUS Kernel::open_in_place(Process& process, MonitoredFence& origin, LocalFence& local) {
  BYTE private_data[D3DDDI_NATIVE_FENCE_PDD_SIZE] = {};
  return open_in_place(process, origin, local, options_.ordering.mem.mv_home, private_data);
}

/// An adapter with native fences gets one in place of what several adapters share: the same
/// CurrentValue, and a MonitoredValue of its own that stays 0, so that every signal interrupts and
/// the OS can pass it on. Source: WDDM, native fences across adapters.
NTSTATUS Kernel::open_in_place(Process& process, MonitoredFence& origin, LocalFence& local,
                               Home monitored_home, BYTE* private_data) {
  AdapterState& state = adapters_[process.adapter];
  if (origin.narrow) return STATUS_NOT_SUPPORTED;
  NativeFence* known = origin.on(state.adapter.get());
  if (known != nullptr) {
    objects_.change();
    ++origin.opens;
    return open_at_driver(state, process, known->shared_from_this(), local);
  }
  auto fence = std::make_shared<NativeFence>();
  fence->name = origin.name;
  fence->object = origin.object;
  fence->adapter = state.adapter.get();
  fence->shared = true;
  fence->initial_value = origin.initial_value;
  fence->current = origin.current;
  fence->origin = origin.shared_from_this();
  const NTSTATUS stored = store_in_place(state, process, *fence, monitored_home);
  if (!NT_SUCCESS(stored)) return stored;
  const NTSTATUS created = create_at_driver(state, *fence, private_data);
  if (!NT_SUCCESS(created)) {
    retire(process, fence, true, {});
    return created;
  }
  objects_.alter();
  ++origin.opens;
  const NTSTATUS opened = open_at_driver(state, process, fence, local);
  if (!NT_SUCCESS(opened)) {
    destroy_at_driver(*fence);
    retire(process, fence, true, {});
    return opened;
  }
  // The device takes a new fence for one that nobody waits for: it is told of the 0.
  if (fence->monitored_value == 0) state.scheduler->hand_monitored(*fence, 0);
  objects_.alter();
  monitored_.attach(origin, *fence);
  fences_.push_back(std::move(fence));
  return STATUS_SUCCESS;
}

/// Gives the adapter's MonitoredValue its place and what it starts with.
NTSTATUS Kernel::store_in_place(AdapterState& state, Process& process, NativeFence& fence,
                                Home monitored_home) {
  const bool zero = options_.ordering.xad.mv_zero && !fence.origin->rings &&
                    !abi::mutant(abi::Mutant::kSharedNotZero);
  fence.monitored_value = zero ? 0 : UINT64_MAX;
  const Home home = storage_home(*state.adapter, true, monitored_home, true);
  if (!state.adapter->system().storage_rules) fence.packed_in = &process;
  fence.monitored = value_storage(process, true, home, true, fence.monitored_offset);
  HostPortModel& port = state.adapter->port();
  port.write_memory(to_kernel_address(fence.monitored_bus()), fence.monitored_value);
  cpu_.drain_stores();
  port.read_memory(to_kernel_address(fence.monitored_bus()));  // the store has arrived
  watch(fence.monitored, fence.monitored_offset, 8, WatchKind::kMonitoredValue, fence.object,
        state);
  simulation_.emit(
      event::CrossAdapterFence{fence.object, fence.origin->rings, state.adapter->object()});
  report_storage(*state.adapter, fence);
  return STATUS_SUCCESS;
}

/// Nobody has the fence open any more, on whatever adapter.
void Kernel::report_end(const MonitoredFence& origin, const Process& process) {
  simulation_.emit(event::FenceDestroy{origin.object, process.object, origin.adapter->object()});
}

/// The timer of an adapter also serves those who wait elsewhere for signals of its GPU.
void Kernel::connect_fallback(AdapterState& state) {
  state.fallback = std::make_unique<FallbackTimer>(*state.adapter, *state.scheduler,
                                                   options_.adapter.interrupt_core);
  state.fallback->waited_elsewhere = [this, &state] { return waits_elsewhere(state); };
  state.fallback->look_elsewhere = [this]() -> std::size_t {
    if (monitored_.all().empty()) return 0;
    MonitoredScan everything;
    everything.all = true;
    return monitored_.scan(everything);
  };
  state.fallback->visit_elsewhere = [this] { return monitored_.visit_all(); };
  const auto note = [this](const AdapterState* by, bool news) {
    for (AdapterState& other : adapters_)
      if (&other != by && other.scheduler != nullptr) other.scheduler->note_elsewhere(news);
  };
  state.scheduler->on_waits_changed = [note, &state](bool news) { note(&state, news); };
  monitored_.on_waits_changed = [note](bool news) { note(nullptr, news); };
}

/// Somebody waits for a fence of no adapter, or the adapter shares a fence with another one: a
/// queue there may wait for it without the OS knowing.
bool Kernel::waits_elsewhere(const AdapterState& state) const {
  if (!state.powered) return false;
  if (monitored_.waited_for()) return true;
  const auto& fences = monitored_.all();
  return std::any_of(fences.begin(), fences.end(), [&state](const auto& fence) {
    return fence->alive && fence->natives.size() > 1 && fence->on(state.adapter.get()) != nullptr;
  });
}

/// Whoever signals the fence rings all others from now on. Again when queues have come.
void Kernel::connect_doorbells(const MonitoredFence& fence) {
  objects_.look();
  FenceList natives;  // other processes may open and close it meanwhile
  for (NativeFence* native : fence.natives) natives.push_back(native->shared_from_this());
  for (const auto& from : natives)
    for (const auto& to : natives)
      if (from != to && from->usable && to->usable) connect_doorbell(*from, *to);
}

void Kernel::connect_doorbell(const NativeFence& from, const NativeFence& to) {
  objects_.look();
  std::vector<const void*> queues;
  for (const auto& process : processes_)
    for (const auto& [handle, local] : process->fences)
      if (local.fence.get() == &to)
        for (const auto& queue : process->queues) queues.push_back(queue->driver_handle);
  abi::PeerDoorbellEscape describe{};
  describe.magic = abi::kPeerDoorbellMagic;
  describe.operation = abi::PeerDoorbellEscape::Operation::kDescribe;
  describe.native_fence = reinterpret_cast<std::uint64_t>(to.driver_handle);
  describe.queues = queues.data();
  describe.queue_count = static_cast<std::uint32_t>(queues.size());
  if (!NT_SUCCESS(escape_to(*to.adapter, describe))) return;
  abi::PeerDoorbellEscape connect{};
  connect.magic = abi::kPeerDoorbellMagic;
  connect.operation = abi::PeerDoorbellEscape::Operation::kConnect;
  connect.native_fence = reinterpret_cast<std::uint64_t>(from.driver_handle);
  while (adapters_[connect.peer].adapter.get() != to.adapter) ++connect.peer;
  connect.page = to.adapter->gpu().bars().doorbells + abi::kPeerPage;
  const PeerDoorbells payload = to.adapter->system().peer_doorbells;
  if (payload == PeerDoorbells::kFence)
    connect.payload = abi::kPeerNamesFence | describe.fence_slot;
  if (payload == PeerDoorbells::kQueues)
    connect.payload = abi::kPeerNamesQueues | describe.queue_mask;
  escape_to(*from.adapter, connect);
}

/// No DDI for this is published: an escape stands in for one.
NTSTATUS Kernel::escape_to(Adapter& adapter, abi::PeerDoorbellEscape& data) {
  DXGKARG_ESCAPE args{};
  args.pPrivateDriverData = &data;
  args.PrivateDriverDataSize = sizeof data;
  return adapter.call(Ddi::kEscape,
                      [&](auto& ddi) { return ddi.DxgkDdiEscape(adapter.handle(), &args); });
}

}  // namespace fenceline::os
