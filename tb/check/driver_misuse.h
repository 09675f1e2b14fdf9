#pragma once

#include "tb/check/world.h"

namespace fenceline::check {

/// Checks I130 to I135: a driver makes only calls of the kernel and the machine that it may make.
/// The calls count as tests when their DDI returns. Keeps no state.
class MisuseChecks {
 public:
  explicit MisuseChecks(World& world) : world_(world) {}

  void on_misuse(const common::Event& event);
  void on_ddi_return(const common::Event& event);

 private:
  World& world_;
};

}  // namespace fenceline::check
