#pragma once

#include <array>
#include <cstdint>
#include <cstring>
#include <deque>

#include "models/common/steps/steps.h"
#include "models/common/transaction.h"

namespace fenceline::fabric {

/// Posted writes of one agent to one bank, in order. Plain state; an agent of its own drains it.
class PostedFifo {
 public:
  static constexpr std::size_t kMaxBytes = 64;

  struct Write {
    std::uint64_t address = 0;  ///< GPU physical
    std::array<unsigned char, kMaxBytes> data{};
    std::uint32_t bytes = 0;
    std::uint64_t number = 0;  ///< counts all writes of the client
    common::Time ready = 0;    ///< [ps] earliest arrival in memory
    bool relaxed = false;
    bool partial = false;
    std::uint32_t log_queue = 0;  ///< queue slot + 1 of a fence-log write
    std::uint32_t work = 0;       ///< queue of a work write
    common::SignalSource signal;
    std::uint32_t arrival = 0;    ///< fence slot + 1, reported when this write is the head
    std::uint32_t requester = 0;  ///< PCIe function of the sender
  };

  PostedFifo(common::Steps& steps, std::uint64_t id) : changed(steps), id_(id) {}

  bool empty() const { return writes_.empty(); }
  std::size_t size() const { return writes_.size(); }
  const Write& head() const { return writes_.front(); }
  void push(const Write& write) {
    writes_.push_back(write);
    changed.open();
  }
  void pop() {
    writes_.pop_front();
    changed.open();
  }
  /// True if all writes up to `number` have left.
  bool drained_to(std::uint64_t number) const { return writes_.empty() || head().number > number; }
  /// True if all fence-log writes of that queue up to `number` have left.
  bool logs_drained_to(std::uint32_t log_queue, std::uint64_t number) const {
    for (const Write& write : writes_)
      if (write.log_queue == log_queue && write.number <= number) return false;
    return true;
  }
  bool overlaps(std::uint64_t address, std::size_t bytes) const {
    for (const Write& write : writes_)
      if (write.address < address + bytes && address < write.address + write.bytes) return true;
    return false;
  }
  std::uint64_t id() const { return id_; }
  common::Time& free_at() { return free_at_; }

  std::uint64_t hash() const {
    common::Hasher hasher;
    for (const Write& write : writes_)
      hasher.add(write.address)
          .add_words(write.data.data(), (write.bytes + 7) / 8 * 8)
          .add(write.number)
          .add(std::uint64_t{write.bytes} << 34 | std::uint64_t{write.arrival} << 2 |
               (write.relaxed ? 2U : 0U) | (write.partial ? 1U : 0U));
    return hasher.value();
  }

  common::Gate changed;

 private:
  std::uint64_t id_;
  std::deque<Write> writes_;
  common::Time free_at_ = 0;
};

}  // namespace fenceline::fabric
