#include "tb/os/vidmm/address_space.h"

#include <algorithm>
#include <vector>

#include "models/top/gpu.h"
#include "tb/os/allocations/allocation.h"

namespace fenceline::os {

std::uint64_t Backing::bus_address(const top::Gpu& gpu) const {
  return vram ? gpu.bars().vram + address : address;
}

/// The driver must not fail here: the OS already treats the memory as mapped.
void AddressSpace::build(DXGKARG_BUILDPAGINGBUFFER& args) {
  const NTSTATUS status = adapter_.call<Ddi::DxgkDdiBuildPagingBuffer>(adapter_.handle(), &args);
  adapter_.must_succeed(status, Ddi::DxgkDdiBuildPagingBuffer, VIDEO_MEMORY_MANAGEMENT_INTERNAL,
                        fenceline::wddm::kMemoryPagingBufferStatus);
}

void AddressSpace::create(bool system) {
  system_ = system;
  DXGKARG_CREATEPROCESS process{};
  process.hDxgkProcess = this;
  process.Flags.Value = system ? DXGK_CREATEPROCESSFLAGS::kSystemProcess : 0;
  adapter_.require(adapter_.call<Ddi::DxgkDdiCreateProcess>(adapter_.handle(), &process),
                   "DxgkDdiCreateProcess");
  process_ = process.hKmdProcess;

  DXGKARG_CREATEDEVICE device{};
  device.hDevice = this;
  device.Flags.Value = system ? DXGK_CREATEDEVICEFLAGS::kSystemDevice : 0;
  device.hKmdProcess = process_;
  adapter_.require(adapter_.call<Ddi::DxgkDdiCreateDevice>(adapter_.handle(), &device),
                   "DxgkDdiCreateDevice");
  device_ = device.hDevice;

  DXGKARG_CREATECONTEXT context{};
  context.hContext = this;
  context.EngineAffinity = 1;
  context.Flags.Value = DXGK_CREATECONTEXTFLAGS::kVirtualAddressing |
                        (system ? DXGK_CREATECONTEXTFLAGS::kSystemContext : 0U);
  adapter_.require(adapter_.call<Ddi::DxgkDdiCreateContext>(device_, &context),
                   "DxgkDdiCreateContext");
  context_ = context.hContext;
  uses_iommu_ = !system && (context.ContextInfo.Caps.Value & DXGK_CONTEXTINFO_CAPS::kUseIoMmu) != 0;

  root_ = new_table();
  DXGKARG_SETROOTPAGETABLE root{};
  root.hContext = context_;
  root.Address.SegmentId = kVramSegment;
  root.Address.SegmentOffset = root_ - adapter_.vram_segment_base();
  root.NumEntries = abi::kPageTableEntries;
  adapter_.call<Ddi::DxgkDdiSetRootPageTable>(adapter_.handle(), &root);
}

std::uint64_t AddressSpace::new_table() {
  const std::uint64_t table = vram_pages_.allocate(abi::kPageBytes);
  adapter_.map_for_kernel(table, abi::kPageBytes);
  return table;
}

/// VRAM offset of the table of `level` that covers `address`; creates it if it is missing.
std::uint64_t AddressSpace::table_for(std::uint64_t address, std::uint32_t level) {
  if (level == abi::kPageTableLevels - 1) return root_;
  const std::uint64_t prefix = address >> (abi::kPageBits + (level + 1) * abi::kPageTableIndexBits);
  const auto [it, fresh] = tables_.try_emplace({level, prefix});
  if (!fresh) return linked(it->second);
  const std::uint64_t table = it->second.offset = new_table();
  DXGK_PTE entry{};
  entry.Flags = DXGK_PTE::kValid | static_cast<UINT64>(kVramSegment) << DXGK_PTE::kSegmentShift;
  entry.PageTableAddress = (table - adapter_.vram_segment_base()) >> abi::kPageBits;
  write_entries(table_for(address, level + 1), level + 1,
                static_cast<UINT>(abi::page_table_index(address, level + 1)), &entry, 1);
  it->second.linked = true;
  if (newly_linked_ != nullptr) newly_linked_->set();
  return table;
}

/// Waits until the thread that creates the table has linked it to the one above.
std::uint64_t AddressSpace::linked(const Table& table) {
  while (!table.linked) {
    if (newly_linked_ == nullptr)
      newly_linked_ = std::make_unique<KernelEvent>(adapter_.cpu().simulation().steps);
    newly_linked_->clear();
    adapter_.cpu().block(*newly_linked_, nullptr);
  }
  return table.offset;
}

void AddressSpace::write_entries(std::uint64_t table, std::uint32_t level, UINT first,
                                 DXGK_PTE* entries, UINT count) {
  DXGKARG_BUILDPAGINGBUFFER args{};
  args.Operation = DXGK_OPERATION_UPDATE_PAGE_TABLE;
  auto& update = args.UpdatePageTable;
  update.PageTableLevel = level;
  update.PageTableAddress.CpuVirtual =
      adapter_.driver_port().give(adapter_.gpu().bars().vram + table, kPage);
  update.pPageTableEntries = entries;
  update.StartIndex = first;
  update.NumPageTableEntries = count;
  update.hProcess = process_;
  update.UpdateMode = DXGK_PAGETABLEUPDATE_CPU_VIRTUAL;
  build(args);
}

/// Takes addresses for `pages` pages, outside the range reserved for fences.
std::uint64_t AddressSpace::take(std::uint64_t pages) {
  if (pages == 1 && !returned_.empty()) {
    const std::uint64_t again = returned_.back();
    returned_.pop_back();
    return again;
  }
  const std::uint64_t bytes = pages * abi::kPageBytes;
  if (next_ < end_kept_ && next_ + bytes > kept_) next_ = end_kept_;
  const std::uint64_t start = next_;
  next_ += bytes;
  if (next_ >> abi::kVirtualAddressBits != 0)
    throw std::runtime_error("a GPU virtual address space is used up");
  return start;
}

void AddressSpace::give_back(D3DGPU_VIRTUAL_ADDRESS address) {
  const std::uint64_t page = page_of(address);
  (page >= kept_ && page < end_kept_ ? returned_kept_ : returned_).push_back(page);
}

D3DGPU_VIRTUAL_ADDRESS AddressSpace::map(const Backing& backing, bool writable) {
  const std::uint64_t pages = (backing.bytes + abi::kPageBytes - 1) / abi::kPageBytes;
  const std::uint64_t start = take(pages);
  map_at(start, backing, writable);
  return start;
}

D3DGPU_VIRTUAL_ADDRESS AddressSpace::map_between(const Backing& backing, bool writable,
                                                 std::uint64_t lowest, std::uint64_t highest,
                                                 bool mapped) {
  const std::uint64_t pages = (backing.bytes + abi::kPageBytes - 1) / abi::kPageBytes;
  std::uint64_t start = 0;
  if (lowest == 0 && highest == 0) {
    start = take(pages);
  } else if (pages == 1 && !returned_kept_.empty()) {
    start = returned_kept_.back();
    returned_kept_.pop_back();
  } else {
    if (end_kept_ == 0) {
      kept_ = std::max<std::uint64_t>(lowest + abi::kPageBytes - 1, next_) & ~(abi::kPageBytes - 1);
      next_kept_ = kept_;
      end_kept_ = highest == 0 ? 1ULL << abi::kVirtualAddressBits : highest + 1;
    }
    start = next_kept_;
    next_kept_ += pages * abi::kPageBytes;
    if (next_kept_ > end_kept_)
      throw std::runtime_error("no address is left between the bounds of the native fence caps");
  }
  if (mapped) map_at(start, backing, writable);
  return start;
}

void AddressSpace::map_pages(D3DGPU_VIRTUAL_ADDRESS start, const std::vector<std::uint64_t>& pages,
                             bool vram, bool writable) {
  const UINT64 segment = vram ? kVramSegment : kSystemSegment;
  const std::uint64_t base = vram ? adapter_.vram_segment_base() : 0;
  std::vector<DXGK_PTE> entries(pages.size());
  for (std::size_t i = 0; i < pages.size(); ++i) {
    entries[i].Flags = DXGK_PTE::kValid | segment << DXGK_PTE::kSegmentShift |
                       (writable ? 0 : DXGK_PTE::kReadOnly);
    entries[i].PageAddress = (pages[i] - base) / abi::kPageBytes;
  }
  write_range(start, entries);
}

void AddressSpace::unmap_pages(D3DGPU_VIRTUAL_ADDRESS start, std::uint64_t pages) {
  std::vector<DXGK_PTE> entries(pages);
  write_range(start, entries);
}

/// Writes leaf entries for whole pages, table by table.
void AddressSpace::write_range(std::uint64_t start, std::vector<DXGK_PTE>& entries) {
  const Adapter::VramUse use(adapter_);
  for (std::uint64_t page = 0; page < entries.size();) {
    const std::uint64_t address = start + page * abi::kPageBytes;
    const std::uint64_t index = abi::page_table_index(address, 0);
    const auto count = static_cast<UINT>(
        std::min<std::uint64_t>(entries.size() - page, abi::kPageTableEntries - index));
    write_entries(table_for(address, 0), 0, static_cast<UINT>(index), &entries[page], count);
    page += count;
  }
}

void AddressSpace::flush_tlb() {
  if (!adapter_.system().flushes_tlb) return;
  DXGKARG_BUILDPAGINGBUFFER args{};
  args.Operation = DXGK_OPERATION_FLUSH_TLB;
  args.FlushTlb = {};
  args.FlushTlb.RootPageTableAddress = {kVramSegment, 0, root_ - adapter_.vram_segment_base()};
  args.FlushTlb.hProcess = process_;
  build(args);
}

void AddressSpace::map_at(std::uint64_t start, const Backing& backing, bool writable) {
  std::vector<std::uint64_t> pages((backing.bytes + abi::kPageBytes - 1) / abi::kPageBytes);
  for (std::size_t i = 0; i < pages.size(); ++i) pages[i] = backing.address + i * abi::kPageBytes;
  map_pages(start, pages, backing.vram, writable);
}

}  // namespace fenceline::os
