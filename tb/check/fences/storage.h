#pragma once

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "tb/check/core/world.h"

namespace fenceline::check {

/// Storage of values and access to them: I42 STORAGE, I43 PROTECTION, I45 CMP_MAPPED, I120
/// LOG_PROTECTED.
class StorageChecks : public Checks<StorageChecks> {
 public:
  explicit StorageChecks(World& world) : Checks(world) {}

  void on(const common::At<event::AdapterStarted>& event) {
    adapters_[event.adapter].distance = event.distance;
  }
  void on(const common::At<event::FenceCreate>& event) {
    fences_[event.fence].adapter = event.adapter;
  }
  void on(const common::At<event::FenceStorage>& event);
  void on(const common::At<event::FenceStorageFree>& event);
  void on(const common::At<event::UserAccess>& event);
  void on(const common::At<event::UserLogAccess>& event);
  void on(const common::At<event::CurrentValueRead>& event) {
    if (event.reader == event::Reader::kCmp) world_.report.checked(Invariant::kCmpMapped);
  }
  void on(const common::At<event::GpuFault>& event);
  void forget(std::uint32_t fence) override { fences_.forget(fence); }

  void add_to(Canonical& hash) const override;

 private:
  struct Adapter {
    std::uint64_t distance = 0;  ///< distance between MonitoredValues [bytes]
  };
  struct Fence {
    std::uint64_t adapter = 0;
  };
  /// A value on a page.
  struct Value {
    std::uint64_t address = 0;  ///< GPU physical
    std::uint32_t fence = 0;
    bool monitored = false;
    bool shared = false;
  };
  static std::pair<std::uint64_t, std::uint64_t> page_of(std::uint64_t address,
                                                         std::uint64_t adapter);
  void put(const Value& value, std::uint64_t adapter, std::uint64_t distance);

  Dense<Adapter> adapters_;
  Dense<Fence> fences_;
  /// Key: adapter (0 for host memory) and page.
  std::map<std::pair<std::uint64_t, std::uint64_t>, std::vector<Value>> pages_;
};

}  // namespace fenceline::check
