#pragma once

#include <cstdint>

#include "tb/check/core/world.h"

namespace fenceline::check {

/// Start of adapters: I40 NEGOTIATED and I41 CAPS. All of it happens before orders are explored, so
/// it takes no part in the hash of a state.
class StartChecks : public Checks<StartChecks> {
 public:
  explicit StartChecks(World& world) : Checks(world) {}

  void on(const common::At<event::FeatureAnswer>& event);
  void on(const common::At<event::FeatureTable>& event);
  void on(const common::At<event::AdapterStarted>& event);
  void on(const common::At<event::FenceCreate>& event);

 private:
  struct Adapter {
    bool enabled = false;  ///< the driver was told so
    bool table = false;    ///< and got the table
    bool started = false;
    bool advertises = false;
  };
  void fail(Invariant invariant, std::uint64_t adapter, const std::string& what);
  void check_caps(const common::At<event::AdapterStarted>& event);

  Dense<Adapter> adapters_;
};

}  // namespace fenceline::check
