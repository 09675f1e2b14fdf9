#include "tb/os/objects/cross_adapter_fences.h"

#include "models/abi/mutant.h"

namespace fenceline::os {

using common::Home;
using common::WatchKind;

std::shared_ptr<MonitoredFence> CrossAdapterFences::make(AdapterState& state,
                                                         const std::string& name,
                                                         std::uint64_t initial, UINT flags,
                                                         bool narrow) {
  auto made = std::make_shared<MonitoredFence>();
  made->name = name;
  made->object = system_.simulation.events.add_object(common::ObjectKind::kFence, name);
  made->adapter = state.adapter.get();
  made->shared = (flags & SynchronizationFlags::kShared) != 0;
  made->narrow = narrow;
  made->initial_value = made->last = initial;
  made->flags = flags;
  made->take_flags(flags);
  made->current = {false, system_.pages.take_page(), kPage};
  state.adapter->port().write_memory(to_kernel_address(made->current_bus()),
                                     narrow ? initial & UINT32_MAX : initial);
  system_.cpu.drain_stores();
  memory_.watch(made->current, 0, 8, WatchKind::kCurrentValue, made->object, state);
  return made;
}

NTSTATUS CrossAdapterFences::create(Process& process, D3DKMT_CREATENATIVEFENCE& args,
                                    const std::string& name, Home monitored_home,
                                    LocalFence& local) {
  if ((args.Info.Flags.Value & SynchronizationFlags::kShared) == 0 ||
      (args.Info.Flags.Value & SynchronizationFlags::kNtSecuritySharing) == 0)
    return STATUS_INVALID_PARAMETER;
  AdapterState& state = system_.of(process);
  auto made = make(state, name, args.Info.InitialFenceValue, args.Info.Flags.Value, false);
  made->native = true;
  made->rings = state.adapter->system().peer_doorbells != PeerDoorbells::kOff;
  system_.simulation.emit(event::FenceCreate{made->object, made->last, state.adapter->object(),
                                             made->creation_flags()});
  const auto origin = system_.monitored.add(std::move(made));
  const NTSTATUS status = open(process, *origin, local, monitored_home, args.PrivateDriverData);
  if (NT_SUCCESS(status)) return status;
  origin->usable = origin->alive = false;
  reclaimer_.add(process, origin, true, {});
  return status;
}

NTSTATUS CrossAdapterFences::open(Process& process, MonitoredFence& origin, LocalFence& local) {
  BYTE private_data[D3DDDI_NATIVE_FENCE_PDD_SIZE] = {};
  return open(process, origin, local, system_.options.ordering.mem.mv_home, private_data);
}

NTSTATUS CrossAdapterFences::open(Process& process, MonitoredFence& origin, LocalFence& local,
                                  Home monitored_home, BYTE* private_data) {
  AdapterState& state = system_.of(process);
  if (origin.narrow) return STATUS_NOT_SUPPORTED;
  NativeFence* known = origin.on(state.adapter.get());
  if (known != nullptr) {
    system_.objects.change();
    ++origin.opens;
    return driver_.open(state, process, known->shared_from_this(), local);
  }
  auto fence = std::make_shared<NativeFence>();
  fence->name = origin.name;
  fence->object = origin.object;
  fence->adapter = state.adapter.get();
  fence->shared = true;
  fence->initial_value = origin.initial_value;
  fence->current = origin.current;
  fence->origin = origin.shared_from_this();
  const bool zero = system_.options.ordering.xad.mv_zero && !origin.rings &&
                    !abi::mutant(abi::Mutant::kSharedNotZero);
  fence->monitored_value = zero ? 0 : UINT64_MAX;
  storage_.store_monitored(state, process, *fence, monitored_home);
  const NTSTATUS created = driver_.create(state, *fence, private_data);
  if (!NT_SUCCESS(created)) {
    reclaimer_.add(process, fence, true, {});
    return created;
  }
  system_.objects.alter();
  ++origin.opens;
  const NTSTATUS opened = driver_.open(state, process, fence, local);
  if (!NT_SUCCESS(opened)) {
    FenceDriver::destroy(*fence);
    reclaimer_.add(process, fence, true, {});
    return opened;
  }
  // A MonitoredValue below the initial value interrupts at once, so the OS must know the fence.
  NativeFence& native = *system_.fences.emplace_back(std::move(fence));
  system_.objects.alter();
  system_.monitored.attach(origin, native);
  // The device assumes that a new fence has no waiters, so it must get the 0.
  if (native.monitored_value == 0) state.scheduler->hand_monitored(native, 0);
  return STATUS_SUCCESS;
}

void report_end(System& system, const MonitoredFence& origin, const Process& process) {
  system.simulation.emit(
      event::FenceDestroy{origin.object, process.object, origin.adapter->object()});
}

}  // namespace fenceline::os
