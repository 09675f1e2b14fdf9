#pragma once

#include <cstdint>
#include <vector>

#include "tb/check/core/world.h"

namespace fenceline::check {

/// One call of DxgkDdiUpdateMonitoredValues for one fence on one adapter.
struct Update {
  std::uint64_t number = 0;
  std::uint64_t value = 0;
  std::uint64_t returned = kNever;  ///< event at which the call returned
  std::uint64_t read = kNever;      ///< position that the CMP read after its shadow write
  common::AgentId caller = 0;
};

/// Updates of MonitoredValue: I5 UMV_POST, I6 STEP2, and I11 for the shadow.
///
/// Updates of one fence on one adapter are numbered 1, 2, ...; the shadow's *version* is the last
/// number it holds. The CMP reads MonitoredValue from memory. So a shadow write holds the newest
/// update in memory with that value, and replaced updates are skipped.
class UpdateChecks : public Checks<UpdateChecks> {
 public:
  explicit UpdateChecks(World& world) : Checks(world) {}

  void on(const common::At<event::UpdateMonitoredCall>& event);
  void on(const common::At<event::UpdateMonitoredReturn>& event);
  void on(const common::At<event::MonitoredValueVisible>& event);
  void on(const common::At<event::ShadowIssued>& event);
  void on(const common::At<event::ShadowVisible>& event);
  void on(const common::At<event::ShadowRead>& event);
  void on(const common::At<event::Decision>& event);
  void on_visible(Signal& signal, common::AgentId writer) override;
  void on(const common::At<event::CurrentValueRead>& event);
  void on(const common::At<event::CmpDecision>& event);
  void on_destroyed(std::uint32_t fence) override;

  void mark(Canonical& hash) const override;
  void add_to(Canonical& hash) const override;

  /// Latest update of the fence on the adapter (0: on its only one) if it has returned, else null.
  const Update* settled(std::uint32_t fence, std::uint32_t adapter);
  /// Adapter whose shadow the agent read last, 0 if unknown.
  std::uint32_t adapter_of(common::AgentId agent) { return agents_[agent].adapter; }
  /// True if the value of the last Decision was above the MonitoredValue that the engine had read.
  bool decided_above() const { return decided_above_; }

 private:
  /// One fence on one adapter.
  struct Slot {
    std::uint32_t adapter = 0;
    std::uint64_t memory = kNever;  ///< newest update in memory, kNever while unknown
    std::uint64_t issued = 0;       ///< newest update whose shadow write was issued
    std::uint64_t shadow = 0;       ///< newest update in the shadow
    std::uint64_t value = 0;        ///< value in the shadow, if `known`
    bool known = false;
    Ring<Update, 256> updates;        ///< indexed from 1; entry 0 stands for the initial value
    Ring<std::uint64_t, 64> flights;  ///< updates in shadow writes that are in flight
  };
  struct Slots {
    std::vector<Slot> all;
  };
  struct Agent {
    std::uint32_t adapter = 0;
    std::uint32_t fence = 0;
    std::uint64_t version = kNever;  ///< kNever: nothing read since the last decision
    std::uint64_t value = 0;
    std::uint32_t cmp_fence = 0;  ///< fence of the CMP's last CurrentValue read, 0 once compared
    std::uint64_t cmp_position = 0;
    std::uint64_t cmp_update = 0;  ///< newest update issued at that read
  };

  Slot& slot(std::uint32_t fence, std::uint64_t adapter);
  const Slot* find(std::uint32_t fence, std::uint32_t adapter) const;
  Slot* find(std::uint32_t fence, std::uint32_t adapter);
  static std::uint64_t held(const Slot& at, std::uint64_t value);
  void check_whole(std::uint32_t fence, std::uint64_t value, const Slot& at, const char* what);
  std::uint64_t version_read(Slot& at, const common::At<event::ShadowRead>& event);
  void judge(const Signal& signal);
  void judge_pair(const Signal& signal, const Update& update);
  void judge_stale_read(const common::At<event::CmpDecision>& event, const Slot& at,
                        std::uint64_t index, std::uint64_t position);
  void fail(Invariant invariant, const Signal& signal, const Update& update,
            const std::string& what);

  static bool awaits_verdict(const Signal& signal);
  std::uint64_t first_judged(std::uint32_t fence, const Slot& at, const Canonical& hash) const;
  std::uint64_t first_named(std::uint32_t fence, const Slot& at) const;
  std::uint64_t state_of(std::uint32_t fence, const Slot& at, const Canonical& hash) const;
  std::uint64_t returned_before(std::uint32_t fence, std::uint64_t seq,
                                const Canonical& hash) const;
  std::uint64_t signals_of(const Canonical& hash) const;
  std::uint64_t agents_of(const Canonical& hash) const;
  std::uint64_t missed_writes(std::uint32_t fence, const Canonical& hash) const;

  Dense<Slots> fences_;
  Dense<Agent> agents_;
  bool decided_above_ = false;
};

}  // namespace fenceline::check
