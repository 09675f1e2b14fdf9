#include "tb/check/engine_hangs.h"

#include "kmd_stub/wddm/wddm.h"
#include "tb/os/ddi_names.h"

namespace fenceline::check {

using common::Event;
using common::ObjectKind;
using common::RecoveryStage;

namespace {

constexpr std::uint64_t kObject = 0xFFFFFFFF;  // low half of field a of kQueueGuarded: the context

bool resets_engine(const Event& event) {
  return event.a == static_cast<std::uint64_t>(os::Ddi::kResetHwEngine);
}

}  // namespace

void EngineHangChecks::clear() {
  queues_.clear();
  hung_.clear();
  dropped_.clear();
  resetting_.clear();
}

void EngineHangChecks::fail(Invariant invariant, std::uint64_t queue, const std::string& what) {
  Reporter& report = world_.report;
  if (report.broken(invariant, static_cast<std::uint32_t>(queue)))
    report.add(invariant, 0,
               "queue " + report.name(ObjectKind::kQueue, queue) + " " + what + ", " +
                   at_time(report.time()));
}

void EngineHangChecks::on_guarded(const Event& event) {
  queues_[event.object] = {{event.a >> 32, event.c}, event.a & kObject, event.b};
}

void EngineHangChecks::on_fault(const Event& event) {
  if (queues_.count(event.object) == 0) return;
  world_.report.checked(Invariant::kHangFound);
  hung_.insert(event.object);
}

/// The driver's own ring loses nothing when an engine is reset over a hardware queue: the OS would
/// not submit its buffers again.
void EngineHangChecks::on_dropped(const Event& event) {
  const bool of_driver = event.b != 0;
  if (of_driver) {
    if (resetting_.count(event.a) == 0) return;
    world_.report.checked(Invariant::kOnlyHungLost);
    return fail(Invariant::kOnlyHungLost, event.object,
                "of the kernel-mode driver has lost its buffers to the reset of a hardware queue");
  }
  if (queues_.count(event.object) == 0) return;
  world_.report.checked(Invariant::kOnlyHungLost);
  dropped_.insert(event.object);
}

void EngineHangChecks::ended(const NodeKey& node) {
  for (auto it = hung_.begin(); it != hung_.end();)
    it = queues_[*it].node == node ? hung_.erase(it) : std::next(it);
}

void EngineHangChecks::on_engine_reset(const Event& event) {
  if (event.a != 0 && event.b == 0) ended({event.object, event.c});
}

void EngineHangChecks::on_lost(const Event& event) {
  const bool collateral = (event.b & DXGK_INVALIDATEHWCONTEXTFLAGS::kCollateralDamage) != 0;
  std::uint64_t process = 0;
  for (const auto& [object, queue] : queues_) {
    if (queue.context != event.a || queue.node.first != event.object) continue;
    process = queue.process;
    dropped_.erase(object);
  }
  if (!collateral && process != 0) blocked_.on_hang(process, event.time);
}

void EngineHangChecks::on_recovery(const Event& event) {
  const auto stage = static_cast<RecoveryStage>(event.a);
  if (stage == RecoveryStage::kEngineReset) ended({event.object, event.c & 0xFF});
  if (stage != RecoveryStage::kAdapterReset) return;
  for (const auto& [object, queue] : queues_)
    if (queue.node.first == event.object) hung_.erase(object);
}

void EngineHangChecks::on_ddi_call(const Event& event) {
  if (resets_engine(event)) resetting_.insert(event.object);
}

void EngineHangChecks::on_ddi_return(const Event& event) {
  if (resets_engine(event)) resetting_.erase(event.object);
}

void EngineHangChecks::finish_quiescent() {
  for (const std::uint64_t queue : hung_)
    fail(Invariant::kHangFound, queue, "has hung, and its engine was never reset");
  for (const std::uint64_t queue : dropped_)
    fail(Invariant::kOnlyHungLost, queue,
         "has lost work to a reset, and the OS was not told that its context is lost");
}

void EngineHangChecks::add_to(Canonical& hash) const {
  for (const std::uint64_t queue : hung_) hash.add(queue).add(1);
  for (const std::uint64_t queue : dropped_) hash.add(queue).add(2);
  for (const std::uint64_t adapter : resetting_) hash.add(adapter).add(3);
}

}  // namespace fenceline::check
