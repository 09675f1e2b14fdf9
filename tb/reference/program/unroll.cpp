#include "tb/reference/program/unroll.h"

#include <nlohmann/json.hpp>
#include <stdexcept>
#include <utility>

#include "models/abi/mutant.h"
#include "tb/reference/program/commands.h"
#include "tb/reference/program/memory_scope.h"
#include "tb/reference/program/steps.h"

namespace fenceline::reference {

using nlohmann::json;

namespace {

void unroll_queue_program(const json& program, const std::string& pointer, Unrolling& unrolling) {
  const Name target{program.at("process"), program.at("queue")};
  Submission submission(unrolling, target, {pointer, std::nullopt, target.first, pointer});
  submission.add(program.at("commands"), pointer + "/commands", {});
  submission.end();
}

void unroll_threads(const json& program, const std::string& pointer, Unrolling& unrolling) {
  const std::string name = program.at("thread");
  const std::uint64_t count = program.value("count", 1U);
  for (std::uint64_t i = 0; i < count; ++i) {
    Counters counters;
    if (program.contains("counter")) counters[program.at("counter")] = i;
    const std::string thread = count == 1 ? name : name + std::to_string(i);
    ThreadSteps steps(unrolling, program.at("process"), thread);
    steps.add(program.at("steps"), pointer + "/steps", counters);
    steps.end();
  }
}

/// A fence that steps open or close may not be there when the device is in error.
void note_failures(Program& program) {
  for (const Failure& failure : program.failures)
    for (const Handle& handle : program.handles) {
      Fence& fence = program.fences[handle.fence];
      if (handle.process != failure.process || !handle.may_signal || fence.keeps_value) continue;
      const bool there = abi::mutant(abi::Mutant::kErrorFindsEachFence) ||
                         (handle.declared && handle.closers.empty());
      fence.given_up.push_back({failure.step, failure.process, failure.always && there});
      program.lanes[failure.step.lane].ops[failure.step.op].gives_up.push_back(handle.fence);
    }
}

/// More resets of adapters within a time stop the machine. Source: WDDM, adapter reset.
bool resets_too_often(const json& scenario, const Program& program) {
  const json& limit = scenario.at("platform").at("os").at("preemption").at("tdr_limit_count");
  return program.resets > limit.get<std::uint64_t>();
}

}  // namespace

Unrolled unroll(const json& scenario) {
  Unrolled result;
  Unrolling unrolling{result, Objects(scenario, result.program), {}, {}, {}, 0};
  try {
    for (std::size_t i = 0; i < scenario.at("programs").size(); ++i) {
      const json& program = scenario.at("programs")[i];
      const std::string pointer = "/programs/" + std::to_string(i);
      if (program.contains("queue"))
        unroll_queue_program(program, pointer, unrolling);
      else
        unroll_threads(program, pointer, unrolling);
    }
    note_failures(result.program);
    if (resets_too_often(scenario, result.program))
      unrolling.be_silent("", "more resets than TdrLimitCount");
    if (unrolling.objects.uses().is_mixed())
      unrolling.be_silent("", "a name of fences of several kinds");
    if (unrolling.objects.opens_elsewhere())
      unrolling.be_silent("", "a fence of another adapter that is no cross-adapter fence");
    if (const std::string& odd = unrolling.objects.odd_cpu_events(); !odd.empty())
      unrolling.be_silent("", odd);
    if (const std::string reason = memory_out_of_scope(scenario, unrolling); !reason.empty())
      unrolling.be_silent("", reason);
  } catch (const TooLarge&) {
    result.silent[""] = "more than " + std::to_string(kMaxOperations) + " operations";
  }
  return result;
}

}  // namespace fenceline::reference
