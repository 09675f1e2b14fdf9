#pragma once

#include <cstdint>

#include "tb/check/core/world.h"

namespace fenceline::check {

/// Start of adapters: I40 NEGOTIATED and I41 CAPS. Adapters start before orders are explored. So
/// this checker adds nothing to the state hash.
class StartChecks : public Checks<StartChecks> {
 public:
  explicit StartChecks(World& world) : Checks(world) {}

  void on(const common::At<event::FeatureAnswer>& event);
  void on(const common::At<event::FeatureTable>& event);
  void on(const common::At<event::AdapterStarted>& event);
  void on(const common::At<event::FenceCreate>& event);

 private:
  struct Adapter {
    bool enabled = false;  ///< the OS told the driver that the feature is enabled
    bool table = false;    ///< the driver got the feature's table
    bool started = false;
    bool advertises = false;
  };
  void fail(Invariant invariant, std::uint64_t adapter, const std::string& what);
  void check_caps(const common::At<event::AdapterStarted>& event);

  Dense<Adapter> adapters_;
};

}  // namespace fenceline::check
