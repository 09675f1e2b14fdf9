#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

namespace fenceline::common {

/// Kind of the object at a watched address.
enum class WatchKind : std::uint8_t {
  kCurrentValue,
  kMonitoredValue,
  kShadow,
  kLog,
  kRing,
  kDoorbellStatus
};

/// Maps an address to an object, so that blocks that know only addresses can name fences, queues
/// and logs in events. It instruments the model and is not part of the hardware.
struct Watch {
  std::uint64_t address;  ///< GPU physical (abi::kSystemMemoryBit for host memory), 8-aligned
  std::uint64_t bytes;
  WatchKind kind;
  std::uint32_t object;   ///< fence, queue or log
  std::uint32_t adapter;  ///< adapter object it belongs to
};

/// All watches of one memory. A lookup on a page without watches is cheap.
class Watches {
 public:
  void add(const Watch& watch) { pages_[watch.address >> 12].push_back(watch); }
  void remove(std::uint64_t address) {
    auto& page = pages_[address >> 12];
    for (std::size_t i = 0; i < page.size(); ++i)
      if (page[i].address == address) {
        page.erase(page.begin() + static_cast<std::ptrdiff_t>(i));
        return;
      }
  }
  /// The watch that covers `address`; null if none. A watch lies within one 4 KiB page.
  const Watch* find(std::uint64_t address) const {
    const auto page = pages_.find(address >> 12);
    if (page == pages_.end()) return nullptr;
    for (const Watch& watch : page->second)
      if (address >= watch.address && address < watch.address + watch.bytes) return &watch;
    return nullptr;
  }

 private:
  std::unordered_map<std::uint64_t, std::vector<Watch>> pages_;  ///< looked up, never iterated
};

}  // namespace fenceline::common
