#pragma once

#include <array>
#include <cstdint>
#include <map>

#include "models/abi/registers.h"

namespace fenceline::common {

/// Whose doorbells a signal of a fence rings: the device's side of abi::kPeerTable. Written by the
/// driver through the CMP, read by the engines.
class PeerTable {
 public:
  using Words = std::array<std::uint64_t, abi::kPeers>;

  /// Bus address of the page that a peer gives to others. @pre peer < abi::kPeers
  void set_page(std::uint32_t peer, std::uint64_t address) { pages_[peer] = address; }
  std::uint64_t page(std::uint32_t peer) const { return pages_[peer]; }
  /// What is written there, with abi::kPeerValid. @pre peer < abi::kPeers
  void set_word(std::uint32_t slot, std::uint32_t peer, std::uint64_t word) {
    words_[slot][peer] = word;
  }
  /// The words of a fence, null if it rings nobody.
  const Words* words(std::uint32_t slot) const {
    const auto found = words_.find(slot);
    return found != words_.end() ? &found->second : nullptr;
  }
  /// The slot is free again.
  void clear(std::uint32_t slot) { words_.erase(slot); }

 private:
  Words pages_{};
  std::map<std::uint32_t, Words> words_;  ///< by fence slot
};

}  // namespace fenceline::common
