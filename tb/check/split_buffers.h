#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "tb/check/world.h"

namespace fenceline::check {

/// Buffers that take addresses, and run in parts: I93 and I95. Compares what nodes use with the
/// patch locations of the part at hand, and what they run with what others run.
class SplitBufferChecks {
 public:
  explicit SplitBufferChecks(World& world) : world_(world) {}

  void on_part(const common::Event& event);
  void on_location(const common::Event& event);
  void on_use(const common::Event& event);
  void on_packet(const common::Event& event);
  void on_buffer_end(const common::Event& event);
  /// What the node has been given comes back, if at all, as something new.
  void on_emptied(const common::Event& event);
  void clear() { *this = SplitBufferChecks(world_); }
  SplitBufferChecks& operator=(const SplitBufferChecks& other);
  SplitBufferChecks(const SplitBufferChecks& other) = default;
  void add_to(Canonical& hash) const;

 private:
  struct Location {
    std::uint32_t slot;
    std::uint64_t place;    ///< GPU physical address of the packet
    std::uint64_t address;  ///< that it binds; 0: none
  };
  struct Part {
    std::vector<Location> locations;
    std::uint64_t broadcast = 0;  ///< number, 0: it goes to one adapter
  };
  /// A packet of a broadcast, as it was first run.
  struct FirstRun {
    std::uint64_t hash;
    std::uint64_t adapter;
  };
  using Key = std::pair<std::uint64_t, std::uint64_t>;  ///< adapter, submission id | engine << 32
  static Key key(const common::Event& event) { return {event.object, event.a}; }
  void fail(Invariant invariant, std::uint64_t object, const std::string& message);
  std::string part(const common::Event& event) const;

  World& world_;
  std::map<Key, Part> parts_;
  std::map<Key, FirstRun> runs_;  ///< by number of the broadcast and place
};

}  // namespace fenceline::check
