#pragma once

#include <cstdint>
#include <vector>

#include "tb/check/core/world.h"

namespace fenceline::check {

/// Life of fences: I20 HANDLE_LIVE. A fence without a FenceCreate event is not judged. FenceDestroy
/// stands for the return of DxgkDdiDestroyNativeFence; adapter 0 means all adapters.
class LifetimeChecks : public Checks<LifetimeChecks> {
 public:
  explicit LifetimeChecks(World& world) : Checks(world) {}

  void on(const common::At<event::FenceCreate>& event);
  void on(const common::At<event::FenceOpen>& event);
  void on(const common::At<event::FenceClose>& event);
  void on(const common::At<event::FenceDestroy>& event);
  void forget(std::uint32_t fence) override { fences_.forget(fence); }
  void on(const common::At<event::CurrentValueRead>& event) {
    if (event.reader == event::Reader::kCmp) use(event.fence, 0, "a CMP read");
  }
  void on(const common::At<event::ShadowIssued>& event) {
    use(event.fence, event.adapter, "a shadow write of the CMP");
  }
  void on(const common::At<event::CmpDecision>& event) {
    use(event.fence, 0, "a comparison of the CMP");
  }
  void on(const common::At<event::InterruptRaised>& event) {
    if (event.fence != 0) use(event.fence, event.adapter, "an interrupt");
  }
  void on(const common::At<event::Notify>& event) {
    if (event.fence != 0) use(event.fence, event.adapter, "DxgkCbNotifyInterrupt");
  }
  void on(const common::At<event::HandleViolation>& event);
  /// A packet names a fence that was destroyed: I31 STALE_NAME.
  void on(const common::At<event::StalePacket>& event);
  void add_to(Canonical& hash) const override;

  /// True if a process on the adapter has the fence open.
  bool is_open(std::uint32_t fence, std::uint32_t adapter) const;

 private:
  struct Slot {
    std::uint32_t adapter = 0;
    std::uint32_t opens = 0;
    bool created = false;  ///< created at some time
    bool alive = false;
  };
  struct Fence {
    std::vector<Slot> slots;
    bool all_alive = false;  ///< created, and alive on all its adapters
  };
  static void note_alive(Fence& fence);
  /// @param adapter 0: alive on any adapter is enough
  void use(std::uint32_t fence, std::uint64_t adapter, const char* user) {
    const Fence& used = fences_[fence];
    if (used.slots.empty()) return;
    if (used.all_alive) {
      world_.report.checked(Invariant::kHandleLive);
    } else {
      judge_use(fence, adapter, user);
    }
  }
  void judge_use(std::uint32_t fence, std::uint64_t adapter, const char* user);
  Slot& slot(std::uint32_t fence, std::uint64_t adapter) {
    return slot_of(fences_[fence].slots, adapter);
  }

  Dense<Fence> fences_;
};

/// IRQLs and the interrupt lock: I22 IRQL.
class IrqlChecks : public Checks<IrqlChecks> {
 public:
  explicit IrqlChecks(World& world) : Checks(world) {}

  void on(const common::At<event::IrqlViolation>& event);
  void on(const common::At<event::UpdateMonitoredCall>& event);
  void on(const common::At<event::UpdateMonitoredReturn>& event);
  void on(const common::At<event::IsrAcknowledge>& event);
  void on(const common::At<event::Notify>& event) { judge_notify(event.adapter); }
  void on(const common::At<event::NotifyAll>& event) { judge_notify(event.adapter); }
  void on(const common::At<event::IsrBegin>& event);
  void on(const common::At<event::IsrEnd>& event);
  void add_to(Canonical& hash) const override;

 private:
  struct Adapter {
    std::uint64_t updates = 0;       ///< calls that have not returned
    std::uint64_t last_call = 0;     ///< event of the last call
    std::uint64_t acknowledged = 0;  ///< event of the running ISR's acknowledgement, 0 if none yet
    bool in_isr = false;
    bool reporting = false;  ///< the running ISR has reported a fence
  };
  void judge_notify(std::uint64_t number);

  Dense<Adapter> adapters_;
};

}  // namespace fenceline::check
