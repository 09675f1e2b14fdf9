#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <utility>

#include "tb/check/core/world.h"
#include "tb/check/work/blocked.h"

namespace fenceline::check {

/// Hangs of hardware queues on GPUs that detect them: I115 and I116. Resets over such queues count
/// for I109, too.
class EngineHangChecks : public Checks<EngineHangChecks> {
 public:
  EngineHangChecks(World& world, BlockedChecks& blocked) : Checks(world), blocked_(blocked) {}

  void on(const common::At<event::QueueGuarded>& event);
  void on(const common::At<event::EngineFault>& event);
  void on(const common::At<event::WorkDropped>& event);
  void on(const common::At<event::HwEngineReset>& event);
  void on(const common::At<event::ContextLost>& event);
  void on(const common::At<event::Recovery>& event);
  void on(const common::At<event::DdiCall>& event);
  void on(const common::At<event::DdiReturn>& event);
  void finish_quiescent() override;

  void add_to(Canonical& hash) const override;

 private:
  using NodeKey = std::pair<std::uint64_t, std::uint64_t>;  ///< adapter, engine
  struct Queue {
    NodeKey node;
    std::uint64_t context = 0;
    std::uint64_t process = 0;
  };
  void ended(const NodeKey& node);

  BlockedChecks& blocked_;
  std::map<std::uint64_t, Queue> queues_;  ///< queues whose hangs must be found, by object
  std::set<std::uint64_t> hung_;           ///< hung queues whose engine is not reset yet
  /// Queues that lost work and whose contexts are not reported as lost yet.
  std::set<std::uint64_t> dropped_;
  /// Adapters whose driver is resetting an engine with a hardware scheduler.
  std::set<std::uint64_t> resetting_;
};

}  // namespace fenceline::check
