#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "tb/check/core/world.h"
#include "tb/check/fences/lifetime.h"

namespace fenceline::check {

/// Fences that several adapters share: I23 CROSS_ADAPTER and I60 PEER_DOORBELL.
///
/// A write that becomes visible is owed to every adapter that has the fence as a native one, except
/// the adapter whose GPU signalled or whose driver stored the value, and those in D3: they have no
/// work that waits, and later work reads CurrentValue. NotificationOnly settles all
/// that is owed to its adapter; where GPUs ring each other, a doorbell does so, too. The adapter of
/// a GPU's signal is known when the signal compares or ends.
class CrossAdapterChecks : public Checks<CrossAdapterChecks> {
 public:
  CrossAdapterChecks(World& world, const LifetimeChecks& lifetimes)
      : Checks(world), lifetimes_(lifetimes) {}

  void on(const common::At<event::CrossAdapterFence>& event);
  void on(const common::At<event::MonitoredValueVisible>& event) {
    judge_monitored(event.fence, event.adapter, event.value);
  }
  void on(const common::At<event::UpdateMonitoredCall>& event) {
    judge_monitored(event.fence, event.adapter, event.value);
  }
  void on(const common::At<event::Decision>& event);
  void on(const common::At<event::CurrentValueVisible>& event);
  void on(const common::At<event::CmpDecision>& event);
  void on(const common::At<event::SignalEnd>& event);
  void on(const common::At<event::CpuSignal>& event);
  void on(const common::At<event::PeerDoorbell>& event);
  void on(const common::At<event::FenceClose>& event);
  void on(const common::At<event::AdapterPower>& event);
  void on_destroyed(std::uint32_t fence) override { fences_.forget(fence); }
  void finish_quiescent() override;
  void add_to(Canonical& hash) const override;

 private:
  struct Slot {
    std::uint32_t adapter = 0;
    bool owed = false;  ///< a signal was not yet announced to this adapter
    std::uint64_t value = 0;
  };
  /// A signal that is visible, and has neither compared nor ended.
  struct Open {
    std::uint64_t signal = 0;
    std::uint64_t value = 0;
    std::vector<std::uint64_t> notified{};  ///< adapters that were notified since
  };
  struct Fence {
    std::vector<Slot> slots;  ///< one per adapter; empty: the fence has one adapter only
    std::vector<Open> open{};
    bool rings = false;
    /// Adapter whose driver stored the last CPU value, 0: the OS stored it.
    std::uint64_t stored_by = 0;
  };
  void judge_monitored(std::uint32_t number, std::uint64_t adapter, std::uint64_t value);
  void visible(std::uint32_t number, const Signal* signal);
  /// @param notified adapters that know the value
  void owe(std::uint32_t number, const std::vector<std::uint64_t>& notified, std::uint64_t value);
  /// The signal has compared, or ended; `adapter` is 0 if it compares nothing.
  void close(const Signal& signal, std::uint64_t adapter);
  static void pay(Fence& fence, std::uint64_t adapter);
  void fail(Invariant invariant, std::uint32_t fence, std::uint64_t adapter,
            const std::string& what);

  const LifetimeChecks& lifetimes_;
  Dense<Fence> fences_;
  std::set<std::uint64_t> asleep_;  ///< adapters in D3
};

}  // namespace fenceline::check
