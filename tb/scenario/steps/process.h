#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "kmd_stub/wddm/d3dkmt/d3dkmt.h"
#include "models/common/ordering.h"
#include "tb/scenario/shapes/ordering_names.h"
#include "tb/scenario/steps/fields.h"
#include "tb/user/map_duties.h"

namespace fenceline::scenario {

// Processes and their objects.

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

/// A native fence that exists from the start or, with `open`, one opened from another process.
struct Fence {
  std::string name;
  std::uint64_t initial_value = 0;
  bool shared = false;              ///< other processes may open it; it gets its own pages
  std::optional<std::string> open;  ///< "process/fence": opens that fence by its NT handle
  std::optional<common::Home> current_value_home;    ///< default: /platform/ordering mem.cv_home
  std::optional<common::Home> monitored_value_home;  ///< default: mem.mv_home
  bool cross_adapter = false;                        ///< other adapters may open it; implies shared
  bool intra_gpu = false;                            ///< type INTRA_GPU instead of DEFAULT
  bool monitored = false;                            ///< a monitored fence, else a native one
  bool traced = false;                               ///< logged with verbose logging only
  std::vector<std::uint32_t> flags;   ///< D3DDDI_SYNCHRONIZATIONOBJECT_FLAGS, for this process
  std::optional<std::string> status;  ///< required status of creating or opening it
  Location at;

  /// A fence of another process, opened by its NT handle.
  struct Opened {
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
  /// A fence created by the process.
  struct Own {
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
      v.field("monitored", t.monitored, BooleanCodec{},
              "A monitored fence instead of a native one.");
      v.field("traced", t.traced, BooleanCodec{},
              "No CPU waits for it: the user-mode driver logs it only for verbose traces.");
      v.field("flags", t.flags, list(choice(kFenceFlags), 0, 5),
              "Flags for this process; for a native fence only the last two.");
      v.field("status", t.status, maybe(status_word()),
              "Required status of creating it. Default: success.");
      v.location(t.at);
    }
  };
  using Codec = EitherCodec<Opened, Own>;
};

/// A hardware queue on one engine with user-mode submission.
struct Queue {
  static constexpr const char* kName = "queue";
  std::string name;
  std::string engine;  ///< an engine of the process's adapter
  bool logs = true;    ///< the user-mode driver adds LOG packets after waits and signals
  std::uint32_t log_entries = 84;      ///< entries per log buffer, 1 to 84 in 4 KiB
  std::uint64_t ring_bytes = 65536;    ///< [bytes], a power of two, 4 KiB to 1 MiB
  bool progress_fence = false;         ///< native progress fence "<queue>.progress"
  bool gpu_timeout = true;             ///< false: DisableGpuTimeout
  std::optional<std::string> context;  ///< hardware context of the process; default: a new one
  /// Required status of creating it; no step may use the queue then.
  std::optional<std::string> status;
  Location at;

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

/// A hardware context, with queues on one engine.
struct HardwareContext {
  static constexpr const char* kName = "hardware_context";
  std::string name;
  os::SchedulingProperties properties;
  Location at;

  template <class V, class T>
  static void fields(V& v, T& t) {
    v.required("name", t.name, scenario::name(), "Unique among the process's hardware contexts.");
    scheduling_fields(v, t.properties);
    v.location(t.at);
  }
};

/// A context on one engine whose buffers the OS schedules.
struct Context {
  static constexpr const char* kName = "context";
  std::string name;
  std::string engine;         ///< an engine of the process's adapter
  std::int32_t priority = 0;  ///< -7 to 7
  bool patched = false;       ///< its buffers use physical addresses
  Location at;

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

/// A set of memories, as a list of "vram" and "sysmem".
struct SegmentsCodec {
  void read(const Node& node, std::uint32_t& out) const;
  Json write(std::uint32_t value) const;
  Json schema(SchemaDefinitions& definitions) const;
};

/// Memory for packets. With `segments` the memory manager places and moves it; otherwise it stays
/// at `home`.
struct Allocation {
  std::string name;
  std::uint64_t bytes = 4096;
  common::Home home = common::Home::kVram;
  std::uint32_t segments = 0;             ///< kmd_host::kVramSegmentBit, kApertureSegmentBit
  std::optional<common::Home> preferred;  ///< default: VRAM if allowed
  bool cpu_visible = true;
  bool cached = false;
  bool accessed_physically = false;
  bool resident = true;               ///< made resident at creation
  std::optional<std::string> status;  ///< required status of creating it
  Location at;

  /// An allocation that the memory manager places and moves.
  struct Managed {
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
  struct Placed {
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
  using Codec = EitherCodec<Managed, Placed>;
};

struct MapDutiesShape {
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

struct Process {
  static constexpr const char* kName = "process";
  std::string name;
  std::string adapter;  ///< default: the first adapter
  std::vector<Fence> fences;
  std::vector<Queue> queues;
  std::vector<Allocation> allocations;
  std::vector<HardwareContext> hardware_contexts;
  std::vector<Context> contexts;
  os::ProcessKind kind = os::ProcessKind::kHost;
  user::MapDuties map_duties;
  Location at;

  template <class V, class T>
  static void fields(V& v, T& t) {
    v.required("name", t.name, scenario::name(), "Unique among the processes.");
    v.field("adapter", t.adapter, scenario::name(), "Default: the first adapter.");
    v.field("fences", t.fences, list(Fence::Codec{}, 0, 4096), "Native fences.");
    v.field("queues", t.queues, list(ObjectCodec<Queue>{}, 0, 256), "Hardware queues.");
    v.field("hardware_contexts", t.hardware_contexts, list(ObjectCodec<HardwareContext>{}, 0, 256),
            "Hardware contexts.");
    v.field("contexts", t.contexts, list(ObjectCodec<Context>{}, 0, 256),
            "Contexts that the operating system schedules; only monitored fences.");
    v.field("kind", t.kind, choice(kProcessKinds),
            "Process on the host, or in a virtual machine with a paravirtualized GPU.");
    v.field("allocations", t.allocations, list(Allocation::Codec{}, 0, 4096),
            "Memory that packets read and write.");
    v.field("map_duties", t.map_duties, ObjectCodec<MapDutiesShape>{},
            "Behaviour of the user-mode driver for maps; the defaults are its duties.");
    v.location(t.at);
  }
};

}  // namespace fenceline::scenario
