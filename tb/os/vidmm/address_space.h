#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <vector>

#include "models/abi/page_table.h"
#include "tb/os/driver/adapter.h"

namespace fenceline::os {

/// Memory that GPU and CPU can reach: one physical range.
struct Backing {
  bool vram = false;
  std::uint64_t address = 0;  ///< VRAM offset, or host physical
  std::uint64_t bytes = 0;

  /// As page tables and watches name it.
  std::uint64_t gpu_physical() const { return vram ? address : address | abi::kSystemMemoryBit; }
  /// As the CPU reaches it.
  std::uint64_t bus_address(const top::Gpu& gpu) const {
    return vram ? gpu.bars().vram + address : address;
  }
};

/// The GPU address space of one process on one adapter: VidMm's part of it. Page tables are in
/// VRAM and written by the driver (DxgkDdiBuildPagingBuffer, UPDATE_PAGE_TABLE by the CPU).
class AddressSpace {
 public:
  /// @param vram_pages of the adapter; page tables come from it.
  AddressSpace(Adapter& adapter, PagePool& vram_pages)
      : adapter_(adapter), vram_pages_(vram_pages) {}

  /// Creates process, device and root page table at the driver. @param system the paging process.
  void create(bool system);
  /// Maps whole pages at a fresh GPU virtual address, which it returns.
  D3DGPU_VIRTUAL_ADDRESS map(const Backing& backing, bool writable);
  /// The same at an address from `lowest` to `highest`, inclusive; 0 is no bound. All calls give
  /// the same bounds. @param mapped false: the address is taken and nothing is mapped there.
  D3DGPU_VIRTUAL_ADDRESS map_between(const Backing& backing, bool writable, std::uint64_t lowest,
                                     std::uint64_t highest, bool mapped);
  /// Takes addresses for so many pages; nothing is mapped there.
  D3DGPU_VIRTUAL_ADDRESS reserve(std::uint64_t pages) { return take(pages); }
  /// Maps pages that lie anywhere, from an address that was taken on. @param pages VRAM offsets, or
  /// host physical addresses.
  void map_pages(D3DGPU_VIRTUAL_ADDRESS start, const std::vector<std::uint64_t>& pages, bool vram);
  void unmap_pages(D3DGPU_VIRTUAL_ADDRESS start, std::uint64_t pages);
  /// Unmaps a page of `map` or `map_between`. Its address is used again once it is given back.
  void unmap(D3DGPU_VIRTUAL_ADDRESS address) { unmap_pages(page_of(address), 1); }
  /// @pre it is unmapped, and no translation of it is left in the GPU
  void give_back(D3DGPU_VIRTUAL_ADDRESS address);
  /// Translations made before are forgotten by the GPU. Without SystemOptions::flushes_tlb nothing
  /// happens.
  void flush_tlb();
  std::uint64_t root() const { return root_; }  ///< VRAM offset of the root page table
  bool is_system() const { return system_; }

  HANDLE process() const { return process_; }
  HANDLE device() const { return device_; }
  /// The process has another device; the address space stays.
  void set_device(HANDLE device) { device_ = device; }
  /// The GPU uses the addresses of the CPU. Source: WDDM, DXGK_CONTEXTINFO_CAPS.UseIoMmu.
  bool uses_iommu() const { return uses_iommu_; }
  /// Sets an event by a handle of the process, for DxgkCbSignalEvent.
  std::function<NTSTATUS(HANDLE)> signal_handle;

 private:
  std::uint64_t new_table();
  std::uint64_t take(std::uint64_t pages);
  static D3DGPU_VIRTUAL_ADDRESS page_of(D3DGPU_VIRTUAL_ADDRESS address) {
    return address & ~(abi::kPageBytes - 1);
  }
  void write_range(std::uint64_t start, std::vector<DXGK_PTE>& entries);
  void map_at(std::uint64_t start, const Backing& backing, bool writable);
  std::uint64_t table_for(std::uint64_t address, std::uint32_t level);
  void write_entries(std::uint64_t table, std::uint32_t level, UINT first, DXGK_PTE* entries,
                     UINT count);
  void require(NTSTATUS status, const char* what) const;
  void build(DXGKARG_BUILDPAGINGBUFFER& args);

  Adapter& adapter_;
  PagePool& vram_pages_;
  HANDLE process_ = nullptr;
  HANDLE device_ = nullptr;
  HANDLE context_ = nullptr;
  std::uint64_t root_ = 0;
  bool system_ = false;
  bool uses_iommu_ = false;
  std::uint64_t next_ = 0x10000;  ///< next free GPU virtual address; page 0 stays unmapped
  // Addresses that are kept for fences, if the driver has bounds for them: first, next free, end.
  std::uint64_t kept_ = 0;
  std::uint64_t next_kept_ = 0;
  std::uint64_t end_kept_ = 0;
  std::vector<std::uint64_t> returned_;       ///< pages to be used again
  std::vector<std::uint64_t> returned_kept_;  ///< the same of those that are kept
  std::map<std::pair<std::uint32_t, std::uint64_t>, std::uint64_t> tables_;  ///< {level, prefix}
};

}  // namespace fenceline::os
