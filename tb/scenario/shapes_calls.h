#pragma once

#include "tb/scenario/shapes_process.h"

namespace fenceline::scenario {

// Shapes of steps that make a call of their own: see reader.h.

struct PointShape : WithDefaults {
  using Type = FencePoint;
  static constexpr const char* kName = "fence_point";
  template <class V, class T>
  static void fields(V& v, T& t) {
    v.required("fence", t.fence, name(), "A fence of the program's process.");
    v.required("value", t.value, ExpressionCodec{}, "Fence value.");
  }
};

constexpr std::array<Choice<bool>, 2> kValueNames{
    {{"current_value", false}, {"monitored_value", true}}};

struct AccessShape : WithDefaults {
  using Type = AccessStep;
  static constexpr const char* kName = "access";
  template <class V, class T>
  static void fields(V& v, T& t) {
    v.required("fence", t.fence, name(), "A fence of the program's process.");
    v.field("target", t.monitored, choice(kValueNames), "Which of its values.");
    v.field("write", t.write, maybe(ExpressionCodec{}), "Stores this. Default: it is read.");
    v.field("violates", t.violates, BooleanCodec{},
            "An access violation must come of it, and the thread goes on.");
  }
};

constexpr std::array<Choice<bool>, 2> kLogNames{{{"signals", false}, {"waits", true}}};

struct TouchLogShape : WithDefaults {
  using Type = TouchLogStep;
  static constexpr const char* kName = "touch_log";
  template <class V, class T>
  static void fields(V& v, T& t) {
    v.required("queue", t.queue, name(), "A queue with logs.");
    v.field("process", t.process, maybe(name()), "Of the queue. Default: that of the program.");
    v.field("log", t.waits, choice(kLogNames), "Which of its logs.");
    v.field("write", t.write, maybe(ExpressionCodec{}), "Stores this. Default: it is read.");
    v.field("violates", t.violates, BooleanCodec{},
            "An access violation must come of it, and the thread goes on.");
  }
};

struct SignalElsewhereShape : WithDefaults {
  using Type = SignalElsewhereStep;
  static constexpr const char* kName = "signal_elsewhere";
  template <class V, class T>
  static void fields(V& v, T& t) {
    PointShape::fields(v, t.point);
    v.field("notify", t.notify, BooleanCodec{},
            "The operating system tells the driver, with NotificationOnly.");
  }
};

struct PresentShape : WithDefaults {
  using Type = PresentStep;
  static constexpr const char* kName = "present";
  template <class V, class T>
  static void fields(V& v, T& t) {
    v.required("primary", t.primary, name(), "An allocation of the program's process, in VRAM.");
    v.required("context", t.context, name(), "What it has been given draws the image.");
    v.field("immediate", t.immediate, BooleanCodec{},
            "FlipInterval 0: at no vertical sync; such flips tear.");
    v.field("queued", t.queued, IntegerCodec{0, 16},
            "Flips that may not be on the screen yet when the step is over.");
    v.field("status", t.status, maybe(status_word()),
            "What the call must return. Default: no error.");
  }
};

/// States of DXGK_FEATURE_NATIVE_FENCE that D3DKMTIsFeatureEnabled tells apart.
std::vector<std::string> feature_states();

struct QueryAdapterShape : WithDefaults {
  using Type = QueryAdapterStep;
  static constexpr const char* kName = "query_adapter";
  template <class V, class T>
  static void fields(V& v, T& t) {
    v.field("native_gpu_fence", t.native_gpu_fence, maybe(BooleanCodec{}),
            "NativeGpuFenceSupported of D3DKMT_WDDM_3_1_CAPS.");
    v.field("status", t.status, maybe(status_word()), "What the query of those caps must return.");
    v.field("feature", t.feature, maybe(WordCodec{feature_states()}),
            "What D3DKMTIsFeatureEnabled must say of DXGK_FEATURE_NATIVE_FENCE.");
  }
};

struct DestroyFenceShape : WithDefaults {
  using Type = DestroyFenceStep;
  static constexpr const char* kName = "destroy_fence";
  template <class V, class T>
  static void fields(V& v, T& t) {
    v.required("fence", t.fence, name(), "A fence of the program's process.");
    v.field("status", t.status, maybe(status_word()),
            "What the call must return. Default: no error.");
  }
};

/// The name of a fence, or an object with what the call must return.
struct DestroyFenceCodec {
  void read(const Node& node, DestroyFenceStep& out) const;
  Json write(const DestroyFenceStep& step) const;
  Json schema(SchemaDefinitions& definitions) const;
};

}  // namespace fenceline::scenario
