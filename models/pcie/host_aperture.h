#pragma once

#include <cstdint>
#include <optional>
#include <unordered_map>

namespace fenceline::pcie {

/// Page table of the VRAM BAR: maps each BAR page to a VRAM page. After power-on and after D3 it is
/// disabled and no page is mapped.
class HostAperture {
 public:
  bool enabled() const { return enabled_; }
  void enable(bool on) { enabled_ = on; }
  /// Handles a write to abi::kHostApertureEntry.
  void set_entry(std::uint64_t word);
  /// VRAM offset of an access at `offset` in the BAR. None if the page is not mapped or the access
  /// crosses a page.
  std::optional<std::uint64_t> translate(std::uint64_t offset, std::uint64_t bytes) const;

 private:
  bool enabled_ = false;
  std::unordered_map<std::uint64_t, std::uint64_t> pages_;  ///< BAR page to VRAM page
};

}  // namespace fenceline::pcie
