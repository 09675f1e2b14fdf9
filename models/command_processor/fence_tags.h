#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <vector>

#include "models/abi/mutant.h"
#include "models/abi/registers.h"
#include "models/common/hash.h"

namespace fenceline::command_processor {

/// Current fence names, and fences that always count as signaled. A name is a slot with a tag; see
/// abi::fence_name.
class FenceTags {
 public:
  /// @param name a slot, or the fence name in a packet.
  bool current(std::uint32_t name) const {
    const auto known = tags_.find(abi::fence_slot_of(name));
    return (known != tags_.end() ? known->second : 0) == abi::fence_tag_of(name);
  }
  /// Packets that name the slot use this tag from now on.
  void set(std::uint32_t slot, std::uint32_t tag) { tags_[slot] = tag; }
  /// The fence in the slot is destroyed: its name is stale from now on.
  void retire(std::uint32_t slot) {
    always_signaled_[slot] = false;
    std::uint32_t& tag = tags_[slot];
    if (!abi::mutant(abi::Mutant::kTagKept)) tag = (tag + 1) % abi::kFenceTags;
  }

  /// Every wait for the fence in the slot is satisfied until the slot is retired.
  void make_always_signaled(std::uint32_t slot) { always_signaled_[slot] = true; }
  /// @param name a slot, or the fence name in a packet.
  bool always_signaled(std::uint32_t name) const {
    const std::uint32_t slot = abi::fence_slot_of(name);
    return slot < always_signaled_.size() && always_signaled_[slot];
  }
  void add_to(common::Hasher& hasher) const {
    for (const auto& [slot, tag] : tags_) hasher.add(std::uint64_t{slot} << 32 | tag);
    hasher.add(std::hash<std::vector<bool>>()(always_signaled_));
  }

 private:
  std::map<std::uint32_t, std::uint32_t> tags_;  ///< by slot; 0 if no fence was there
  std::vector<bool> always_signaled_ = std::vector<bool>(abi::kFenceSlots);  ///< by slot
};

}  // namespace fenceline::command_processor
