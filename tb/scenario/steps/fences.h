#pragma once

#include "tb/scenario/steps/process.h"

namespace fenceline::scenario {

// Steps for fences and events: calls and accesses to their memory.

/// The only fence point of a step, which is written directly instead of as a list.
template <class T>
auto& only_point(T& t) {
  if constexpr (!std::is_const_v<T>) t.points.resize(1);
  return t.points.front();
}

template <class V, class T>
void signal_options(V& v, T& t) {
  v.field("bad_handle", t.bad_handle, maybe(IntegerCodec{0, 63}),
          "The driver gets null instead of the handle with this index: a fault of the OS.");
  status_field(v, t);
}

/// D3DKMTSignalSynchronizationObjectFromCpu
struct SignalStep {
  static constexpr Verb kVerb{"signal", "Signals fences from the CPU."};
  std::vector<FencePoint> points;
  std::optional<std::uint64_t> bad_handle;  ///< for this fence the driver gets a null handle
  std::optional<std::string> status;        ///< required status of the call

  struct Several {
    using Type = SignalStep;
    static constexpr const char* kName = "signal_several";
    static constexpr const char* kKey = "fences";
    static bool applies(const SignalStep& step) { return step.points.size() != 1; }
    template <class V, class T>
    static void fields(V& v, T& t) {
      v.required("fences", t.points, list(ObjectCodec<FencePoint>{}, 1, 64),
                 "Signalled in one call.");
      signal_options(v, t);
    }
  };
  struct One {
    using Type = SignalStep;
    static constexpr const char* kName = "signal_one";
    template <class V, class T>
    static void fields(V& v, T& t) {
      FencePoint::fields(v, only_point(t));
      signal_options(v, t);
    }
  };
  using Codec = EitherCodec<Several, One>;
  static Codec codec() { return {}; }
};

template <class V, class T>
void wait_options(V& v, T& t) {
  v.field("timeout", t.timeout, maybe(duration(1)), "Time limit. Default: waits forever.");
  v.field("event", t.event, maybe(name()),
          "Returns at once and sets this event when satisfied; not allowed with a timeout.");
  status_field(v, t);
}

struct WaitStep {
  static constexpr Verb kVerb{"wait", "Waits for fences in the kernel."};
  std::vector<FencePoint> points;
  bool any = false;                   ///< one satisfied point is enough
  std::optional<Time> timeout;        ///< time limit; none: no limit
  std::optional<std::string> event;   ///< return at once and set this event when satisfied
  std::optional<std::string> status;  ///< required status of the call

  struct Several {
    using Type = WaitStep;
    static constexpr const char* kName = "wait_several";
    static constexpr const char* kKey = "fences";
    static bool applies(const WaitStep& step) { return step.points.size() != 1 || step.any; }
    template <class V, class T>
    static void fields(V& v, T& t) {
      v.required("fences", t.points, list(ObjectCodec<FencePoint>{}, 1, 64),
                 "Fences and values to wait for.");
      v.field("any", t.any, BooleanCodec{}, "One satisfied fence is enough.");
      wait_options(v, t);
    }
  };
  struct One {
    using Type = WaitStep;
    static constexpr const char* kName = "wait_one";
    template <class V, class T>
    static void fields(V& v, T& t) {
      FencePoint::fields(v, only_point(t));
      wait_options(v, t);
    }
  };
  using Codec = EitherCodec<Several, One>;
  static Codec codec() { return {}; }
};

struct WaitEventStep {
  static constexpr Verb kVerb{"wait_event", "Waits for an event."};
  std::string event;
  std::optional<Time> timeout;

  template <class V, class T>
  static void fields(V& v, T& t) {
    v.required("event", t.event, name_of(NameOf::kEvent),
               "An event that a wait of the same process sets.");
    v.field("timeout", t.timeout, maybe(duration(1)), "Time limit. Default: waits forever.");
  }
};

/// Polls CurrentValue through the user mapping until it is at least the value.
struct PollStep {
  static constexpr Verb kVerb{"poll", "Spins on CurrentValue through the user mapping."};
  FencePoint point;
  std::optional<Time> timeout;

  template <class V, class T>
  static void fields(V& v, T& t) {
    FencePoint::fields(v, t.point);
    v.field("timeout", t.timeout, maybe(duration(1)), "Time limit. Default: polls forever.");
  }
};

struct CreateFenceStep {
  static constexpr Verb kVerb{"create_fence", "Creates or opens a fence."};
  Fence fence;

  static auto codec() { return member(&CreateFenceStep::fence, Fence::Codec{}); }
};

struct DestroyFenceStep;

/// The name of a fence, or an object with the required status of the call.
struct DestroyFenceCodec {
  void read(const Node& node, DestroyFenceStep& out) const;
  Json write(const DestroyFenceStep& step) const;
  Json schema(SchemaDefinitions& definitions) const;
};

struct DestroyFenceStep {
  static constexpr Verb kVerb{"destroy_fence", "Destroys a fence."};
  std::string fence;
  std::optional<std::string> status;  ///< required status of the call

  template <class V, class T>
  static void fields(V& v, T& t) {
    v.required("fence", t.fence, name(), "A fence of the program's process.");
    status_field(v, t);
  }
  static DestroyFenceCodec codec() { return {}; }
};

constexpr std::array<Choice<bool>, 2> kValueNames{
    {{"current_value", false}, {"monitored_value", true}}};

/// Accesses a value of a fence through its user address.
struct AccessStep {
  static constexpr Verb kVerb{"access", "Accesses a value of a fence through a user address."};
  std::string fence;
  bool monitored = false;           ///< MonitoredValue; otherwise CurrentValue
  std::optional<Expression> write;  ///< value to store; none: load
  bool violates = false;            ///< an access violation is expected; the thread continues

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

struct SignalElsewhereStep {
  static constexpr Verb kVerb{"signal_elsewhere", "Another adapter stores a value."};
  FencePoint point;
  bool notify = true;  ///< notify the driver with NotificationOnly

  template <class V, class T>
  static void fields(V& v, T& t) {
    FencePoint::fields(v, t.point);
    v.field("notify", t.notify, BooleanCodec{},
            "The operating system notifies the driver with NotificationOnly.");
  }
};

}  // namespace fenceline::scenario
