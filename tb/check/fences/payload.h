#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "tb/check/core/world.h"

namespace fenceline::check {

/// Work that a queue wrote before a signal: I27 PAYLOAD.
///
/// A waiter is judged if every signal that may have released it still had work under way. A signal,
/// or a CPU write, is no longer judged once its work has arrived. A waiting queue reads host memory
/// behind the writes on the link: work on the link counts as visible to it. A CPU reads memory
/// itself.
class PayloadChecks : public Checks<PayloadChecks> {
 public:
  explicit PayloadChecks(World& world) : Checks(world) {}

  void on(const common::At<event::WorkIssued>& event);
  void on(const common::At<event::WorkVisible>& event);
  void on(const common::At<event::SignalBegin>& event);
  void on(const common::At<event::CurrentValueVisible>& event);
  void on(const common::At<event::FenceCreate>& event);
  void on_destroyed(std::uint32_t fence) override;
  void on(const common::At<event::WaitRelease>& event) {
    judge(event.fence, event.value, kHome, event.waiter);
  }
  void on(const common::At<event::GpuWaitUnblock>& event) {
    judge(event.fence, event.value, kDevice, event.queue);
  }

  void add_to(Canonical& hash) const override;

 private:
  enum Reach : std::size_t { kDevice, kHome, kReaches };
  struct Write {
    std::uint64_t number = 0;
    bool sent = false;  ///< visible to the queue's own device
  };
  struct Queue {
    std::vector<Write> writes;  ///< under way, oldest first
  };
  struct Fence {
    /// Highest value whose work is complete, by reader.
    std::array<std::uint64_t, kReaches> covered{};
    std::uint64_t tested = 0;  ///< highest value of a signal that had work under way
  };
  /// A visible signal whose work is incomplete.
  struct Bare {
    std::uint64_t value = 0;
    std::uint64_t work = 0;  ///< the last write that belongs to its work
    std::uint32_t fence = 0;
    std::uint32_t queue = 0;
  };

  bool missing(const Bare& bare, Reach reach) const;
  /// Updates `covered` with the arrived work of a signal; true if its work is complete.
  bool settle(const Bare& bare);
  /// @param who the released queue if `reach` is that of its device, else the waiter
  void judge(std::uint32_t number, std::uint64_t value, Reach reach, std::uint64_t who);

  Dense<Queue> queues_;
  Dense<Fence> fences_;
  std::vector<Bare> bare_;
};

}  // namespace fenceline::check
