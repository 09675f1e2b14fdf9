#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <vector>

#include "models/abi/page_table.h"
#include "tb/os/driver/adapter.h"

namespace fenceline::os {

/// One physical range of memory that GPU and CPU can reach.
struct Backing {
  bool vram = false;
  std::uint64_t address = 0;  ///< VRAM offset, or host physical
  std::uint64_t bytes = 0;

  /// Address as in page tables and watches.
  std::uint64_t gpu_physical() const { return vram ? address : address | abi::kSystemMemoryBit; }
  /// Address on the CPU's bus.
  std::uint64_t bus_address(const top::Gpu& gpu) const;
};

/// VidMm's view of the GPU address space of one process on one adapter. Page tables are in VRAM and
/// written by the driver (DxgkDdiBuildPagingBuffer, UPDATE_PAGE_TABLE by the CPU).
class AddressSpace {
 public:
  /// @param vram_pages of the adapter; page tables are allocated there
  AddressSpace(Adapter& adapter, PagePool& vram_pages)
      : adapter_(adapter), vram_pages_(vram_pages) {}

  /// Creates process, device and root page table at the driver. @param system the paging process
  void create(bool system);
  /// Maps whole pages at a new GPU virtual address and returns it.
  D3DGPU_VIRTUAL_ADDRESS map(const Backing& backing, bool writable);
  /// As map(), at an address from `lowest` to `highest`, inclusive; 0 means no bound. All calls
  /// must give the same bounds. @param mapped false: only reserves the address
  D3DGPU_VIRTUAL_ADDRESS map_between(const Backing& backing, bool writable, std::uint64_t lowest,
                                     std::uint64_t highest, bool mapped);
  /// Reserves addresses for this number of pages without mapping.
  D3DGPU_VIRTUAL_ADDRESS reserve(std::uint64_t pages) { return take(pages); }
  /// Maps pages at consecutive addresses from `start`, which must be reserved. @param pages VRAM
  /// offsets or host physical addresses, in any order
  void map_pages(D3DGPU_VIRTUAL_ADDRESS start, const std::vector<std::uint64_t>& pages, bool vram,
                 bool writable = true);
  void unmap_pages(D3DGPU_VIRTUAL_ADDRESS start, std::uint64_t pages);
  /// Unmaps a page of `map` or `map_between`. The address is reused after give_back().
  void unmap(D3DGPU_VIRTUAL_ADDRESS address) { unmap_pages(page_of(address), 1); }
  /// @pre it is unmapped, and no GPU caches a translation of it
  void give_back(D3DGPU_VIRTUAL_ADDRESS address);
  /// Makes the GPU drop cached translations. Without SystemOptions::flushes_tlb it does nothing.
  void flush_tlb();
  std::uint64_t root() const { return root_; }  ///< VRAM offset of the root page table
  bool is_system() const { return system_; }

  HANDLE process() const { return process_; }
  HANDLE device() const { return device_; }
  /// The process has a new device; the address space stays.
  void set_device(HANDLE device) { device_ = device; }
  /// The GPU uses the addresses of the CPU. Source: WDDM, DXGK_CONTEXTINFO_CAPS.UseIoMmu.
  bool uses_iommu() const { return uses_iommu_; }
  /// Sets an event by a handle of the process, for DxgkCbSignalEvent.
  std::function<NTSTATUS(HANDLE)> signal_handle;

 private:
  struct Table {
    std::uint64_t offset = 0;  ///< in VRAM
    bool linked = false;       ///< to the table above
  };
  std::uint64_t new_table();
  std::uint64_t linked(const Table& table);
  std::uint64_t take(std::uint64_t pages);
  static D3DGPU_VIRTUAL_ADDRESS page_of(D3DGPU_VIRTUAL_ADDRESS address) {
    return address & ~(abi::kPageBytes - 1);
  }
  void write_range(std::uint64_t start, std::vector<DXGK_PTE>& entries);
  void map_at(std::uint64_t start, const Backing& backing, bool writable);
  std::uint64_t table_for(std::uint64_t address, std::uint32_t level);
  void write_entries(std::uint64_t table, std::uint32_t level, UINT first, DXGK_PTE* entries,
                     UINT count);
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
  // Range reserved for fences, if the driver has bounds for them: first, next free, end.
  std::uint64_t kept_ = 0;
  std::uint64_t next_kept_ = 0;
  std::uint64_t end_kept_ = 0;
  std::vector<std::uint64_t> returned_;       ///< pages to be reused
  std::vector<std::uint64_t> returned_kept_;  ///< the same in the range reserved for fences
  /// Key: level, prefix of the address.
  std::map<std::pair<std::uint32_t, std::uint64_t>, Table> tables_;
  std::unique_ptr<KernelEvent> newly_linked_;  ///< null: nobody has waited for a table yet
};

}  // namespace fenceline::os
