// Memory and threads of user mode, for programs without a scenario.
#include <cstring>
#include <stdexcept>

#include "models/top/gpu.h"
#include "tb/user/command_writer.h"
#include "tb/user/d3dkmt.h"

namespace fenceline::user {

namespace {

os::Process& required(D3DKMT_HANDLE device) {
  os::Process* const found = device_of(device);
  if (found == nullptr || found->device() != device) throw std::invalid_argument("no such device");
  return *found;
}

/// Accesses a locked allocation of any device of the process.
void touch(std::uint64_t address, bool write, std::uint64_t& value) {
  const auto& devices = Machine::current().process().devices;
  // Others may add to it meanwhile. NOLINTNEXTLINE(modernize-loop-convert)
  for (std::size_t i = 0; i < devices.size(); ++i)
    if (devices[i] != nullptr &&
        NT_SUCCESS(kernel().user_access.touch_memory(*devices[i], address, write, value)))
      return;
  throw std::runtime_error("access violation");
}

bool is_user_address(const void* address) {
  return reinterpret_cast<std::uint64_t>(address) < os::kKernelBase;
}

const os::HwQueue* queue_of_doorbell(const void* address) {
  for (const os::Process* device : Machine::current().process().devices)
    if (device != nullptr)
      if (const os::HwQueue* queue = os::QueueCalls::queue_of_doorbell(*device, address))
        return queue;
  return nullptr;
}

}  // namespace

Memory allocate_memory(D3DKMT_HANDLE device, std::uint64_t bytes) {
  os::Process& process = required(device);
  Memory memory;
  const os::Backing backing = kernel().fixed_memory.allocate(process, bytes, common::Home::kSysmem);
  memory.gpu_address = kernel().fixed_memory.share(process, backing);
  memory.cpu_address = os::to_kernel_address(backing.address);
  return memory;
}

void store(void* address, const void* data, std::size_t bytes) {
  if (const os::HwQueue* queue = queue_of_doorbell(address); queue != nullptr && bytes == 8) {
    std::uint64_t value = 0;
    std::memcpy(&value, data, sizeof value);
    kernel().cpu().drain_stores();
    return queue->user_doorbell->of.ring(*queue, value);
  }
  if (is_user_address(address)) {
    if (bytes % sizeof(std::uint64_t) != 0) throw std::invalid_argument("not whole 64 bits");
    for (std::size_t done = 0; done < bytes; done += sizeof(std::uint64_t)) {
      std::uint64_t value = 0;
      std::memcpy(&value, static_cast<const unsigned char*>(data) + done, sizeof value);
      touch(reinterpret_cast<std::uint64_t>(address) + done, true, value);
    }
    return;
  }
  const std::uint64_t bus = os::to_bus_address(address);
  if (bus < top::Gpu::bus_base(0)) return store_bytes(kernel(), bus, data, bytes);
  os::Cpu& cpu = kernel().cpu();
  cpu.drain_stores();  // earlier stores must be visible before the doorbell
  auto transaction = kernel().simulation().transactions.lend(tlm::TLM_WRITE_COMMAND, bus,
                                                             const_cast<void*>(data), bytes);
  transaction->attributes.posted = true;
  cpu.compute(cpu.core().config().mmio_write);
  cpu.core().access(transaction, common::Operation::kDoorbell);
}

std::uint64_t load(const void* address) {
  if (!is_user_address(address)) return kernel().cpu().load(os::to_bus_address(address));
  std::uint64_t value = 0;
  touch(reinterpret_cast<std::uint64_t>(address), false, value);
  return value;
}

std::uint64_t read_fence(D3DKMT_HANDLE device, const void* address) {
  return kernel().user_access.read(required(device), address, event::Reader::kUserPoll);
}

void memory_barrier() { kernel().cpu().drain_stores(); }

void store_fence() { kernel().cpu().store_fence(); }

HANDLE create_event() {
  Machine& machine = Machine::current();
  SimulatedProcess& process = machine.process();
  process.events.push_back(std::make_unique<os::KernelEvent>(machine.simulation().steps));
  os::KernelEvent& event = *process.events.back();
  for (os::Process* device : process.devices)
    if (device != nullptr) device->add_event(event);
  return &event;
}

bool wait_for_event(HANDLE event, std::optional<common::Time> limit) {
  auto& target = *static_cast<os::KernelEvent*>(event);
  return target.is_set() || kernel().cpu().block(target, limit ? &*limit : nullptr);
}

void reset_event(HANDLE event) { static_cast<os::KernelEvent*>(event)->clear(); }

void sleep(common::Time duration) { kernel().cpu().sleep(duration); }

void compute(common::Time duration) { kernel().cpu().compute(duration); }

}  // namespace fenceline::user
