#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "tb/check/core/world.h"

namespace fenceline::check {

/// Work that a queue wrote before a signal: I27 PAYLOAD.
///
/// A waiter is judged if all signals that may have released it had work still under way. A signal
/// counts as one that may have as soon as its work has arrived; so does every write of the CPU.
/// A queue that waits reads host memory behind what is on the link: work there is as good as
/// visible to it. A CPU reads at home.
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
    bool sent = false;  ///< the queue's own device sees it
  };
  struct Queue {
    std::vector<Write> writes;  ///< under way, oldest first
  };
  struct Fence {
    std::array<std::uint64_t, kReaches> covered{};  ///< highest value whose work is all there
    std::uint64_t tested = 0;  ///< highest value of a signal that had work to wait for
  };
  /// A visible signal whose work is not all there.
  struct Bare {
    std::uint64_t value = 0;
    std::uint64_t work = 0;  ///< the last write that belongs to it
    std::uint32_t fence = 0;
    std::uint32_t queue = 0;
  };

  bool missing(const Bare& bare, Reach reach) const;
  /// Takes what has arrived of a signal; true if that is all.
  bool settle(const Bare& bare);
  /// @param who is released: a queue if it reads as its device does, else a waiter
  void judge(std::uint32_t number, std::uint64_t value, Reach reach, std::uint64_t who);

  Dense<Queue> queues_;
  Dense<Fence> fences_;
  std::vector<Bare> bare_;
};

}  // namespace fenceline::check
