#include "tb/check/work/engine_hangs.h"

#include "kmd_stub/wddm/wddm.h"
#include "tb/os/driver/ddi_names.h"

namespace fenceline::check {

using common::At;
using common::ObjectKind;
using event::RecoveryStage;

namespace {

bool resets_engine(std::uint64_t ddi) {
  return ddi == static_cast<std::uint64_t>(os::Ddi::DxgkDdiResetHwEngine);
}

}  // namespace

void EngineHangChecks::on(const At<event::QueueGuarded>& event) {
  queues_[event.queue] = {{event.adapter, event.engine}, event.context, event.process};
}

void EngineHangChecks::on(const At<event::EngineFault>& event) {
  if (queues_.count(event.queue) == 0) return;
  world_.report.checked(Invariant::kHangFound);
  hung_.insert(event.queue);
}

/// An engine reset over a hardware queue must drop nothing from the driver's own ring: the OS would
/// not submit those buffers again.
void EngineHangChecks::on(const At<event::WorkDropped>& event) {
  if (event.driver) {
    if (resetting_.count(event.adapter) == 0) return;
    world_.report.checked(Invariant::kOnlyHungLost);
    return fail_queue(
        Invariant::kOnlyHungLost, event.queue,
        "of the kernel-mode driver has lost its buffers to the reset of a hardware queue");
  }
  if (queues_.count(event.queue) == 0) return;
  world_.report.checked(Invariant::kOnlyHungLost);
  dropped_.insert(event.queue);
}

void EngineHangChecks::ended(const NodeKey& node) {
  for (auto it = hung_.begin(); it != hung_.end();)
    it = queues_[*it].node == node ? hung_.erase(it) : std::next(it);
}

void EngineHangChecks::on(const At<event::HwEngineReset>& event) {
  if (event.reset && event.status == 0) ended({event.adapter, event.engine});
}

void EngineHangChecks::on(const At<event::ContextLost>& event) {
  const bool collateral = (event.flags & DXGK_INVALIDATEHWCONTEXTFLAGS::kCollateralDamage) != 0;
  std::uint64_t process = 0;
  for (const auto& [object, queue] : queues_) {
    if (queue.context != event.context || queue.node.first != event.adapter) continue;
    process = queue.process;
    dropped_.erase(object);
  }
  if (!collateral && process != 0) blocked_.on_hang(process, event.time);
}

void EngineHangChecks::on(const At<event::Recovery>& event) {
  if (event.stage == RecoveryStage::kEngineReset) ended({event.adapter, event.engine});
  if (event.stage != RecoveryStage::kAdapterReset) return;
  for (const auto& [object, queue] : queues_)
    if (queue.node.first == event.adapter) hung_.erase(object);
}

void EngineHangChecks::on(const At<event::DdiCall>& event) {
  if (resets_engine(event.ddi)) resetting_.insert(event.adapter);
}

void EngineHangChecks::on(const At<event::DdiReturn>& event) {
  if (resets_engine(event.ddi)) resetting_.erase(event.adapter);
}

void EngineHangChecks::finish_quiescent() {
  for (const std::uint64_t queue : hung_)
    fail_queue(Invariant::kHangFound, queue, "has hung, and its engine was never reset");
  for (const std::uint64_t queue : dropped_)
    fail_queue(Invariant::kOnlyHungLost, queue,
               "has lost work to a reset, and the OS was not told that its context is lost");
}

void EngineHangChecks::add_to(Canonical& hash) const {
  for (const std::uint64_t queue : hung_) hash.add(queue).add(1);
  for (const std::uint64_t queue : dropped_) hash.add(queue).add(2);
  for (const std::uint64_t adapter : resetting_) hash.add(adapter).add(3);
}

}  // namespace fenceline::check
