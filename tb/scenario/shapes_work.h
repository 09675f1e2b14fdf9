#pragma once

#include <array>

#include "tb/scenario/program.h"
#include "tb/scenario/shapes_process.h"

namespace fenceline::scenario {

// Shapes of dispatches and draws: see reader.h.

constexpr std::uint64_t kMostBytes = 1ULL << 40U;  ///< traffic of one command

template <class V, class T>
void traffic_fields(V& v, T& t) {
  v.field("read", t.read_bytes, size(0, kMostBytes), "Memory it reads.");
  v.field("write", t.write_bytes, size(0, kMostBytes), "Memory it writes.");
  v.field("write_through", t.write_through, BooleanCodec{},
          "Its writes leave nothing dirty in the caches.");
  v.field("allocation", t.allocation, maybe(name()),
          "Where the traffic goes; needed if there is any.");
}

struct DispatchShape : WithDefaults {
  using Type = DispatchCommand;
  static constexpr const char* kName = "dispatch";
  template <class V, class T>
  static void fields(V& v, T& t) {
    v.required("duration", t.duration, duration(), "Time on the engine.");
    v.field("groups", t.groups, IntegerCodec{1, 1ULL << 31U},
            "Thread groups, one after the other.");
    traffic_fields(v, t);
  }
};

constexpr std::array<Choice<abi::GroupTimes>, 2> kGroupTimes{
    {{"uniform", abi::GroupTimes::kUniform}, {"lognormal", abi::GroupTimes::kLognormal}}};

/// A dispatch that says what its thread groups need of a compute unit.
struct GridShape : WithDefaults {
  using Type = DispatchCommand;
  static constexpr const char* kName = "grid";
  static constexpr const char* kKey = "threads";
  static bool applies(const DispatchCommand& command) { return command.threads != 0; }
  template <class V, class T>
  static void fields(V& v, T& t) {
    v.required("threads", t.threads, IntegerCodec{1, 1024}, "Of a group.");
    v.required("group_duration", t.duration, duration(1), "Of a group, on the average.");
    v.field("groups", t.groups, IntegerCodec{1, 1ULL << 31U}, "Thread groups.");
    v.field("registers", t.registers, IntegerCodec{0, 512}, "Of 32 bits, of a thread.");
    v.field("shared_memory", t.shared_bytes, size(0, 1 << 20), "Of a group.");
    v.field("variation", t.variation, IntegerCodec{0, 100},
            "Coefficient of variation of the durations of groups, in per cent.");
    v.field("distribution", t.distribution, choice(kGroupTimes), "Of the durations of groups.");
    traffic_fields(v, t);
  }
};

struct DrawShape : WithDefaults {
  using Type = DrawCommand;
  static constexpr const char* kName = "draw";
  template <class V, class T>
  static void fields(V& v, T& t) {
    v.required("duration", t.duration, duration(), "Time on the engine.");
    v.field("primitives", t.primitives, IntegerCodec{1, 1ULL << 31U}, "One after the other.");
    traffic_fields(v, t);
  }
};

/// A draw that takes what the pipeline of the chip needs for it.
struct MeshShape : WithDefaults {
  using Type = DrawCommand;
  static constexpr const char* kName = "mesh";
  static constexpr const char* kKey = "triangles";
  static bool applies(const DrawCommand& command) { return command.triangles != 0; }
  template <class V, class T>
  static void fields(V& v, T& t) {
    v.required("triangles", t.triangles, IntegerCodec{1, 1ULL << 36U}, "Of the whole draw.");
    v.field("primitives", t.primitives, IntegerCodec{1, 1ULL << 31U}, "They belong to.");
    v.field("pixels", t.pixels, IntegerCodec{0, 1ULL << 40U}, "That they cover.");
    v.field("registers", t.registers, IntegerCodec{0, 512},
            "Of 32 bits, of a thread that shades pixels.");
    traffic_fields(v, t);
  }
};

}  // namespace fenceline::scenario
