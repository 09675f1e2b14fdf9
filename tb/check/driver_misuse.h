#pragma once

#include "tb/check/world.h"

namespace fenceline::check {

/// What a driver does to the kernel and the machine that it must not do: I130 to I135. Its calls
/// count as tests when the DDI that they are made in returns. Keeps nothing.
class MisuseChecks {
 public:
  explicit MisuseChecks(World& world) : world_(world) {}

  void on_misuse(const common::Event& event);
  void on_ddi_return(const common::Event& event);

 private:
  World& world_;
};

}  // namespace fenceline::check
