#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "tb/scenario/steps/contexts.h"
#include "tb/scenario/steps/fences.h"
#include "tb/scenario/steps/memory.h"
#include "tb/scenario/steps/queues.h"

namespace fenceline::scenario {

// Steps of CPU threads, and programs.

struct DelayStep {
  static constexpr Verb kVerb{"delay", "Sleeps."};
  Time duration = 0;

  static auto codec() { return member(&DelayStep::duration, scenario::duration()); }
};

struct ComputeStep {
  static constexpr Verb kVerb{"compute", "Keeps the core busy."};
  Time duration = 0;

  static auto codec() { return member(&ComputeStep::duration, scenario::duration()); }
};

/// Sleeps until the next multiple of `period` since the start, for frame pacing.
struct PaceStep {
  static constexpr Verb kVerb{"pace", "Sleeps until the next multiple of this period."};
  Time period = 0;

  static auto codec() { return member(&PaceStep::period, duration(1)); }
};

struct MarkStep {
  static constexpr Verb kVerb{"mark", "A point that expectations can name."};
  std::string label;

  static auto codec() { return member(&MarkStep::label, name()); }
};

struct Step;
using Steps = std::vector<Step>;

struct RepeatStep {
  static constexpr Verb kVerb{"repeat", "A loop."};
  static constexpr const char* kName = "repeat_steps";
  Expression count;
  std::string counter;
  Steps body;

  template <class V, class T>
  static void fields(V& v, T& t) {
    repeat_fields(v, t);
    v.required("steps", t.body, list(VerbCodec<Step>{}, 1, kMaxSteps), "Steps to repeat.");
  }
};

/// A step of a thread.
struct Step {
  static constexpr const char* kName = "step";
  std::variant<WaitStep, WaitEventStep, SignalStep, PollStep, SubmitStep, DelayStep, ComputeStep,
               PaceStep, MarkStep, CreateFenceStep, DestroyFenceStep, SetLogBuffersStep,
               ConnectDoorbellStep, CaptureLogsStep, AccessStep, TouchLogStep, SignalElsewhereStep,
               FailDeviceStep, QueryAdapterStep, GpuWaitStep, GpuSignalStep, CreateCpuEventStep,
               UseCpuEventStep, PassHandleStep, SetPowerStep, PresentStep, SuspendContextStep,
               ResumeContextStep, SetSchedulingStep, ResetEngineStep, CreateDeviceStep,
               DestroyDeviceStep, CreateAllocationStep, DestroyAllocationStep, MakeResidentStep,
               EvictStep, LockStep, UnlockStep, MapStep, UnmapStep, StoreStep, LoadStep,
               InvalidateCacheStep, MemoryStressStep, RepeatStep>
      what;
  Location at;

  template <class V>
  static void verbs(V& v) {
    VerbsOf<decltype(what)>::visit(v);
  }
};

constexpr std::uint32_t kMaxThreads = 8192;  ///< total of all programs

/// Steps of one CPU thread, or commands submitted to a queue before the start.
struct Program {
  std::string name;                   ///< thread name; the name of the queue for a queue program
  std::string process;                ///< default: the only process
  std::optional<std::string> queue;   ///< if set, `commands` are submitted as one buffer at time 0
  std::optional<std::uint32_t> core;  ///< default: spread over the cores, from the last core down
  std::uint32_t count =
      1;  ///< number of threads with these steps; from 2 on their names are name0, name1 ...
  std::string counter;  ///< counter with the number of the thread, for expressions
  Steps steps;
  Commands commands;
  Location at;
};

}  // namespace fenceline::scenario
