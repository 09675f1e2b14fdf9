#pragma once

#include <array>

#include "tb/generate/constraints.h"
#include "tb/scenario/shapes/reader.h"

namespace fenceline::generate {

// Shapes of constraint files: see tb/scenario/shapes/reader.h.

using scenario::IntegerCodec;
using scenario::Json;
using scenario::Node;
using scenario::SchemaDefinitions;

constexpr std::uint64_t kMaxSize = 100'000;

constexpr std::array<scenario::Choice<SwitchMode>, 4> kSwitchModes{
    {{"mostly_defaults", SwitchMode::kMostlyDefaults},
     {"defaults", SwitchMode::kDefaults},
     {"safe", SwitchMode::kSafe},
     {"unsafe", SwitchMode::kUnsafe}}};

struct SpanEnds {
  using Type = Span;
  static constexpr const char* kName = "span";
  template <class V, class T>
  static void fields(V& v, T& t) {
    v.required("min", t.min, IntegerCodec{0, kMaxSize}, "Least value.");
    v.required("max", t.max, IntegerCodec{0, kMaxSize}, "Greatest value.");
  }
};

/// One whole number, or {"min", "max"}, all in [least, most].
struct SpanCodec {
  std::uint64_t least = 0;
  std::uint64_t most = kMaxSize;

  void read(const Node& node, Span& out) const;
  Json write(const Span& span) const;
  Json schema(SchemaDefinitions& definitions) const;
};

/// An object with a weight for some of the known words. Other words keep their weights.
struct WeightsCodec {
  std::vector<std::string> words;

  void read(const Node& node, Weights& out) const;
  Json write(const Weights& weights) const;
  Json schema(SchemaDefinitions& definitions) const;
};

inline IntegerCodec percent() { return {0, 100}; }

struct SizesShape {
  using Type = Sizes;
  static constexpr const char* kName = "sizes";
  template <class V, class T>
  static void fields(V& v, T& t) {
    v.field("adapters", t.adapters, SpanCodec{1, 8}, "GPUs.");
    v.field("processes", t.processes, SpanCodec{1, 64}, "Processes.");
    v.field("threads", t.threads, SpanCodec{1, 64}, "Threads; at least one for each process.");
    v.field("queues", t.queues, SpanCodec{0, 64}, "Hardware queues.");
    v.field("contexts", t.contexts, SpanCodec{0, 64}, "Contexts.");
    v.field("fences", t.fences, SpanCodec{1, 256}, "Fences that exist from the start.");
    v.field("allocations", t.allocations, SpanCodec{0, 256}, "Allocations.");
    v.field("commands", t.commands, SpanCodec{0, 10'000}, "Commands of all queues and contexts.");
    v.field("steps", t.steps, SpanCodec{1, 10'000}, "Steps of all threads.");
    v.field("submission", t.submission, SpanCodec{1, 1'000}, "Commands of one submission.");
  }
};

struct FeaturesShape {
  using Type = Features;
  static constexpr const char* kName = "features";
  template <class V, class T>
  static void fields(V& v, T& t) {
    v.field("shared_fences", t.shared_fences, percent(), "A fence is shared.");
    v.field("cross_adapter_fences", t.cross_adapter_fences, percent(),
            "A shared fence is shared by adapters.");
    v.field("monitored_fences", t.monitored_fences, percent(), "A fence is a monitored one.");
    v.field("traced_fences", t.traced_fences, percent(), "A native fence is only traced.");
    v.field("fence_flags", t.fence_flags, percent(), "A fence has a flag.");
    v.field("fence_homes", t.fence_homes, percent(), "A value of a fence has a home of its own.");
    v.field("initial_values", t.initial_values, percent(), "A fence does not start with 0.");
    v.field("large_values", t.large_values, percent(), "A value of a fence is far away.");
    v.field("answers", t.answers, percent(),
            "A thread waits for a signal of a queue, which waits for its answer.");
    v.field("relays", t.relays, percent(),
            "After a signal of a queue, it or another one of its engine signals the fence again.");
    v.field("logs", t.logs, percent(), "A queue has fence logs.");
    v.field("short_logs", t.short_logs, percent(), "A log has few entries.");
    v.field("progress_fences", t.progress_fences, percent(), "A queue has a progress fence.");
    v.field("queue_programs", t.queue_programs, percent(), "A queue has work before the start.");
    v.field("thread_cores", t.thread_cores, percent(), "A thread has a core of its own.");
    v.field("drivers", t.drivers, percent(), "An adapter has a driver of its own.");
    v.field("preemption", t.preemption, percent(), "The OS preempts the work of contexts.");
    v.field("context_scheduling", t.context_scheduling, percent(),
            "The OS schedules hardware contexts.");
    v.field("faults", t.faults, percent(), "The hardware has faults that lose nothing.");
    v.field("mistakes", t.mistakes, percent(), "A step is a call that fails.");
    v.field("refused_submissions", t.refused_submissions, percent(),
            "Such a call is a submission to a context.");
    v.field("memory", t.memory, percent(), "The memory manager moves allocations.");
    v.field("cpu_events", t.cpu_events, percent(), "The driver signals events of user mode.");
    v.field("doorbells", t.doorbells, percent(), "Hardware queues of an adapter share doorbells.");
    v.field("device_errors", t.device_errors, percent(), "A step puts devices in error.");
    v.field("after_errors", t.after_errors, percent(), "Work for a device follows on its error.");
    v.field("power", t.power, percent(), "Steps send an adapter to D3 whose work the OS knows.");
    v.field("display", t.display, percent(), "An adapter has a display.");
    v.field("negotiation", t.negotiation, percent(),
            "The operating system or a driver does not have native fences.");
    v.field("patched_contexts", t.patched_contexts, percent(),
            "Buffers of a context have physical addresses.");
    v.field("submissions_aside", t.submissions_aside, percent(),
            "The step `submit` is in no order with the submissions of other threads.");
    v.field("holds", t.holds, percent(),
            "Operations of hardware and software are held for a time.");
    v.field("reused_addresses", t.reused_addresses, percent(),
            "Addresses and memory of closed fences are used again soon.");
    v.field("released_by_logs", t.released_by_logs, percent(),
            "With switches mostly_defaults: waiters are released from the logs alone.");
    of_platforms(v, t);
    of_orders(v, t);
  }

 private:
  template <class V, class T>
  static void of_orders(V& v, T& t) {
    v.field("races", t.races, percent(), "The outcome depends on the order of events.");
    v.field("strays", t.strays, percent(),
            "Where it does, some closes, polls and waits are in no order with the rest.");
  }
  template <class V, class T>
  static void of_platforms(V& v, T& t) {
    v.field("guests", t.guests, percent(), "A process is in a virtual machine.");
    v.field("iommu", t.iommu, percent(), "An adapter uses addresses of CPU processes.");
    v.field("platform_values", t.platform_values, percent(),
            "A value of the platform differs from its profile.");
    v.field("weak_hosts", t.weak_hosts, percent(), "The memory order of the host is weak.");
    v.field("early_checks", t.early_checks, percent(),
            "The OS checks fences soon where no waiter is released.");
    v.field("fences_of_32_bits", t.fences_of_32_bits, percent(),
            "An adapter that is alone and has no native fences changes values of 32 bits only.");
    v.field("small_bars", t.small_bars, percent(),
            "The BAR of an adapter shows a part of its VRAM.");
    v.field("stale_caches", t.stale_caches, percent(),
            "Caches of the host do not see writes of devices, and no allocation is cached.");
  }
};

struct ConstraintsShape {
  using Type = Constraints;
  static constexpr const char* kName = "constraints";
  template <class V, class T>
  static void fields(V& v, T& t) {
    v.field("sizes", t.sizes, scenario::ObjectCodec<SizesShape>{}, "Sizes of a scenario.");
    v.field("features", t.features, scenario::ObjectCodec<FeaturesShape>{},
            "How often a feature occurs, in percent.");
    v.field(
        "switches", t.switches, scenario::choice(kSwitchModes),
        "Values of the ordering switches: the defaults; one other that is safe alone; one that is "
        "not, and the scenario names the invariants that it may break; or mostly the defaults, and "
        "in one scenario of five a safe one.");
    v.field("gpus", t.gpus, words(t.gpus), "Relative weights of the profiles of adapters.");
    v.field("hosts", t.hosts, words(t.hosts), "Relative weights of the profiles of hosts.");
    v.field("steps", t.steps, words(t.steps), "Relative weights of the steps.");
    v.field("commands", t.commands, words(t.commands), "Relative weights of the commands.");
    v.field("expectations", t.expectations, scenario::BooleanCodec{},
            "The scenario expects the values of its fences at the end.");
  }

 private:
  static WeightsCodec words(const Weights& weights) {
    WeightsCodec codec;
    for (const auto& [word, weight] : weights) codec.words.push_back(word);
    return codec;
  }
};

}  // namespace fenceline::generate
