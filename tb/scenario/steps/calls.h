#pragma once

#include "tb/scenario/steps/process.h"

namespace fenceline::scenario {

// Shapes of steps that make a single call: see reader.h.

struct PointShape : WithDefaults {
  using Type = FencePoint;
  static constexpr const char* kName = "fence_point";
  template <class V, class T>
  static void fields(V& v, T& t) {
    v.required("fence", t.fence, name_of(NameOf::kFence), "A fence of the program's process.");
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
    v.required("fence", t.fence, name_of(NameOf::kFence), "A fence of the program's process.");
    v.field("target", t.monitored, choice(kValueNames), "CurrentValue or MonitoredValue.");
    v.field("write", t.write, maybe(ExpressionCodec{}),
            "Value to store. Default: the value is read.");
    v.field("violates", t.violates, BooleanCodec{},
            "The access must cause an access violation; the thread continues.");
  }
};

constexpr std::array<Choice<bool>, 2> kLogNames{{{"signals", false}, {"waits", true}}};

struct TouchLogShape : WithDefaults {
  using Type = TouchLogStep;
  static constexpr const char* kName = "touch_log";
  template <class V, class T>
  static void fields(V& v, T& t) {
    v.required("queue", t.queue, name(), "A queue with logs.");
    v.field("process", t.process, maybe(name()),
            "Process of the queue. Default: that of the program.");
    v.field("log", t.waits, choice(kLogNames), "Wait log or signal log.");
    v.field("write", t.write, maybe(ExpressionCodec{}),
            "Value to store. Default: the value is read.");
    v.field("violates", t.violates, BooleanCodec{},
            "The access must cause an access violation; the thread continues.");
  }
};

struct SignalElsewhereShape : WithDefaults {
  using Type = SignalElsewhereStep;
  static constexpr const char* kName = "signal_elsewhere";
  template <class V, class T>
  static void fields(V& v, T& t) {
    PointShape::fields(v, t.point);
    v.field("notify", t.notify, BooleanCodec{},
            "The operating system notifies the driver with NotificationOnly.");
  }
};

struct PresentShape : WithDefaults {
  using Type = PresentStep;
  static constexpr const char* kName = "present";
  template <class V, class T>
  static void fields(V& v, T& t) {
    v.required("primary", t.primary, name_of(NameOf::kPrimary),
               "An allocation of the program's process, in VRAM.");
    v.required("context", t.context, name_of(NameOf::kContext),
               "Context whose submissions draw the image.");
    v.field("immediate", t.immediate, BooleanCodec{},
            "FlipInterval 0: the flip does not wait for a vertical sync and tears.");
    v.field("queued", t.queued, IntegerCodec{0, 16},
            "Limit of queued flips at the end of the step.");
    v.field("status", t.status, maybe(status_word()),
            "Required status of the call. Default: no error.");
  }
};

/// States of DXGK_FEATURE_NATIVE_FENCE in D3DKMTIsFeatureEnabled.
std::vector<std::string> feature_states();

struct QueryAdapterShape : WithDefaults {
  using Type = QueryAdapterStep;
  static constexpr const char* kName = "query_adapter";
  template <class V, class T>
  static void fields(V& v, T& t) {
    v.field("native_gpu_fence", t.native_gpu_fence, maybe(BooleanCodec{}),
            "NativeGpuFenceSupported of D3DKMT_WDDM_3_1_CAPS.");
    v.field("status", t.status, maybe(status_word()), "Required status of that query.");
    v.field("feature", t.feature, maybe(WordCodec{feature_states()}),
            "Required answer of D3DKMTIsFeatureEnabled for DXGK_FEATURE_NATIVE_FENCE.");
  }
};

struct DestroyFenceShape : WithDefaults {
  using Type = DestroyFenceStep;
  static constexpr const char* kName = "destroy_fence";
  template <class V, class T>
  static void fields(V& v, T& t) {
    v.required("fence", t.fence, name(), "A fence of the program's process.");
    v.field("status", t.status, maybe(status_word()),
            "Required status of the call. Default: no error.");
  }
};

/// The name of a fence, or an object with the required status of the call.
struct DestroyFenceCodec {
  void read(const Node& node, DestroyFenceStep& out) const;
  Json write(const DestroyFenceStep& step) const;
  Json schema(SchemaDefinitions& definitions) const;
};

}  // namespace fenceline::scenario
