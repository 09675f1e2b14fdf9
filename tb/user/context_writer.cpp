#include "tb/user/context_writer.h"

#include <utility>

#include "models/abi/mutant.h"
#include "models/abi/private_data.h"

namespace fenceline::user {

namespace {
constexpr std::uint64_t kBufferBytes = 65536;  ///< per DMA buffer
constexpr std::uint64_t kTail = 64;            ///< reserved for the end of a submission
}  // namespace

void store_bytes(os::Kernel& kernel, std::uint64_t address, const void* data, std::uint64_t bytes) {
  constexpr std::uint64_t kPiece = 4096;
  const auto* from = static_cast<const unsigned char*>(data);
  for (std::uint64_t done = 0; done < bytes; done += kPiece)
    kernel.cpu().store_lines(address + done, from + done, std::min(kPiece, bytes - done));
}

NTSTATUS ContextWriter::create(const std::string& name, UINT node) {
  D3DKMT_CREATECONTEXTVIRTUAL args{};
  args.hDevice = process_.device();
  args.NodeOrdinal = node;
  const os::WithOptions named(kernel_.system.threads, {name});
  const NTSTATUS status = kernel_.contexts.D3DKMTCreateContextVirtual(process_, args);
  if (NT_SUCCESS(status)) created(name, node, args.hContext);
  return status;
}

void ContextWriter::created(const std::string& name, UINT node, D3DKMT_HANDLE handle) {
  handle_ = handle;
  name_ = name;
  object_ = process_.context(handle_)->object;
  const abi::AdapterPrivateData caps = kernel_.adapters.user_driver_data(process_);
  writes_fences_ = (caps.fence_writers >> node & 1U) != 0;
  notifies_ = (caps.fence_notifiers >> node & 1U) != 0;
}

NTSTATUS ContextWriter::set_priority(INT priority) {
  return kernel_.contexts.D3DKMTSetContextSchedulingPriority(process_, {handle_, priority});
}

/// Adds a native-fence wait or signal that the engine executes itself.
void ContextWriter::add_fence_packet(abi::Opcode opcode, const UserFence& fence,
                                     std::uint64_t value) {
  if (const auto packet = fence_packet(opcode, fence, value)) add_bytes(&*packet, sizeof *packet);
}

void ContextWriter::signal(const UserFence& fence, std::uint64_t value) {
  if (!fence.monitored) return add_fence_packet(abi::Opcode::kSignal, fence, value);
  if (!writes_fences_ || fence.current_value == 0) {
    submit();
    note(software_signal(fence, value));
    return;
  }
  if (process_.sync_object(fence.handle) == nullptr) {
    named_ = STATUS_INVALID_HANDLE;
    return;
  }
  packet(fence_write(fence, value));
}

abi::FenceWritePacket ContextWriter::fence_write(const UserFence& fence,
                                                 std::uint64_t value) const {
  const auto flags = static_cast<std::uint16_t>((notifies_ ? abi::kNotify : 0) |
                                                (fence.narrow ? abi::kNarrow : 0));
  return abi::make_packet<abi::Opcode::kFenceWrite>(flags, fence.current_value, value);
}

NTSTATUS ContextWriter::track_usage() {
  D3DKMT_CREATESYNCHRONIZATIONOBJECT2 args{};
  args.hDevice = process_.device();
  args.Info.Type = D3DDDI_MONITORED_FENCE;
  const os::WithOptions named(kernel_.system.threads, {name_ + ".usage"});
  const NTSTATUS status = kernel_.sync_objects.D3DKMTCreateSynchronizationObject2(process_, args);
  if (!NT_SUCCESS(status)) return status;
  usage_.handle = args.hSyncObject;
  usage_.current_value = args.Info.MonitoredFence.FenceValueGPUVirtualAddress;
  usage_.current_value_cpu = args.Info.MonitoredFence.FenceValueCPUVirtualAddress;
  usage_.monitored = true;
  usage_.narrow = process_.sync_object(usage_.handle)->fence->narrow;
  // Mapping a DMA buffer includes a barrier, which would hide a missing store fence.
  const host::Core& core = kernel_.cpu().core();
  const bool barriers =
      core.config().write_combining.order == host::CombiningOrder::kBarriers || !fences_;
  if (core.combines() && barriers)
    for (std::size_t i = 0; i < kBuffers; ++i) store_pending();
  return status;
}

std::uint64_t ContextWriter::completed_value() const {
  const os::SyncObject& object = *process_.sync_object(usage_.handle);
  return kernel_.user_access.read_value(process_, *object.fence, usage_.current_value_cpu);
}

NTSTATUS ContextWriter::software_signal(const UserFence& fence, std::uint64_t value) {
  D3DKMT_SIGNALSYNCHRONIZATIONOBJECTFROMGPU args{};
  args.hContext = handle_;
  args.ObjectCount = 1;
  args.ObjectHandleArray = &fence.handle;
  args.MonitoredFenceValueArray = &value;
  return kernel_.contexts.D3DKMTSignalSynchronizationObjectFromGpu(process_, args);
}

void ContextWriter::wait(const UserFence& fence, std::uint64_t value) {
  if (!fence.monitored) return add_fence_packet(abi::Opcode::kWait, fence, value);
  if (!abi::mutant(abi::Mutant::kWaitsUnsubmitted)) submit();
  note(software_wait(fence, value));
}

NTSTATUS ContextWriter::software_wait(const UserFence& fence, std::uint64_t value) {
  D3DKMT_WAITFORSYNCHRONIZATIONOBJECTFROMGPU args{};
  args.hContext = handle_;
  args.ObjectCount = 1;
  args.ObjectHandleArray = &fence.handle;
  args.MonitoredFenceValueArray = &value;
  return kernel_.contexts.D3DKMTWaitForSynchronizationObjectFromGpu(process_, args);
}

void ContextWriter::list(D3DKMT_HANDLE allocation, bool writes) {
  const UINT flags = writes ? D3DDDI_ALLOCATIONLIST::kWriteOperation : 0;
  for (D3DDDI_ALLOCATIONLIST& known : listed_)
    if (known.hAllocation == allocation) {
      known.Value |= flags;
      return;
    }
  listed_.push_back({allocation, flags});
}

void ContextWriter::add_bytes(const void* data, std::uint64_t bytes) {
  if (pending_.size() + bytes > kBufferBytes - kTail) submit();
  const auto* first = static_cast<const unsigned char*>(data);
  append(first, bytes);
}

void ContextWriter::append(const unsigned char* first, std::uint64_t bytes) {
  pending_.insert(pending_.end(), first, first + bytes);
  report_recorded(first, bytes, 0);
}

void ContextWriter::submit() {
  if (pending_.empty()) return;
  const bool counted = tracks_usage();
  lock_.before_read();
  const std::uint64_t value = usage_value_ + 1;
  if (counted) usage_value_ = value;
  if (writes_usage()) {
    const abi::FenceWritePacket packet = fence_write(usage_, value);
    append(reinterpret_cast<const unsigned char*>(&packet), sizeof packet);
  }
  const auto bytes = static_cast<UINT>(pending_.size());
  submit_range(store_pending(), bytes);
  if (counted && !writes_usage()) note(software_signal(usage_, value));
}

D3DGPU_VIRTUAL_ADDRESS ContextWriter::store_pending() {
  lock_.before_read();
  std::vector<unsigned char> bytes = std::exchange(pending_, {});
  const std::size_t at = next_;
  Buffer& buffer = buffers_[at];
  if (buffer.address == 0) {
    buffer.backing = kernel_.fixed_memory.allocate(process_, kBufferBytes, common::Home::kSysmem);
    buffer.address = process_.space->map(buffer.backing, true);
  }
  store_bytes(kernel_, buffer.backing.address, bytes.data(), bytes.size());
  lock_.before_write();
  next_ = abi::mutant(abi::Mutant::kBufferReused) ? at : (at + 1) % kBuffers;
  if (!pending_.empty()) return buffer.address;
  bytes.clear();
  pending_ = std::move(bytes);  // keep the memory for the next submission
  return buffer.address;
}

/// Stores through write-combined mappings must be visible before the submission.
void ContextWriter::submit_range(D3DGPU_VIRTUAL_ADDRESS address, UINT bytes) {
  if (fences_) kernel_.cpu().store_fence();
  D3DKMT_SUBMITCOMMAND args{};
  args.Commands = address;
  args.CommandLength = bytes;
  args.BroadcastContextCount = 1;
  args.BroadcastContext[0] = handle_;
  os::CallOptions options;
  options.used = std::exchange(listed_, {});
  const os::WithOptions scope(kernel_.system.threads, std::move(options));
  note(kernel_.contexts.D3DKMTSubmitCommand(process_, args));
}

std::uint64_t ContextWriter::drop() {
  pending_.clear();
  listed_.clear();
  return 0;
}

std::uint64_t ContextWriter::state_hash() const {
  return common::hash_values(pending_.size(), usage_value_, next_, listed_.size(),
                             static_cast<std::uint64_t>(failed_));
}

}  // namespace fenceline::user
