#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <set>
#include <string>

#include "tb/check/world.h"

namespace fenceline::check {

/// What is on the screen: I94. Judges by the words that the display has read at the top and at the
/// bottom of each frame, in which whoever draws leaves the number of the image.
class DisplayChecks {
 public:
  explicit DisplayChecks(World& world) : world_(world) {}
  DisplayChecks(const DisplayChecks& other) = default;
  DisplayChecks& operator=(const DisplayChecks& other);

  void on_present(const common::Event& event);
  void on_effective(const common::Event& event);
  void on_top(const common::Event& event);
  void on_bottom(const common::Event& event);
  void on_done(const common::Event& event);
  void on_context_ended(const common::Event& event) { ended_.insert(event.object); }
  void finish_quiescent();
  void clear() { *this = DisplayChecks(world_); }
  void add_to(Canonical& hash) const;

 private:
  struct Present {
    std::uint64_t number;
    std::uint64_t address;
    std::uint64_t context;
  };
  struct Display {
    std::deque<Present> presents;  ///< that have not taken effect
    std::uint64_t current = 0;     ///< address that is scanned out
    std::uint64_t top_address = 0;
    std::uint64_t top = 0;
    std::uint64_t shown = 0;  ///< word of the newest whole image
  };
  void fail(std::uint64_t adapter, const std::string& message);

  World& world_;
  std::map<std::uint64_t, Display> displays_;  ///< by adapter
  std::set<std::uint64_t> ended_;              ///< contexts whose device is in error
};

}  // namespace fenceline::check
