#pragma once

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "tb/check/world.h"

namespace fenceline::check {

/// Where values are and who reaches them: I42 STORAGE, I43 PROTECTION, I45 CMP_MAPPED,
/// I120 LOG_PROTECTED.
class StorageChecks {
 public:
  explicit StorageChecks(World& world) : world_(world) {}

  void on_started(const common::Event& event) { adapters_[event.object].distance = event.c; }
  void on_create(const common::Event& event) { fences_[event.object].adapter = event.b; }
  void on_storage(const common::Event& event);
  /// True if nothing is stored for the fence any more.
  bool on_storage_free(const common::Event& event);
  void on_user_access(const common::Event& event);
  void on_user_log_access(const common::Event& event);
  void on_cmp_read() { world_.report.checked(Invariant::kCmpMapped); }
  void on_fault(const common::Event& event);
  void clear();
  void add_to(Canonical& hash) const;

 private:
  struct Adapter {
    void clear() { distance = 0; }
    std::uint64_t distance = 0;  ///< of MonitoredValues [bytes]
  };
  struct Fence {
    void clear() { adapter = 0; }
    std::uint64_t adapter = 0;
  };
  /// A value that stands on a page.
  struct Value {
    std::uint64_t address = 0;  ///< GPU physical
    std::uint32_t fence = 0;
    bool monitored = false;
    bool shared = false;
  };
  static std::pair<std::uint64_t, std::uint64_t> page_of(std::uint64_t address,
                                                         std::uint64_t adapter);
  void put(const Value& value, std::uint64_t adapter, std::uint64_t distance);
  void fail(Invariant invariant, std::uint32_t fence, const std::string& what);

  World& world_;
  Dense<Adapter> adapters_;
  Dense<Fence> fences_;
  /// By adapter (0 for host memory) and page.
  std::map<std::pair<std::uint64_t, std::uint64_t>, std::vector<Value>> pages_;
};

}  // namespace fenceline::check
