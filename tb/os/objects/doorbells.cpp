#include "tb/os/objects/doorbells.h"

#include <algorithm>

#include "models/top/gpu.h"
#include "tb/os/dxgk/process.h"

namespace fenceline::os {

using common::Footprint;
using common::Operation;
using common::Place;

namespace {
/// TLB shootdown on all cores: interrupts and answers; A-620.
constexpr common::Time kShootdown = 2 * common::kMicrosecond;
}  // namespace

Doorbells::Doorbells(Cpu& cpu, Adapter& adapter)
    : cpu_(cpu), adapter_(adapter), mutex_(cpu, *this) {}

std::uint64_t Doorbells::state_hash() const {
  common::Hasher hasher;
  for (const HwQueue* queue : queues_) {
    const UserDoorbell& it = *queue->user_doorbell;
    hasher.add(it.bus).add(std::uint64_t{it.under_way} << 2 | (it.connected ? 2U : 0U) |
                           (it.aborted ? 1U : 0U));
  }
  for (const HwQueue* queue : asleep_) hasher.add(queue->object);
  return hasher.add(sleeping_ ? 1 : 0).value();
}

void Doorbells::add(HwQueue& queue, const Backing& cells, std::uint64_t progress_bus) {
  queue.user_doorbell =
      std::make_unique<UserDoorbell>(*this, queue, cpu_.simulation().steps, cells);
  queue.user_doorbell->progress_bus = progress_bus;
  MutexScope scope(mutex_);
  queues_.push_back(&queue);
  set_status(queue, D3DDDI_DOORBELLSTATUS_DISCONNECTED_RETRY);
}

UserDoorbell::~UserDoorbell() { of.forget(queue); }

void Doorbells::remove(const HwQueue& queue) {
  MutexScope scope(mutex_);
  forget(queue);
}

void Doorbells::forget(const HwQueue& queue) {
  for (auto* list : {&queues_, &asleep_})
    list->erase(std::remove(list->begin(), list->end(), &queue), list->end());
}

std::optional<NTSTATUS> Doorbells::connect(HwQueue& queue) {
  MutexScope scope(mutex_);
  if (queue.user_doorbell->aborted) return STATUS_DEVICE_REMOVED;
  if (sleeping_) return std::nullopt;
  return connect_now(queue);
}

NTSTATUS Doorbells::connect_now(HwQueue& queue) {
  DXGKARG_CONNECTDOORBELL connect{};
  connect.hDoorbell = queue.doorbell;
  const NTSTATUS status = adapter_.call<Ddi::DxgkDdiConnectDoorbell>(&connect);
  if (!NT_SUCCESS(status)) return status;
  if (!adapter_.driver_port().good_answer(connect.KernelCpuVirtualAddress, sizeof(UINT64),
                                          Ddi::DxgkDdiConnectDoorbell))
    return STATUS_UNSUCCESSFUL;
  const std::uint64_t bus = to_bus_address(connect.KernelCpuVirtualAddress);
  cpu_.simulation().emit(
      event::DoorbellConnect{queue.object, number_of(bus), connect.Status, adapter_.object()});
  queue.user_doorbell->connected = true;
  lead_to(queue, bus);
  set_status(queue, connect.Status);
  return status;
}

NTSTATUS Doorbells::tell_of_work(HwQueue& queue) {
  DXGKARG_NOTIFYWORKSUBMISSION notify{};
  notify.hHwQueue = queue.driver_handle;
  return adapter_.call<Ddi::DxgkDdiNotifyWorkSubmission>(&notify);
}

void Doorbells::abort(HwQueue& queue) {
  MutexScope scope(mutex_);
  if (queue.user_doorbell->aborted) return;
  queue.user_doorbell->aborted = true;
  disconnect(queue, D3DDDI_DOORBELLSTATUS_DISCONNECTED_ABORT);
}

/// Calls the driver first: later rings are lost in any case.
void Doorbells::disconnect(HwQueue& queue, D3DDDI_DOORBELLSTATUS reason) {
  DXGKARG_DISCONNECTDOORBELL args{};
  args.hDoorbell = queue.doorbell;
  adapter_.call<Ddi::DxgkDdiDisconnectDoorbell>(&args);
  lose(queue, reason);
}

NTSTATUS Doorbells::taken(HwQueue& queue, D3DDDI_DOORBELLSTATUS reason) {
  adapter_.check_irql(Ddi::DxgkCbDisconnectDoorbell);
  if (reason != D3DDDI_DOORBELLSTATUS_DISCONNECTED_RETRY &&
      reason != D3DDDI_DOORBELLSTATUS_DISCONNECTED_ABORT)
    return STATUS_INVALID_PARAMETER;
  MutexScope scope(mutex_);
  cpu_.simulation().emit(event::DoorbellTaken{queue.object, reason});
  if (reason == D3DDDI_DOORBELLSTATUS_DISCONNECTED_ABORT) queue.user_doorbell->aborted = true;
  if (queue.user_doorbell->connected) lose(queue, reason);
  return STATUS_SUCCESS;
}

void Doorbells::lose(HwQueue& queue, D3DDDI_DOORBELLSTATUS reason) {
  queue.user_doorbell->connected = false;
  lead_to(queue, queue.user_doorbell->cells.address + UserDoorbell::kDummy);
  set_status(queue, reason);
}

/// A page table entry is stored after all earlier stores of the core: a thread that rings the new
/// address finds the doorbell given to its queue. On return no core uses the old translation any
/// more.
void Doorbells::lead_to(HwQueue& queue, std::uint64_t bus) {
  UserDoorbell& doorbell = *queue.user_doorbell;
  common::Steps& steps = cpu_.simulation().steps;
  if (doorbell.bus == bus) return;
  cpu_.drain_stores();
  cpu_.take_step(Operation::kWrite, Footprint().writes(Place::kRegister, doorbell.place));
  steps.touch(Place::kRegister, doorbell.place, true);
  doorbell.bus = bus;
  cpu_.simulation().emit(event::DoorbellMapped{queue.object, number_of(bus), adapter_.object()});
  cpu_.compute(kShootdown);
  steps.wait_until(doorbell.left, [&] { return doorbell.under_way == 0; });
  for (std::uint32_t core = 0; core < cpu_.core_count(); ++core) cpu_.core(core).wait_for_stores();
}

void Doorbells::set_status(const HwQueue& queue, D3DDDI_DOORBELLSTATUS status) {
  cpu_.simulation().emit(event::DoorbellStatus{queue.object, status});
  cpu_.store(queue.user_doorbell->status_bus(), status);
  cpu_.drain_stores();
}

bool Doorbells::sleep() {
  MutexScope scope(mutex_);
  const UserModeSubmissionOptions& rules = adapter_.system().doorbells;
  for (const HwQueue* queue : queues_)
    if (has_work(*queue)) return false;
  sleeping_ = true;
  if (!rules.disconnects_for_d3) return true;
  for (HwQueue* queue : queues_) {
    if (!queue->user_doorbell->connected) continue;
    asleep_.push_back(queue);
    disconnect(*queue, D3DDDI_DOORBELLSTATUS_DISCONNECTED_RETRY);
  }
  if (!rules.looks_at_last_queued) return true;
  // A thread that rang in vain and saw the old status has stored its last queued value before.
  for (const HwQueue* queue : queues_) {
    if (!has_work(*queue)) continue;
    wake_now();
    return false;
  }
  return true;
}

void Doorbells::wake() {
  MutexScope scope(mutex_);
  wake_now();
}

/// The second call makes the device read the ring again: a thread that rang the dummy page after
/// the first call and now sees "connected" does not ring again.
void Doorbells::wake_now() {
  sleeping_ = false;
  for (HwQueue* queue : asleep_) {
    if (queue->user_doorbell->aborted || queue->user_doorbell->connected) continue;
    connect_now(*queue);
    if (adapter_.system().doorbells.connects_again) connect_now(*queue);
  }
  asleep_.clear();
}

/// True if the queue has work, as far as the OS knows. It knows only for queues with a progress
/// fence.
bool Doorbells::has_work(const HwQueue& queue) {
  const UserDoorbell& doorbell = *queue.user_doorbell;
  if (doorbell.progress_bus == 0 || doorbell.aborted) return false;
  const std::uint64_t queued = cpu_.load(doorbell.last_queued_bus());
  return adapter_.port().read_value(to_kernel_address(doorbell.progress_bus), Operation::kReadValue,
                                    event::Reader::kOther) < queued;
}

void Doorbells::ring(const HwQueue& queue, std::uint64_t value) {
  UserDoorbell& doorbell = *queue.user_doorbell;
  common::Simulation& simulation = cpu_.simulation();
  host::Core& here = cpu_.core();
  cpu_.compute(here.config().mmio_write);
  cpu_.take_step(Operation::kDoorbell, Footprint().reads(Place::kRegister, doorbell.place));
  simulation.steps.touch(Place::kRegister, doorbell.place, false);
  simulation.steps.observe(doorbell.bus);
  simulation.emit(
      event::DoorbellRung{queue.object, value, number_of(doorbell.bus), adapter_.object()});
  auto store =
      simulation.transactions.lend(tlm::TLM_WRITE_COMMAND, doorbell.bus, &value, sizeof value);
  store->attributes.posted = doorbell.bus >= top::Gpu::bus_base(0);
  ++doorbell.under_way;
  here.access(store, Operation::kIdle);
  simulation.steps.touch(Place::kRegister, doorbell.place, true);
  --doorbell.under_way;
  doorbell.left.open();
}

std::uint64_t Doorbells::number_of(std::uint64_t bus) const {
  const std::uint64_t offset = bus - adapter_.gpu().bars().doorbells;
  return offset < abi::kPeerPage ? offset / abi::kDoorbellStride + 1 : 0;
}

NTSTATUS disconnect_doorbell(const DXGKARGCB_DISCONNECTDOORBELL& args) {
  auto* queue = static_cast<HwQueue*>(args.hHwQueue);
  if (queue == nullptr || args.hDoorbell != queue || queue->user_doorbell == nullptr)
    return STATUS_INVALID_PARAMETER;
  return queue->user_doorbell->of.taken(*queue, args.DisconnectReason);
}

}  // namespace fenceline::os
