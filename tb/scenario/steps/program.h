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
#include "tb/os/core/system_options.h"
#include "tb/scenario/steps/bad_packet.h"
#include "tb/scenario/steps/program_system.h"
#include "tb/scenario/text/expression.h"
#include "tb/user/map_duties.h"

// Objects of processes, steps of threads and commands of queues.

namespace fenceline::scenario {

using common::Time;

/// Position in the scenario file, for messages after loading.
struct Location {
  std::string pointer;     ///< JSON pointer
  std::uint32_t line = 0;  ///< 1-based; 0 for a default or --set
  std::uint32_t column = 0;
};

// ------------------------------------------------------------------ objects of the processes

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
};

/// A hardware queue on one engine with user-mode submission.
struct Queue {
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
};

/// A hardware context, with queues on one engine.
struct HardwareContext {
  std::string name;
  os::SchedulingProperties properties;
  Location at;
};

/// A context on one engine whose buffers the OS schedules.
struct Context {
  std::string name;
  std::string engine;         ///< an engine of the process's adapter
  std::int32_t priority = 0;  ///< -7 to 7
  bool patched = false;       ///< its buffers use physical addresses
  Location at;
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
};

struct Process {
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
};

// ------------------------------------------------------------------ programs

/// One fence and one value, both of the same process.
struct FencePoint {
  std::string fence;
  Expression value;
};

struct Command;
using Commands = std::vector<Command>;

// Commands of a queue: each becomes one packet, plus a LOG packet if the queue logs.
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
/// Work given by `duration` or by the shape of thread groups, with memory traffic.
struct DispatchCommand {
  Time duration = 0;  ///< total; with `threads` the mean per group
  std::uint32_t groups = 1;
  std::uint32_t threads = 0;  ///< per group; 0: no shape
  std::uint32_t registers = 0;
  std::uint32_t shared_bytes = 0;
  std::uint32_t variation = 0;  ///< [%]
  abi::GroupTimes distribution = abi::GroupTimes::kLognormal;
  bool write_through = false;
  std::uint64_t read_bytes = 0;
  std::uint64_t write_bytes = 0;
  /// Allocation of the traffic; required if there is traffic.
  std::optional<std::string> allocation;
};
/// The same for primitives.
struct DrawCommand {
  Time duration = 0;
  std::uint32_t primitives = 1;
  std::uint64_t triangles = 0;  ///< 0: no shape
  std::uint64_t pixels = 0;
  std::uint32_t registers = 0;
  bool write_through = false;
  std::uint64_t read_bytes = 0;
  std::uint64_t write_bytes = 0;
  std::optional<std::string> allocation;
};
struct BarrierCommand {};  ///< waits until earlier writes of the queue reach memory
struct FlushCommand {};    ///< a barrier that includes host memory
struct RepeatCommands {
  Expression count;
  std::string counter;
  Commands body;
};

/// A point where the buffer may be split.
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
// D3DKMTWaitForSynchronizationObjectFromCpu on one or several points.
struct WaitStep {
  std::vector<FencePoint> points;
  bool any = false;                   ///< one satisfied point is enough
  std::optional<Time> timeout;        ///< time limit; none: no limit
  std::optional<std::string> event;   ///< return at once and set this event when satisfied
  std::optional<std::string> status;  ///< required status of the call
};
struct WaitEventStep {
  std::string event;
  std::optional<Time> timeout;
};
struct SignalStep {
  std::vector<FencePoint> points;
  std::optional<std::uint64_t> bad_handle;  ///< for this fence the driver gets a null handle
  std::optional<std::string> status;        ///< required status of the call
};                                          ///< D3DKMTSignalSynchronizationObjectFromCpu
/// Polls CurrentValue through the user mapping until it is at least the value.
struct PollStep {
  FencePoint point;
  std::optional<Time> timeout;
};
struct SubmitStep {
  std::string queue;
  std::optional<std::string> context;  ///< instead of a queue
  std::vector<std::string> broadcast;  ///< "process/context": contexts that run the same buffer
  Commands commands;
  std::optional<std::string> status;  ///< required NTSTATUS of the last call for a queue
};
/// D3DKMTConnectDoorbell.
struct ConnectDoorbellStep {
  std::string queue;
  std::optional<std::string> status;
};
struct DelayStep {
  Time duration = 0;
  bool busy = false;
};  ///< busy: the core computes; otherwise the thread sleeps
/// Sleeps until the next multiple of `period` since the start, for frame pacing.
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
  std::optional<std::string> status;  ///< required status of the call
};
/// Accesses a value of a fence through its user address.
struct AccessStep {
  std::string fence;
  bool monitored = false;           ///< MonitoredValue; otherwise CurrentValue
  std::optional<Expression> write;  ///< value to store; none: load
  bool violates = false;            ///< an access violation is expected; the thread continues
};
/// Accesses the first 64 bits of a log buffer.
struct TouchLogStep {
  std::string queue;
  std::optional<std::string> process;  ///< process of the queue; default: that of the program
  bool waits = false;                  ///< the wait log; otherwise the signal log
  std::optional<Expression> write;     ///< see AccessStep
  bool violates = false;               ///< see AccessStep
};
struct SignalElsewhereStep {
  FencePoint point;
  bool notify = true;  ///< notify the driver with NotificationOnly
};
/// Puts the device of the process in error.
struct FailDeviceStep {};
/// Required results of adapter queries of user mode.
struct QueryAdapterStep {
  std::optional<bool> native_gpu_fence;  ///< D3DKMT_WDDM_3_1_CAPS
  std::optional<std::string> status;     ///< required status of that query
  std::optional<std::string> feature;    ///< state of DXGK_FEATURE_NATIVE_FENCE
};
struct SetLogBuffersStep {
  std::string queue;
  std::uint32_t entries = 84;
};
/// Begins or ends a trace session.
struct CaptureLogsStep {
  std::optional<bool> verbose;  ///< first switch verbose logging on or off
};
/// A wait or signal before the next submission of a context or queue. For a context it is a call
/// (D3DKMTWaitForSynchronizationObjectFromGpu or the signal call), for a user-mode queue a packet.
struct GpuPointStep {
  std::optional<std::string> context;
  std::optional<std::string> queue;
  FencePoint point;
  std::optional<std::string> status;
};
struct GpuWaitStep : GpuPointStep {};
struct GpuSignalStep : GpuPointStep {};
/// A CPU event that the driver signals. It shares the name space of fences.
struct CreateCpuEventStep {
  std::string name;
  std::string event;
  std::optional<std::string> status;
};
/// Sets the use of the event in the driver, by the known escape.
struct UseCpuEventStep {
  std::string name;
  abi::CpuEventUse use = abi::CpuEventUse::kNow;
  std::optional<std::string> engine;
  bool wakes = false;  ///< calls without NoAdapterSynchronization
  std::optional<std::string> status;
};
// Steps for allocations of the memory manager.
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
  bool older = false;                ///< D3DKMTLock
  std::vector<std::uint32_t> flags;  ///< D3DDDICB_LOCKFLAGS
  std::uint32_t reserved = 0;        ///< bits of D3DDDICB_LOCK2FLAGS
  std::optional<std::string> status;
};
struct UnlockStep {
  std::string allocation;
  bool older = false;
  std::optional<std::string> status;
};
/// A map, as a runtime requests it from the user-mode driver.
struct MapStep {
  std::string allocation;
  event::MapMode mode = event::MapMode::kReadWrite;
  bool do_not_wait = false;
  std::optional<std::string> status;
};
struct UnmapStep {
  std::string allocation;
};
/// Loads or stores 64 bits at the address of a lock or map.
struct MemoryStep {
  std::string allocation;
  std::uint64_t offset = 0;
  std::optional<Expression> value;  ///< value to store, or expected value of a load
  bool violates = false;            ///< an access violation is expected; the thread continues
};
struct StoreStep : MemoryStep {};
/// D3DKMTInvalidateCache.
struct InvalidateCacheStep {
  std::string allocation;
  std::uint64_t offset = 0;
  std::uint64_t bytes = 0;  ///< 0: up to the end
  std::optional<std::string> status;
};
struct LoadStep : MemoryStep {};
/// Random operations on allocations of the step.
struct MemoryStressStep {
  std::uint64_t seed = 0;
  std::uint64_t operations = 300;
  std::uint32_t allocations = 8;              ///< maximum at a time
  std::uint64_t largest_bytes = 64ULL << 10;  ///< largest allocation
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

constexpr std::uint32_t kMaxThreads = 8192;  ///< total of all programs

/// Steps of one CPU thread, or commands submitted to a queue before the start.
struct Program {
  std::string name;                   ///< thread name; the name of the queue for a queue program
  std::string process;                ///< default: the only process
  std::optional<std::string> queue;   ///< if set, `commands` are submitted as one buffer at time 0
  std::optional<std::uint32_t> core;  ///< default: spread over the cores, from the last core down
  std::uint32_t count =
      1;  ///< number of threads with these steps; from 2 on their names are name0, name1 ...
  std::string counter;  ///< counter with the number of the thread, for expressions
  Steps steps;
  Commands commands;
  Location at;
};

}  // namespace fenceline::scenario
