#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "tb/check/core/world.h"

namespace fenceline::check {

/// Buffers with patch locations, run in parts: I93 and I95. Compares the addresses that nodes use
/// with the patch locations of the current part, and the packets of a broadcast across adapters.
class SplitBufferChecks : public Checks<SplitBufferChecks> {
 public:
  explicit SplitBufferChecks(World& world) : Checks(world) {}

  void on(const common::At<event::PartGiven>& event);
  void on(const common::At<event::PatchLocation>& event);
  void on(const common::At<event::BoundUse>& event);
  void on(const common::At<event::PacketRead>& event);
  void on(const common::At<event::BufferEnd>& event);
  void on(const common::At<event::Preempted>& event) { empty(event.adapter, event.engine); }
  void on(const common::At<event::Recovery>& event) { empty(event.adapter, event.engine); }
  void add_to(Canonical& hash) const override;

 private:
  struct Location {
    std::uint32_t slot;
    std::uint64_t place;    ///< GPU physical address of the packet
    std::uint64_t address;  ///< address that it binds, 0: none
  };
  struct Part {
    std::vector<Location> locations;
    std::uint64_t broadcast = 0;  ///< number of the broadcast, 0: it goes to one adapter
  };
  /// The first run of a packet of a broadcast.
  struct FirstRun {
    std::uint64_t hash;
    std::uint64_t adapter;
  };
  using Key = std::tuple<std::uint64_t, std::uint64_t, std::uint64_t>;  ///< adapter, engine, id
  template <class E>
  static Key key(const E& event) {
    return {event.adapter, event.engine, event.submission};
  }
  void empty(std::uint64_t adapter, std::uint64_t engine);
  std::string name(const Key& part) const;

  std::map<Key, Part> parts_;
  std::map<std::pair<std::uint64_t, std::uint64_t>, FirstRun> runs_;  ///< by broadcast and place
};

}  // namespace fenceline::check
