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
  std::string name;     ///< thread name; the name of the queue for a queue program
  std::string process;  ///< default: the only process
  std::optional<std::string> queue;
  std::optional<std::uint32_t> core;
  std::uint32_t count = 1;
  std::string counter;
  Steps steps;
  Commands commands;
  Location at;

  /// Commands of a queue before the start.
  struct OfQueue {
    using Type = Program;
    static constexpr const char* kName = "queue_program";
    static constexpr const char* kKey = "queue";
    static bool applies(const Program& program) { return program.queue.has_value(); }
    template <class V, class T>
    static void fields(V& v, T& t) {
      v.required("queue", t.queue, maybe(scenario::name()), "A queue of the process.");
      v.on_read(t, [](auto& program) { program.name = *program.queue; });
      v.field("process", t.process, scenario::name(), "Default: the only process.");
      v.required("commands", t.commands, list(VerbCodec<Command>{}, 1, kMaxSteps),
                 "Submitted as one buffer at time 0.");
      v.location(t.at);
    }
  };
  /// Steps of a CPU thread.
  struct OfThread {
    using Type = Program;
    static constexpr const char* kName = "thread_program";
    template <class V, class T>
    static void fields(V& v, T& t) {
      v.required("thread", t.name, scenario::name(), "Unique among the threads.");
      v.field("process", t.process, scenario::name(), "Default: the only process.");
      v.field("core", t.core, maybe(IntegerCodec{0, 63}),
              "Default: spread over the cores in order, from the last down.");
      v.field("count", t.count, IntegerCodec{1, kMaxThreads},
              "Number of threads with these steps; from 2 on their names are name0, name1 ...");
      v.field("counter", t.counter, CounterCodec{},
              "Counter with the number of the thread, from 0, for expressions.");
      v.required("steps", t.steps, list(VerbCodec<Step>{}, 1, kMaxSteps),
                 "Steps of the thread, in order.");
      v.location(t.at);
    }
  };
  using Codec = EitherCodec<OfQueue, OfThread>;
};

}  // namespace fenceline::scenario
