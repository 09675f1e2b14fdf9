#pragma once

#include "tb/scenario/steps/process.h"

namespace fenceline::scenario {

// Shapes of the steps for contexts, CPU events and power: see reader.h.

constexpr std::array<Choice<abi::CpuEventUse>, 3> kCpuEventUses{
    {{"never", abi::CpuEventUse::kNever},
     {"now", abi::CpuEventUse::kNow},
     {"buffer_completed", abi::CpuEventUse::kBufferCompleted}}};

template <class V, class T>
void status_field(V& v, T& t) {
  v.field("status", t.status, maybe(status_word()),
          "Required status of the call. Default: no error.");
}

template <class V, class T>
void gpu_point_fields(V& v, T& t) {
  v.required("fence", t.point.fence, name_of(NameOf::kFence), "A fence of the program's process.");
  v.required("value", t.point.value, ExpressionCodec{}, "Fence value.");
  status_field(v, t);
}

/// Point before the next submission of a context.
template <class Step>
struct ContextPointShape : WithDefaults {
  using Type = Step;
  static constexpr const char* kName = "context_point";
  static constexpr const char* kKey = "context";
  static bool applies(const Step& step) { return step.context.has_value(); }
  template <class V, class T>
  static void fields(V& v, T& t) {
    v.required("context", t.context, maybe(name_of(NameOf::kContext)),
               "A context of the program's process.");
    gpu_point_fields(v, t);
  }
};

/// Point before the next submission of a hardware queue.
template <class Step>
struct QueuePointShape : WithDefaults {
  using Type = Step;
  static constexpr const char* kName = "queue_point";
  template <class V, class T>
  static void fields(V& v, T& t) {
    v.required("queue", t.queue, maybe(name_of(NameOf::kQueue)),
               "A queue of the program's process.");
    gpu_point_fields(v, t);
  }
};

template <class Step>
using GpuPointCodec = EitherCodec<ContextPointShape<Step>, QueuePointShape<Step>>;

struct CreateCpuEventShape : WithDefaults {
  using Type = CreateCpuEventStep;
  static constexpr const char* kName = "create_cpu_event";
  template <class V, class T>
  static void fields(V& v, T& t) {
    v.required("name", t.name, scenario::name(), "Unique among the process's fences.");
    v.required("event", t.event, scenario::name(), "User-mode event to set.");
    status_field(v, t);
  }
};

struct UseCpuEventShape : WithDefaults {
  using Type = UseCpuEventStep;
  static constexpr const char* kName = "use_cpu_event";
  template <class V, class T>
  static void fields(V& v, T& t) {
    v.required("name", t.name, name_of(NameOf::kCpuEvent), "A CPU event.");
    v.required("use", t.use, choice(kCpuEventUses), "When the driver signals it.");
    v.field("engine", t.engine, maybe(name_of(NameOf::kEngine)),
            "Engine of the buffers; for buffer_completed.");
    v.field("wakes", t.wakes, BooleanCodec{},
            "Calls without NoAdapterSynchronization: wakes an adapter in D3.");
    status_field(v, t);
  }
};

struct PassHandleShape : WithDefaults {
  using Type = PassHandleStep;
  static constexpr const char* kName = "pass_handle";
  template <class V, class T>
  static void fields(V& v, T& t) {
    v.required("event", t.event, name(), "An event of user mode; its NT handle is passed.");
    status_field(v, t);
  }
};

struct SuspendContextShape : WithDefaults {
  using Type = SuspendContextStep;
  static constexpr const char* kName = "suspend_context";
  template <class V, class T>
  static void fields(V& v, T& t) {
    v.required("context", t.context, name_of(NameOf::kHardwareContext),
               "A hardware context, or a queue with an implicit one.");
    v.field("wait", t.wait, BooleanCodec{}, "Waits until the suspension is acknowledged.");
    v.field("status", t.status, maybe(status_word()),
            "Required status of DxgkDdiSuspendContext. Default: no error.");
  }
};

struct SetSchedulingShape : WithDefaults {
  using Type = SetSchedulingStep;
  static constexpr const char* kName = "set_scheduling";
  template <class V, class T>
  static void fields(V& v, T& t) {
    v.required("context", t.context, name_of(NameOf::kHardwareContext),
               "A hardware context, or a queue with an implicit one.");
    scheduling_fields(v, t.properties);
  }
};

struct CreateDeviceShape : WithDefaults {
  using Type = CreateDeviceStep;
  static constexpr const char* kName = "create_device";
  template <class V, class T>
  static void fields(V& v, T& t) {
    status_field(v, t);
  }
};

struct DestroyDeviceShape : WithDefaults {
  using Type = DestroyDeviceStep;
  static constexpr const char* kName = "destroy_device";
  template <class V, class T>
  static void fields(V& v, T& t) {
    status_field(v, t);
  }
};

}  // namespace fenceline::scenario
