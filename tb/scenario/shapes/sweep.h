#pragma once

#include <array>
#include <string>

#include "tb/scenario/scenario.h"
#include "tb/scenario/shapes/reader.h"
#include "tb/scenario/steps/process.h"
#include "tb/scenario/text/json_tree.h"

namespace fenceline::scenario {

// Shapes of /sweep: see reader.h.

constexpr std::array<Choice<SweepDesign>, 3> kSweepDesigns{{{"cartesian", SweepDesign::kCartesian},
                                                            {"list", SweepDesign::kList},
                                                            {"random", SweepDesign::kRandom}}};

/// Any JSON value, kept as text.
struct JsonTextCodec {
  void read(const Node& node, std::string& out) const;
  Json write(const std::string& value) const { return json_tree<Json>(value); }
  Json schema(SchemaDefinitions&) const { return Json::object(); }
};

/// A whole number or a text such as "250ns", kept as its JSON text.
struct RangeEndCodec {
  void read(const Node& node, std::string& out) const;
  Json write(const std::string& value) const { return json_tree<Json>(value); }
  Json schema(SchemaDefinitions&) const;
};

/// "/key/0/key": JSON pointer to a value inside the document.
PatternCodec json_pointer();

struct VariedRangeShape {
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

struct VariedValuesShape {
  using Type = Variation;
  static constexpr const char* kName = "varied_values";
  template <class V, class T>
  static void fields(V& v, T& t) {
    v.required("pointer", t.pointer, json_pointer(), "JSON pointer of the place that varies.");
    v.required("values", t.values, list(JsonTextCodec{}, 1, 100'000), "Values of the place.");
    v.location(t.at);
  }
};

struct SweepShape {
  using Type = SweepSettings;
  static constexpr const char* kName = "sweep";
  template <class V, class T>
  static void fields(V& v, T& t) {
    v.field("design", t.design, choice(kSweepDesigns),
            "Points: all combinations, the nth value of each list, or random ones.");
    v.field("vary", t.vary, list(EitherCodec<VariedRangeShape, VariedValuesShape>{}, 0, 64),
            "Places that vary.");
    v.field("points", t.points, maybe(IntegerCodec{1, 1'000'000}),
            "Number of points of a random design.");
    v.field("seeds", t.seeds, IntegerCodec{1, 1'000'000},
            "Runs per point, with consecutive seeds.");
    v.field("seed", t.seed, ValueCodec{}, "Seed of a random design.");
  }
};

}  // namespace fenceline::scenario
