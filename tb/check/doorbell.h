#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tb/check/world.h"

namespace fenceline::check {

/// User-mode submission where queues share doorbells: I101 WORK_ANNOUNCED, I102 ONE_DOORBELL and
/// I103 STATUS_CELL.
class DoorbellChecks {
 public:
  explicit DoorbellChecks(World& world) : world_(world) {}

  void on_mapped(const common::Event& event);
  void on_status(const common::Event& event);
  void on_status_visible(const common::Event& event);
  void on_rung(const common::Event& event);
  void on_arrived(const common::Event& event);
  void on_scan(const common::Event& event) { learn(event.object, event.a); }
  void finish_quiescent();
  void clear();
  void add_to(Canonical& hash) const;

 private:
  struct Queue {
    void clear() { *this = {}; }
    std::uint64_t adapter = 0;
    std::uint64_t doorbell = 0;           ///< where its address leads, 0: to none
    std::uint64_t rung = 0;               ///< highest write pointer that user mode rang with
    std::uint64_t known = 0;              ///< highest one that the device has seen
    std::vector<std::uint64_t> statuses;  ///< that the OS is storing, oldest first
    bool lost = false;
  };
  /// A write to a doorbell on its way.
  struct Ring {
    std::uint64_t adapter;
    std::uint64_t doorbell;
    std::uint64_t write_pointer;
    std::uint32_t queue;
  };
  void learn(std::uint32_t number, std::uint64_t write_pointer);
  std::string queue_name(std::uint64_t queue) const;
  void fail(Invariant invariant, std::uint32_t queue, const std::string& what);

  World& world_;
  Dense<Queue> queues_;
  std::vector<Ring> rings_;  ///< oldest first
};

}  // namespace fenceline::check
