#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <string>

#include "models/common/simulation.h"
#include "models/host/config.h"

namespace fenceline::host {

/// Stores of one core that are done for the core and for nobody else yet.
///
/// `tso`: they leave in program order, by the agent `<core>.store`. `weak`: in any order but for
/// stores to the same bytes, stores to devices among themselves, and releases of locks, which stay
/// behind everything older; each place of the buffer has an agent, `<core>.store0` and so on.
/// Loads of the core see what is in it. Source: Intel SDM volume 3, memory ordering (8.2); for
/// `weak` the Arm architecture's observers of Normal and Device memory; assumption A-29.
class StoreBuffer : public common::Hashed {
 public:
  /// Places: a full buffer holds up the core. Real ones hold tens; this bounds what is explored.
  static constexpr std::size_t kPlaces = 4;
  static constexpr std::size_t kMostBytes = 64;

  /// @param send does a store of the core, in the agent that runs then.
  StoreBuffer(common::Simulation& simulation, MemoryModel model, const std::string& core_name,
              std::function<void(common::TransactionPool::Loan&)> send);

  /// Takes a store; the current agent waits for room. @pre at most kMostBytes.
  void push(tlm::tlm_generic_payload& store);
  /// `action` is a store, too: it happens when everything older has left the buffer.
  /// @param what tells it from others in state hashes.
  void push_release(std::uint64_t what, std::function<void()> action);
  bool empty() const { return used() == 0; }
  /// The current agent waits until nothing is left.
  void drain();
  /// The current agent waits until a load from a device keeps its place.
  void drain_for_device();
  /// Puts what the buffer has of those bytes over `load`; true if that is all of them.
  bool forward(tlm::tlm_generic_payload& load) const;
  std::uint64_t state_hash() const override;

 private:
  struct Store {
    bool used = false;
    bool device = false;       ///< posted, to a device
    bool write_back = false;   ///< by a mapping whose lines caches keep
    std::uint64_t number = 0;  ///< in program order
    std::uint64_t address = 0;
    std::uint32_t bytes = 0;
    std::array<unsigned char, kMostBytes> data{};
    std::function<void()> release;  ///< of a lock; empty: a store to memory

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
  const std::uint64_t place_;  ///< of footprints
  common::Gate changed_;
  std::array<Store, kPlaces> stores_;
  std::uint64_t issued_ = 0;
};

}  // namespace fenceline::host
