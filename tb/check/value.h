#pragma once

#include <cstdint>
#include <vector>

#include "tb/check/lost.h"
#include "tb/check/world.h"

namespace fenceline::check {

/// Reads of CurrentValue: I11 NO_TEAR and I12 CV_MONO.
///
/// A read takes the earliest position of its value that is not before the reader's last one, so
/// equal values never raise an alarm. A reader may see its own write before it is visible.
class ReadChecks {
 public:
  explicit ReadChecks(World& world) : world_(world) {}

  void on_read(const common::Event& event);
  void on_destroy(std::uint32_t fence) { fences_.forget(fence); }
  void clear() { fences_.clear(); }
  void add_to(Canonical& hash) const;

 private:
  struct Reader {
    common::AgentId agent = 0;
    std::uint64_t position = 0;
  };
  struct Fence {
    void clear() { readers.clear(); }
    std::vector<Reader> readers;
  };
  Reader& reader(std::uint32_t fence, common::AgentId agent);
  static bool own_write(const FenceOrder& order, const common::Event& event);
  void fail(const common::Event& event, const Reader& last);

  World& world_;
  Dense<Fence> fences_;
};

/// MonitoredValue at rest: I10 MV_MIN.
class MonitoredChecks {
 public:
  MonitoredChecks(World& world, WaiterChecks& waiters) : world_(world), waiters_(waiters) {}

  void on_fence_adapter(const common::Event& event);
  void on_shared(const common::Event& event);
  void on_call(const common::Event& event);
  void on_visible(const common::Event& event);
  void on_destroy(std::uint32_t fence) { fences_.forget(fence); }
  void finish_quiescent();
  void clear() { fences_.clear(); }
  void add_to(Canonical& hash) const;

 private:
  struct Slot {
    std::uint32_t adapter = 0;
    std::uint64_t value = 0;  ///< at home
    bool seen = false;
    bool counted = false;  ///< in `adapters`
  };
  struct Fence {
    void clear();
    std::vector<Slot> slots;
    std::uint32_t adapters = 0;  ///< on which it was created or opened
    bool updated = false;
    bool shared = false;    ///< by adapters
    bool rings = false;     ///< and their GPUs ring each other
    bool not_zero = false;  ///< a MonitoredValue other than 0 was seen
  };
  Slot& slot(Fence& fence, std::uint64_t adapter);
  void judge(std::uint32_t number, const Fence& fence, const Slot& at);
  void fail(std::uint32_t number, const Slot& at, std::uint64_t expected);

  World& world_;
  WaiterChecks& waiters_;
  Dense<Fence> fences_;
};

}  // namespace fenceline::check
