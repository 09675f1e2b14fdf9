#pragma once

#include <array>
#include <cstdint>
#include <map>

#include "models/abi/registers.h"
#include "models/common/hash.h"
#include "models/common/steps/time.h"

namespace fenceline::command_processor {

/// Scheduler state of a context of user-mode queues. Plain data.
struct ScheduledContext {
  std::uint32_t slot = 0;     ///< slot of the context table; 0: queues without a context
  std::uint64_t suspend = 0;  ///< fence of a suspension to report; 0: none
  std::uint32_t holder = 0;   ///< slot + 1 of the queue whose state is in the save area; 0: none
  std::uint32_t band = 1;
  std::uint32_t level = 0;     ///< within the highest band
  std::uint32_t priority = 0;  ///< among contexts of one VMID
  std::uint32_t vmid = 0;
  common::Time quantum = 0;     ///< 0: no limit
  common::Time grace_same = 0;  ///< extra time after the quantum
  common::Time grace_lower =
      0;  ///< extra time for a context of lower priority of the same VMID and band

  /// True if it outranks the other. Contexts of different processes in one band take turns.
  bool above(const ScheduledContext& other) const {
    if (band != other.band) return band > other.band;
    if (level != other.level) return level > other.level;
    return vmid == other.vmid && priority > other.priority;
  }
  /// @param rank value of abi::kContextRank
  void set_rank(std::uint64_t rank) {
    band = rank & 0xFF;
    level = rank >> 8 & 0xFF;
    priority = rank >> 16 & 0xFF;
  }
  std::uint64_t hash() const {
    return common::hash_values(suspend,
                               std::uint64_t{holder} << 32 | band << 16 | level << 8 | priority);
  }
};

/// The contexts that the driver has described, and when one must make room for another.
class ContextRanks {
 public:
  static constexpr common::Time kNever = ~common::Time{0};
  static constexpr common::Time kUnit = 100 * common::kNanosecond;  ///< of the registers

  /// The context in a slot; it begins with the default rank.
  ScheduledContext& of(std::uint32_t slot) {
    ScheduledContext& context = contexts_[slot];
    context.slot = slot;
    return context;
  }
  const std::map<std::uint32_t, ScheduledContext>& all() const { return contexts_; }
  /// @param band below abi::kBands. @param grace time that contexts of the band keep a node when a
  /// higher band is ready
  void set_band_grace(std::uint64_t band, common::Time grace) { band_grace_[band] = grace; }

  /// When the context at a node must make room for a ready context; kNever: it may stay. @param now
  /// the present. @param since when the context at the node could begin; kNever: not yet, or its
  /// quantum does not count.
  common::Time due(const ScheduledContext& at_node, const ScheduledContext& ready, common::Time now,
                   common::Time since) const {
    if (ready.above(at_node))
      return now + (ready.band > at_node.band ? band_grace_[at_node.band] : ready.grace_lower);
    const bool ends = !at_node.above(ready) && at_node.quantum != 0 && since != kNever;
    return ends ? since + at_node.quantum + at_node.grace_same : kNever;
  }
  void add_to(common::Hasher& hasher) const {
    for (const auto& [slot, context] : contexts_) hasher.add(slot).add(context.hash());
  }

 private:
  std::map<std::uint32_t, ScheduledContext> contexts_;  ///< by slot
  std::array<common::Time, abi::kBands> band_grace_{};
};

}  // namespace fenceline::command_processor
