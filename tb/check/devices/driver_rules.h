#pragma once

#include <cstdint>
#include <vector>

#include "tb/check/core/world.h"

namespace fenceline::check {

/// Rules of drivers and OS that do not concern fences: I105 (driver) and I106 (OS).
class DriverRuleChecks : public Checks<DriverRuleChecks> {
 public:
  explicit DriverRuleChecks(World& world) : Checks(world) {}

  void on(const common::At<event::IsrBegin>& event);
  void on(const common::At<event::IsrEnd>& event);
  void on(const common::At<event::InterruptType>& event);
  void on(const common::At<event::DdiCall>& event);
  void on(const common::At<event::DdiReturn>& event);
  DriverRuleChecks& operator=(const DriverRuleChecks& other) {
    adapters_ = other.adapters_;
    return *this;
  }
  void add_to(Canonical& hash) const override;

 private:
  /// A thread in the driver.
  struct Inside {
    common::AgentId agent{};
    std::uint64_t ddi = 0;     ///< first DDI that it entered
    std::uint32_t within = 0;  ///< number of DDIs that it has not left
  };
  struct Adapter {
    bool synced = false;     ///< the running interrupt routine has reported the display
    bool resetting = false;  ///< an agent is in DxgkDdiResetFromTimeout:
    common::AgentId resetter{};
    std::vector<Inside> inside;
  };

  Dense<Adapter> adapters_;
};

}  // namespace fenceline::check
