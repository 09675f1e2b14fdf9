#pragma once

#include <memory>
#include <vector>

#include "tb/run/machine/objects.h"

namespace fenceline::run {

/// Random operations of one thread on allocations of its own: created, locked, written by CPU and
/// engines, copied, evicted, made resident, mapped in all ways, destroyed. The checkers compare
/// what is read with what was written; what the calls return is not judged here, but that nothing
/// fails that must not.
///
/// The choices depend on the seeds alone. All contexts of the process take part.
class MemoryStress {
 public:
  MemoryStress(os::Kernel& kernel, ProcessState& state, const scenario::MemoryStressStep& step,
               std::uint64_t scenario_seed);
  /// Thrown when a call fails that may not.
  struct Refused {
    const char* call;
    NTSTATUS status;
  };
  /// Throws Refused.
  void run();

 private:
  struct Item {
    std::unique_ptr<user::Resource> resource;
    bool resident = false;
    bool cpu_visible = false;
    bool locked = false;  ///< by a lock of its own
  };
  void operation();
  void create();
  void destroy();
  void toggle_residency();
  void map_and_touch();
  void lock_and_touch();
  void work();
  void touch(const Item& item, std::uint64_t base, bool writes);
  /// Random one; null if there is none.
  Item* pick();
  Item* pick_resident();
  std::uint64_t offset(const Item& item);
  void require(NTSTATUS status, const char* what) const;
  bool is_in_order(NTSTATUS status) const;

  os::Kernel& kernel_;
  ProcessState& state_;
  const scenario::MemoryStressStep& step_;
  common::Random random_;
  std::vector<user::ContextWriter*> contexts_;
  std::vector<Item> items_;
  std::uint64_t made_ = 0;
  std::uint64_t value_ = 0;
};

}  // namespace fenceline::run
