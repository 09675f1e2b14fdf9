#pragma once

#include "tb/scenario/steps/commands.h"

namespace fenceline::scenario {

// Steps for queues and their logs, and for the display and the adapter.

struct SubmitStep {
  static constexpr Verb kVerb{"submit", "Submits work to a queue or context."};
  std::string queue;
  std::optional<std::string> context;  ///< instead of a queue
  std::vector<std::string> broadcast;  ///< "process/context": contexts that run the same buffer
  Commands commands;
  std::optional<std::string> status;  ///< required NTSTATUS

  /// A submission to a context instead of a queue.
  struct ToContext {
    using Type = SubmitStep;
    static constexpr const char* kName = "submit_context";
    static constexpr const char* kKey = "context";
    static bool applies(const SubmitStep& step) { return step.context.has_value(); }
    template <class V, class T>
    static void fields(V& v, T& t) {
      v.required("context", t.context, maybe(name_of(NameOf::kContext)),
                 "A context of the program's process.");
      v.field("broadcast", t.broadcast, list(opened_name(), 0, 7),
              "\"process/context\": patched contexts on linked adapters that run the same buffer. "
              "They use allocations with the same names in their processes.");
      v.required("commands", t.commands, list(VerbCodec<Command>{}, 1, kMaxSteps),
                 "Commands for DMA buffers; each wait ends a buffer.");
      v.field("status", t.status, maybe(status_word()),
              "Required status of the submission: of its first call that fails.");
    }
  };
  struct ToQueue {
    using Type = SubmitStep;
    static constexpr const char* kName = "submit";
    template <class V, class T>
    static void fields(V& v, T& t) {
      v.required("queue", t.queue, name_of(NameOf::kQueue), "A queue of the program's process.");
      v.required("commands", t.commands, list(VerbCodec<Command>{}, 1, kMaxSteps),
                 "Commands of one buffer.");
      v.field("status", t.status, maybe(status_word()),
              "Required status of the submission, if queues share doorbells.");
    }
  };
  using Codec = EitherCodec<ToContext, ToQueue>;
  static Codec codec() { return {}; }
};

/// D3DKMTConnectDoorbell.
struct ConnectDoorbellStep {
  static constexpr Verb kVerb{"connect_doorbell", "Connects the doorbell of a queue."};
  std::string queue;
  std::optional<std::string> status;

  template <class V, class T>
  static void fields(V& v, T& t) {
    v.required("queue", t.queue, name_of(NameOf::kQueue), "A queue of the program's process.");
    v.field("status", t.status, maybe(status_word()), "Required status of D3DKMTConnectDoorbell.");
  }
};

struct SetLogBuffersStep {
  static constexpr Verb kVerb{"set_log_buffers", "Gives a queue new log buffers."};
  std::string queue;
  std::uint32_t entries = 84;

  template <class V, class T>
  static void fields(V& v, T& t) {
    v.required("queue", t.queue, name_of(NameOf::kQueue), "A queue of the program's process.");
    v.field("entries", t.entries, IntegerCodec{1, 84}, "Entries per log buffer.");
  }
};

/// Begins or ends a trace session.
struct CaptureLogsStep {
  static constexpr Verb kVerb{
      "capture_logs", "Begins or ends a trace of fences: compares clocks and reads the logs."};
  std::optional<bool> verbose;  ///< first switch verbose logging on or off

  template <class V, class T>
  static void fields(V& v, T& t) {
    v.field("verbose", t.verbose, maybe(BooleanCodec{}),
            "First switches verbose logging on or off in both drivers.");
  }
};

constexpr std::array<Choice<bool>, 2> kLogNames{{{"signals", false}, {"waits", true}}};

/// Accesses the first 64 bits of a log buffer.
struct TouchLogStep {
  static constexpr Verb kVerb{"touch_log", "Accesses a fence log of a queue from user mode."};
  std::string queue;
  std::optional<std::string> process;  ///< process of the queue; default: that of the program
  bool waits = false;                  ///< the wait log; otherwise the signal log
  std::optional<Expression> write;     ///< see AccessStep
  bool violates = false;               ///< see AccessStep

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

/// D3DKMTPresent: shows an allocation on the display.
struct PresentStep {
  static constexpr Verb kVerb{"present", "Shows an image when it has been drawn."};
  std::string primary;
  std::string context;       ///< context that draws the image
  bool immediate = false;    ///< FlipInterval 0
  std::uint32_t queued = 0;  ///< limit of queued flips at the end of the step
  std::optional<std::string> status;

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

/// Puts the device of the process in error.
struct FailDeviceStep : Nothing {
  static constexpr Verb kVerb{"fail_device", "Puts the device of the process in error."};
};

/// States of DXGK_FEATURE_NATIVE_FENCE in D3DKMTIsFeatureEnabled.
std::vector<std::string> feature_states();

/// Required results of adapter queries of user mode.
struct QueryAdapterStep {
  static constexpr Verb kVerb{"query_adapter", "Checks adapter queries of user mode."};
  std::optional<bool> native_gpu_fence;  ///< D3DKMT_WDDM_3_1_CAPS
  std::optional<std::string> status;     ///< required status of that query
  std::optional<std::string> feature;    ///< state of DXGK_FEATURE_NATIVE_FENCE

  template <class V, class T>
  static void fields(V& v, T& t) {
    v.field("native_gpu_fence", t.native_gpu_fence, maybe(BooleanCodec{}),
            "NativeGpuFenceSupported of D3DKMT_WDDM_3_1_CAPS.");
    v.field("status", t.status, maybe(status_word()), "Required status of that query.");
    v.field("feature", t.feature, maybe(WordCodec{feature_states()}),
            "Required answer of D3DKMTIsFeatureEnabled for DXGK_FEATURE_NATIVE_FENCE.");
  }
};

}  // namespace fenceline::scenario
