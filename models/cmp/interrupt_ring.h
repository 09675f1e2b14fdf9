#pragma once

#include <cstdint>

#include "models/abi/registers.h"
#include "models/common/hash.h"

namespace fenceline::cmp {

/// When an interrupt entry may be written and when it needs a message. Plain state; the CMP does
/// the writing.
///
/// One message is outstanding at most: entries written while one is pending are found by the ISR
/// that serves it. An acknowledgement says how many entries the ISR has read; more than that
/// raise the next message at once. A full ring keeps one entry back that names no fence.
class InterruptRing {
 public:
  void set_base(std::uint64_t base) { base_ = base; }
  void set_entries(std::uint64_t entries) { entries_ = entries; }
  void enable(bool on) { enabled_ = on; }
  bool ready() const { return enabled_ && entries_ > 1; }

  bool full() const { return written_ - acknowledged_ >= entries_; }
  /// There is an entry that had to wait for room.
  bool owes() const { return owes_; }
  void owe() { owes_ = true; }

  /// Number of the next entry, from 1, and where it goes (host physical).
  std::uint64_t next_sequence() const { return written_ + 1; }
  std::uint64_t next_address() const {
    return base_ + (written_ & (entries_ - 1)) * sizeof(abi::InterruptEntry);
  }
  /// The entry has been written. Returns true if a message is to be sent.
  bool written() {
    ++written_;
    owes_ = false;
    return request();
  }
  /// The ISR acknowledged. Returns true if a message is to be sent.
  bool acknowledge(std::uint64_t value) {
    pending_ = false;
    if ((value & abi::kAcknowledgeWithoutCount) != 0) {
      acknowledged_ = written_;
      return false;
    }
    acknowledged_ = value;
    return acknowledged_ != written_ && request();
  }
  bool pending() const { return pending_; }
  std::uint64_t count() const { return written_; }
  std::uint64_t hash() const {
    return common::Hasher()
        .add(written_ << 2 | (pending_ ? 2U : 0U) | (owes_ ? 1U : 0U))
        .add(acknowledged_)
        .value();
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
