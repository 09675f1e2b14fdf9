#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "tb/check/core/world.h"

namespace fenceline::check {

/// Contexts of hardware queues under hardware scheduling: I97 to I100.
class SchedulingChecks : public Checks<SchedulingChecks> {
 public:
  explicit SchedulingChecks(World& world) : Checks(world) {}

  void on(const common::At<event::ScheduledQueue>& event);
  void on(const common::At<event::ContextRank>& event);
  void on(const common::At<event::ContextRankTaken>& event);
  void on(const common::At<event::BandGrace>& event);
  void on(const common::At<event::SuspendCall>& event);
  void on(const common::At<event::SuspendReturn>& event);
  void on(const common::At<event::ContextSuspended>& event);
  void on(const common::At<event::ResumeCall>& event) {
    contexts_[event.context].asked = contexts_[event.context].suspended = false;
  }
  void on(const common::At<event::RingFetched>& event);
  void on(const common::At<event::HwEngineReset>& event);
  void on(const common::At<event::EngineNotify>& event);
  void on(const common::At<event::ContextLost>& event) {
    contexts_[event.context].asked = contexts_[event.context].suspended = false;
  }

  void on(const common::At<event::QueueState>& event);
  void on(const common::At<event::PacketBegin>& event);
  // Writes in flight, by queue.
  void on(const common::At<event::SignalBegin>& event) {
    if (active()) signaling_[event.agent] = event.queue;
  }
  void on(const common::At<event::SignalEnd>& event) { signaling_.erase(event.agent); }
  void on(const common::At<event::CurrentValueIssued>& event);
  void on(const common::At<event::CurrentValueVisible>& event);
  void on(const common::At<event::WorkIssued>& event) {
    if (Queue* queue = find(event.queue)) queue->work.insert(event.write);
  }
  void on(const common::At<event::WorkVisible>& event);
  void on(const common::At<event::LogMade>& event) {
    if (active()) logs_[event.log] = event.queue;
  }
  void on(const common::At<event::LogEntryIssued>& event) { log_issued(event.log); }
  void on(const common::At<event::LogHeaderIssued>& event) { log_issued(event.log); }
  void on(const common::At<event::LogEntryVisible>& event) { log_visible(event.log); }
  void on(const common::At<event::LogHeaderVisible>& event) { log_visible(event.log); }

  void finish_quiescent() override;
  void add_to(Canonical& hash) const override;

 private:
  using NodeKey = std::pair<std::uint64_t, std::uint64_t>;  ///< adapter, engine
  struct Rank {
    std::uint64_t band = 1;
    std::uint64_t level = 0;
    std::uint64_t priority = 0;
    std::uint64_t grace = 0;  ///< [ps] grace period of lower priorities in the band
    std::uint64_t hash() const { return band << 24 | level << 16 | priority; }
    /// The device reports no grace period.
    bool operator==(const Rank& other) const {
      return band == other.band && level == other.level && priority == other.priority;
    }
  };
  struct Context {
    NodeKey node;
    std::uint64_t fence = 0;       ///< fence of the last suspension
    bool asked = false;            ///< the suspension is neither acknowledged nor taken back
    bool suspended = false;        ///< the suspension is acknowledged
    bool runs_to_its_end = false;  ///< its node never leaves a queue that has packets
    /// The last rank of the driver, and before it those that the device may still have, because the
    /// register write is under way.
    std::vector<Rank> ranks{Rank{}};
    /// A rank that the device took before the driver's call returned.
    std::optional<Rank> early;
    std::uint64_t process = 0;
    /// True if all its ranks are above all ranks of the other.
    bool above(const Context& other) const;
  };
  struct Queue {
    std::uint64_t context = 0;
    bool runs = false;
    bool ready = false;
    std::uint64_t since = 0;         ///< [ps] time at which it became ready
    std::uint32_t passed_over = 0;   ///< packets of lower contexts since its grace period ended
    std::uint64_t log_writes = 0;    ///< log entries and headers in flight
    std::set<std::uint64_t> work{};  ///< numbers of work writes in flight
    /// Fence and value of CurrentValue writes in flight.
    std::multiset<std::pair<std::uint64_t, std::uint64_t>> values{};
    bool has_writes() const { return log_writes != 0 || !work.empty() || !values.empty(); }
  };
  Queue* find(std::uint64_t queue);
  Queue* of_log(std::uint64_t log);
  /// True if hardware schedules any context.
  bool active() const { return !contexts_.empty(); }
  bool has_queue(std::uint64_t context) const;
  void log_issued(std::uint64_t log);
  void log_visible(std::uint64_t log);
  void must_not(std::uint64_t queue, const char* what);
  std::uint64_t grace(const Context& ready, const Context& runs) const;
  std::string names(std::uint64_t context) const;

  std::map<std::uint64_t, Context> contexts_;         ///< by number
  std::map<std::uint64_t, Queue> queues_;             ///< by object
  std::map<std::uint64_t, std::uint64_t> logs_;       ///< queue by log
  std::map<std::uint64_t, std::uint64_t> signaling_;  ///< queue by agent
  /// [ps] by adapter and band.
  std::map<std::pair<std::uint64_t, std::uint64_t>, std::uint64_t> band_grace_;
  std::set<NodeKey> silent_;
};

}  // namespace fenceline::check
