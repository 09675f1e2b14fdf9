#include "tb/run/machine/objects.h"

#include <algorithm>
#include <tuple>

#include "models/abi/private_data.h"
#include "models/top/gpu.h"

namespace fenceline::run {

namespace {

abi::AllocationPrivateData private_data(const scenario::Allocation& allocation) {
  abi::AllocationPrivateData data{};
  data.bytes = allocation.bytes;
  data.segments = allocation.segments;
  if (allocation.preferred) data.preferred = *allocation.preferred == common::Home::kVram ? 1 : 2;
  if (allocation.cpu_visible) data.flags |= abi::kUsedByCpu;
  if (allocation.cached) data.flags |= abi::kCachedByCpu;
  if (allocation.accessed_physically) data.flags |= abi::kUsedByAddress;
  return data;
}

}  // namespace

void Objects::create_all() {
  for (const scenario::Process& config : scenario_.processes) {
    ProcessState& state = processes_[config.name];
    state.config = &config;
    if (!create_process(state)) continue;
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

bool Objects::create_process(ProcessState& state) {
  const scenario::Process& config = *state.config;
  std::size_t adapter = 0;
  while (adapter + 1 < scenario_.platform.gpus.size() && !config.adapter.empty() &&
         scenario_.platform.gpus[adapter].name != config.adapter)
    ++adapter;
  if (kernel_.system.adapters[adapter].failure) return false;
  try {
    state.process = &kernel_.devices.create_process(config.name, adapter);
  } catch (const os::StartFailure&) {
    return false;  // the kernel knows
  }
  state.process->kind = config.kind;
  return true;
}

UINT Objects::node(const ProcessState& state, const std::string& engine) const {
  const auto& engines = kernel_.platform().gpu(state.process->adapter).config().engines;
  UINT node = 0;
  while (node < engines.size() && engines[node].name != engine) ++node;
  return node;
}

D3DKMT_HANDLE Objects::hw_context(ProcessState& state, const scenario::Queue& queue) {
  const std::string& name = queue.context.value_or(queue.name);
  const auto [at, fresh] = state.hw_contexts.try_emplace(name);
  if (!fresh) return at->second;
  D3DKMT_CREATEHWCONTEXT args{};
  args.hDevice = state.process->device();
  args.NodeOrdinal = node(state, queue.engine);
  const os::WithOptions named(kernel_.system.threads, {name});
  kernel_.queues.D3DKMTCreateHwContext(*state.process, args);
  for (const scenario::HardwareContext& context : state.config->hardware_contexts)
    if (context.name == name)
      state.process->hw_context(args.hHwContext)->properties = context.properties;
  return at->second = args.hHwContext;
}

void Objects::create_queue(ProcessState& state, const scenario::Queue& queue) {
  auto& writer = state.queues[queue.name];
  writer =
      std::make_unique<user::QueueWriter>(kernel_, *state.process, scenario_.platform.ordering.umd);
  for (const scenario::Driver& driver : scenario_.platform.drivers)
    if (driver.adapter == kernel_.platform().gpu(state.process->adapter).config().name)
      writer->write_status(driver.user_writes_status);
  writer->disable_gpu_timeout(!queue.gpu_timeout);
  if (submitters_.share_queue(state.config->name, queue.name)) writer->share();
  const NTSTATUS status = writer->create(queue.name, hw_context(state, queue), queue.ring_bytes,
                                         queue.logs ? queue.log_entries : 0, queue.progress_fence);
  checks_.check_status(queue.at.pointer, "D3DKMTCreateHwQueue", status, queue.status);
  if (!NT_SUCCESS(status)) return void(state.queues.erase(queue.name));
  if (!queue.progress_fence) return;
  const std::string name = queue.name + ".progress";
  state.fences[name] = writer->progress_fence();
  fences_[state.config->name + "/" + name] =
      state.process->fence(writer->progress_fence().handle)->fence;
}

void Objects::create_contexts(ProcessState& state) {
  for (const scenario::Context& context : state.config->contexts) create_context(state, context);
}

void Objects::create_context(ProcessState& state, const scenario::Context& context) {
  auto& writer = state.contexts[context.name];
  if (writer != nullptr) state.replaced.push_back(std::move(writer));
  if (context.patched)
    writer = std::make_unique<user::PatchedWriter>(kernel_, *state.process,
                                                   scenario_.platform.ordering.umd);
  else
    writer = std::make_unique<user::ContextWriter>(kernel_, *state.process,
                                                   scenario_.platform.ordering.umd);
  if (submitters_.share_context(state.config->name, context.name)) writer->share();
  writer->fence_stores(state.config->map_duties.fences);
  NTSTATUS status = writer->create(context.name, node(state, context.engine));
  if (NT_SUCCESS(status) && kernel_.options().managed_memory) status = writer->track_usage();
  if (NT_SUCCESS(status) && context.priority != 0) status = writer->set_priority(context.priority);
  checks_.check_status(context.at.pointer, "creating the context", status, {});
  if (!NT_SUCCESS(status)) state.contexts.erase(context.name);
}

void Objects::create_allocations(ProcessState& state) {
  for (const scenario::Allocation& allocation : state.config->allocations) {
    if (allocation.segments != 0) {
      create_allocation(state, allocation);
      continue;
    }
    ProcessState::Allocation& made = state.allocations[allocation.name];
    made.backing = kernel_.fixed_memory.allocate(*state.process, allocation.bytes, allocation.home);
    made.address = state.process->space->map(made.backing, true);
  }
}

NTSTATUS Objects::create_allocation(ProcessState& state, const scenario::Allocation& allocation) {
  auto resource = std::make_unique<user::Resource>(
      kernel_, *state.process, allocation.name, private_data(allocation), state.config->map_duties);
  NTSTATUS status = resource->create();
  if (NT_SUCCESS(status) && allocation.resident)
    status = user::Resource::make_resident(kernel_, *state.process, {resource.get()});
  checks_.check_status(allocation.at.pointer, "creating the allocation", status, allocation.status);
  if (!NT_SUCCESS(status)) return status;
  names_.alter();
  state.allocations[allocation.name].resource = std::move(resource);
  return status;
}

ProcessState& Objects::process(const std::string& name) {
  if (name.empty() && processes_.size() == 1) return processes_.begin()->second;
  return processes_.at(name);
}

os::KernelEvent& Objects::event(ProcessState& process, const std::string& name) {
  auto& event = process.events[name];
  if (!event) {
    event = std::make_unique<os::KernelEvent>(kernel_.simulation().steps);
    process.process->add_event(*event);
  }
  return *event;
}

std::shared_ptr<const os::Fence> Objects::find_fence(const std::string& name) const {
  if (const auto it = fences_.find(name); it != fences_.end()) return it->second;
  for (const auto& [full, fence] : fences_)
    if (full.size() > name.size() &&
        full.compare(full.size() - name.size() - 1, std::string::npos, "/" + name) == 0)
      return fence;
  return nullptr;
}

std::vector<std::shared_ptr<const os::Fence>> Objects::fences() const {
  std::vector<std::shared_ptr<const os::Fence>> result;
  const auto add = [&result](const std::shared_ptr<const os::Fence>& fence) {
    if (std::find(result.begin(), result.end(), fence) == result.end()) result.push_back(fence);
  };
  for (const auto& fence : kernel_.system.fences) add(fence);
  for (const auto& fence : kernel_.system.monitored.all())
    if (fence->alive && !fence->native) add(fence);
  for (const auto& [name, fence] : fences_) add(fence);
  std::stable_sort(result.begin(), result.end(), [](const auto& left, const auto& right) {
    return std::tie(left->kind, left->object) < std::tie(right->kind, right->object);
  });
  return result;
}

std::uint64_t Objects::word(os::Adapter& adapter, const os::Backing& page,
                            std::uint64_t offset) const {
  auto& memory =
      page.vram ? adapter.gpu().vram().memory() : kernel_.platform().system_memory().memory();
  return memory.bytes().word(page.address + offset);
}

std::uint64_t Objects::current_value(const os::Fence& fence) const {
  const std::uint64_t found = word(*fence.adapter, fence.current, fence.current_offset);
  if (fence.kind == os::Fence::Kind::kNative) return found;
  return kernel_.system.monitored.whole(static_cast<const os::MonitoredFence&>(fence), found);
}

std::uint64_t Objects::monitored_value(const os::Fence& of) const {
  if (of.kind != os::Fence::Kind::kNative) return UINT64_MAX;
  const auto& fence = static_cast<const os::NativeFence&>(of);
  return word(*fence.adapter, fence.monitored, fence.monitored_offset);
}

std::optional<std::uint64_t> Objects::word(const std::string& process,
                                           const std::string& allocation, std::uint64_t offset) {
  ProcessState& state = processes_.at(process);
  const auto found = state.allocations.find(allocation);
  if (found == state.allocations.end()) return std::nullopt;
  const ProcessState::Allocation& named = found->second;
  if (named.resource == nullptr)
    return word(kernel_.adapter(state.process->adapter), named.backing, offset);
  const os::Allocation* const managed = state.process->allocation(named.resource->handle());
  if (managed == nullptr || managed->lost) return std::nullopt;
  return kernel_.system.of(*state.process).memory->reports().word(*managed, offset);
}

std::map<std::string, std::uint64_t> Objects::current_values() const {
  std::map<std::string, std::uint64_t> values;
  for (const auto& [name, fence] : fences_) values[name] = current_value(*fence);
  return values;
}

std::map<std::string, std::uint64_t> Objects::current_values_of_alive() const {
  std::map<std::string, std::uint64_t> values;
  for (const auto& [name, fence] : fences_) {
    bool alive = fence->alive;
    // A fence of several adapters is there as long as one of them has it.
    if (fence->kind == os::Fence::Kind::kNative)
      if (const auto& origin = static_cast<const os::NativeFence&>(*fence).origin)
        alive = origin->alive;
    if (alive) values[name] = current_value(*fence);
  }
  return values;
}

}  // namespace fenceline::run
