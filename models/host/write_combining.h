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
/// A store goes to the buffer of its 64-byte line and is then complete for the core. Other agents
/// cannot see it before the buffer is sent. Buffers are unordered. While exploring, up to kAgents
/// buffers leave in any order and at any time (agents `<core>.combine0` and so on). On the timeline
/// a buffer leaves when it is full, when another line needs its place, when a fence flushes all
/// buffers, when the core loads from its line, or after `drain`. The oldest leaves first, one after
/// the other. A partly filled buffer leaves as one posted write per run of stored bytes. Source:
/// Intel SDM volume 3, write combining (memory types); assumptions.
class WriteCombining : public common::Hashed {
 public:
  static constexpr std::size_t kAgents = 4;
  /// A part of a line to send, in the agent of its buffer.
  struct Write {
    std::uint64_t address;
    unsigned char* data;
    std::size_t bytes;
    bool device;  ///< posted, to a device, like its stores
  };
  using Send = std::function<void(const Write&)>;

  /// @param core ObjectKind::kCore, for events. @param core_name prefix of its agents.
  WriteCombining(common::Simulation& simulation, const WriteCombiningConfig& config,
                 const std::string& core_name, std::uint32_t core, Send send);

  /// The current agent stores. @pre the bytes lie within one line.
  void store(std::uint64_t address, const void* data, std::size_t bytes, bool device = true);
  /// The current agent waits until the buffer of the line at `address` is sent.
  void send_line(std::uint64_t address);
  /// The current agent waits until all earlier stores are sent. Takes no time if there are none.
  void drain(event::CombiningDrain why);
  /// The same for a store fence, which takes additional time.
  void fence();

  /// The aligned 64 bits at `address`, if one buffer has all of them.
  std::optional<std::uint64_t> word(std::uint64_t address) const;
  /// True if a buffer is in use. For observers: it is not part of a footprint.
  bool pending() const;
  std::size_t used() const;
  std::uint64_t state_hash() const override;

 private:
  struct Buffer {
    bool used = false;
    bool leaving = false;  ///< no more stores are added
    bool asked = false;    ///< it leaves when its turn comes
    bool device = false;
    std::uint64_t line = 0;    ///< address / 64
    std::uint64_t number = 0;  ///< in order of the first store
    std::uint64_t mask = 0;    ///< one bit per stored byte
    common::Time since = 0;
    std::array<unsigned char, common::kLineBytes> data{};
  };

  Buffer* find(std::uint64_t line);
  Buffer* free_place();
  Buffer& take(std::uint64_t line);
  Buffer* oldest();
  bool sent_up_to(std::uint64_t number) const;
  bool due(const Buffer& buffer) const;
  Buffer* next(std::size_t agent);
  void serve(std::size_t agent);
  void send(Buffer& buffer);
  void touch(bool write) const { simulation_.steps.touch(common::Place::kFifo, place_, write); }

  common::Simulation& simulation_;
  const WriteCombiningConfig config_;
  const std::uint32_t core_;
  const Send send_;
  const std::uint64_t place_;  ///< for footprints
  const std::size_t agents_;
  common::Gate changed_;
  std::vector<Buffer> buffers_;
  std::uint64_t issued_ = 0;
  std::uint32_t want_room_ = 0;  ///< number of stores that wait for a buffer
};

}  // namespace fenceline::host
