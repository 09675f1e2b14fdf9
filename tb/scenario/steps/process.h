#pragma once

#include "kmd_stub/wddm/d3dkmt.h"
#include "tb/scenario/shapes/system.h"

namespace fenceline::scenario {

// Shapes of /processes: see reader.h.

/// Kind of object that a name in a step refers to; the object must exist.
enum class NameOf : std::uint8_t {
  kFence,
  kQueue,
  kContext,
  kHardwareContext,  ///< or a queue with an implicit one
  kManaged,          ///< allocation of the memory manager
  kPrimary,          ///< allocation that the display can show
  kCpuEvent,
  kEvent,
  kEngine
};
struct NameCodec : PatternCodec {
  NameOf of;
};
inline NameCodec name_of(NameOf of) { return {name(), of}; }

/// Names of NTSTATUS values that calls may return.
WordCodec status_word();

constexpr std::array<Choice<os::ProcessKind>, 3> kProcessKinds{
    {{"host", os::ProcessKind::kHost},
     {"guest", os::ProcessKind::kGuest},
     {"secured_guest", os::ProcessKind::kSecuredGuest}}};
/// Flags of monitored fences.
constexpr std::array<Choice<std::uint32_t>, 5> kFenceFlags{
    {{"NoSignal", D3DDDI_SYNCHRONIZATIONOBJECT_FLAGS::kNoSignal},
     {"NoWait", D3DDDI_SYNCHRONIZATIONOBJECT_FLAGS::kNoWait},
     {"NoGPUAccess", D3DDDI_SYNCHRONIZATIONOBJECT_FLAGS::kNoGPUAccess},
     {"UnwaitCpuWaitersOnlyOnDestroy",
      D3DDDI_SYNCHRONIZATIONOBJECT_FLAGS::kUnwaitCpuWaitersOnlyOnDestroy},
     {"NoSignalMaxValueOnTdr", D3DDDI_SYNCHRONIZATIONOBJECT_FLAGS::kNoSignalMaxValueOnTdr}}};

struct WithDefaults {
  static constexpr bool kFromProfile = false;  ///< the schema has the defaults
};

/// A fence created by the process.
struct OwnFenceShape : WithDefaults {
  using Type = Fence;
  static constexpr const char* kName = "own_fence";
  template <class V, class T>
  static void fields(V& v, T& t) {
    v.required("name", t.name, scenario::name(), "Unique among the process's fences.");
    v.field("initial_value", t.initial_value, ValueCodec{}, "CurrentValue at creation.");
    v.field("shared", t.shared, BooleanCodec{},
            "Other processes may open it; it gets pages of its own.");
    v.field("current_value_home", t.current_value_home, maybe(one_of(common::kHomes)),
            "Where CurrentValue is stored. Default: mem.cv_home of /platform/ordering.");
    v.field("monitored_value_home", t.monitored_value_home, maybe(one_of(common::kHomes)),
            "Where MonitoredValue is stored. Default: mem.mv_home of /platform/ordering.");
    v.field("cross_adapter", t.cross_adapter, BooleanCodec{},
            "Processes on other adapters may open it too; implies shared.");
    v.field("intra_gpu", t.intra_gpu, BooleanCodec{}, "Type INTRA_GPU instead of DEFAULT.");
    v.field("monitored", t.monitored, BooleanCodec{}, "A monitored fence instead of a native one.");
    v.field("traced", t.traced, BooleanCodec{},
            "No CPU waits for it: the user-mode driver logs it only for verbose traces.");
    v.field("flags", t.flags, list(choice(kFenceFlags), 0, 5),
            "Flags for this process; for a native fence only the last two.");
    v.field("status", t.status, maybe(status_word()),
            "Required status of creating it. Default: success.");
    v.location(t.at);
  }
};

/// A fence of another process, opened by its NT handle.
struct OpenedFenceShape : WithDefaults {
  using Type = Fence;
  static constexpr const char* kName = "opened_fence";
  static constexpr const char* kKey = "open";
  static bool applies(const Fence& fence) { return fence.open.has_value(); }
  template <class V, class T>
  static void fields(V& v, T& t) {
    v.required("name", t.name, scenario::name(), "Unique among the process's fences.");
    v.required("open", t.open, maybe(opened_name()),
               "The shared fence to open: \"process/fence\".");
    v.field("flags", t.flags, list(choice(kFenceFlags), 0, 5),
            "Flags for this process; for a native fence only the last two.");
    v.field("status", t.status, maybe(status_word()),
            "Required status of opening it. Default: success.");
    v.location(t.at);
  }
};

using FenceCodec = EitherCodec<OpenedFenceShape, OwnFenceShape>;

struct QueueShape : WithDefaults {
  using Type = Queue;
  static constexpr const char* kName = "queue";
  template <class V, class T>
  static void fields(V& v, T& t) {
    v.required("name", t.name, scenario::name(), "Unique among the process's queues.");
    v.required("engine", t.engine, scenario::name(), "An engine of the process's adapter.");
    v.field("logs", t.logs, BooleanCodec{}, "Waits and signals are logged.");
    v.field("log_entries", t.log_entries, IntegerCodec{1, 84}, "Entries per log buffer.");
    v.field("ring", t.ring_bytes, size(4096, 1 << 20, 1, true), "Size of the ring buffer.");
    v.field(
        "progress_fence", t.progress_fence, BooleanCodec{},
        "A native progress fence, \"<queue>.progress\": each submission signals the next value.");
    v.field("gpu_timeout", t.gpu_timeout, BooleanCodec{},
            "The device detects that the queue hangs; false: DisableGpuTimeout.");
    v.field("context", t.context, maybe(scenario::name()),
            "A hardware context of the process; queues of one engine can share it. Default: a new "
            "one with the name of the queue.");
    v.field("status", t.status, maybe(status_word()),
            "Required status of creating it. Default: success.");
    v.location(t.at);
  }
};

constexpr std::array<Choice<std::uint32_t>, 4> kBands{
    {{"idle", 0}, {"normal", 1}, {"focus", 2}, {"realtime", 3}}};

template <class V, class T>
void scheduling_fields(V& v, T& t) {
  v.field("band", t.band, choice(kBands), "Priority band.");
  v.field("realtime_level", t.realtime_level, IntegerCodec{0, 31},
          "Level within the realtime band.");
  v.field("priority", t.priority, SignedCodec{-7, 7},
          "Priority among the contexts of one process.");
  v.field("quantum", t.quantum, duration(),
          "Time that it runs before contexts of equal rank get their turn; 0ps: no limit.");
  v.field("grace_same", t.grace_same, duration(), "Extra time after the quantum.");
  v.field("grace_lower", t.grace_lower, duration(),
          "Extra time that it leaves to a running context of its process with lower priority.");
}

struct HardwareContextShape : WithDefaults {
  using Type = HardwareContext;
  static constexpr const char* kName = "hardware_context";
  template <class V, class T>
  static void fields(V& v, T& t) {
    v.required("name", t.name, scenario::name(), "Unique among the process's hardware contexts.");
    scheduling_fields(v, t.properties);
    v.location(t.at);
  }
};

struct ContextShape : WithDefaults {
  using Type = Context;
  static constexpr const char* kName = "context";
  template <class V, class T>
  static void fields(V& v, T& t) {
    v.required("name", t.name, scenario::name(), "Unique among the process's contexts and queues.");
    v.required("engine", t.engine, scenario::name(), "An engine of the process's adapter.");
    v.field("priority", t.priority, SignedCodec{-7, 7},
            "With preemption, contexts of higher priority preempt those of lower priority.");
    v.field("patched", t.patched, BooleanCodec{},
            "Its buffers use physical addresses, unless the driver has NoDmaPatching.");
    v.location(t.at);
  }
};

struct AllocationShape : WithDefaults {
  using Type = Allocation;
  static constexpr const char* kName = "allocation";
  template <class V, class T>
  static void fields(V& v, T& t) {
    v.required("name", t.name, scenario::name(), "Unique among the process's allocations.");
    v.field("size", t.bytes, scenario::size(4096, 1ULL << 40U, 4096), "A multiple of 4 KiB.");
    v.field("home", t.home, one_of(common::kHomes), "Memory of the allocation.");
    v.location(t.at);
  }
};

/// An allocation that the memory manager places and moves.
struct ManagedAllocationShape : WithDefaults {
  using Type = Allocation;
  static constexpr const char* kName = "managed_allocation";
  static constexpr const char* kKey = "segments";
  static bool applies(const Allocation& allocation) { return allocation.segments != 0; }
  template <class V, class T>
  static void fields(V& v, T& t) {
    v.required("name", t.name, scenario::name(), "Unique among the process's allocations.");
    v.required(
        "segments", t.segments, SegmentsCodec{},
        "Memory that the driver allows. The memory manager places and moves the allocation.");
    v.field("size", t.bytes, scenario::size(4096, 1ULL << 30U, 4096), "A multiple of 4 KiB.");
    v.field("preferred", t.preferred, maybe(one_of(common::kHomes)),
            "Memory of the first placement. Default: VRAM if allowed.");
    v.field("cpu_visible", t.cpu_visible, BooleanCodec{}, "Created for access by the CPU.");
    v.field("cached", t.cached, BooleanCodec{}, "The CPU's mapping is cached.");
    v.field("accessed_physically", t.accessed_physically, BooleanCodec{},
            "Engines use its physical address: it is contiguous, in system memory through the "
            "aperture segment.");
    v.field("resident", t.resident, BooleanCodec{}, "Made resident at creation.");
    v.field("status", t.status, maybe(status_word()),
            "Required status of creating it. Default: success.");
    v.location(t.at);
  }
};

using AllocationCodec = EitherCodec<ManagedAllocationShape, AllocationShape>;

struct MapDutiesShape : WithDefaults {
  using Type = user::MapDuties;
  static constexpr const char* kName = "map_duties";
  template <class V, class T>
  static void fields(V& v, T& t) {
    v.field("waits", t.waits, BooleanCodec{}, "A synchronized map waits for the GPU.");
    v.field("renames", t.renames, BooleanCodec{},
            "A discarding map uses memory that the GPU does not use.");
    v.field("invalidates", t.invalidates, BooleanCodec{},
            "D3DKMTInvalidateCache when a map begins, on hosts that are not coherent.");
    v.field("fences", t.fences, BooleanCodec{},
            "A store fence before each submission, on hosts with write-combining buffers.");
    v.field("flushes", t.flushes, BooleanCodec{},
            "D3DKMTInvalidateCache when a map ends through which the CPU wrote.");
  }
};

struct ProcessShape : WithDefaults {
  using Type = Process;
  static constexpr const char* kName = "process";
  template <class V, class T>
  static void fields(V& v, T& t) {
    v.required("name", t.name, scenario::name(), "Unique among the processes.");
    v.field("adapter", t.adapter, scenario::name(), "Default: the first adapter.");
    v.field("fences", t.fences, list(FenceCodec{}, 0, 4096), "Native fences.");
    v.field("queues", t.queues, list(ObjectCodec<QueueShape>{}, 0, 256), "Hardware queues.");
    v.field("hardware_contexts", t.hardware_contexts,
            list(ObjectCodec<HardwareContextShape>{}, 0, 256), "Hardware contexts.");
    v.field("contexts", t.contexts, list(ObjectCodec<ContextShape>{}, 0, 256),
            "Contexts that the operating system schedules; only monitored fences.");
    v.field("kind", t.kind, choice(kProcessKinds),
            "Process on the host, or in a virtual machine with a paravirtualized GPU.");
    v.field("allocations", t.allocations, list(AllocationCodec{}, 0, 4096),
            "Memory that packets read and write.");
    v.field("map_duties", t.map_duties, ObjectCodec<MapDutiesShape>{},
            "Behaviour of the user-mode driver for maps; the defaults are its duties.");
    v.location(t.at);
  }
};

}  // namespace fenceline::scenario
