// Reads jobs in the same way as scenarios: one list of fields per job.
#include "tb/app/chip_bench/jobs.h"
#include "tb/scenario/shapes/chip.h"
#include "tb/scenario/steps/commands.h"
#include "tb/scenario/text/json_document.h"

namespace fenceline::chip_bench {

using abi::ComputeGranularity;
using Grid = scenario::DispatchCommand::Grid;
using Mesh = scenario::DrawCommand::Mesh;
using scenario::BooleanCodec;
using scenario::ChipShape;
using scenario::Choice;
using scenario::choice;
using scenario::duration;
using scenario::IntegerCodec;
using scenario::list;
using scenario::Location;
using scenario::maybe;
using scenario::ObjectCodec;
using scenario::rate;
using scenario::size;

namespace {

constexpr std::array<Choice<ComputeGranularity>, 4> kLevels{
    {{"dispatch", ComputeGranularity::kDispatch},
     {"thread_group", ComputeGranularity::kThreadGroup},
     {"thread", ComputeGranularity::kThread},
     {"shader", ComputeGranularity::kShader}}};

constexpr IntegerCodec kPermille{0, 1000};
constexpr IntegerCodec kCount{1, 1'000'000};

template <class V, class T>
void fields_of_chip(V& v, T& t) {
  v.required("chip", t.gpu, ObjectCodec<ChipShape>{}, "What is measured.");
  v.field("level", t.level, choice(kLevels), "Where kernels can stop.");
}

struct SuspendShape {
  using Type = SuspendJob;
  template <class V, class T>
  static void fields(V& v, T& t) {
    fields_of_chip(v, t.chip);
    v.required("kernel", t.kernel, ObjectCodec<Grid>{}, "Of the queue.");
    v.field("in_flight", t.in_flight, kCount, "");
    v.field("batch", t.batch, kCount, "");
    v.required("window", t.window, duration(1), "");
    v.field("lead", t.lead, duration(), "");
    v.field("request", t.request, duration(), "");
    v.field("idle_permille", t.idle_permille, kPermille, "");
    v.field("samples", t.samples, kCount, "");
  }
};

struct StreamShape {
  using Type = Stream;
  template <class V, class T>
  static void fields(V& v, T& t) {
    v.required("kernel", t.kernel, ObjectCodec<Grid>{}, "");
    v.field("kernels", t.kernels, kCount, "");
    v.field("start", t.start, duration(), "");
  }
};

struct SlicesShape {
  using Type = SlicesJob;
  template <class V, class T>
  static void fields(V& v, T& t) {
    fields_of_chip(v, t.chip);
    v.required("streams", t.streams, list(ObjectCodec<StreamShape>{}, 1, 16), "");
    v.required("slice", t.slice, duration(1), "");
    v.field("gap", t.gap, duration(), "");
    v.field("together", t.together, BooleanCodec{}, "");
    v.field("overlap_permille", t.overlap_permille, kPermille, "");
    v.required("length", t.length, duration(1), "");
  }
};

struct RequestsShape {
  using Type = RequestsJob;
  template <class V, class T>
  static void fields(V& v, T& t) {
    fields_of_chip(v, t.chip);
    v.required("kernel", t.kernel, ObjectCodec<Grid>{}, "");
    v.field("kernels", t.kernels, kCount, "");
    v.required("critical", t.critical, ObjectCodec<Grid>{}, "");
    v.required("period", t.period, duration(1), "");
    v.field("preparation", t.preparation, duration(), "");
    v.field("ahead", t.ahead, duration(), "");
    v.field("notice", t.notice, duration(), "");
    v.field("early", t.early, BooleanCodec{}, "");
    v.field("refill", t.refill, duration(), "");
    v.field("requests", t.requests, kCount, "");
  }
};

struct TaskShape {
  using Type = PeriodicTask;
  template <class V, class T>
  static void fields(V& v, T& t) {
    v.required("cpu", t.cpu, duration(), "");
    v.required("gpu", t.gpu, duration(), "");
    v.required("period", t.period, duration(1), "");
    v.required("core", t.core, IntegerCodec{0, 63}, "");
    v.required("priority", t.priority, IntegerCodec{0, 1000}, "");
  }
};

struct TasksShape {
  using Type = TasksJob;
  template <class V, class T>
  static void fields(V& v, T& t) {
    v.required("tasks", t.tasks, list(ObjectCodec<TaskShape>{}, 1, 64), "");
    v.field("by_priority", t.by_priority, BooleanCodec{}, "");
    v.required("slice", t.slice, duration(1), "");
    v.field("switching", t.switching, duration(), "");
    v.field("request", t.request, duration(), "");
    v.required("length", t.length, duration(1), "");
  }
};

struct ContextShape {
  using Type = ContextJob;
  template <class V, class T>
  static void fields(V& v, T& t) {
    fields_of_chip(v, t.chip);
    v.required("kernel", t.kernel, ObjectCodec<Grid>{}, "");
  }
};

struct LevelsShape {
  using Type = LevelsJob;
  template <class V, class T>
  static void fields(V& v, T& t) {
    v.required("chip", t.chip.gpu, ObjectCodec<ChipShape>{}, "");
    v.field("kernel", t.kernel, maybe(ObjectCodec<Grid>{}), "");
    v.field("draw", t.draw, maybe(ObjectCodec<Mesh>{}), "");
    v.field("samples", t.samples, kCount, "");
  }
};

struct SaveAreaShape {
  using Type = SaveAreaJob;
  template <class V, class T>
  static void fields(V& v, T& t) {
    v.required("units", t.units, kCount, "");
    v.field("dies", t.dies, kCount, "");
    v.field("engines", t.engines, kCount, "");
    v.field("generation", t.generation, IntegerCodec{8, 12}, "");
    v.required("vector_registers", t.vector_bytes, size(0, 1 << 24), "");
    v.required("shared_memory", t.shared_bytes, size(0, 1 << 24), "");
    v.required("bandwidth", t.bandwidth_mbps, rate(), "");
  }
};

/// A job has one key.
struct AnyJob {
  Job what;
  Location at;
};

struct JobShape {
  static constexpr const char* kName = "job";
  template <class V>
  static void verbs(V& v) {
    v.template verb<SuspendJob>("suspend", ObjectCodec<SuspendShape>{}, "");
    v.template verb<SlicesJob>("slices", ObjectCodec<SlicesShape>{}, "");
    v.template verb<RequestsJob>("requests", ObjectCodec<RequestsShape>{}, "");
    v.template verb<TasksJob>("tasks", ObjectCodec<TasksShape>{}, "");
    v.template verb<ContextJob>("context", ObjectCodec<ContextShape>{}, "");
    v.template verb<LevelsJob>("levels", ObjectCodec<LevelsShape>{}, "");
    v.template verb<SaveAreaJob>("save_area", ObjectCodec<SaveAreaShape>{}, "");
  }
};

}  // namespace

Job read_job(const std::string& text) {
  const scenario::Source source{"job"};
  const scenario::JsonValue document = scenario::parse_json(text, source.path);
  AnyJob job;
  scenario::VerbCodec<JobShape>{}.read(scenario::Node(document, source), job);
  return job.what;
}

}  // namespace fenceline::chip_bench
