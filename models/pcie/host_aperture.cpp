#include "models/pcie/host_aperture.h"

#include "models/abi/page_table.h"
#include "models/abi/registers.h"

namespace fenceline::pcie {

void HostAperture::set_entry(std::uint64_t word) {
  const std::uint64_t page = word >> abi::kHostAperturePageShift;
  if ((word & abi::kHostApertureValid) == 0) {
    pages_.erase(page);
    return;
  }
  constexpr std::uint64_t kVramPages = (1ULL << 36) - 1;
  pages_[page] = word & kVramPages;
}

std::optional<std::uint64_t> HostAperture::translate(std::uint64_t offset,
                                                     std::uint64_t bytes) const {
  const std::uint64_t within = offset % abi::kPageBytes;
  const auto page = pages_.find(offset / abi::kPageBytes);
  if (page == pages_.end() || within + bytes > abi::kPageBytes) return std::nullopt;
  return page->second * abi::kPageBytes + within;
}

}  // namespace fenceline::pcie
