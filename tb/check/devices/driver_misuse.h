#pragma once

#include "tb/check/core/world.h"

namespace fenceline::check {

/// I130 to I135: a driver makes only allowed calls of the kernel and the machine. The calls count
/// as tests when their DDI returns. Keeps no state.
class MisuseChecks : public Checks<MisuseChecks> {
 public:
  explicit MisuseChecks(World& world) : Checks(world) {}

  void on(const common::At<event::DriverMisuse>& event);
  void on(const common::At<event::DdiReturn>& event);

 private:
};

}  // namespace fenceline::check
