#include "tb/user/queue_writer.h"

#include <algorithm>
#include <cstring>
#include <stdexcept>
#include <utility>

#include "models/abi/mutant.h"
#include "models/abi/private_data.h"

namespace fenceline::user {

using common::Operation;

namespace {
constexpr std::uint64_t kFlushBytes = 4096;  ///< written to the ring in one piece
}  // namespace

NTSTATUS QueueWriter::create(const std::string& name, D3DKMT_HANDLE context,
                             std::uint64_t ring_bytes, UINT log_entries, bool progress_fence) {
  ring_ = kernel_.fixed_memory.allocate(process_, ring_bytes, common::Home::kSysmem);
  read_pointer_ = kernel_.fixed_memory.allocate(process_, 4096, common::Home::kSysmem);
  abi::QueuePrivateData data{};
  data.ring_address = kernel_.fixed_memory.share(process_, ring_);
  data.ring_bytes = ring_bytes;
  data.read_pointer_address = kernel_.fixed_memory.share(process_, read_pointer_);
  if (kernel_.adapter(process_.adapter).shares_doorbells())
    data.write_pointer_address = data.read_pointer_address + kWritePointer;
  D3DKMT_CREATEHWQUEUE args{};
  args.hHwContext = context;
  if (progress_fence) args.Flags.Value = D3DDDI_CREATEHWQUEUEFLAGS::kNativeProgressFence;
  if (no_timeout_) args.Flags.Value |= D3DDDI_CREATEHWQUEUEFLAGS::kDisableGpuTimeout;
  args.PrivateDriverDataSize = sizeof data;
  args.pPrivateDriverData = &data;
  os::CallOptions options{name};
  options.log_entries = log_entries;
  const os::WithOptions scope(kernel_.system.threads, std::move(options));
  const NTSTATUS status = kernel_.queues.D3DKMTCreateHwQueue(process_, args);
  if (!NT_SUCCESS(status)) return status;
  handle_ = args.hHwQueue;
  object_ = process_.queue(handle_).object;
  logs_ = log_entries != 0;
  if (progress_fence)
    progress_ = {args.hHwQueueProgressFence, data.progress_slot,
                 args.HwQueueProgressFenceGPUVirtualAddress,
                 args.HwQueueProgressFenceCPUVirtualAddress};
  return status;
}

NTSTATUS QueueWriter::set_log_buffers(UINT entries) {
  const Submission alone(*this);  // no other thread may record entries of the old buffers
  return kernel_.log_buffers.set(process_, handle_, entries);
}

/// Another thread may ring in vain and see the new status afterwards: nobody would ring again.
NTSTATUS QueueWriter::connect_doorbell() {
  const Submission alone(*this);
  return kernel_.queues.D3DKMTConnectDoorbell(process_, {handle_, {}});
}

void QueueWriter::signal(const UserFence& fence, std::uint64_t value) {
  add_fence_packet(abi::Opcode::kSignal, fence, value);
}

void QueueWriter::wait(const UserFence& fence, std::uint64_t value) {
  add_fence_packet(abi::Opcode::kWait, fence, value);
}

void QueueWriter::add_fence_packet(abi::Opcode opcode, const UserFence& fence,
                                   std::uint64_t value) {
  const bool logged = logs_ && (!fence.traced || kernel_.traces.verbose());
  const std::optional<abi::FencePacket> packet = fence_packet(opcode, fence, value);
  if (!packet) return;
  struct {
    abi::FencePacket fence;
    abi::LogPacket log;
  } packets{*packet, {}};
  if (!logged) return add_bytes(&packets.fence, sizeof packets.fence);
  packets.fence.header.flags = abi::kLogFollows;
  packets.log.header = {abi::Opcode::kLog, fence.traced ? abi::kVerboseLog : std::uint16_t{0},
                        sizeof(abi::LogPacket)};
  packets.log.native_fence = fence.handle;
  packets.log.fence_value = value;
  packets.log.operation_type = opcode == abi::Opcode::kSignal ? 0 : 1;
  add_bytes(&packets, sizeof packets);
}

/// Appends one command. Packets never wrap: a NOP fills the end of the ring.
void QueueWriter::add_bytes(const void* data, std::uint64_t bytes) {
  const std::uint64_t position = (written_ + pending_.size()) & (ring_.bytes - 1);
  if (position + bytes > ring_.bytes) {
    const auto fill = static_cast<std::uint32_t>(ring_.bytes - position);
    const std::uint32_t missing = fill > 8 && abi::mutant(abi::Mutant::kNopTooShort) ? 8 : 0;
    const abi::PacketHeader nop{abi::Opcode::kNop, 0, fill - missing};
    const std::size_t at = pending_.size();
    pending_.resize(at + fill);
    std::memcpy(pending_.data() + at, &nop, sizeof nop);
  }
  const auto* first = static_cast<const unsigned char*>(data);
  pending_.insert(pending_.end(), first, first + bytes);
  report_recorded(data, bytes, written_ + pending_.size());
  if (pending_.size() >= std::min<std::uint64_t>(kFlushBytes, ring_.bytes / 2)) flush_to_ring();
}

void QueueWriter::flush_to_ring() {
  wait_for_room(pending_.size());
  if (!NT_SUCCESS(last_status_)) return pending_.clear();
  lock_.before_read();
  std::vector<unsigned char> bytes = std::exchange(pending_, {});
  const std::uint64_t start = written_;
  for (std::uint64_t done = 0; done < bytes.size();) {
    const std::uint64_t position = (start + done) & (ring_.bytes - 1);
    const std::uint64_t piece =
        std::min<std::uint64_t>(bytes.size() - done, ring_.bytes - position);
    kernel_.cpu().store_lines(ring_.address + position, bytes.data() + done, piece);
    done += piece;
  }
  lock_.before_write();
  written_ = start + bytes.size();
  if (!pending_.empty()) return;
  bytes.clear();
  pending_ = std::move(bytes);  // keep the memory for the next submission
}

void QueueWriter::wait_for_room(std::uint64_t bytes) {
  if (abi::mutant(abi::Mutant::kRingRoomIgnored)) bytes = 0;
  if (written_ + bytes - read_ <= ring_.bytes) return;
  if (announced_ != written_) announce();
  os::Cpu& cpu = kernel_.cpu();
  while (NT_SUCCESS(last_status_)) {
    auto load = kernel_.simulation().transactions.lend(tlm::TLM_READ_COMMAND, read_pointer_.address,
                                                       &read_, sizeof read_);
    cpu.core().access(load, Operation::kRead);
    if (written_ + bytes - read_ <= ring_.bytes) return;
    cpu.pause(cpu.core().config().ring_poll_interval);
    check_lost();
  }
}

/// Checks whether the queue is lost: then its ring never becomes free. A shared doorbell shows this
/// in its status, or that it has to be connected and rung again. Without one the driver asks for
/// the device state. Source: WDDM, D3DKMTGetDeviceState.
void QueueWriter::check_lost() {
  const os::HwQueue& queue = process_.queue(handle_);
  if (queue.user_doorbell == nullptr) {
    if (process_.in_error) last_status_ = STATUS_DEVICE_REMOVED;
    return;
  }
  if (ordering_.read_status == ReadStatus::kNever) return;
  const std::uint64_t status = read_status(queue);
  if (status == D3DDDI_DOORBELLSTATUS_DISCONNECTED_ABORT) last_status_ = STATUS_DEVICE_REMOVED;
  // It rang before the status changed, and the device may not have seen all of the ring.
  if (status == D3DDDI_DOORBELLSTATUS_DISCONNECTED_RETRY && follow_status(queue))
    announce_shared(queue);
}

void QueueWriter::ring_doorbell() {
  os::Cpu& cpu = kernel_.cpu();
  std::uint64_t value = announced_ = written_;
  cpu.drain_stores();  // the packets must be visible before the doorbell
  auto store = kernel_.simulation().transactions.lend(
      tlm::TLM_WRITE_COMMAND, process_.queue(handle_).doorbell_bus, &value, sizeof value);
  store->attributes.posted = true;
  cpu.compute(cpu.core().config().mmio_write);
  cpu.core().access(store, Operation::kDoorbell);
}

/// Passes the write pointer to the GPU.
void QueueWriter::announce() {
  const os::HwQueue& queue = process_.queue(handle_);
  if (queue.user_doorbell == nullptr) return ring_doorbell();
  announced_ = written_;
  announce_shared(queue);
}

/// Stores the write pointer in memory before it rings the doorbell, because the ring may be in
/// vain. Reads the doorbell status after that.
void QueueWriter::announce_shared(const os::HwQueue& queue) {
  // The device may look at the write pointer at any time. Other hosts keep the stores in order.
  if (kernel_.cpu().core().config().memory_model == host::MemoryModel::kWeak)
    kernel_.cpu().drain_stores();
  store_word(read_pointer_.address + kWritePointer, written_);
  common::Steps& steps = kernel_.simulation().steps;
  for (bool again = true; again;) {
    // From here on the behaviour depends only on the observed values.
    steps.forget();
    steps.observe(common::hash_values(announced_, read_, pending_.size(), 1));
    kernel_.cpu().drain_stores();
    if (ordering_.read_status == ReadStatus::kBefore) follow_status(queue);
    queue.user_doorbell->of.ring(queue, announced_);
    again = ordering_.read_status == ReadStatus::kAfter && follow_status(queue);
  }
}

/// Reads the status of the doorbell and acts on it. True if the doorbell must be rung again.
bool QueueWriter::follow_status(const os::HwQueue& queue) {
  const std::uint64_t status = read_status(queue);
  if (status == D3DDDI_DOORBELLSTATUS_CONNECTED) return false;
  kernel_.simulation().emit(event::DoorbellAnswer{queue.object, status});
  if (status == D3DDDI_DOORBELLSTATUS_CONNECTED_NOTIFY_KMD) {
    last_status_ = kernel_.queues.D3DKMTNotifyWorkSubmission(process_, {handle_, {}});
    return false;
  }
  last_status_ = status == D3DDDI_DOORBELLSTATUS_DISCONNECTED_RETRY
                     ? kernel_.queues.D3DKMTConnectDoorbell(process_, {handle_, {}})
                     : STATUS_DEVICE_REMOVED;
  if (!NT_SUCCESS(last_status_)) return false;
  if (writes_status_)
    store_word(queue.user_doorbell->status_bus(), D3DDDI_DOORBELLSTATUS_CONNECTED);
  return ordering_.ring_again;
}

std::uint64_t QueueWriter::read_status(const os::HwQueue& queue) {
  return kernel_.cpu().load(queue.user_doorbell->status_bus());
}

/// Stores 64 bits that other agents read.
void QueueWriter::store_word(std::uint64_t bus, std::uint64_t value) {
  os::Cpu& cpu = kernel_.cpu();
  cpu.compute(cpu.core().config().store);
  cpu.store(bus, value);
}

/// The last command of a submission signals its completion. The value is reported before: when it
/// is reached, all work of the submission is done.
void QueueWriter::submit() {
  if (!NT_SUCCESS(last_status_)) return pending_.clear();
  lock_.before_read();
  const std::uint64_t number = submissions_ + 1;
  lock_.before_write();
  submissions_ = number;
  if (progress_.handle != 0) signal(progress_, number);
  const os::HwQueue& queue = process_.queue(handle_);
  if (queue.user_doorbell != nullptr) store_word(queue.user_doorbell->last_queued_bus(), number);
  const bool early = abi::mutant(abi::Mutant::kAnnouncedUnwritten);
  if (early && announced_ != written_) announce();
  if (!pending_.empty()) flush_to_ring();
  if (!early && announced_ != written_) announce();
}

std::uint64_t QueueWriter::drop() {
  pending_.clear();
  return written_;
}

std::uint64_t QueueWriter::state_hash() const {
  return common::hash_values(written_, read_, announced_, submissions_, pending_.size(),
                             static_cast<std::uint64_t>(last_status_));
}

}  // namespace fenceline::user
