#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "models/abi/page_table.h"
#include "models/common/transaction.h"

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

/// The watches of the two memories that a GPU reaches.
struct MemoryWatches {
  const Watches* vram = nullptr;
  const Watches* system = nullptr;

  /// Object at an address in an address space, which `memory` translates; 0: none.
  template <typename Socket>
  std::uint32_t object_at(Socket&& memory, TransactionPool& transactions, std::uint64_t address,
                          std::uint32_t space) const {
    auto look = transactions.lend(tlm::TLM_READ_COMMAND, address, nullptr, 0);
    look->attributes.address_space = space;
    if (memory->transport_dbg(look->payload) == 0) return 0;
    const std::uint64_t physical = look->payload.get_address();
    const Watches& watches = (physical & abi::kSystemMemoryBit) != 0 ? *system : *vram;
    const Watch* watch = watches.find(physical);
    return watch != nullptr ? watch->object : 0;
  }
};

}  // namespace fenceline::common
