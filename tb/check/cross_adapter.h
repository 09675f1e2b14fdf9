#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tb/check/world.h"

namespace fenceline::check {

/// Fences that several adapters share: I23 CROSS_ADAPTER and I60 PEER_DOORBELL.
///
/// A write that becomes visible is owed to every adapter that has the fence as a native one, but
/// for that whose GPU signalled or whose driver stored the value. NotificationOnly, and a doorbell
/// where GPUs ring each other, pays what is owed to that adapter so far.
class CrossAdapterChecks {
 public:
  explicit CrossAdapterChecks(World& world) : world_(world) {}

  void on_shared(const common::Event& event);
  void on_monitored(std::uint32_t number, std::uint64_t adapter, std::uint64_t value);
  /// @param signal as it is after the decision, null if it is not known.
  void on_decision(const common::Event& event, const Signal* signal);
  /// A CurrentValue became visible; `signal` is null for a write that is not known as a GPU's.
  void on_visible(std::uint32_t number, const Signal* signal);
  /// @param signal that ends, null if it is not known.
  void on_end(const Signal* signal);
  void on_cpu_signal(const common::Event& event);
  void on_doorbell(const common::Event& event);
  void on_destroy(std::uint32_t fence) { fences_.forget(fence); }
  void finish_quiescent();
  void clear() { fences_.clear(); }
  void add_to(Canonical& hash) const;

 private:
  struct Slot {
    std::uint32_t adapter = 0;
    bool owed = false;  ///< a signal of which it was not told
    std::uint64_t value = 0;
  };
  struct Fence {
    void clear() { *this = {}; }
    std::vector<Slot> slots;  ///< empty: of one adapter
    bool rings = false;
    std::uint64_t stored_by =
        0;  ///< adapter whose driver stored the CPU's last value, 0 for the OS
  };
  void owe(std::uint32_t number, std::uint64_t but_for, std::uint64_t value);
  static void pay(Fence& fence, std::uint64_t adapter);
  void fail(Invariant invariant, std::uint32_t fence, std::uint64_t adapter,
            const std::string& what);

  World& world_;
  Dense<Fence> fences_;
};

}  // namespace fenceline::check
