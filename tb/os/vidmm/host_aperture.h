#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "kmd_stub/wddm/base.h"

namespace fenceline::os {

class Adapter;

/// VidMm's page manager of a CpuHostAperture: which page of the window shows which page of the
/// memory segment. Pages are taken lowest first, so that what is mapped after others were given
/// back is scattered. All calls at PASSIVE_LEVEL in a thread, one at a time.
/// Source: WDDM, CPU host aperture.
class HostAperture {
 public:
  /// @param pages of the window. @param tracks false: it does not remember who has a page, a fault
  /// of the OS.
  HostAperture(Adapter& adapter, std::uint32_t pages, bool tracks);

  /// Makes free pages of the window show pages of VRAM, by VRAM offset; none if there are not
  /// enough. @param allocation the driver's handle, or null.
  std::optional<std::vector<std::uint32_t>> map(HANDLE allocation,
                                                const std::vector<std::uint64_t>& vram);
  void unmap(const std::vector<std::uint32_t>& pages);
  /// The pages show nothing, and stay whose they are: before D3, and behind it.
  void hide(std::vector<std::uint32_t> pages);
  void show(HANDLE allocation, std::vector<std::uint32_t> pages,
            const std::vector<std::uint64_t>& vram);
  /// As unmap, for pages that show nothing.
  void give_back(const std::vector<std::uint32_t>& pages);
  /// What allocations may have; kernel mode has some in reserve.
  std::size_t free_pages() const { return free_.size() > reserve_ ? free_.size() - reserve_ : 0; }

  /// Kernel mode reaches this range of VRAM from now on. Throws std::invalid_argument if the window
  /// is full.
  void map_for_kernel(std::uint64_t vram, std::uint64_t bytes);
  /// Offset in the BAR at which kernel mode reaches an offset of VRAM. @pre it has been mapped.
  std::uint64_t kernel_offset(std::uint64_t vram) const;

  /// The adapter goes to D3 or has come back: what kernel mode has mapped is taken away and mapped
  /// again.
  void sleep();
  void wake();
  /// Bug check 0x10E/0x3C if something is mapped.
  void check_empty();

 private:
  std::vector<std::uint32_t> take(HANDLE allocation, const std::vector<std::uint64_t>& vram);
  void report(std::uint32_t page, std::uint64_t vram, bool mapped) const;

  Adapter& adapter_;
  const bool tracks_;
  const std::size_t reserve_;  ///< pages that allocations leave to kernel mode; A-754
  std::set<std::uint32_t> free_;
  std::map<std::uint32_t, std::uint64_t> mapped_;  ///< page of the window to VRAM page
  std::map<std::uint64_t, std::uint32_t> kernel_;  ///< VRAM page to page of the window
};

}  // namespace fenceline::os
