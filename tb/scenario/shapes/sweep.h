#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tb/scenario/shapes/reader.h"

namespace fenceline::scenario {

// Members of /sweep.

/// Any JSON value, kept as text.
struct JsonTextCodec {
  void read(const Node& node, std::string& out) const;
  Json write(const std::string& value) const;
  Json schema(SchemaDefinitions&) const;
};

/// A whole number or a text such as "250ns", kept as its JSON text.
struct RangeEndCodec {
  void read(const Node& node, std::string& out) const;
  Json write(const std::string& value) const;
  Json schema(SchemaDefinitions&) const;
};

/// "/key/0/key": JSON pointer to a value inside the document.
PatternCodec json_pointer();

/// Values of one place of the scenario in a sweep: a list or a range.
struct Variation {
  std::string pointer;
  std::vector<std::string> values;  ///< JSON texts; empty: a range
  std::string from, to;             ///< JSON texts of a number or quantity; both ends inclusive
  std::optional<std::string> step;  ///< in the same notation
  std::optional<std::uint64_t> factor;
  Location at;

  struct InRange {
    using Type = Variation;
    static constexpr const char* kName = "varied_range";
    static constexpr const char* kKey = "from";
    static bool applies(const Variation& variation) { return variation.values.empty(); }
    template <class V, class T>
    static void fields(V& v, T& t) {
      v.required("pointer", t.pointer, json_pointer(), "JSON pointer of the place that varies.");
      v.required("from", t.from, RangeEndCodec{}, "The first value.");
      v.required("to", t.to, RangeEndCodec{}, "Upper limit of the values.");
      v.field("step", t.step, maybe(RangeEndCodec{}), "Distance between values.");
      v.field("factor", t.factor, maybe(IntegerCodec{2, 1'000'000}),
              "Factor between values, instead of a step.");
      v.location(t.at);
    }
  };
  struct OfList {
    using Type = Variation;
    static constexpr const char* kName = "varied_values";
    template <class V, class T>
    static void fields(V& v, T& t) {
      v.required("pointer", t.pointer, json_pointer(), "JSON pointer of the place that varies.");
      v.required("values", t.values, list(JsonTextCodec{}, 1, 100'000), "Values of the place.");
      v.location(t.at);
    }
  };
  using Codec = EitherCodec<InRange, OfList>;
};

/// Combinations of values that are points.
enum class SweepDesign : std::uint8_t { kCartesian, kList, kRandom };
constexpr std::array<Choice<SweepDesign>, 3> kSweepDesigns{{{"cartesian", SweepDesign::kCartesian},
                                                            {"list", SweepDesign::kList},
                                                            {"random", SweepDesign::kRandom}}};

/// Runs of a sweep of the scenario.
struct SweepSettings {
  static constexpr const char* kName = "sweep";
  SweepDesign design = SweepDesign::kCartesian;
  std::vector<Variation> vary;
  std::optional<std::uint64_t> points;
  std::uint64_t seeds = 1;
  std::uint64_t seed = 1;

  template <class V, class T>
  static void fields(V& v, T& t) {
    v.field("design", t.design, choice(kSweepDesigns),
            "Points: all combinations, the nth value of each list, or random ones.");
    v.field("vary", t.vary, list(Variation::Codec{}, 0, 64), "Places that vary.");
    v.field("points", t.points, maybe(IntegerCodec{1, 1'000'000}),
            "Number of points of a random design.");
    v.field("seeds", t.seeds, IntegerCodec{1, 1'000'000},
            "Runs per point, with consecutive seeds.");
    v.field("seed", t.seed, ValueCodec{}, "Seed of a random design.");
  }
};

}  // namespace fenceline::scenario
