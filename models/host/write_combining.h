#pragma once

#include <cstdint>
#include <deque>
#include <functional>

#include "models/common/simulation.h"

namespace fenceline::host {

/// A core's write-combining buffers. Assumption A-405.
struct WriteCombiningConfig {
  std::uint32_t buffers = 12;                    ///< of 64 bytes each
  common::Time evict = 2 * common::kNanosecond;  ///< of the oldest, when a store finds none free
  common::Time flush = 5 * common::kNanosecond;  ///< of one that is left, by a store fence
  common::Time fence =
      90 * common::kNanosecond;  ///< the store fence itself, and the call around it
};

/// Stores of one core to a write-combined mapping of device memory.
///
/// A store goes to the buffer of its line and is over. When there is none free the oldest buffer is
/// sent as one posted write, and the core waits for that; a fence sends all of them. Nothing of a
/// store can be seen by the device before its buffer has been sent.
class WriteCombining {
 public:
  /// @param send sends the line at an address as a posted write, in the agent that stores.
  WriteCombining(common::Simulation& simulation, const WriteCombiningConfig& config,
                 std::function<void(std::uint64_t address)> send)
      : simulation_(simulation), config_(config), send_(std::move(send)) {}

  /// The current agent stores into the 64-byte line at `address`.
  void store(std::uint64_t address);
  /// The current agent waits until all that it has stored is sent.
  void fence();
  std::size_t used() const { return lines_.size(); }

 private:
  void send_oldest(common::Time cost);

  common::Simulation& simulation_;
  const WriteCombiningConfig config_;
  const std::function<void(std::uint64_t)> send_;
  std::deque<std::uint64_t> lines_;  ///< addresses, oldest first
};

}  // namespace fenceline::host
