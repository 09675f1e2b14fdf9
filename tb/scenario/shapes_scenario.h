#pragma once

#include "tb/scenario/shapes_expect.h"
#include "tb/scenario/shapes_fault.h"
#include "tb/scenario/shapes_platform.h"
#include "tb/scenario/shapes_program.h"
#include "tb/scenario/shapes_sweep.h"

namespace fenceline::scenario {

// Shape of the whole document: see reader.h.

constexpr std::uint64_t kSchemaVersion = 1;

constexpr std::array<Choice<PolicyKind>, 2> kPolicies{
    {{"timing", PolicyKind::kTiming}, {"random", PolicyKind::kRandom}}};

constexpr std::array<Choice<common::Grain>, 3> kGrains{
    {{common::grain_name(common::Grain::kCoarse), common::Grain::kCoarse},
     {common::grain_name(common::Grain::kShared), common::Grain::kShared},
     {common::grain_name(common::Grain::kAll), common::Grain::kAll}}};

/// Text that only editors use; it is not kept.
struct IgnoredTextCodec {
  template <class T>
  void read(const Node& node, const T&) const {
    node.string();
  }
  template <class T>
  Json write(const T&) const {
    return nullptr;
  }
  Json schema(SchemaDefinitions&) const { return {{"type", "string"}}; }
};

/// The number kSchemaVersion.
struct VersionCodec {
  template <class T>
  void read(const Node& node, const T&) const {
    std::uint64_t version = 0;
    IntegerCodec{kSchemaVersion, kSchemaVersion}.read(node, version);
  }
  template <class T>
  Json write(const T&) const {
    return kSchemaVersion;
  }
  Json schema(SchemaDefinitions&) const { return {{"const", kSchemaVersion}}; }
};

/// What a queue is given to do before the start.
struct QueueProgramShape : WithDefaults {
  using Type = Program;
  static constexpr const char* kName = "queue_program";
  static constexpr const char* kKey = "queue";
  static bool applies(const Program& program) { return program.queue.has_value(); }
  template <class V, class T>
  static void fields(V& v, T& t) {
    v.required("queue", t.queue, maybe(name()), "A queue of the process.");
    v.on_read(t, [](auto& program) { program.name = *program.queue; });
    v.field("process", t.process, name(), "Default: the only process.");
    v.required("commands", t.commands, list(VerbCodec<CommandShape>{}, 1, kMostSteps),
               "Submitted as one buffer at time 0.");
    v.location(t.at);
  }
};

/// What a CPU thread does.
struct ThreadProgramShape : WithDefaults {
  using Type = Program;
  static constexpr const char* kName = "thread_program";
  template <class V, class T>
  static void fields(V& v, T& t) {
    v.required("thread", t.name, scenario::name(), "Unique among the threads.");
    v.field("process", t.process, scenario::name(), "Default: the only process.");
    v.field("core", t.core, maybe(IntegerCodec{0, 63}),
            "Default: spread over the cores in order, from the last down.");
    v.field("count", t.count, IntegerCodec{1, kMostThreads},
            "Threads that do this; from 2 on they are called name0, name1 ...");
    v.field("counter", t.counter, CounterCodec{},
            "Name under which expressions see which of them it is, from 0.");
    v.required("steps", t.steps, list(VerbCodec<StepShape>{}, 1, kMostSteps),
               "One after the other.");
    v.location(t.at);
  }
};

/// How much of a scenario there is.
struct BoundsShape : WithDefaults {
  using Type = ExploreBounds;
  static constexpr const char* kName = "explore_bounds";
  template <class V, class T>
  static void fields(V& v, T& t) {
    const IntegerCodec number{0, 1'000'000};
    v.field("signals", t.signals, maybe(number), "Signals of queues and threads.");
    v.field("waiters", t.waiters, maybe(number), "Waits of threads.");
    v.field("queues", t.queues, maybe(number), "Queues that do something.");
    v.field("preemptions", t.preemptions, maybe(IntegerCodec{0, 0}),
            "Of nodes: 0, for scenarios without platform.os.preemption.");
    v.field("pending", t.pending, maybe(IntegerCodec{1, 1024}), "Writes in one posted FIFO.");
    v.field("interrupts", t.interrupts, maybe(IntegerCodec{1, 1'000'000}),
            "Raised since a core last accepted one: runs with more are not explored.");
  }
};

/// How orders are searched.
struct ExploreShape : WithDefaults {
  using Type = ExploreSettings;
  static constexpr const char* kName = "explore";
  template <class V, class T>
  static void fields(V& v, T& t) {
    v.field("bounds", t.bounds, ObjectCodec<BoundsShape>{},
            "How much of the scenario there is, for runs too.");
    v.field("executions", t.executions, IntegerCodec{1, 1'000'000'000'000},
            "Runs, also those cut short, after which the search gives up.");
    v.field("states", t.states, IntegerCodec{1, 1'000'000'000},
            "Different states after which the search gives up.");
    v.field("steps", t.steps, maybe(choice(kGrains)),
            "How small the steps of threads are. Without it random runs take `coarse` ones, and "
            "searches take `all`.");
    v.field("matrix", t.matrix, list(WordCodec{mechanism_names()}, 0, 12),
            "Ordering switches of which `explore --matrix` tries every subset.");
  }
};

/// When a run without an end is ended.
struct LimitsShape : WithDefaults {
  using Type = RunLimits;
  static constexpr const char* kName = "limits";
  template <class V, class T>
  static void fields(V& v, T& t) {
    v.field("standstill", t.standstill, duration(common::kMillisecond),
            "Simulated time in which nothing advances but threads that poll: a hang, or a livelock "
            "if some do.");
    v.field("standstill_steps", t.standstill_steps, IntegerCodec{1'000, 1'000'000'000'000},
            "The same in steps, where time does not pass.");
    v.field("steps", t.steps, IntegerCodec{1'000, 1'000'000'000'000'000},
            "Steps of a run in time, after which it is stopped.");
  }
};

struct ScenarioShape : WithDefaults {
  using Type = Scenario;
  static constexpr const char* kName = "scenario";
  template <class V, class T>
  static void fields(V& v, T& t) {
    v.field("$schema", t, IgnoredTextCodec{}, "For editors: path of scenario.schema.json.");
    v.required("schema_version", t, VersionCodec{}, "Version of this format.");
    v.required("name", t.name, scenario::name(), "Names the run's output folder.");
    v.field("title", t.title, TextCodec{0, 200}, "One line.");
    v.field("description", t.description, TextCodec{}, "A paragraph.");
    v.field("covers", t.covers, list(requirement(), 0, 64), "Requirements that it shows.");
    v.field("negative_for", t.negatives, list(requirement(), 0, 64),
            "Requirements whose checker it shows can fail.");
    v.field("policy", t.policy, choice(kPolicies),
            "Interleavings: those of the timing, or seeded random orders without time.");
    v.field("seed", t.seed, ValueCodec{}, "Of everything random.");
    v.field("end_time", t.end_time, maybe(duration(1)), "Whoever waits then has hung.");
    v.field("limits", t.limits, ObjectCodec<LimitsShape>{}, "When a run without an end is ended.");
    v.field("platform", t.platform, ObjectCodec<PlatformShape>{},
            "Host, GPUs and ordering switches.");
    v.required("processes", t.processes, list(ObjectCodec<ProcessShape>{}, 1, 64),
               "User-mode processes and what they own.");
    v.required("programs", t.programs,
               list(EitherCodec<QueueProgramShape, ThreadProgramShape>{}, 1, 1024),
               "What threads and queues do.");
    v.field("faults", t.faults, list(ObjectCodec<FaultShape>{}, 0, 1024), "What goes wrong.");
    v.field("holds", t.holds, list(ObjectCodec<HoldShape>{}, 0, 1024), "Orders that are fixed.");
    v.field("explore", t.explore, ObjectCodec<ExploreShape>{}, "How orders are searched.");
    v.field("sweep", t.sweep, ObjectCodec<SweepShape>{}, "Runs with other values.");
    v.required("expect", t.expect, ObjectCodec<ExpectShape>{}, "What must come out.");
  }
};

}  // namespace fenceline::scenario
