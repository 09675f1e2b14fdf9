#pragma once

#include <array>
#include <string>

#include "tb/scenario/json_tree.h"
#include "tb/scenario/reader.h"
#include "tb/scenario/scenario.h"
#include "tb/scenario/shapes_process.h"

namespace fenceline::scenario {

// Shapes of /sweep: see reader.h.

constexpr std::array<Choice<SweepDesign>, 3> kSweepDesigns{{{"cartesian", SweepDesign::kCartesian},
                                                            {"list", SweepDesign::kList},
                                                            {"random", SweepDesign::kRandom}}};

/// Any JSON value, kept as its text.
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

/// "/key/0/key": a JSON pointer that names something inside the document.
PatternCodec json_pointer();

struct VariedRangeShape : WithDefaults {
  using Type = Variation;
  static constexpr const char* kName = "varied_range";
  static constexpr const char* kKey = "from";
  static bool applies(const Variation& variation) { return variation.values.empty(); }
  template <class V, class T>
  static void fields(V& v, T& t) {
    v.required("pointer", t.pointer, json_pointer(), "JSON pointer of what varies.");
    v.required("from", t.from, RangeEndCodec{}, "The first value.");
    v.required("to", t.to, RangeEndCodec{}, "No value is larger.");
    v.field("step", t.step, maybe(RangeEndCodec{}), "From each value to the next.");
    v.field("factor", t.factor, maybe(IntegerCodec{2, 1'000'000}),
            "Each value by the one before it; in place of a step.");
    v.location(t.at);
  }
};

struct VariedValuesShape : WithDefaults {
  using Type = Variation;
  static constexpr const char* kName = "varied_values";
  template <class V, class T>
  static void fields(V& v, T& t) {
    v.required("pointer", t.pointer, json_pointer(), "JSON pointer of what varies.");
    v.required("values", t.values, list(JsonTextCodec{}, 1, 100'000), "What stands there.");
    v.location(t.at);
  }
};

struct SweepShape : WithDefaults {
  using Type = SweepSettings;
  static constexpr const char* kName = "sweep";
  template <class V, class T>
  static void fields(V& v, T& t) {
    v.field("design", t.design, choice(kSweepDesigns),
            "Points: all combinations, the nth values of all, or drawn ones.");
    v.field("vary", t.vary, list(EitherCodec<VariedRangeShape, VariedValuesShape>{}, 0, 64),
            "What varies.");
    v.field("points", t.points, maybe(IntegerCodec{1, 1'000'000}), "Of a random design.");
    v.field("seeds", t.seeds, IntegerCodec{1, 1'000'000},
            "Runs of each point, with seeds counting up.");
    v.field("seed", t.seed, ValueCodec{}, "Of what a random design draws.");
  }
};

}  // namespace fenceline::scenario
