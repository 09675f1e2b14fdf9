#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <set>
#include <string>

#include "tb/check/core/world.h"

namespace fenceline::check {

/// Images on the screen: I94. Each drawing leaves its image number in the words at the top and the
/// bottom of the frame; the checker compares the words that the display reads.
class DisplayChecks : public Checks<DisplayChecks> {
 public:
  explicit DisplayChecks(World& world) : Checks(world) {}

  void on(const common::At<event::Present>& event);
  void on(const common::At<event::FlipEffective>& event);
  void on(const common::At<event::ScanTop>& event);
  void on(const common::At<event::ScanBottom>& event);
  void on(const common::At<event::FlipDone>& event);
  void on(const common::At<event::ContextEnded>& event) { ended_.insert(event.context); }
  void finish_quiescent() override;
  void add_to(Canonical& hash) const override;

 private:
  struct Present {
    std::uint64_t number;
    std::uint64_t address;
    std::uint64_t context;
  };
  struct Display {
    std::deque<Present> presents;  ///< not in effect yet
    std::uint64_t current = 0;     ///< address of the current scan-out
    std::uint64_t top_address = 0;
    std::uint64_t top = 0;
    std::uint64_t shown = 0;  ///< word of the newest whole image
  };
  void fail(std::uint64_t adapter, const std::string& message);

  std::map<std::uint64_t, Display> displays_;  ///< by adapter
  std::set<std::uint64_t> ended_;              ///< contexts whose device is in error
};

}  // namespace fenceline::check
