#pragma once

#include <type_traits>

#include "tb/scenario/steps/calls.h"
#include "tb/scenario/steps/memory.h"
#include "tb/scenario/steps/sync.h"
#include "tb/scenario/steps/work.h"

namespace fenceline::scenario {

// Shapes of /programs: see reader.h.

constexpr std::size_t kMaxSteps = 100'000;           ///< steps or commands per array
constexpr std::uint64_t kMaxUnrolled = 100'000'000;  ///< steps and commands with repeats unrolled

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

struct SignalManyShape : WithDefaults {
  using Type = SignalStep;
  static constexpr const char* kName = "signal_several";
  static constexpr const char* kKey = "fences";
  static bool applies(const SignalStep& step) { return step.points.size() != 1; }
  template <class V, class T>
  static void fields(V& v, T& t) {
    v.required("fences", t.points, list(ObjectCodec<PointShape>{}, 1, 64),
               "Signalled in one call.");
    signal_options(v, t);
  }
};

struct SignalOneShape : WithDefaults {
  using Type = SignalStep;
  static constexpr const char* kName = "signal_one";
  template <class V, class T>
  static void fields(V& v, T& t) {
    PointShape::fields(v, only_point(t));
    signal_options(v, t);
  }
};

template <class V, class T>
void wait_options(V& v, T& t) {
  v.field("timeout", t.timeout, maybe(duration(1)), "Time limit. Default: waits forever.");
  v.field("event", t.event, maybe(name()),
          "Returns at once and sets this event when satisfied; not allowed with a timeout.");
  status_field(v, t);
}

struct WaitManyShape : WithDefaults {
  using Type = WaitStep;
  static constexpr const char* kName = "wait_several";
  static constexpr const char* kKey = "fences";
  static bool applies(const WaitStep& step) { return step.points.size() != 1 || step.any; }
  template <class V, class T>
  static void fields(V& v, T& t) {
    v.required("fences", t.points, list(ObjectCodec<PointShape>{}, 1, 64),
               "Fences and values to wait for.");
    v.field("any", t.any, BooleanCodec{}, "One satisfied fence is enough.");
    wait_options(v, t);
  }
};

struct WaitOneShape : WithDefaults {
  using Type = WaitStep;
  static constexpr const char* kName = "wait_one";
  template <class V, class T>
  static void fields(V& v, T& t) {
    PointShape::fields(v, only_point(t));
    wait_options(v, t);
  }
};

struct WaitEventShape : WithDefaults {
  using Type = WaitEventStep;
  static constexpr const char* kName = "wait_event";
  template <class V, class T>
  static void fields(V& v, T& t) {
    v.required("event", t.event, name_of(NameOf::kEvent),
               "An event that a wait of the same process sets.");
    v.field("timeout", t.timeout, maybe(duration(1)), "Time limit. Default: waits forever.");
  }
};

struct PollShape : WithDefaults {
  using Type = PollStep;
  static constexpr const char* kName = "poll";
  template <class V, class T>
  static void fields(V& v, T& t) {
    PointShape::fields(v, t.point);
    v.field("timeout", t.timeout, maybe(duration(1)), "Time limit. Default: polls forever.");
  }
};

struct WriteShape : WithDefaults {
  using Type = WriteCommand;
  static constexpr const char* kName = "write";
  template <class V, class T>
  static void fields(V& v, T& t) {
    v.required("allocation", t.allocation, name(), "Allocation to write to.");
    v.field("offset", t.offset, size(0, kMaxBytes, 8),
            "Offset from the start; a multiple of 8 bytes.");
    v.required("value", t.value, ExpressionCodec{}, "64-bit value.");
  }
};

struct CopyShape : WithDefaults {
  using Type = CopyCommand;
  static constexpr const char* kName = "copy";
  template <class V, class T>
  static void fields(V& v, T& t) {
    v.required("source", t.source, name(), "An allocation.");
    v.required("destination", t.destination, name(), "An allocation.");
    v.required("size", t.bytes, size(1, kMaxBytes),
               "Number of bytes to copy, from start to start.");
  }
};

struct NothingShape : WithDefaults {
  using Type = BarrierCommand;
  static constexpr const char* kName = "nothing";
  template <class V, class T>
  static void fields(V&, T&) {}
};

/// Name of a counter; an empty name is not written.
struct CounterCodec {
  void read(const Node& node, std::string& out) const { name().read(node, out); }
  Json write(const std::string& value) const { return value.empty() ? Json() : Json(value); }
  Json schema(SchemaDefinitions& definitions) const { return name().schema(definitions); }
};

template <class V, class T>
void repeat_fields(V& v, T& t) {
  v.required("count", t.count, ExpressionCodec{1, kMaxUnrolled}, "Number of rounds.");
  v.field("counter", t.counter, CounterCodec{},
          "Counter with the number of the round, from 0, for expressions.");
}

struct CommandShape;

struct RepeatCommandsShape : WithDefaults {
  using Type = RepeatCommands;
  static constexpr const char* kName = "repeat_commands";
  template <class V, class T>
  static void fields(V& v, T& t) {
    repeat_fields(v, t);
    v.required("commands", t.body, list(VerbCodec<CommandShape>{}, 1, kMaxSteps),
               "Commands to repeat.");
  }
};

constexpr std::array<Choice<BadPacket>, 8> kBadPackets{{{"opcode", BadPacket::kOpcode},
                                                        {"size", BadPacket::kSize},
                                                        {"read", BadPacket::kRead},
                                                        {"write", BadPacket::kWrite},
                                                        {"physical", BadPacket::kPhysical},
                                                        {"bind", BadPacket::kBind},
                                                        {"wait_blank", BadPacket::kWaitBlank},
                                                        {"flip", BadPacket::kFlip}}};

/// A command of a queue.
struct CommandShape {
  static constexpr const char* kName = "command";
  template <class V>
  static void verbs(V& v) {
    v.template verb<SignalCommand>(
        "signal", member(&SignalCommand::point, ObjectCodec<PointShape>{}), "Signals a fence.");
    v.template verb<WaitCommand>("wait", member(&WaitCommand::point, ObjectCodec<PointShape>{}),
                                 "Waits until a fence has the value.");
    v.template verb<WriteCommand>("write", ObjectCodec<WriteShape>{}, "Writes 64 bits.");
    v.template verb<CopyCommand>("copy", ObjectCodec<CopyShape>{}, "Copies memory.");
    v.template verb<DispatchCommand>("dispatch", EitherCodec<GridShape, DispatchShape>{},
                                     "Compute work.");
    v.template verb<DrawCommand>("draw", EitherCodec<MeshShape, DrawShape>{}, "Graphics work.");
    v.template verb<BarrierCommand>("barrier", ObjectCodec<NothingShape>{},
                                    "Waits until earlier writes of the queue reach memory.");
    v.template verb<FlushCommand>("flush", ObjectCodec<NothingShape>{},
                                  "A barrier that includes host memory.");
    v.template verb<SplitCommand>("split", ObjectCodec<NothingShape>{},
                                  "The buffer of a patched context may be split here.");
    v.template verb<BadPacketCommand>("bad_packet",
                                      member(&BadPacketCommand::what, choice(kBadPackets)),
                                      "A packet that is invalid or forbidden for user mode.");
    v.template verb<RepeatCommands>("repeat", ObjectCodec<RepeatCommandsShape>{}, "A loop.");
  }
};

struct SubmitShape : WithDefaults {
  using Type = SubmitStep;
  static constexpr const char* kName = "submit";
  template <class V, class T>
  static void fields(V& v, T& t) {
    v.required("queue", t.queue, name_of(NameOf::kQueue), "A queue of the program's process.");
    v.required("commands", t.commands, list(VerbCodec<CommandShape>{}, 1, kMaxSteps),
               "Commands of one buffer.");
    v.field("status", t.status, maybe(status_word()),
            "Required status of the submission, if queues share doorbells.");
  }
};

struct ConnectDoorbellShape : WithDefaults {
  using Type = ConnectDoorbellStep;
  static constexpr const char* kName = "connect_doorbell";
  template <class V, class T>
  static void fields(V& v, T& t) {
    v.required("queue", t.queue, name_of(NameOf::kQueue), "A queue of the program's process.");
    v.field("status", t.status, maybe(status_word()), "Required status of D3DKMTConnectDoorbell.");
  }
};

/// A submission to a context instead of a queue.
struct SubmitContextShape : WithDefaults {
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
    v.required("commands", t.commands, list(VerbCodec<CommandShape>{}, 1, kMaxSteps),
               "Commands for DMA buffers; each wait ends a buffer.");
  }
};

struct SetLogBuffersShape : WithDefaults {
  using Type = SetLogBuffersStep;
  static constexpr const char* kName = "set_log_buffers";
  template <class V, class T>
  static void fields(V& v, T& t) {
    v.required("queue", t.queue, name_of(NameOf::kQueue), "A queue of the program's process.");
    v.field("entries", t.entries, IntegerCodec{1, 84}, "Entries per log buffer.");
  }
};

struct CaptureLogsShape : WithDefaults {
  using Type = CaptureLogsStep;
  static constexpr const char* kName = "capture_logs";
  template <class V, class T>
  static void fields(V& v, T& t) {
    v.field("verbose", t.verbose, maybe(BooleanCodec{}),
            "First switches verbose logging on or off in both drivers.");
  }
};

/// Duration of a sleep or of a computation; null for the other kind.
struct DelayCodec {
  bool busy;
  void read(const Node& node, DelayStep& out) const {
    out.busy = busy;
    duration().read(node, out.duration);
  }
  Json write(const DelayStep& step) const {
    return step.busy == busy ? duration().write(step.duration) : Json();
  }
  Json schema(SchemaDefinitions& definitions) const { return duration().schema(definitions); }
};

struct StepShape;

struct RepeatStepsShape : WithDefaults {
  using Type = RepeatStep;
  static constexpr const char* kName = "repeat_steps";
  template <class V, class T>
  static void fields(V& v, T& t) {
    repeat_fields(v, t);
    v.required("steps", t.body, list(VerbCodec<StepShape>{}, 1, kMaxSteps), "Steps to repeat.");
  }
};

/// A step of a thread.
struct StepShape {
  static constexpr const char* kName = "step";
  template <class V>
  static void verbs(V& v) {
    v.template verb<WaitStep>("wait", EitherCodec<WaitManyShape, WaitOneShape>{},
                              "Waits for fences in the kernel.");
    v.template verb<WaitEventStep>("wait_event", ObjectCodec<WaitEventShape>{},
                                   "Waits for an event.");
    v.template verb<SignalStep>("signal", EitherCodec<SignalManyShape, SignalOneShape>{},
                                "Signals fences from the CPU.");
    v.template verb<PollStep>("poll", ObjectCodec<PollShape>{},
                              "Spins on CurrentValue through the user mapping.");
    v.template verb<SubmitStep>("submit", EitherCodec<SubmitContextShape, SubmitShape>{},
                                "Submits work to a queue or context.");
    v.template verb<DelayStep>("delay", DelayCodec{false}, "Sleeps.");
    v.template verb<DelayStep>("compute", DelayCodec{true}, "Keeps the core busy.");
    v.template verb<PaceStep>("pace", member(&PaceStep::period, duration(1)),
                              "Sleeps until the next multiple of this period.");
    v.template verb<MarkStep>("mark", member(&MarkStep::label, name()),
                              "A point that expectations can name.");
    v.template verb<CreateFenceStep>("create_fence", member(&CreateFenceStep::fence, FenceCodec{}),
                                     "Creates or opens a fence.");
    v.template verb<DestroyFenceStep>("destroy_fence", DestroyFenceCodec{}, "Destroys a fence.");
    v.template verb<SetLogBuffersStep>("set_log_buffers", ObjectCodec<SetLogBuffersShape>{},
                                       "Gives a queue new log buffers.");
    v.template verb<ConnectDoorbellStep>("connect_doorbell", ObjectCodec<ConnectDoorbellShape>{},
                                         "Connects the doorbell of a queue.");
    v.template verb<CaptureLogsStep>(
        "capture_logs", ObjectCodec<CaptureLogsShape>{},
        "Begins or ends a trace of fences: compares clocks and reads the logs.");
    v.template verb<AccessStep>("access", ObjectCodec<AccessShape>{},
                                "Accesses a value of a fence through a user address.");
    v.template verb<TouchLogStep>("touch_log", ObjectCodec<TouchLogShape>{},
                                  "Accesses a fence log of a queue from user mode.");
    v.template verb<SignalElsewhereStep>("signal_elsewhere", ObjectCodec<SignalElsewhereShape>{},
                                         "Another adapter stores a value.");
    v.template verb<FailDeviceStep>("fail_device", ObjectCodec<NothingShape>{},
                                    "Puts the device of the process in error.");
    v.template verb<QueryAdapterStep>("query_adapter", ObjectCodec<QueryAdapterShape>{},
                                      "Checks adapter queries of user mode.");
    context_verbs(v);
    memory_verbs(v);
    v.template verb<RepeatStep>("repeat", ObjectCodec<RepeatStepsShape>{}, "A loop.");
  }

 private:
  template <class V>
  static void context_verbs(V& v) {
    v.template verb<GpuWaitStep>(
        "gpu_wait", GpuPointCodec<GpuWaitStep>{},
        "The OS holds later submissions of a context until a fence has a value.");
    v.template verb<GpuSignalStep>(
        "gpu_signal", GpuPointCodec<GpuSignalStep>{},
        "The OS signals a fence after the earlier submissions of a context.");
    v.template verb<CreateCpuEventStep>("create_cpu_event", ObjectCodec<CreateCpuEventShape>{},
                                        "Creates a CPU event that the driver signals.");
    v.template verb<UseCpuEventStep>("use_cpu_event", ObjectCodec<UseCpuEventShape>{},
                                     "Sets the use of a CPU event in the driver.");
    v.template verb<PassHandleStep>("pass_handle", ObjectCodec<PassHandleShape>{},
                                    "Passes an event's NT handle in an escape.");
    v.template verb<SetPowerStep>("set_power",
                                  member(&SetPowerStep::state, WordCodec{{"D0", "D3"}}),
                                  "Power state of the process's adapter.");
    v.template verb<PresentStep>("present", ObjectCodec<PresentShape>{},
                                 "Shows an image when it has been drawn.");
    v.template verb<SuspendContextStep>("suspend_context", ObjectCodec<SuspendContextShape>{},
                                        "The OS suspends a hardware context.");
    v.template verb<ResumeContextStep>(
        "resume_context", member(&ResumeContextStep::context, name_of(NameOf::kHardwareContext)),
        "The OS resumes a hardware context.");
    v.template verb<SetSchedulingStep>("set_scheduling", ObjectCodec<SetSchedulingShape>{},
                                       "Scheduling properties of a hardware context.");
    v.template verb<ResetEngineStep>("reset_engine",
                                     member(&ResetEngineStep::engine, name_of(NameOf::kEngine)),
                                     "The OS treats an engine as hung and resets it.");
    v.template verb<CreateDeviceStep>(
        "create_device", ObjectCodec<CreateDeviceShape>{},
        "Creates a new device with contexts to replace one in error.");
    v.template verb<DestroyDeviceStep>("destroy_device", ObjectCodec<DestroyDeviceShape>{},
                                       "Destroys the process's device.");
  }
};

}  // namespace fenceline::scenario
