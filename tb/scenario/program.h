#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "models/abi/packets.h"
#include "models/abi/private_data.h"
#include "models/common/ordering.h"
#include "models/common/time.h"
#include "tb/os/system_options.h"
#include "tb/scenario/bad_packet.h"
#include "tb/scenario/expression.h"
#include "tb/scenario/program_system.h"
#include "tb/user/map_duties.h"

// What a scenario makes of processes and lets threads and queues do.

namespace fenceline::scenario {

using common::Time;

/// Where something stands in the scenario file: for messages after loading too.
struct Location {
  std::string pointer;     ///< JSON pointer
  std::uint32_t line = 0;  ///< 1-based; 0 when it came from a default or --set
  std::uint32_t column = 0;
};

// ------------------------------------------------------------------ objects of the processes

/// A native fence that exists from the start, or (with `open`) one opened from another process.
struct Fence {
  std::string name;
  std::uint64_t initial_value = 0;
  bool shared = false;              ///< may be opened by other processes; gets pages of its own
  std::optional<std::string> open;  ///< "process/fence": open that one by its NT handle
  std::optional<common::Home> current_value_home;    ///< default: /platform/ordering mem.cv_home
  std::optional<common::Home> monitored_value_home;  ///< default: mem.mv_home
  bool cross_adapter = false;         ///< other adapters may open it too; implies shared
  bool intra_gpu = false;             ///< type INTRA_GPU instead of DEFAULT
  bool monitored = false;             ///< a monitored fence, else a native one
  bool traced = false;                ///< logged with verbose logging only
  std::vector<std::string> flags;     ///< of a monitored fence, for this process
  std::optional<std::string> status;  ///< what creating or opening it must return
  Location at;
};

/// A hardware queue with a context of its own on one engine, fed by user-mode submission.
struct Queue {
  std::string name;
  std::string engine;  ///< name of an engine of the process's adapter
  bool logs = true;    ///< the user-mode driver adds LOG packets after waits and signals
  std::uint32_t log_entries = 84;      ///< entries a log buffer, 1 to 84 in 4 KiB
  std::uint64_t ring_bytes = 65536;    ///< [bytes], a power of two, 4 KiB to 1 MiB
  bool progress_fence = false;         ///< a native one: "<queue>.progress"
  bool gpu_timeout = true;             ///< else DisableGpuTimeout
  std::optional<std::string> context;  ///< a hardware context of the process; default: its own
  std::optional<std::string> status;   ///< what creating it must return; then nothing uses it
  Location at;
};

/// A context of hardware queues, all on one engine.
struct HardwareContext {
  std::string name;
  os::SchedulingProperties properties;
  Location at;
};

/// A context on one engine that the OS feeds: monitored fences only.
struct Context {
  std::string name;
  std::string engine;         ///< name of an engine of the process's adapter
  std::int32_t priority = 0;  ///< -7 to 7
  bool patched = false;       ///< its buffers take physical addresses
  Location at;
};

/// Memory that packets read and write. With `segments` the memory manager decides where it is and
/// moves it; without, it stays at `home`.
struct Allocation {
  std::string name;
  std::uint64_t bytes = 4096;
  common::Home home = common::Home::kVram;
  std::uint32_t segments = 0;             ///< kmd_host::kVramSegmentBit, kApertureSegmentBit
  std::optional<common::Home> preferred;  ///< default: VRAM if it may be there
  bool cpu_visible = true;
  bool cached = false;
  bool accessed_physically = false;
  bool resident = true;               ///< made resident when it is created
  std::optional<std::string> status;  ///< what creating it must return
  Location at;
};

struct Process {
  std::string name;
  std::string adapter;  ///< default: the first
  std::vector<Fence> fences;
  std::vector<Queue> queues;
  std::vector<Allocation> allocations;
  std::vector<HardwareContext> hardware_contexts;
  std::vector<Context> contexts;
  os::ProcessKind kind = os::ProcessKind::kHost;
  user::MapDuties map_duties;
  Location at;
};

// ------------------------------------------------------------------ programs

/// One fence and one value, both of the same process.
struct FencePoint {
  std::string fence;
  Expression value;
};

struct Command;
using Commands = std::vector<Command>;

// Commands of a queue: each becomes one packet (with a LOG packet where the queue logs).
struct SignalCommand {
  FencePoint point;
};
struct WaitCommand {
  FencePoint point;
};
struct WriteCommand {
  std::string allocation;
  std::uint64_t offset = 0;
  Expression value;
};
struct CopyCommand {
  std::string source;
  std::string destination;
  std::uint64_t bytes = 0;
};
/// Work of `duration`, or of thread groups of a shape, that also moves memory.
struct DispatchCommand {
  Time duration = 0;  ///< of the whole; with `threads` the mean of a group
  std::uint32_t groups = 1;
  std::uint32_t threads = 0;  ///< of a group; 0: it has no shape
  std::uint32_t registers = 0;
  std::uint32_t shared_bytes = 0;
  std::uint32_t variation = 0;  ///< [%]
  abi::GroupTimes distribution = abi::GroupTimes::kLognormal;
  bool write_through = false;
  std::uint64_t read_bytes = 0;
  std::uint64_t write_bytes = 0;
  std::optional<std::string> allocation;  ///< where the traffic goes; required if there is any
};
/// The same of primitives.
struct DrawCommand {
  Time duration = 0;
  std::uint32_t primitives = 1;
  std::uint64_t triangles = 0;  ///< 0: it has no shape
  std::uint64_t pixels = 0;
  std::uint32_t registers = 0;
  bool write_through = false;
  std::uint64_t read_bytes = 0;
  std::uint64_t write_bytes = 0;
  std::optional<std::string> allocation;
};
struct BarrierCommand {};  ///< earlier writes of the queue reach their homes first
struct FlushCommand {};    ///< as a barrier that reaches host memory
struct RepeatCommands {
  Expression count;
  std::string counter;
  Commands body;
};

/// A place where the buffer may be split.
struct SplitCommand {};

struct Command {
  std::variant<SignalCommand, WaitCommand, WriteCommand, CopyCommand, DispatchCommand, DrawCommand,
               BarrierCommand, FlushCommand, SplitCommand, BadPacketCommand, RepeatCommands>
      what;
  Location at;
};

struct Step;
using Steps = std::vector<Step>;

// Steps of a CPU thread.
/// D3DKMTWaitForSynchronizationObjectFromCpu on one or several points.
struct WaitStep {
  std::vector<FencePoint> points;
  bool any = false;                   ///< one suffices
  std::optional<Time> timeout;        ///< gives up after it; without: for ever
  std::optional<std::string> event;   ///< return at once, set this event when satisfied
  std::optional<std::string> status;  ///< what the call must return
};
struct WaitEventStep {
  std::string event;
  std::optional<Time> timeout;
};
struct SignalStep {
  std::vector<FencePoint> points;
  std::optional<std::uint64_t> bad_handle;  ///< the driver gets this one's handle as null
  std::optional<std::string> status;        ///< what the call must return
};                                          ///< D3DKMTSignalSynchronizationObjectFromCpu
/// Spins on CurrentValue through the user mapping until it is at least the value.
struct PollStep {
  FencePoint point;
  std::optional<Time> timeout;
};
struct SubmitStep {
  std::string queue;
  std::optional<std::string> context;  ///< in place of the queue
  std::vector<std::string> broadcast;  ///< "process/context": they run the same buffer
  Commands commands;
  std::optional<std::string> status;  ///< NTSTATUS that the last call for a queue is to return
};
/// D3DKMTConnectDoorbell.
struct ConnectDoorbellStep {
  std::string queue;
  std::optional<std::string> status;
};
struct DelayStep {
  Time duration = 0;
  bool busy = false;
};  ///< busy: the core computes; else it sleeps
/// Sleeps until the next multiple of `period` since the start: frame pacing.
struct PaceStep {
  Time period = 0;
};
struct MarkStep {
  std::string label;
};
struct CreateFenceStep {
  Fence fence;
};
struct DestroyFenceStep {
  std::string fence;
  std::optional<std::string> status;  ///< what the call must return
};
/// Touches a value of a fence by its user address.
struct AccessStep {
  std::string fence;
  bool monitored = false;           ///< MonitoredValue; else CurrentValue
  std::optional<Expression> write;  ///< store it; without: load
  bool violates = false;            ///< an access violation is due, and the thread survives it
};
/// Touches the first 64 bits of a log buffer.
struct TouchLogStep {
  std::string queue;
  std::optional<std::string> process;  ///< of the queue; else the program's
  bool waits = false;                  ///< the log of waits; else that of signals
  std::optional<Expression> write;     ///< as of AccessStep
  bool violates = false;               ///< the same
};
struct SignalElsewhereStep {
  FencePoint point;
  bool notify = true;  ///< the driver is told with NotificationOnly
};
/// The device of the process is in error.
struct FailDeviceStep {};
/// What user mode must see of the adapter.
struct QueryAdapterStep {
  std::optional<bool> native_gpu_fence;  ///< D3DKMT_WDDM_3_1_CAPS
  std::optional<std::string> status;     ///< of that query
  std::optional<std::string> feature;    ///< state of DXGK_FEATURE_NATIVE_FENCE
};
struct SetLogBuffersStep {
  std::string queue;
  std::uint32_t entries = 84;
};
/// A trace session begins or ends.
struct CaptureLogsStep {
  std::optional<bool> verbose;  ///< verbose logging goes on or off first
};
/// A wait or a signal in front of what a context or queue is given next. Of a context it is a call,
/// D3DKMTWaitForSynchronizationObjectFromGpu and so on; of a queue that user mode feeds, a packet.
struct GpuPointStep {
  std::optional<std::string> context;
  std::optional<std::string> queue;
  FencePoint point;
  std::optional<std::string> status;
};
struct GpuWaitStep : GpuPointStep {};
struct GpuSignalStep : GpuPointStep {};
/// A CPU event that the driver signals; it has a name among the fences.
struct CreateCpuEventStep {
  std::string name;
  std::string event;
  std::optional<std::string> status;
};
/// Tells the driver what it is for, by the known escape.
struct UseCpuEventStep {
  std::string name;
  abi::CpuEventUse use = abi::CpuEventUse::kNow;
  std::optional<std::string> engine;
  bool wakes = false;  ///< without NoAdapterSynchronization
  std::optional<std::string> status;
};
// Steps for allocations that the memory manager has.
struct CreateAllocationStep {
  Allocation allocation;
};
struct DestroyAllocationStep {
  std::string allocation;
  bool assume_not_in_use = false;
  bool synchronous = false;
  std::optional<std::string> status;
};
struct MakeResidentStep {
  std::vector<std::string> allocations;
  std::optional<std::string> status;
};
struct EvictStep {
  std::vector<std::string> allocations;
  bool only_if_necessary = false;
  std::optional<std::string> status;
};
/// D3DKMTLock2 or D3DKMTLock.
struct LockStep {
  std::string allocation;
  bool older = false;              ///< D3DKMTLock
  std::vector<std::string> flags;  ///< of the older call
  std::uint32_t reserved = 0;      ///< bits of D3DDDICB_LOCK2FLAGS
  std::optional<std::string> status;
};
struct UnlockStep {
  std::string allocation;
  bool older = false;
  std::optional<std::string> status;
};
/// What a runtime asks the user-mode driver for.
struct MapStep {
  std::string allocation;
  common::MapMode mode = common::MapMode::kReadWrite;
  bool do_not_wait = false;
  std::optional<std::string> status;
};
struct UnmapStep {
  std::string allocation;
};
/// Loads or stores 64 bits by the address that a lock or map returned.
struct MemoryStep {
  std::string allocation;
  std::uint64_t offset = 0;
  std::optional<Expression> value;  ///< to be stored, or to be found
  bool violates = false;            ///< an access violation is due, and the thread survives it
};
struct StoreStep : MemoryStep {};
/// D3DKMTInvalidateCache.
struct InvalidateCacheStep {
  std::string allocation;
  std::uint64_t offset = 0;
  std::uint64_t bytes = 0;  ///< 0: to the end
  std::optional<std::string> status;
};
struct LoadStep : MemoryStep {};
/// Random operations on allocations of its own.
struct MemoryStressStep {
  std::uint64_t seed = 0;
  std::uint64_t operations = 300;
  std::uint32_t allocations = 8;              ///< most at a time
  std::uint64_t largest_bytes = 64ULL << 10;  ///< of one of them
};
struct RepeatStep {
  Expression count;
  std::string counter;
  Steps body;
};

struct Step {
  std::variant<WaitStep, WaitEventStep, SignalStep, PollStep, SubmitStep, DelayStep, PaceStep,
               MarkStep, CreateFenceStep, DestroyFenceStep, SetLogBuffersStep, CaptureLogsStep,
               AccessStep, TouchLogStep, SignalElsewhereStep, FailDeviceStep, QueryAdapterStep,
               GpuWaitStep, GpuSignalStep, CreateCpuEventStep, UseCpuEventStep, PassHandleStep,
               SetPowerStep, DestroyDeviceStep, CreateDeviceStep, CreateAllocationStep,
               DestroyAllocationStep, MakeResidentStep, EvictStep, LockStep, UnlockStep, MapStep,
               UnmapStep, StoreStep, LoadStep, InvalidateCacheStep, MemoryStressStep, PresentStep,
               SuspendContextStep, ResumeContextStep, SetSchedulingStep, ResetEngineStep,
               ConnectDoorbellStep, RepeatStep>
      what;
  Location at;
};

constexpr std::uint32_t kMostThreads = 8192;  ///< of all programs together

/// What one CPU thread does, or what a queue is given to do before the start.
struct Program {
  std::string name;                  ///< thread name; for a queue's program the queue's name
  std::string process;               ///< default: the only one
  std::optional<std::string> queue;  ///< set: `commands` are submitted as one buffer at time 0
  std::optional<std::uint32_t>
      core;  ///< default: spread over the cores in order, from the last down
  std::uint32_t count =
      1;                ///< threads with these steps; from 2 on they are called name0, name1 ...
  std::string counter;  ///< under which expressions see which of them it is
  Steps steps;
  Commands commands;
  Location at;
};

}  // namespace fenceline::scenario
