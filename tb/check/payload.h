#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "tb/check/world.h"

namespace fenceline::check {

/// Work that a queue wrote before a signal: I27 PAYLOAD.
///
/// A waiter is judged if all signals that may have released it had work still under way. A signal
/// counts as one that may have as soon as its work has arrived; so does every write of the CPU.
/// A queue that waits reads host memory behind what is on the link: work there is as good as
/// visible to it. A CPU reads at home.
class PayloadChecks {
 public:
  explicit PayloadChecks(World& world) : world_(world) {}

  void on_issued(const common::Event& event);
  void on_work_visible(const common::Event& event);
  void on_signal_begin(const common::Event& event);
  /// CurrentValue takes a value; `signal` is null if it is not known to be the GPU's.
  void on_visible(const common::Event& event, const Signal* signal);
  void on_create(const common::Event& event);
  void on_destroy(std::uint32_t fence);
  void on_release(const common::Event& event) { judge(event, kHome); }
  void on_unblock(const common::Event& event) { judge(event, kDevice); }
  void clear();
  void add_to(Canonical& hash) const;

 private:
  enum Reach : std::size_t { kDevice, kHome, kReaches };
  struct Write {
    std::uint64_t number = 0;
    bool sent = false;  ///< the queue's own device sees it
  };
  struct Queue {
    void clear() { writes.clear(); }
    std::vector<Write> writes;  ///< under way, oldest first
  };
  struct Fence {
    void clear() { *this = {}; }
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
  void judge(const common::Event& event, Reach reach);

  World& world_;
  Dense<Queue> queues_;
  Dense<Fence> fences_;
  std::vector<Bare> bare_;
};

}  // namespace fenceline::check
