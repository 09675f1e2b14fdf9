#pragma once

#include <cstdint>
#include <vector>

#include "tb/check/core/world.h"
#include "tb/check/fences/lost.h"

namespace fenceline::check {

/// Reads of CurrentValue: I11 NO_TEAR and I12 CV_MONO.
///
/// A read takes the earliest position of its value that is not before the reader's last position.
/// Equal values therefore raise no false alarm. A reader may see its own write before it is
/// visible.
class ReadChecks : public Checks<ReadChecks> {
 public:
  explicit ReadChecks(World& world) : Checks(world) {}

  void on(const common::At<event::CurrentValueRead>& event);
  void on_destroyed(std::uint32_t fence) override { fences_.forget(fence); }
  void add_to(Canonical& hash) const override;

 private:
  struct Reader {
    common::AgentId agent = 0;
    std::uint64_t position = 0;
  };
  struct Fence {
    std::vector<Reader> readers;
  };
  Reader& reader(std::uint32_t fence, common::AgentId agent);
  static bool own_write(const FenceOrder& order, common::AgentId agent, std::uint64_t value);
  void fail(const common::At<event::CurrentValueRead>& event, std::uint64_t value,
            const Reader& last);

  Dense<Fence> fences_;
};

/// MonitoredValue at quiescence: I10 MV_MIN.
class MonitoredChecks : public Checks<MonitoredChecks> {
 public:
  MonitoredChecks(World& world, WaiterChecks& waiters, const QueueWaitChecks& queues)
      : Checks(world), waiters_(waiters), queues_(queues) {}

  void on(const common::At<event::FenceCreate>& event) { count(event.fence, event.adapter); }
  void on(const common::At<event::FenceOpen>& event);
  void on(const common::At<event::FenceClose>& event);
  void on(const common::At<event::CrossAdapterFence>& event);
  void on(const common::At<event::UpdateMonitoredCall>& event);
  void on(const common::At<event::MonitoredValueVisible>& event);
  void on_destroyed(std::uint32_t fence) override { fences_.forget(fence); }
  void finish_quiescent() override;
  void add_to(Canonical& hash) const override;

 private:
  struct Slot {
    std::uint32_t adapter = 0;
    std::uint64_t value = 0;  ///< value at home
    bool seen = false;
    bool counted = false;  ///< included in `adapters`
    std::uint32_t opens = 0;
  };
  struct Fence {
    std::vector<Slot> slots;
    std::uint32_t adapters = 0;  ///< number of adapters on which it was created or opened
    bool updated = false;
    bool shared = false;    ///< several adapters share it
    bool rings = false;     ///< and their GPUs ring each other's doorbells
    bool not_zero = false;  ///< a MonitoredValue other than 0 was seen
  };
  void count(std::uint32_t number, std::uint32_t adapter);
  void judge(std::uint32_t number, const Fence& fence, const Slot& at);
  void fail(std::uint32_t number, const Slot& at, std::uint64_t expected);

  WaiterChecks& waiters_;
  const QueueWaitChecks& queues_;
  Dense<Fence> fences_;
};

}  // namespace fenceline::check
