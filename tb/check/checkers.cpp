#include "tb/check/checkers.h"

#include "tb/check/devices/device_errors.h"
#include "tb/check/devices/display.h"
#include "tb/check/devices/driver_misuse.h"
#include "tb/check/devices/driver_rules.h"
#include "tb/check/devices/memory.h"
#include "tb/check/devices/scope.h"
#include "tb/check/devices/start.h"
#include "tb/check/fences/cross_adapter.h"
#include "tb/check/fences/lifetime.h"
#include "tb/check/fences/lost.h"
#include "tb/check/fences/monitored_fence.h"
#include "tb/check/fences/notices.h"
#include "tb/check/fences/payload.h"
#include "tb/check/fences/storage.h"
#include "tb/check/fences/update.h"
#include "tb/check/fences/value.h"
#include "tb/check/fences/values_told.h"
#include "tb/check/logs/interrupt.h"
#include "tb/check/logs/log.h"
#include "tb/check/logs/log_level.h"
#include "tb/check/logs/timeline.h"
#include "tb/check/work/doorbell.h"
#include "tb/check/work/engine_hangs.h"
#include "tb/check/work/preemption.h"
#include "tb/check/work/scheduling.h"
#include "tb/check/work/split_buffers.h"
#include "tb/check/work/submission.h"

namespace fenceline::check {

/// The checkers of a run. This is the only list of checkers; each subscribes itself to its events.
///
/// Checkers take an event in this order. A checker comes after the checkers whose results it uses,
/// as its constructor arguments show; `World` is first.
class Checkers::Impl final : public common::EventSink {
 public:
  Impl(common::EventStream& stream, const CheckOptions& options)
      : report(stream),
        waiters(world, options.release_bound),
        logs(world, waiters, interrupts, options.log_entries),
        stale_reads_(options.stale_reads) {
    stream.subscribe(*this, roster.kinds());
  }

  void on_event(const common::Event& event) override {
    report.tick(event);
    roster.hand(event);
    world.settle();
  }
  void finish();
  std::uint64_t state_hash() const;

  Reporter report;
  Roster roster;
  World world{report, roster};
  ReadChecks reads{world};
  LifetimeChecks lifetimes{world};
  MonitoredFenceChecks monitored_fences{world};
  StartChecks starts{world};
  StorageChecks storage{world};
  UpdateChecks updates{world};
  WaiterChecks waiters;
  PayloadChecks payloads{world};
  QueueWaitChecks queue_waits{world};
  InterruptChecks interrupts{world, updates};
  MonitoredChecks monitored{world, waiters, queue_waits};
  CrossAdapterChecks shared{world, lifetimes};
  ToldValueChecks told{world};
  ScopeChecks scopes{world};
  IrqlChecks irql{world};
  CpuEventChecks cpu_events{world};
  BlockedChecks blocked{world};
  PreemptionChecks preemption{world, waiters, blocked};
  SchedulingChecks scheduling{world};
  EngineHangChecks hangs{world, blocked};
  DeviceErrorChecks device_errors{world};
  DriverRuleChecks driver_rules{world};
  MisuseChecks misuses{world};
  DisplayChecks displays{world};
  SplitBufferChecks split_buffers{world};
  DoorbellChecks doorbells{world};
  SubmissionChecks submissions{world};
  MemoryChecks memory{world};
  NoticeChecks notices{world};
  LogChecks logs;
  LogLevelChecks log_levels{world};
  TimelineChecks timeline{world};

 private:
  const bool stale_reads_;
  bool finished_ = false;
};

void Checkers::Impl::finish() {
  if (finished_) return;
  finished_ = true;
  if (!world.quiescent()) return;
  for (Checker* checker : roster.all()) checker->finish_quiescent();
}

std::uint64_t Checkers::Impl::state_hash() const {
  Canonical hash(world, stale_reads_);
  for (const Checker* checker : roster.all()) checker->mark(hash);
  for (const Checker* checker : roster.all()) checker->add_to(hash);
  return hash.value();
}

Checkers::Checkers(common::EventStream& stream, const CheckOptions& options)
    : impl_(std::make_unique<Impl>(stream, options)) {}

Checkers::~Checkers() = default;

void Checkers::finish() { impl_->finish(); }
std::uint64_t Checkers::state_hash() const { return impl_->state_hash(); }

const std::vector<Violation>& Checkers::violations() const { return impl_->report.violations(); }
std::vector<Exercise> Checkers::exercised() const { return impl_->report.exercised(); }
std::array<std::uint64_t, kInvariantCount> Checkers::tested() const {
  return impl_->report.tested();
}
std::uint64_t Checkers::max_release() const { return impl_->waiters.max_release(); }
std::uint64_t Checkers::spurious() const { return impl_->interrupts.spurious(); }
std::uint64_t Checkers::unjudged() const { return impl_->waiters.unjudged(); }

}  // namespace fenceline::check
