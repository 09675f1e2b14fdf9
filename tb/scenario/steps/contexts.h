#pragma once

#include "models/abi/private_data.h"
#include "tb/scenario/steps/fields.h"

namespace fenceline::scenario {

// Steps for contexts, devices, engines and CPU events.

template <class V, class T>
void gpu_point_fields(V& v, T& t) {
  FencePoint::fields(v, t.point);
  status_field(v, t);
}

/// A wait or signal before the next submission of a context or queue. For a context it is a call
/// (D3DKMTWaitForSynchronizationObjectFromGpu or the signal call), for a user-mode queue a packet.
struct GpuPointStep {
  std::optional<std::string> context;
  std::optional<std::string> queue;
  FencePoint point;
  std::optional<std::string> status;

  struct OfContext {
    using Type = GpuPointStep;
    static constexpr const char* kName = "context_point";
    static constexpr const char* kKey = "context";
    static bool applies(const GpuPointStep& step) { return step.context.has_value(); }
    template <class V, class T>
    static void fields(V& v, T& t) {
      v.required("context", t.context, maybe(name_of(NameOf::kContext)),
                 "A context of the program's process.");
      gpu_point_fields(v, t);
    }
  };
  struct OfQueue {
    using Type = GpuPointStep;
    static constexpr const char* kName = "queue_point";
    template <class V, class T>
    static void fields(V& v, T& t) {
      v.required("queue", t.queue, maybe(name_of(NameOf::kQueue)),
                 "A queue of the program's process.");
      gpu_point_fields(v, t);
    }
  };
  static EitherCodec<OfContext, OfQueue> codec() { return {}; }
};

struct GpuWaitStep : GpuPointStep {
  static constexpr Verb kVerb{
      "gpu_wait", "The OS holds later submissions of a context until a fence has a value."};
};

struct GpuSignalStep : GpuPointStep {
  static constexpr Verb kVerb{"gpu_signal",
                              "The OS signals a fence after the earlier submissions of a context."};
};

constexpr std::array<Choice<abi::CpuEventUse>, 3> kCpuEventUses{
    {{"never", abi::CpuEventUse::kNever},
     {"now", abi::CpuEventUse::kNow},
     {"buffer_completed", abi::CpuEventUse::kBufferCompleted}}};

/// A CPU event that the driver signals. It shares the name space of fences.
struct CreateCpuEventStep {
  static constexpr Verb kVerb{"create_cpu_event", "Creates a CPU event that the driver signals."};
  std::string name;
  std::string event;
  std::optional<std::string> status;

  template <class V, class T>
  static void fields(V& v, T& t) {
    v.required("name", t.name, scenario::name(), "Unique among the process's fences.");
    v.required("event", t.event, scenario::name(), "User-mode event to set.");
    status_field(v, t);
  }
};

/// Sets the use of the event in the driver, by the known escape.
struct UseCpuEventStep {
  static constexpr Verb kVerb{"use_cpu_event", "Sets the use of a CPU event in the driver."};
  std::string name;
  abi::CpuEventUse use = abi::CpuEventUse::kNow;
  std::optional<std::string> engine;
  bool wakes = false;  ///< calls without NoAdapterSynchronization
  std::optional<std::string> status;

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

/// An older escape: passes the NT handle of an event to the driver for signalling.
struct PassHandleStep {
  static constexpr Verb kVerb{"pass_handle", "Passes an event's NT handle in an escape."};
  std::string event;
  std::optional<std::string> status;

  template <class V, class T>
  static void fields(V& v, T& t) {
    v.required("event", t.event, name(), "An event of user mode; its NT handle is passed.");
    status_field(v, t);
  }
};

struct SetPowerStep {
  static constexpr Verb kVerb{"set_power", "Power state of the process's adapter."};
  std::string state;  ///< "D0" or "D3"

  static auto codec() { return member(&SetPowerStep::state, WordCodec{{"D0", "D3"}}); }
};

struct SuspendContextStep {
  static constexpr Verb kVerb{"suspend_context", "The OS suspends a hardware context."};
  std::string context;
  bool wait = true;                   ///< wait for the acknowledgement
  std::optional<std::string> status;  ///< required status of DxgkDdiSuspendContext

  template <class V, class T>
  static void fields(V& v, T& t) {
    v.required("context", t.context, name_of(NameOf::kHardwareContext),
               "A hardware context, or a queue with an implicit one.");
    v.field("wait", t.wait, BooleanCodec{}, "Waits until the suspension is acknowledged.");
    v.field("status", t.status, maybe(status_word()),
            "Required status of DxgkDdiSuspendContext. Default: no error.");
  }
};

struct ResumeContextStep {
  static constexpr Verb kVerb{"resume_context", "The OS resumes a hardware context."};
  std::string context;

  static auto codec() {
    return member(&ResumeContextStep::context, name_of(NameOf::kHardwareContext));
  }
};

struct SetSchedulingStep {
  static constexpr Verb kVerb{"set_scheduling", "Scheduling properties of a hardware context."};
  std::string context;
  os::SchedulingProperties properties;

  template <class V, class T>
  static void fields(V& v, T& t) {
    v.required("context", t.context, name_of(NameOf::kHardwareContext),
               "A hardware context, or a queue with an implicit one.");
    scheduling_fields(v, t.properties);
  }
};

/// Treats the engine as hung.
struct ResetEngineStep {
  static constexpr Verb kVerb{"reset_engine", "The OS treats an engine as hung and resets it."};
  std::string engine;

  static auto codec() { return member(&ResetEngineStep::engine, name_of(NameOf::kEngine)); }
};

/// Creates a device to replace one that is in error, with the same contexts.
struct CreateDeviceStep {
  static constexpr Verb kVerb{"create_device",
                              "Creates a new device with contexts to replace one in error."};
  std::optional<std::string> status;

  template <class V, class T>
  static void fields(V& v, T& t) {
    status_field(v, t);
  }
};

struct DestroyDeviceStep {
  static constexpr Verb kVerb{"destroy_device", "Destroys the process's device."};
  std::optional<std::string> status;

  template <class V, class T>
  static void fields(V& v, T& t) {
    status_field(v, t);
  }
};

}  // namespace fenceline::scenario
