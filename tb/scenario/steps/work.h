#pragma once

#include <array>

#include "tb/scenario/steps/process.h"
#include "tb/scenario/steps/program.h"

namespace fenceline::scenario {

// Shapes of dispatches and draws: see reader.h.

constexpr std::uint64_t kMaxBytes = 1ULL << 40U;  ///< traffic per command

template <class V, class T>
void traffic_fields(V& v, T& t) {
  v.field("read", t.read_bytes, size(0, kMaxBytes), "Bytes that it reads.");
  v.field("write", t.write_bytes, size(0, kMaxBytes), "Bytes that it writes.");
  v.field("write_through", t.write_through, BooleanCodec{},
          "Its writes leave no dirty cache lines.");
  v.field("allocation", t.allocation, maybe(name()),
          "Allocation of the memory traffic; required if there is traffic.");
}

struct DispatchShape : WithDefaults {
  using Type = DispatchCommand;
  static constexpr const char* kName = "dispatch";
  template <class V, class T>
  static void fields(V& v, T& t) {
    v.required("duration", t.duration, duration(), "Time on the engine.");
    v.field("groups", t.groups, IntegerCodec{1, 1ULL << 31U},
            "Number of thread groups; they run one after the other.");
    traffic_fields(v, t);
  }
};

constexpr std::array<Choice<abi::GroupTimes>, 2> kGroupTimes{
    {{"uniform", abi::GroupTimes::kUniform}, {"lognormal", abi::GroupTimes::kLognormal}}};

/// A dispatch with the resource needs of its thread groups.
struct GridShape : WithDefaults {
  using Type = DispatchCommand;
  static constexpr const char* kName = "grid";
  static constexpr const char* kKey = "threads";
  static bool applies(const DispatchCommand& command) { return command.threads != 0; }
  template <class V, class T>
  static void fields(V& v, T& t) {
    v.required("threads", t.threads, IntegerCodec{1, 1024}, "Threads per group.");
    v.required("group_duration", t.duration, duration(1), "Mean duration of a group.");
    v.field("groups", t.groups, IntegerCodec{1, 1ULL << 31U}, "Thread groups.");
    v.field("registers", t.registers, IntegerCodec{0, 512}, "32-bit registers per thread.");
    v.field("shared_memory", t.shared_bytes, size(0, 1 << 20), "Shared memory per group.");
    v.field("variation", t.variation, IntegerCodec{0, 100},
            "Coefficient of variation of the durations of groups, in percent.");
    v.field("distribution", t.distribution, choice(kGroupTimes),
            "Distribution of the durations of groups.");
    traffic_fields(v, t);
  }
};

struct DrawShape : WithDefaults {
  using Type = DrawCommand;
  static constexpr const char* kName = "draw";
  template <class V, class T>
  static void fields(V& v, T& t) {
    v.required("duration", t.duration, duration(), "Time on the engine.");
    v.field("primitives", t.primitives, IntegerCodec{1, 1ULL << 31U},
            "Number of primitives; they run one after the other.");
    traffic_fields(v, t);
  }
};

/// A draw whose time follows from the pipeline of the chip.
struct MeshShape : WithDefaults {
  using Type = DrawCommand;
  static constexpr const char* kName = "mesh";
  static constexpr const char* kKey = "triangles";
  static bool applies(const DrawCommand& command) { return command.triangles != 0; }
  template <class V, class T>
  static void fields(V& v, T& t) {
    v.required("triangles", t.triangles, IntegerCodec{1, 1ULL << 36U},
               "Number of triangles of the draw.");
    v.field("primitives", t.primitives, IntegerCodec{1, 1ULL << 31U},
            "Number of primitives of the triangles.");
    v.field("pixels", t.pixels, IntegerCodec{0, 1ULL << 40U},
            "Number of pixels that the triangles cover.");
    v.field("registers", t.registers, IntegerCodec{0, 512},
            "32-bit registers per thread that shades pixels.");
    traffic_fields(v, t);
  }
};

}  // namespace fenceline::scenario
