// Steps that stop, reset or fail devices and their contexts: background/preemption.md.
#include <nlohmann/json.hpp>
#include <set>
#include <utility>

#include "models/abi/mutant.h"
#include "tb/reference/program/engine_faults.h"
#include "tb/reference/program/steps.h"

namespace fenceline::reference {

using nlohmann::json;

namespace {

/// @param whole the engine is reset together with its adapter
bool resets_all(bool whole) { return whole && !abi::mutant(abi::Mutant::kEngineIsResetAlone); }

/// @param engine "adapter/engine"
std::string adapter_of(const std::string& engine) { return engine.substr(0, engine.find('/')); }

}  // namespace

/// A context that is suspended goes on when it is resumed: its work comes later, and no work is
/// lost. DxgkDdiSuspendContext succeeds at once for a context that is suspended already, and is
/// pending for others. One that is not waited for may be pending still.
void ThreadSteps::add_suspension(const std::string& verb, const json& value, Op op) {
  if (verb == "resume_context") {
    suspended_.erase(unrolling_.objects.hardware_context({process_, value}));
  } else {
    const std::string context =
        unrolling_.objects.hardware_context({process_, value.at("context")});
    const auto before = suspended_.find(context);
    const bool alone = unrolling_.objects.is_suspended_by_one();
    op.statuses = {"STATUS_PENDING", "STATUS_SUCCESS"};
    if (alone && before == suspended_.end()) op.statuses = {"STATUS_PENDING"};
    if (alone && before != suspended_.end() && before->second &&
        !abi::mutant(abi::Mutant::kSecondSuspensionPends))
      op.statuses = {"STATUS_SUCCESS"};
    suspended_[context] = value.at("wait").get<bool>();
  }
  put(std::move(op));
}

/// The reset of an engine puts the device of each hardware queue that runs there in error. Buffers
/// that the OS feeds run after it.
void ThreadSteps::add_failure(const std::string& verb, const json& value, Op op) {
  Program& program = unrolling_.program();
  const Ref step = put(std::move(op));
  if (verb == "fail_device") {
    program.failures.push_back({step, unrolling_.objects.process(process_), true});
    return;
  }
  ++program.resets;
  const std::string engine = unrolling_.objects.engine(process_, value);
  const std::string adapter = adapter_of(engine);
  if (resets_all(resets_adapter(unrolling_.objects.scenario(), adapter)))
    return fail_adapter(step, adapter);
  fail_users(step, [&](const Queue& queue) {
    return (!queue.node || abi::mutant(abi::Mutant::kResetHitsContexts)) && queue.engine == engine;
  });
}

/// The devices of all processes with work on the adapter may be in error, and of those with memory
/// that the reset loses.
void ThreadSteps::fail_adapter(Ref step, const std::string& adapter) {
  if (!abi::mutant(abi::Mutant::kMovesSurviveReset)) lose_memory(step, adapter);
  fail_users(step, [&](const Queue& queue) { return adapter_of(queue.engine) == adapter; });
}

/// The reset loses memory that is being moved. No step of a program tells that a move has ended.
/// Source: background/preemption.md, resets.
void ThreadSteps::lose_memory(Ref step, const std::string& adapter) {
  Program& program = unrolling_.program();
  std::set<Id> owners;
  for (const auto& [name, declared] : unrolling_.objects.managed())
    if (unrolling_.objects.adapter_of(name.first).at("name") == adapter) {
      program.allocations[unrolling_.objects.allocation(name)].may_be_lost = true;
      owners.insert(unrolling_.objects.process(name.first));
    }
  may_fail(step, owners);
}

void ThreadSteps::fail_users(Ref step, const std::function<bool(const Queue&)>& hit) {
  std::set<Id> processes;
  for (const Queue& queue : unrolling_.program().queues)
    if (hit(queue)) processes.insert(queue.process);
  may_fail(step, processes);
}

void ThreadSteps::may_fail(Ref step, const std::set<Id>& processes) {
  for (const Id process : processes)
    unrolling_.program().failures.push_back({step, process, false});
}

/// A fault of an engine may come at any time behind its mark. One process is hit, or the adapter is
/// reset. Source: background/preemption.md, faults and hangs that the device detects.
void ThreadSteps::add_mark(const std::string& mark, Op op) {
  const Ref step = put(std::move(op));
  for (const EngineFault& fault : engine_faults(unrolling_.objects.scenario(), mark)) {
    if (fault.hangs) ++unrolling_.program().resets;
    if (resets_all(fault.adapter))
      fail_adapter(step, adapter_of(fault.engine));
    else
      fail_users(step, [&](const Queue& it) {
        return (it.node || fault.hangs) && it.engine == fault.engine;
      });
  }
}

/// A process has one device, and keeps it as long as it has queues or contexts.
void ThreadSteps::add_device_call(const std::string& verb, Op op) {
  if (verb == "destroy_device" && !unrolling_.objects.has_queues(process_))
    unrolling_.be_silent("", "a process without a device");
  op.statuses = {abi::mutant(abi::Mutant::kSecondDevice) ? "STATUS_SUCCESS"
                                                         : "STATUS_INVALID_PARAMETER"};
  put(std::move(op));
}

}  // namespace fenceline::reference
