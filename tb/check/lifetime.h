#pragma once

#include <cstdint>
#include <vector>

#include "tb/check/world.h"

namespace fenceline::check {

/// Life of fences: I20 HANDLE_LIVE. A fence that no event created is not judged.
/// kFenceDestroy stands for the return of DxgkDdiDestroyNativeFence; with adapter 0 it ends all.
class LifetimeChecks {
 public:
  explicit LifetimeChecks(World& world) : world_(world) {}

  void on_create(const common::Event& event);
  void on_open(const common::Event& event);
  void on_close(const common::Event& event);
  /// True if the fence is now alive on no adapter.
  bool on_destroy(const common::Event& event);
  void forget(std::uint32_t fence) { fences_.forget(fence); }
  /// Somebody names the fence; `adapter` 0 means that any adapter will do.
  void on_use(std::uint32_t fence, std::uint64_t adapter, const char* user) {
    const Fence& used = fences_[fence];
    if (used.slots.empty()) return;
    if (used.all_alive) {
      world_.report.checked(Invariant::kHandleLive);
    } else {
      judge_use(fence, adapter, user);
    }
  }
  void on_handle_violation(const common::Event& event);
  /// A packet names a fence that was destroyed: I31 STALE_NAME.
  void on_stale(const common::Event& event);
  void clear() { fences_.clear(); }
  void add_to(Canonical& hash) const;

 private:
  struct Slot {
    std::uint32_t adapter = 0;
    std::uint32_t opens = 0;
    bool created = false;  ///< at some time
    bool alive = false;
  };
  struct Fence {
    void clear() {
      slots.clear();
      all_alive = false;
    }
    std::vector<Slot> slots;
    bool all_alive = false;  ///< it was created, and is alive wherever it was
  };
  static void note_alive(Fence& fence);
  void judge_use(std::uint32_t fence, std::uint64_t adapter, const char* user);
  Slot& slot(std::uint32_t fence, std::uint64_t adapter);
  void fail(std::uint32_t fence, const std::string& what);

  World& world_;
  Dense<Fence> fences_;
};

/// Levels and the interrupt lock: I22 IRQL.
class IrqlChecks {
 public:
  explicit IrqlChecks(World& world) : world_(world) {}

  void on_irql_violation(const common::Event& event);
  void on_update_call(const common::Event& event);
  void on_update_return(const common::Event& event);
  void on_acknowledge(const common::Event& event);
  void on_notify(std::uint64_t number);
  void on_isr_begin(const common::Event& event);
  void on_isr_end(const common::Event& event);
  void clear() { adapters_.clear(); }
  void add_to(Canonical& hash) const;

 private:
  struct Adapter {
    void clear() { *this = {}; }
    std::uint64_t updates = 0;       ///< calls that have not returned
    std::uint64_t last_call = 0;     ///< event of the last call
    std::uint64_t acknowledged = 0;  ///< event at which the running ISR did, 0 if not
    bool in_isr = false;
    bool reporting = false;  ///< the running ISR has reported a fence
  };
  void fail(std::uint64_t adapter, const std::string& what);

  World& world_;
  Dense<Adapter> adapters_;
};

}  // namespace fenceline::check
