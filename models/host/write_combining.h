#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "models/common/simulation.h"
#include "models/host/config.h"

namespace fenceline::host {

/// Stores of one core through write-combined mappings.
///
/// A store goes to the buffer of its 64-byte line and is over; nobody else can see it before the
/// buffer has been sent. Buffers are in no order: while exploring, up to kAgents of them leave in
/// any order and at any time (agents `<core>.combine0` and so on). On the timeline one leaves when
/// it is full, when another line needs its place, when a fence asks for all of them, when the core
/// loads from its line, or after `drain`; the oldest first, one after the other. A buffer that is
/// not full leaves as one posted write for each run of bytes that were stored.
/// Source: Intel SDM volume 3, write combining (memory types); assumptions.
class WriteCombining : public common::Hashed {
 public:
  static constexpr std::size_t kAgents = 4;
  /// Sends bytes of a line, in the agent of its buffer.
  struct Write {
    std::uint64_t address;
    unsigned char* data;
    std::size_t bytes;
    bool device;  ///< as the stores were: posted, to a device
  };
  using Send = std::function<void(const Write&)>;

  /// @param core ObjectKind::kCore, for events; its agents are named after `core_name`.
  WriteCombining(common::Simulation& simulation, const WriteCombiningConfig& config,
                 const std::string& core_name, std::uint32_t core, Send send);

  /// The current agent stores. @pre the bytes lie within a line.
  void store(std::uint64_t address, const void* data, std::size_t bytes, bool device = true);
  /// The current agent waits until nothing is left of the line at `address`.
  void send_line(std::uint64_t address);
  /// The current agent waits until all that has been stored is sent; in no time if nothing is left.
  void drain(common::CombiningDrain why);
  /// The same by a store fence, which takes a time of its own.
  void fence();

  /// The aligned 64 bits at `address`, if a buffer has them all.
  std::optional<std::uint64_t> word(std::uint64_t address) const;
  /// Something is in a buffer: to look at from outside, no part of a footprint.
  bool pending() const;
  std::size_t used() const;
  std::uint64_t state_hash() const override;

 private:
  struct Buffer {
    bool used = false;
    bool leaving = false;  ///< nothing is added any more
    bool asked = false;    ///< it leaves as soon as it is its turn
    bool device = false;
    std::uint64_t line = 0;    ///< address / 64
    std::uint64_t number = 0;  ///< in the order of their first stores
    std::uint64_t mask = 0;    ///< a bit for each byte that was stored
    common::Time since = 0;
    std::array<unsigned char, common::kLineBytes> data{};
  };

  Buffer* find(std::uint64_t line);
  Buffer* free_place();
  Buffer& take(std::uint64_t line);
  Buffer* oldest();
  bool left(std::uint64_t number) const;
  bool due(const Buffer& buffer) const;
  Buffer* next(std::size_t agent);
  void serve(std::size_t agent);
  void send(Buffer& buffer);
  void touch(bool write) const { simulation_.steps.touch(common::Place::kFifo, place_, write); }

  common::Simulation& simulation_;
  const WriteCombiningConfig config_;
  const std::uint32_t core_;
  const Send send_;
  const std::uint64_t place_;  ///< of footprints
  const std::size_t agents_;
  common::Gate changed_;
  std::vector<Buffer> buffers_;
  std::uint64_t issued_ = 0;
  std::uint32_t want_room_ = 0;  ///< stores that wait for a place
};

}  // namespace fenceline::host
