#pragma once

#include <cstdint>

#include "models/abi/mutant.h"
#include "models/abi/registers.h"
#include "models/common/hash.h"

namespace fenceline::cmp {

/// State of the interrupt ring: when an entry may be written and when it needs a message. The CMP
/// does the writing.
///
/// At most one message is outstanding. The ISR that serves a message also finds entries written in
/// the meantime. An acknowledgement states how many entries the ISR has read. If there are more,
/// the next message follows at once. When the ring is full, one entry is kept back; it names no
/// fence.
class InterruptRing {
 public:
  void set_base(std::uint64_t base) { base_ = base; }
  void set_entries(std::uint64_t entries) { entries_ = entries; }
  void enable(bool on) { enabled_ = on; }
  std::uint64_t base() const { return base_; }  ///< host physical address
  std::uint64_t entries() const { return entries_; }
  bool ready() const { return enabled_ && entries_ > 1; }

  bool full() const {
    const std::uint64_t late = abi::mutant(abi::Mutant::kRingOverfull) ? 1 : 0;
    return written_ - acknowledged_ >= entries_ + late;
  }
  /// An entry waits for room.
  bool owes() const { return owes_; }
  void owe() { owes_ = true; }

  /// Number of the next entry, from 1, and its host physical address.
  std::uint64_t next_sequence() const { return written_ + 1; }
  std::uint64_t next_address() const {
    return base_ + (written_ & (entries_ - 1)) * sizeof(abi::InterruptEntry);
  }
  /// Call after an entry was written. Returns true if a message must be sent.
  bool written() {
    ++written_;
    owes_ = false;
    return request();
  }
  /// Call when the ISR acknowledges. Returns true if a message must be sent.
  bool acknowledge(std::uint64_t value) {
    pending_ = false;
    if ((value & abi::kAcknowledgeWithoutCount) != 0) {
      acknowledged_ = written_;
      return false;
    }
    acknowledged_ = value;
    return acknowledged_ != written_ && !abi::mutant(abi::Mutant::kRestUnannounced) && request();
  }
  bool pending() const { return pending_; }
  std::uint64_t count() const { return written_; }
  std::uint64_t hash() const {
    return common::hash_values(written_ << 2 | (pending_ ? 2U : 0U) | (owes_ ? 1U : 0U),
                               acknowledged_);
  }

 private:
  bool request() {
    const bool send = !pending_;
    pending_ = true;
    return send;
  }

  std::uint64_t base_ = 0;
  std::uint64_t entries_ = 0;
  bool enabled_ = false;
  bool pending_ = false;
  bool owes_ = false;
  std::uint64_t written_ = 0;
  std::uint64_t acknowledged_ = 0;
};

}  // namespace fenceline::cmp
