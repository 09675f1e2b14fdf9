// Contexts, hardware queues, escapes, and replacements for Windows memory and threads.
#include <algorithm>
#include <cstring>
#include <stdexcept>

#include "models/abi/private_data.h"
#include "tb/user/command_writer.h"
#include "tb/user/d3dkmt.h"
#include "tb/user/handles.h"

namespace user = fenceline::user;
namespace os = fenceline::os;
namespace abi = fenceline::abi;
using Kind = user::KmtObject::Kind;

NTSTATUS D3DKMTCreateContextVirtual(D3DKMT_CREATECONTEXTVIRTUAL* args) {
  if (args == nullptr) return STATUS_INVALID_PARAMETER;
  const user::KmtObject* device = user::find(args->hDevice, Kind::kDevice);
  if (device == nullptr) return STATUS_INVALID_HANDLE;
  user::KmtObject object = *device;
  object.kind = Kind::kContext;
  D3DKMT_CREATECONTEXTVIRTUAL call = *args;
  call.hDevice = os::kDeviceHandle;
  const auto& process = user::Machine::current().process();
  const std::string name = process.name + ".context" + std::to_string(process.objects.size() + 1);
  const NTSTATUS status =
      user::kernel().contexts.D3DKMTCreateContextVirtual(*object.process, call, name);
  if (!NT_SUCCESS(status)) return status;
  object.inner = call.hContext;
  args->hContext = user::add(object);
  return status;
}

NTSTATUS D3DKMTSubmitCommand(const D3DKMT_SUBMITCOMMAND* args) {
  if (args == nullptr || args->BroadcastContextCount != 1) return STATUS_INVALID_PARAMETER;
  const user::KmtObject* context = user::find(args->BroadcastContext[0], Kind::kContext);
  if (context == nullptr) return STATUS_INVALID_HANDLE;
  D3DKMT_SUBMITCOMMAND call = *args;
  call.BroadcastContext[0] = context->inner;
  return user::kernel().contexts.D3DKMTSubmitCommand(*context->process, call);
}

NTSTATUS D3DKMTCreateHwContext(D3DKMT_CREATEHWCONTEXT* args) {
  if (args == nullptr || args->Flags.Value != 0) return STATUS_INVALID_PARAMETER;
  const user::KmtObject* device = user::find(args->hDevice, Kind::kDevice);
  if (device == nullptr) return STATUS_INVALID_HANDLE;
  user::KmtObject context = *device;
  context.kind = Kind::kHwContext;
  context.node = args->NodeOrdinal;
  args->hHwContext = user::add(context);
  return STATUS_SUCCESS;
}

NTSTATUS D3DKMTCreateHwQueue(D3DKMT_CREATEHWQUEUE* args) {
  if (args == nullptr || args->pPrivateDriverData == nullptr ||
      args->PrivateDriverDataSize < sizeof(abi::QueuePrivateData))
    return STATUS_INVALID_PARAMETER;
  const user::KmtObject* context = user::find(args->hHwContext, Kind::kHwContext);
  if (context == nullptr) return STATUS_INVALID_HANDLE;
  abi::QueuePrivateData data{};
  std::memcpy(&data, args->pPrivateDriverData, sizeof data);
  const auto& process = user::Machine::current().process();
  const auto ring =
      std::find_if(process.memory.begin(), process.memory.end(), [&](const auto& memory) {
        return memory.first == context->process && memory.second.gpu_address == data.ring_address;
      });
  if (ring == process.memory.end() || ring->second.backing.bytes < data.ring_bytes)
    return STATUS_INVALID_PARAMETER;
  user::KmtObject queue = *context;
  queue.kind = Kind::kHwQueue;
  D3DKMT_CREATEHWQUEUE call = *args;
  const std::string name = process.name + ".queue" + std::to_string(process.objects.size() + 1);
  const os::Backing backing = ring->second.backing;  // other threads may add memory during the call
  const NTSTATUS status =
      user::kernel().queues.D3DKMTCreateHwQueue(*queue.process, call, name, queue.node, 0, backing);
  if (!NT_SUCCESS(status)) return status;
  queue.inner = call.hHwQueue;
  args->hHwQueue = user::add(queue);
  return status;
}

namespace {

/// User address of a doorbell. It never changes, whatever the OS maps there.
void* doorbell_address(const os::UserDoorbell& doorbell) {
  constexpr std::uint64_t kAddress = 256;  // unused space within the cells
  return os::to_kernel_address(doorbell.cells.address + kAddress);
}

/// The queue of the calling process whose doorbell has this address; null for other addresses.
const os::HwQueue* queue_of_doorbell(const void* address) {
  for (const user::KmtObject& object : user::Machine::current().process().objects) {
    if (object.kind != Kind::kDoorbell) continue;
    const os::HwQueue& queue = object.process->queue(object.inner);
    if (queue.user_doorbell != nullptr && doorbell_address(*queue.user_doorbell) == address)
      return &queue;
  }
  return nullptr;
}

}  // namespace

NTSTATUS D3DKMTCreateDoorbell(D3DKMT_CREATEDOORBELL* args) {
  if (args == nullptr) return STATUS_INVALID_PARAMETER;
  const user::KmtObject* queue = user::find(args->hHwQueue, Kind::kHwQueue);
  if (queue == nullptr) return STATUS_INVALID_HANDLE;
  if (args->Flags.Value != 0) return STATUS_NOT_SUPPORTED;
  user::KmtObject doorbell = *queue;
  doorbell.kind = Kind::kDoorbell;
  const os::HwQueue& inner = queue->process->queue(queue->inner);
  args->DoorbellCPUVirtualAddress = os::to_kernel_address(inner.doorbell_bus);
  if (inner.user_doorbell != nullptr) {
    args->DoorbellCPUVirtualAddress = doorbell_address(*inner.user_doorbell);
    args->DoorbellStatusCPUVirtualAddress =
        os::to_kernel_address(inner.user_doorbell->status_bus());
    args->HwQueueProgressFenceLastQueuedValueCPUVirtualAddress =
        os::to_kernel_address(inner.user_doorbell->last_queued_bus());
  }
  args->hDoorbell = user::add(doorbell);
  return STATUS_SUCCESS;
}

NTSTATUS D3DKMTConnectDoorbell(const D3DKMT_CONNECTDOORBELL* args) {
  if (args == nullptr || args->Flags.Value != 0) return STATUS_INVALID_PARAMETER;
  const user::KmtObject* doorbell = user::find(args->hDoorbell, Kind::kDoorbell);
  if (doorbell == nullptr) return STATUS_INVALID_HANDLE;
  return user::kernel().queues.D3DKMTConnectDoorbell(*doorbell->process,
                                                     {doorbell->inner, args->Flags});
}

NTSTATUS D3DKMTNotifyWorkSubmission(const D3DKMT_NOTIFY_WORK_SUBMISSION* args) {
  if (args == nullptr || args->Flags.Value != 0) return STATUS_INVALID_PARAMETER;
  const user::KmtObject* queue = user::find(args->hHwQueue, Kind::kHwQueue);
  if (queue == nullptr) return STATUS_INVALID_HANDLE;
  return user::kernel().queues.D3DKMTNotifyWorkSubmission(*queue->process,
                                                          {queue->inner, args->Flags});
}

NTSTATUS D3DKMTSubmitCommandToHwQueue(const D3DKMT_SUBMITCOMMANDTOHWQUEUE* args) {
  if (args == nullptr) return STATUS_INVALID_PARAMETER;
  return user::find(args->hHwQueue, Kind::kHwQueue) != nullptr ? STATUS_NOT_SUPPORTED
                                                               : STATUS_INVALID_HANDLE;
}

NTSTATUS D3DKMTSubmitWaitForSyncObjectsToHwQueue(
    const D3DKMT_SUBMITWAITFORSYNCOBJECTSTOHWQUEUE* args) {
  if (args == nullptr) return STATUS_INVALID_PARAMETER;
  const user::KmtObject* queue = user::find(args->hHwQueue, Kind::kHwQueue);
  if (queue == nullptr) return STATUS_INVALID_HANDLE;
  D3DKMT_SUBMITWAITFORSYNCOBJECTSTOHWQUEUE call = *args;
  call.hHwQueue = queue->inner;
  return user::kernel().queues.D3DKMTSubmitWaitForSyncObjectsToHwQueue(*queue->process, call);
}

NTSTATUS D3DKMTSubmitSignalSyncObjectsToHwQueue(
    const D3DKMT_SUBMITSIGNALSYNCOBJECTSTOHWQUEUE* args) {
  if (args == nullptr || args->BroadcastHwQueueCount != 1) return STATUS_INVALID_PARAMETER;
  const user::KmtObject* queue = user::find(args->BroadcastHwQueueArray[0], Kind::kHwQueue);
  if (queue == nullptr) return STATUS_INVALID_HANDLE;
  D3DKMT_SUBMITSIGNALSYNCOBJECTSTOHWQUEUE call = *args;
  const D3DKMT_HANDLE inner = queue->inner;  // other threads may add objects during the call
  call.BroadcastHwQueueArray = &inner;
  return user::kernel().queues.D3DKMTSubmitSignalSyncObjectsToHwQueue(*queue->process, call);
}

/// The synchronisation object of a known escape has a handle of the process.
NTSTATUS D3DKMTEscape(const D3DKMT_ESCAPE* args) {
  if (args == nullptr) return STATUS_INVALID_PARAMETER;
  const user::KmtObject* device = user::find(args->hDevice, Kind::kDevice);
  D3DKMT_ESCAPE call = *args;
  D3DDDI_DRIVERESCAPE_CPUEVENTUSAGE usage{};
  const bool known = (args->Flags.Value & D3DDDI_ESCAPEFLAGS::kDriverKnownEscape) != 0 &&
                     args->PrivateDriverDataSize == sizeof usage &&
                     args->pPrivateDriverData != nullptr;
  os::Process* process = device != nullptr ? device->process : nullptr;
  if (known) {
    std::memcpy(&usage, args->pPrivateDriverData, sizeof usage);
    const user::KmtObject* object = user::find(usage.hSyncObject, Kind::kSync);
    if (object == nullptr) return STATUS_INVALID_HANDLE;
    usage.hSyncObject = object->inner;
    process = object->process;
    call.pPrivateDriverData = &usage;
  }
  if (process == nullptr) return STATUS_INVALID_HANDLE;
  return user::kernel().adapters.D3DKMTEscape(*process, call);
}

namespace fenceline::user {

Memory allocate_memory(D3DKMT_HANDLE device, std::uint64_t bytes) {
  const KmtObject* found = find(device, KmtObject::Kind::kDevice);
  if (found == nullptr) throw std::invalid_argument("no such device");
  Memory memory;
  memory.backing = kernel().fixed_memory.allocate(*found->process, bytes, common::Home::kSysmem);
  memory.gpu_address = found->process->space->map(memory.backing, true);
  memory.cpu_address = os::to_kernel_address(memory.backing.address);
  Machine::current().process().memory.emplace_back(found->process, memory);
  return memory;
}

namespace {

/// Accesses a locked allocation of any device of the process.
void touch(std::uint64_t address, bool write, std::uint64_t& value) {
  const SimulatedProcess& process = Machine::current().process();
  // Others may add to it meanwhile. NOLINTNEXTLINE(modernize-loop-convert)
  for (std::size_t i = 0; i < process.objects.size(); ++i) {
    const KmtObject object = process.objects[i];
    if (object.open && object.kind == KmtObject::Kind::kDevice &&
        NT_SUCCESS(kernel().user_access.touch_memory(*object.process, address, write, value)))
      return;
  }
  throw std::runtime_error("access violation");
}

bool is_user_address(const void* address) {
  return reinterpret_cast<std::uint64_t>(address) < os::kKernelBase;
}

}  // namespace

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
  std::uint64_t value = 0;
  if (is_user_address(address)) {
    touch(reinterpret_cast<std::uint64_t>(address), false, value);
    return value;
  }
  auto transaction = kernel().simulation().transactions.lend(
      tlm::TLM_READ_COMMAND, os::to_bus_address(address), &value, sizeof value);
  kernel().cpu().core().access(transaction, common::Operation::kRead);
  return value;
}

std::uint64_t read_fence(D3DKMT_HANDLE device, const void* address) {
  const KmtObject* found = find(device, KmtObject::Kind::kDevice);
  if (found == nullptr) throw std::invalid_argument("no such device");
  return kernel().user_access.read(*found->process, address, event::Reader::kUserPoll);
}

void memory_barrier() { kernel().cpu().drain_stores(); }

void store_fence() { kernel().cpu().store_fence(); }

HANDLE create_event() {
  Machine& machine = Machine::current();
  SimulatedProcess& process = machine.process();
  process.events.push_back(std::make_unique<os::KernelEvent>(machine.simulation().steps));
  os::KernelEvent& event = *process.events.back();
  for (const KmtObject& object : process.objects)
    if (object.kind == KmtObject::Kind::kDevice) object.process->add_event(event);
  return &event;
}

bool wait_for_event(HANDLE event, std::optional<common::Time> limit) {
  auto& target = *static_cast<os::KernelEvent*>(event);
  return target.is_set() || kernel().cpu().block(target, limit ? &*limit : nullptr);
}

void reset_event(HANDLE event) { static_cast<os::KernelEvent*>(event)->clear(); }

void sleep(common::Time duration) {
  os::Cpu& cpu = kernel().cpu();
  cpu.stop_thread();
  kernel().simulation().steps.elapse(duration);
  cpu.run_thread(common::Operation::kResume, cpu.core().config().thread_wake);
}

void compute(common::Time duration) { kernel().cpu().compute(duration); }

}  // namespace fenceline::user
