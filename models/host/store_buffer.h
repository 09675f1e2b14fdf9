#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <string>

#include "models/common/simulation.h"
#include "models/host/config.h"

namespace fenceline::host {

/// Stores of one core that have completed for the core but are not visible to other agents yet.
///
/// `tso`: they leave in program order, by the agent `<core>.store`. `weak`: they leave in any
/// order, except that stores to the same bytes stay in order, stores to devices stay in order, and
/// releases of locks stay behind all older stores. Each place of the buffer then has an agent,
/// `<core>.store0` and so on. Loads of the core see the buffer. Source: Intel SDM volume 3, memory
/// ordering (8.2); for `weak` the Arm architecture's observers of Normal and Device memory;
/// assumption A-29.
class StoreBuffer : public common::Hashed {
 public:
  /// Number of places. A full buffer stalls the core. Real buffers have tens of places; this value
  /// bounds the exploration.
  static constexpr std::size_t kPlaces = 4;
  static constexpr std::size_t kMaxBytes = 64;

  /// @param send performs a store of the core, in the agent that calls it.
  StoreBuffer(common::Simulation& simulation, MemoryModel model, const std::string& core_name,
              std::function<void(common::TransactionPool::Loan&)> send);

  /// Takes a store. The current agent waits for a free place. @pre at most kMaxBytes.
  void push(tlm::tlm_generic_payload& store);
  /// Adds `action` as a store: it runs when all older stores have left the buffer. @param what
  /// distinguishes it in state hashes.
  void push_release(std::uint64_t what, std::function<void()> action);
  bool empty() const { return used() == 0; }
  /// The current agent waits until the buffer is empty.
  void drain();
  /// The current agent waits until a device load is in order.
  void drain_for_device();
  /// Copies buffered bytes over `load`. True if the buffer has all its bytes.
  bool forward(tlm::tlm_generic_payload& load) const;
  std::uint64_t state_hash() const override;

 private:
  struct Store {
    bool used = false;
    bool device = false;       ///< posted store to a device
    bool write_back = false;   ///< through a mapping with write-back caching
    std::uint64_t number = 0;  ///< in program order
    std::uint64_t address = 0;
    std::uint32_t bytes = 0;
    std::array<unsigned char, kMaxBytes> data{};
    std::function<void()> release;  ///< release of a lock; empty: a store to memory

    bool overlaps(std::uint64_t begin, std::uint64_t length) const {
      return used && begin < address + bytes && address < begin + length;
    }
  };

  Store& take_place();
  std::size_t used() const;
  /// The oldest store younger than number `after`; null if there is none.
  const Store* oldest(std::uint64_t after = 0) const;
  bool may_leave(const Store& store) const;
  bool keeps_behind(const Store& later, const Store& earlier) const;
  void serve(const Store* place);
  void leave(Store& store);
  void touch(bool write) const { simulation_.steps.touch(common::Place::kFifo, place_, write); }

  common::Simulation& simulation_;
  const MemoryModel model_;
  const std::function<void(common::TransactionPool::Loan&)> send_;
  const std::uint64_t place_;  ///< for footprints
  common::Gate changed_;
  std::array<Store, kPlaces> stores_;
  std::uint64_t issued_ = 0;
};

}  // namespace fenceline::host
