#pragma once

#include "tb/scenario/shapes/expect.h"
#include "tb/scenario/shapes/fault.h"
#include "tb/scenario/shapes/platform.h"
#include "tb/scenario/shapes/sweep.h"
#include "tb/scenario/steps/program.h"

namespace fenceline::scenario {

// Shape of the whole document: see reader.h.

constexpr std::uint64_t kSchemaVersion = 1;

constexpr std::array<Choice<PolicyKind>, 2> kPolicies{
    {{"timing", PolicyKind::kTiming}, {"random", PolicyKind::kRandom}}};

constexpr std::array<Choice<common::Grain>, 3> kGrains{
    {{common::grain_name(common::Grain::kCoarse), common::Grain::kCoarse},
     {common::grain_name(common::Grain::kShared), common::Grain::kShared},
     {common::grain_name(common::Grain::kAll), common::Grain::kAll}}};

/// Text for editors; it is ignored.
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

/// Commands of a queue before the start.
struct QueueProgramShape {
  using Type = Program;
  static constexpr const char* kName = "queue_program";
  static constexpr const char* kKey = "queue";
  static bool applies(const Program& program) { return program.queue.has_value(); }
  template <class V, class T>
  static void fields(V& v, T& t) {
    v.required("queue", t.queue, maybe(name()), "A queue of the process.");
    v.on_read(t, [](auto& program) { program.name = *program.queue; });
    v.field("process", t.process, name(), "Default: the only process.");
    v.required("commands", t.commands, list(VerbCodec<Command>{}, 1, kMaxSteps),
               "Submitted as one buffer at time 0.");
    v.location(t.at);
  }
};

/// Steps of a CPU thread.
struct ThreadProgramShape {
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

/// Limits of an exploration.
struct BoundsShape {
  using Type = ExploreBounds;
  static constexpr const char* kName = "explore_bounds";
  template <class V, class T>
  static void fields(V& v, T& t) {
    const IntegerCodec number{0, 1'000'000};
    v.field("signals", t.signals, maybe(number), "Signals of queues and threads.");
    v.field("waiters", t.waiters, maybe(number), "Waits of threads.");
    v.field("queues", t.queues, maybe(number), "Number of queues with work.");
    v.field("preemptions", t.preemptions, maybe(IntegerCodec{0, 0}),
            "Preemptions of nodes: only 0, for scenarios without platform.os.preemption.");
    v.field("pending", t.pending, maybe(IntegerCodec{1, 1024}), "Writes in one posted FIFO.");
    v.field("interrupts", t.interrupts, maybe(IntegerCodec{1, 1'000'000}),
            "Interrupts raised since a core last accepted one. Runs with more are not explored.");
  }
};

/// Settings of a search.
struct ExploreShape {
  using Type = ExploreSettings;
  static constexpr const char* kName = "explore";
  template <class V, class T>
  static void fields(V& v, T& t) {
    v.field("bounds", t.bounds, ObjectCodec<BoundsShape>{},
            "Size limits of the scenario, also for runs.");
    v.field("executions", t.executions, IntegerCodec{1, 1'000'000'000'000},
            "Limit of runs, including those cut short. The search then gives up.");
    v.field("states", t.states, IntegerCodec{1, 1'000'000'000},
            "Limit of different states. The search then gives up.");
    v.field("steps", t.steps, maybe(choice(kGrains)),
            "Step size of threads. Default: `coarse` in random runs, `all` in searches.");
    v.field("matrix", t.matrix, list(WordCodec{mechanism_names()}, 0, 12),
            "Ordering switches of which `explore --matrix` tries every subset.");
  }
};

/// Limits for runs that do not end by themselves.
struct LimitsShape {
  using Type = RunLimits;
  static constexpr const char* kName = "limits";
  template <class V, class T>
  static void fields(V& v, T& t) {
    v.field("standstill", t.standstill, duration(common::kMillisecond),
            "Limit of simulated time in which only polling threads advance: then the run is a "
            "hang, or a livelock if threads poll.");
    v.field("standstill_steps", t.standstill_steps, IntegerCodec{1'000, 1'000'000'000'000},
            "The same limit in steps, for runs in which time does not pass.");
    v.field("steps", t.steps, IntegerCodec{1'000, 1'000'000'000'000'000},
            "Limit of steps of a run with time.");
  }
};

struct ScenarioShape {
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
            "Requirements that it breaks, to show that their checkers report it.");
    v.field("policy", t.policy, choice(kPolicies),
            "Interleavings: given by timing, or seeded random orders without time.");
    v.field("seed", t.seed, ValueCodec{}, "Seed of all random choices.");
    v.field("end_time", t.end_time, maybe(duration(1)),
            "Fixed end of the run. An agent that still waits then is hung.");
    v.field("limits", t.limits, ObjectCodec<LimitsShape>{},
            "Limits for runs that do not end by themselves.");
    v.field("platform", t.platform, ObjectCodec<PlatformShape>{},
            "Host, GPUs and ordering switches.");
    v.required("processes", t.processes, list(ObjectCodec<Process>{}, 1, 64),
               "User-mode processes and their objects.");
    v.required("programs", t.programs,
               list(EitherCodec<QueueProgramShape, ThreadProgramShape>{}, 1, 1024),
               "Steps of threads and commands of queues.");
    v.field("faults", t.faults, list(ObjectCodec<FaultShape>{}, 0, 1024),
            "Faults of adapters and links.");
    v.field("holds", t.holds, list(ObjectCodec<HoldShape>{}, 0, 1024),
            "Fixed orders of operations.");
    v.field("explore", t.explore, ObjectCodec<ExploreShape>{},
            "Settings of the search over orders.");
    v.field("sweep", t.sweep, ObjectCodec<SweepShape>{}, "Runs with varied values.");
    v.required("expect", t.expect, ObjectCodec<ExpectShape>{}, "Expected results.");
  }
};

}  // namespace fenceline::scenario
