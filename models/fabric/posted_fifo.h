#pragma once

#include <array>
#include <cstdint>
#include <cstring>
#include <deque>

#include "models/common/steps.h"
#include "models/common/transaction.h"

namespace fenceline::fabric {

/// Writes of one agent towards one bank, in order. Plain state; its drain is an agent of its own.
class PostedFifo {
 public:
  static constexpr std::size_t kMostBytes = 64;

  struct Write {
    std::uint64_t address = 0;  ///< GPU physical
    std::array<unsigned char, kMostBytes> data{};
    std::uint32_t bytes = 0;
    std::uint64_t number = 0;  ///< counts the writes of the whole client
    common::Time ready = 0;    ///< [ps] earliest arrival at the far end
    bool relaxed = false;
    bool partial = false;
    std::uint32_t log_queue = 0;  ///< queue slot + 1 of a fence-log write
    std::uint32_t work = 0;       ///< queue whose work write this is
    std::uint32_t arrival = 0;    ///< fence slot + 1 to report when this is the head
    std::uint32_t requester = 0;  ///< PCIe function that it comes from
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
  /// No write numbered `number` or lower is left.
  bool drained_to(std::uint64_t number) const { return writes_.empty() || head().number > number; }
  /// No fence-log write of that queue numbered `number` or lower is left.
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
