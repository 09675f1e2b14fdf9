#pragma once

#include <array>
#include <cstdint>
#include <map>

#include "models/abi/registers.h"

namespace fenceline::engine {

/// Doorbells that a signal of a fence rings: the engine's copy of abi::kPeerTable.
class PeerTable {
 public:
  using Words = std::array<std::uint64_t, abi::kPeers>;

  /// Bus address of a peer's doorbell page. @pre peer < abi::kPeers
  void set_page(std::uint32_t peer, std::uint64_t address) { pages_[peer] = address; }
  std::uint64_t page(std::uint32_t peer) const { return pages_[peer]; }
  /// Word written to the page, with abi::kPeerValid. @pre peer < abi::kPeers
  void set_word(std::uint32_t slot, std::uint32_t peer, std::uint64_t word) {
    words_[slot][peer] = word;
  }
  /// The words of a fence; null if it rings no peer.
  const Words* words(std::uint32_t slot) const {
    const auto found = words_.find(slot);
    return found != words_.end() ? &found->second : nullptr;
  }
  /// Call when the slot is free again.
  void clear(std::uint32_t slot) { words_.erase(slot); }

 private:
  Words pages_{};
  std::map<std::uint32_t, Words> words_;  ///< by fence slot
};

}  // namespace fenceline::engine
