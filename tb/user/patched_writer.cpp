#include "tb/user/patched_writer.h"

#include <cstddef>
#include <stdexcept>
#include <utility>

namespace fenceline::user {

namespace {
constexpr std::uint64_t kMaxCommands =
    16 * 1024;  ///< [bytes] leaves room for commands of the driver
constexpr UINT kNoSlot = D3DDDI_PATCHLOCATIONLIST::kNoSlot;
}  // namespace

NTSTATUS PatchedWriter::create(const std::string& name, UINT node) {
  D3DKMT_CREATECONTEXT args{};
  args.hDevice = process_.device();
  args.NodeOrdinal = node;
  const os::WithOptions named(kernel_.system.threads, {name});
  const NTSTATUS status = kernel_.contexts.D3DKMTCreateContext(process_, args);
  if (!NT_SUCCESS(status)) return status;
  created(name, node, args.hContext);
  patches_ = args.NoPatchingRequired == FALSE;
  if (!patches_) return status;
  // A fence cannot be in an allocation list.
  writes_fences_ = false;
  flags_ = abi::kBound;
  return status;
}

D3DGPU_VIRTUAL_ADDRESS PatchedWriter::bind(const os::Backing& backing,
                                           D3DGPU_VIRTUAL_ADDRESS address) {
  if (!patches_) return address;
  UINT index = 0;
  while (index < allocations_.size() && allocations_[index].address != backing.address) ++index;
  for (UINT slot = 0; slot < slots_.size(); ++slot)
    if (slots_[slot] == index + 1) return abi::bound_address(slot, 0);
  const UINT slot = next_slot_;
  next_slot_ = (next_slot_ + 1) % abi::kBindingSlots;
  if (index == allocations_.size()) allocations_.push_back(backing);
  slots_[slot] = index + 1;
  const auto at = static_cast<UINT>(pending_.size());
  packet(abi::make_packet<abi::Opcode::kBind>(0, slot, 0U, 0U, backing.bytes));
  locations_.push_back(
      {index + 1, slot, 0, 0, at + static_cast<UINT>(offsetof(abi::BindPacket, address)), 0});
  return abi::bound_address(slot, 0);
}

void PatchedWriter::split() {
  const auto at = static_cast<UINT>(pending_.size());
  locations_.push_back({0, kNoSlot, 0, 0, 0, at});
}

void PatchedWriter::also(os::Process& process, D3DKMT_HANDLE context,
                         std::vector<os::Backing> allocations) {
  others_.push_back({&process, context, std::move(allocations)});
}

void PatchedWriter::add_bytes(const void* data, std::uint64_t bytes) {
  if (pending_.size() + bytes > kMaxCommands)
    throw std::runtime_error("what is recorded for a context that is patched is too long");
  ContextWriter::add_bytes(data, bytes);
}

void PatchedWriter::submit() {
  if (pending_.empty()) {
    locations_.clear();
    return;
  }
  if (!patches_) return submit_virtual();
  // Remove splits at the end: no commands follow them.
  while (!locations_.empty() && locations_.back().SplitOffset == pending_.size())
    locations_.pop_back();
  os::RenderRequest request;
  request.commands = std::move(pending_);
  request.locations = std::move(locations_);
  request.targets.push_back({&process_, handle_, std::move(allocations_)});
  for (os::RenderRequest::Target& other : others_) request.targets.push_back(std::move(other));
  PatchedWriter::drop();
  note(kernel_.renders.D3DKMTRender(request));
}

std::uint64_t PatchedWriter::drop() {
  locations_.clear();
  allocations_.clear();
  others_.clear();
  slots_ = {};
  next_slot_ = 0;
  return ContextWriter::drop();
}

/// Submits a buffer in parts that need no patching.
void PatchedWriter::submit_virtual() {
  std::vector<UINT> ends;
  for (const D3DDDI_PATCHLOCATIONLIST& location : locations_)
    if (location.SplitOffset != 0) ends.push_back(location.SplitOffset);
  ends.push_back(static_cast<UINT>(pending_.size()));
  locations_.clear();
  const D3DGPU_VIRTUAL_ADDRESS buffer = store_pending();
  UINT start = 0;
  for (const UINT end : ends) {
    if (end > start) submit_range(buffer + start, end - start);
    start = end;
  }
}

}  // namespace fenceline::user
