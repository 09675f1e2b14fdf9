#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tb/check/core/world.h"

namespace fenceline::check {

/// User-mode submission with shared doorbells: I101 WORK_ANNOUNCED, I102 ONE_DOORBELL and I103
/// STATUS_CELL.
class DoorbellChecks : public Checks<DoorbellChecks> {
 public:
  explicit DoorbellChecks(World& world) : Checks(world) {}

  void on(const common::At<event::DoorbellMapped>& event);
  void on(const common::At<event::DoorbellStatus>& event);
  void on(const common::At<event::DoorbellStatusVisible>& event);
  void on(const common::At<event::DoorbellRung>& event);
  void on(const common::At<event::Doorbell>& event);
  void on(const common::At<event::RingScan>& event) { learn(event.queue, event.write_pointer); }
  void finish_quiescent() override;

  void add_to(Canonical& hash) const override;

 private:
  struct Queue {
    std::uint64_t adapter = 0;
    std::uint64_t doorbell = 0;           ///< doorbell that its address leads to, 0: none
    std::uint64_t rung = 0;               ///< highest write pointer that user mode rang
    std::uint64_t known = 0;              ///< highest write pointer that the device has seen
    std::vector<std::uint64_t> statuses;  ///< statuses that the OS is storing, oldest first
    bool lost = false;
  };
  /// A write to a doorbell in flight.
  struct Ring {
    std::uint64_t adapter;
    std::uint64_t doorbell;
    std::uint64_t write_pointer;
    std::uint32_t queue;
  };
  void learn(std::uint32_t number, std::uint64_t write_pointer);
  std::string queue_name(std::uint64_t queue) const;

  Dense<Queue> queues_;
  std::vector<Ring> rings_;  ///< oldest first
};

}  // namespace fenceline::check
