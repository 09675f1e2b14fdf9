#pragma once

#include <cstdint>
#include <vector>

#include "tb/check/world.h"

namespace fenceline::check {

/// What drivers owe the OS beside fences: I105; and what the OS owes them: I106.
class DriverRuleChecks {
 public:
  explicit DriverRuleChecks(World& world) : world_(world) {}

  void on_isr_begin(const common::Event& event);
  void on_interrupt_type(const common::Event& event);
  void on_ddi_call(const common::Event& event);
  void on_ddi_return(const common::Event& event);
  void clear() { adapters_.clear(); }
  DriverRuleChecks& operator=(const DriverRuleChecks& other) {
    adapters_ = other.adapters_;
    return *this;
  }
  DriverRuleChecks(const DriverRuleChecks& other) = default;
  void add_to(Canonical& hash) const;

 private:
  /// A thread in the driver.
  struct Inside {
    common::AgentId agent{};
    std::uint64_t ddi = 0;     ///< that it has entered first
    std::uint32_t within = 0;  ///< DDIs that it has not left
  };
  struct Adapter {
    void clear() { *this = {}; }
    bool synced = false;     ///< the interrupt routine that runs has reported the display
    bool resetting = false;  ///< an agent is in DxgkDdiResetFromTimeout:
    common::AgentId resetter{};
    std::vector<Inside> inside;
  };
  void fail(Invariant invariant, std::uint64_t adapter, const std::string& what);

  World& world_;
  Dense<Adapter> adapters_;
};

}  // namespace fenceline::check
