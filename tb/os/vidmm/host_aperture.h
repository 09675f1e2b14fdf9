#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "kmd_stub/wddm/base.h"

namespace fenceline::os {

class Adapter;

/// VidMm's page manager of a CpuHostAperture: maps pages of the window to pages of the memory
/// segment. The lowest free pages are taken first, so later mappings are scattered. All calls come
/// from one thread at a time at PASSIVE_LEVEL. Source: WDDM, CPU host aperture.
class HostAperture {
 public:
  /// @param pages of the window @param tracks false, a fault of the OS: it does not remember owners
  HostAperture(Adapter& adapter, std::uint32_t pages, bool tracks);

  /// Maps free pages of the window to pages of VRAM, given by VRAM offset; none if too few are
  /// free. @param allocation the driver's handle, or null
  std::optional<std::vector<std::uint32_t>> map(HANDLE allocation,
                                                const std::vector<std::uint64_t>& vram);
  void unmap(const std::vector<std::uint32_t>& pages);
  /// The pages show nothing during D3, but keep their owner.
  void hide(std::vector<std::uint32_t> pages);
  void show(HANDLE allocation, std::vector<std::uint32_t> pages,
            const std::vector<std::uint64_t>& vram);
  /// As unmap, for pages that show nothing.
  void give_back(const std::vector<std::uint32_t>& pages);
  /// Pages left for allocations, without the reserve of kernel mode.
  std::size_t free_pages() const { return free_.size() > reserve_ ? free_.size() - reserve_ : 0; }

  /// Maps this range of VRAM for kernel mode. Throws std::invalid_argument if the window is full.
  void map_for_kernel(std::uint64_t vram, std::uint64_t bytes);
  /// Offset in the BAR of a VRAM offset that kernel mode has mapped.
  std::uint64_t kernel_offset(std::uint64_t vram) const;

  /// Before and after D3: unmaps the mappings of kernel mode and maps them again.
  void sleep();
  void wake();
  /// Bug check 0x10E/0x3C if any page is mapped.
  void check_empty();

 private:
  std::vector<std::uint32_t> take(HANDLE allocation, const std::vector<std::uint64_t>& vram);
  void report(std::uint32_t page, std::uint64_t vram, bool mapped) const;

  Adapter& adapter_;
  const bool tracks_;
  const std::size_t reserve_;  ///< pages reserved for kernel mode; A-754
  std::set<std::uint32_t> free_;
  std::map<std::uint32_t, std::uint64_t> mapped_;  ///< page of the window to page of VRAM
  std::map<std::uint64_t, std::uint32_t> kernel_;  ///< page of VRAM to page of the window
};

}  // namespace fenceline::os
