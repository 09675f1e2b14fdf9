#pragma once

#include <cstdint>
#include <optional>
#include <unordered_map>

namespace fenceline::pcie {

/// The page table behind the VRAM BAR: where each page of the BAR leads in VRAM. Off after power-on
/// and after D3, and no page leads anywhere then.
class HostAperture {
 public:
  bool enabled() const { return enabled_; }
  void enable(bool on) { enabled_ = on; }
  /// Takes what was written to abi::kHostApertureEntry.
  void set_entry(std::uint64_t word);
  /// VRAM offset for an access at `offset` in the BAR; none where the page leads nowhere, and for
  /// an access that crosses a page.
  std::optional<std::uint64_t> translate(std::uint64_t offset, std::uint64_t bytes) const;

 private:
  bool enabled_ = false;
  std::unordered_map<std::uint64_t, std::uint64_t> pages_;  ///< BAR page to VRAM page
};

}  // namespace fenceline::pcie
