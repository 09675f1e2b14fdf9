#pragma once

#include <array>

#include "models/abi/registers.h"
#include "tb/scenario/profiles.h"
#include "tb/scenario/shapes/chip.h"
#include "tb/scenario/shapes/ordering_names.h"
#include "tb/scenario/shapes/system.h"

namespace fenceline::scenario {

// Shapes of /platform: see reader.h. Defaults come from profiles.

constexpr std::array<Choice<host::MemoryModel>, 3> kMemoryModels{
    {{"strong", host::MemoryModel::kStrong},
     {"tso", host::MemoryModel::kTso},
     {"weak", host::MemoryModel::kWeak}}};
constexpr std::array<Choice<command_processor::WriteBack>, 2> kWriteBacks{
    {{"idle", command_processor::WriteBack::kIdle},
     {"quarter", command_processor::WriteBack::kQuarter}}};
constexpr std::array<Choice<engine::EngineKind>, 3> kEngineKinds{
    {{"graphics", engine::EngineKind::kGraphics},
     {"compute", engine::EngineKind::kCompute},
     {"copy", engine::EngineKind::kCopy}}};

constexpr std::array<Choice<engine::FenceWrite>, 3> kFenceWrites{
    {{"none", engine::FenceWrite::kNone},
     {"basic", engine::FenceWrite::kBasic},
     {"advanced", engine::FenceWrite::kAdvanced}}};

struct CStateShape : FromProfile {
  using Type = host::CState;
  static constexpr const char* kName = "c_state";
  template <class V, class T>
  static void fields(V& v, T& t) {
    v.required("name", t.name, name(), "C1, C6 ...");
    v.required("exit_latency", t.exit_latency, duration(),
               "Time from wake-up to the first instruction.");
    v.required("target_residency", t.target_residency, duration(),
               "Shortest idle period for which a core enters the state.");
  }
};

constexpr std::array<Choice<host::CombiningOrder>, 2> kCombiningOrders{
    {{"serializing", host::CombiningOrder::kSerializing},
     {"barriers", host::CombiningOrder::kBarriers}}};

struct WriteCombiningShape : FromProfile {
  using Type = host::WriteCombiningConfig;
  static constexpr const char* kName = "write_combining";
  template <class V, class T>
  static void fields(V& v, T& t) {
    v.field("buffers", t.buffers, IntegerCodec{0, 64},
            "64-byte buffers per core; 0: such stores are uncached.");
    v.field("sent_by", t.order, choice(kCombiningOrders),
            "Events that flush the buffers: only barriers, or also atomic operations, uncached "
            "accesses and interrupts.");
    v.field("drain", t.drain, duration(),
            "Time after which an idle buffer is sent; 0ns: it stays.");
    v.field("evict", t.evict, duration(), "Time to send a buffer to make room for a line.");
    v.field("flush", t.flush, duration(), "Time to send a buffer that is full or requested.");
    v.field("fence", t.fence, duration(), "Time of a store fence after all buffers are sent.");
  }
};

struct SystemMemoryShape : FromProfile {
  using Type = memory::SystemMemoryConfig;
  static constexpr const char* kName = "system_memory";
  template <class V, class T>
  static void fields(V& v, T& t) {
    v.field("size", t.size_bytes, scenario::size(1 << 20, 1ULL << 40U, 4096), "Capacity.");
    v.field("bandwidth", t.bandwidth_mbps, rate(), "Bandwidth of the whole memory.");
    v.field("latency", t.latency, duration(), "Latency from load to use.");
  }
};

/// Fields shared by host profiles and /platform/host. T is PlatformConfig.
template <class V, class T>
void host_fields(V& v, T& t) {
  v.field("cores", t.host.cores, IntegerCodec{2, 64}, "CPU cores.");
  v.field("memory_model", t.host.memory_model, choice(kMemoryModels),
          "Memory order of a core: strong, stores wait in a store buffer, or loads and stores may "
          "also pass each other.");
  v.field("io_coherent", t.host.io_coherent, BooleanCodec{}, "Caches see device writes to memory.");
  v.field("speculative_reads", t.host.speculative_reads, BooleanCodec{},
          "If caches do not see device writes: dropped lines of cached allocations are refetched "
          "without a program access.");
  v.field("speculation", t.host.speculation, duration(1),
          "Time from the drop of a line to its refetch.");
  v.field("cache_lines", t.host.cache_lines, IntegerCodec{1, 1 << 20},
          "Number of cache lines, if their content is modelled.");
  v.field("cache_hit", t.host.cache_hit, duration(), "Time of a load that hits.");
  v.field("store", t.host.store, duration(), "Time of a store to cached memory.");
  v.field("mmio_write", t.host.mmio_write, duration(), "Time to issue an uncached store.");
  v.field("write_combining", t.host.write_combining, ObjectCodec<WriteCombiningShape>{},
          "Buffers for stores to allocations that are not cached.");
  v.field("lock", t.host.lock, duration(), "Time of an uncontended spin lock.");
  v.field("interrupt_delivery", t.host.interrupt_delivery, duration(),
          "Time from the MSI at the local APIC to the first instruction of the ISR.");
  v.field("isr_overhead", t.host.isr_overhead, duration(),
          "Time of the kernel to dispatch the ISR.");
  v.field("dpc_latency", t.host.dpc_latency, duration(),
          "Time from queueing a DPC to its first instruction.");
  v.field("thread_wake", t.host.thread_wake, duration(),
          "Time from ready to running on an awake core.");
  v.field("time_slice", t.host.time_slice, duration(1'000),
          "Time slice of a thread on a core that others wait for.");
  v.field("fence_fallback", t.host.fence_fallback, duration(1),
          "With os.fallback_timer: time without a release before all fences are checked. With "
          "os.watchdog: time between two checks.");
  v.field("system_call", t.host.system_call, duration(), "Time from user to kernel mode and back.");
  v.field("poll_interval", t.host.poll_interval, duration(1),
          "Time between two reads of a polling loop.");
  v.field("ring_poll_interval", t.host.ring_poll_interval, duration(1),
          "Time between two checks of a submitting thread for room in a full ring.");
  v.field("c_states", t.host.c_states, list(ObjectCodec<CStateShape>{}, 0, 8),
          "Idle states, shallowest first; empty: cores never sleep.");
  v.field("memory", t.system_memory, ObjectCodec<SystemMemoryShape>{},
          "Memory behind the root complex.");
}

struct HostShape : FromProfile {
  using Type = top::PlatformConfig;
  static constexpr const char* kName = "host";
  template <class V, class T>
  static void fields(V& v, T& t) {
    v.field("profile", t.host_profile, WordCodec{profile_names("hosts")},
            "Values that are not given here come from this profile.");
    v.on_read(t, [](auto& target) { load_host_profile(target.host_profile, target); });
    host_fields(v, t);
  }
};

struct VramShape : FromProfile {
  using Type = memory::VramConfig;
  static constexpr const char* kName = "vram";
  template <class V, class T>
  static void fields(V& v, T& t) {
    v.field("size", t.size_bytes, scenario::size(1 << 20, 1ULL << 40U, 4096), "Capacity.");
    v.field("channels", t.channels, IntegerCodec{1, 64}, "Interleaved memory channels.");
    v.field("interleave", t.interleave_bytes, scenario::size(64, 1 << 20, 1, true),
            "Bytes per channel before the next channel.");
    v.field("channel_bandwidth", t.channel_mbps, rate(), "Bandwidth per channel.");
    v.field("latency", t.latency, duration(), "Latency from load to use at the pins.");
  }
};

struct LinkShape : FromProfile {
  using Type = pcie::LinkConfig;
  static constexpr const char* kName = "link";
  template <class V, class T>
  static void fields(V& v, T& t) {
    v.field("generation", t.generation, IntegerCodec{1, 6}, "PCIe generation.");
    v.field("width", t.width_lanes, IntegerCodec{1, 16, true}, "Number of lanes.");
    v.field("max_payload", t.max_payload_bytes, scenario::size(128, 4096, 1, true),
            "Max_Payload_Size.");
    v.field("max_read_request", t.max_read_request_bytes, scenario::size(128, 4096, 1, true),
            "Max_Read_Request_Size.");
    v.field("posted_header_credits", t.posted_header_credits, IntegerCodec{1, 4096},
            "Posted TLPs in flight per direction.");
    v.field("tags", t.tags, IntegerCodec{1, 16384}, "Non-posted requests in flight per direction.");
    v.field("no_snoop", t.no_snoop, BooleanCodec{},
            "Requests to the host carry No Snoop: its caches do not see them.");
    v.field("propagation", t.propagation, duration(),
            "One-way delay through root complex, PHYs and endpoint.");
  }
};

struct MmuShape : FromProfile {
  using Type = mmu::MmuConfig;
  static constexpr const char* kName = "mmu";
  template <class V, class T>
  static void fields(V& v, T& t) {
    v.field("tlb_entries", t.tlb_entries, IntegerCodec{1, 65536, true},
            "Entries of the TLB; direct mapped.");
    v.field("hit_latency", t.hit_latency, duration(), "Latency of a TLB hit.");
  }
};

struct FabricShape : FromProfile {
  using Type = fabric::FabricConfig;
  static constexpr const char* kName = "fabric";
  template <class V, class T>
  static void fields(V& v, T& t) {
    v.field("write_banks", t.write_banks, IntegerCodec{1, 16},
            "Posted FIFOs per agent towards VRAM.");
    v.field("fifo_depth", t.fifo_depth, IntegerCodec{1, 1024},
            "Writes per FIFO before its agent stalls.");
    v.field("drain_latency", t.drain_latency, duration(), "Time from FIFO to memory.");
    v.field("drain_interval", t.drain_interval, duration(), "Time between two writes of a FIFO.");
    v.field("read_latency", t.read_latency, duration(), "Time from agent to memory controller.");
  }
};

struct CommandProcessorShape : FromProfile {
  using Type = command_processor::CommandProcessorConfig;
  static constexpr const char* kName = "command_processor";
  template <class V, class T>
  static void fields(V& v, T& t) {
    v.field("doorbell", t.doorbell, duration(), "Time from doorbell write to ready queue.");
    v.field("decode", t.decode, duration(), "Time to decode one packet.");
    v.field("queue_switch", t.queue_switch, duration(),
            "Time for an engine to take another queue.");
    v.field("fetch", t.fetch_bytes, scenario::size(64, 4096, 1, true),
            "Size of one read of a ring or indirect buffer.");
    v.field("write_back", t.write_back, choice(kWriteBacks),
            "When the read pointer of a ring is written to memory: when the ring is empty and "
            "after each quarter, or only after each quarter.");
  }
};

struct CmpShape : FromProfile {
  using Type = cmp::CmpConfig;
  static constexpr const char* kName = "cmp";
  template <class V, class T>
  static void fields(V& v, T& t) {
    v.field("decision", t.decision, duration(), "Time of one compare.");
    v.field("update", t.update, duration(), "Time to start a MonitoredValue update.");
    v.field("barrier", t.barrier, duration(), "Time of a barrier that does not have to wait.");
  }
};

struct EngineShape : FromProfile {
  using Type = engine::EngineConfig;
  static constexpr const char* kName = "engine";
  template <class V, class T>
  static void fields(V& v, T& t) {
    v.required("name", t.name, name(), "Unique on the adapter.");
    v.required("kind", t.kind, choice(kEngineKinds), "Kind of the node.");
    v.field("issue", t.issue, duration(), "Time of one memory instruction.");
    v.field("compare", t.compare, duration(), "Time to compare a value with MonitoredValue.");
    v.field("copy_bandwidth", t.copy_mbps, rate(), "Bandwidth of a copy engine's data path.");
    v.field("function", t.function, IntegerCodec{0, 7},
            "PCIe function of its accesses to the host.");
    v.field(
        "fence_write", t.fence_write, choice(kFenceWrites),
        "Monitored fences: the engine cannot write them, can write them, or can also interrupt.");
  }
};

/// Fields that GPU profiles and the adapters of a scenario share. T is GpuConfig.
constexpr std::array<Choice<common::LogTimestamps>, 4> kLogTimestamps{
    {{"counted", common::LogTimestamps::kCounted},
     {"skipped", common::LogTimestamps::kSkipped},
     {"repeated", common::LogTimestamps::kRepeated},
     {"backwards", common::LogTimestamps::kBackwards}}};

struct VramBarShape : FromProfile {
  using Type = pcie::VramBarConfig;
  static constexpr const char* kName = "vram_bar";
  template <class V, class T>
  static void fields(V& v, T& t) {
    v.field("size", t.bytes, scenario::size(0, 1ULL << 40U, 1 << 20, true),
            "Size set by firmware: a power of two; 0B: all of VRAM.");
    v.field("largest", t.largest_bytes, scenario::size(0, 1ULL << 40U, 1 << 20, true),
            "Largest size in its resizable-BAR capability; 0B: no such capability.");
    v.field("window", t.window_bytes, scenario::size(0, 1ULL << 40U, 1 << 20),
            "Space that the bridge above can assign; 0B: enough.");
  }
};

constexpr std::array<Choice<abi::GraphicsGranularity>, 6> kGraphicsGranularities{
    {{"none", abi::GraphicsGranularity::kNone},
     {"dma_buffer_boundary", abi::GraphicsGranularity::kBuffer},
     {"primitive_boundary", abi::GraphicsGranularity::kPrimitive},
     {"triangle_boundary", abi::GraphicsGranularity::kTriangle},
     {"pixel_boundary", abi::GraphicsGranularity::kPixel},
     {"shader_boundary", abi::GraphicsGranularity::kShader}}};
constexpr std::array<Choice<abi::ComputeGranularity>, 6> kComputeGranularities{
    {{"none", abi::ComputeGranularity::kNone},
     {"dma_buffer_boundary", abi::ComputeGranularity::kBuffer},
     {"dispatch_boundary", abi::ComputeGranularity::kDispatch},
     {"thread_group_boundary", abi::ComputeGranularity::kThreadGroup},
     {"thread_boundary", abi::ComputeGranularity::kThread},
     {"shader_boundary", abi::ComputeGranularity::kShader}}};

struct PreemptionShape : FromProfile {
  using Type = top::PreemptionConfig;
  static constexpr const char* kName = "preemption";
  template <class V, class T>
  static void fields(V& v, T& t) {
    v.field("graphics", t.granularity.graphics,
            ChoiceCodec<abi::GraphicsGranularity, 6>{kGraphicsGranularities},
            "Points where draws can stop.");
    v.field("compute", t.granularity.compute,
            ChoiceCodec<abi::ComputeGranularity, 6>{kComputeGranularities},
            "Points where dispatches can stop.");
    v.field("context_switch", t.context_switch, duration(),
            "Time of a context switch without its memory traffic.");
    v.field("state", t.state_bytes, scenario::size(0, 1ULL << 30U, 4096),
            "Space per context for the state of stopped work.");
    v.field("resets_together", t.resets_together, BooleanCodec{},
            "A reset of one node resets all nodes of the adapter.");
    v.field("engine_timeout", t.engine_timeout, duration(),
            "A hardware queue that runs a packet for longer must leave its node. If it does not "
            "leave within the same time again, it hangs. 0ps: no detection of hangs.");
  }
};

struct DisplayShape : FromProfile {
  using Type = display::DisplayConfig;
  static constexpr const char* kName = "display";
  template <class V, class T>
  static void fields(V& v, T& t) {
    v.field("period", t.refresh_period, duration(0, common::kSecond),
            "Time between vertical syncs; 0ps: no display.");
    v.field("blanking", t.blanking, duration(), "Time from the vertical sync to the first line.");
    v.field("primary", t.primary_bytes, scenario::size(64 << 10, 1 << 28, 4096),
            "Bytes per image.");
    v.field("self_refresh_frames", t.self_refresh_frames, IntegerCodec{1, 1000},
            "Number of frames without a new image before the panel shows its own copy.");
  }
};

template <class V, class T>
void gpu_fields(V& v, T& t) {
  v.field("chip", t, ObjectCodec<ChipShape>{},
          "Parameters of the chip that decide how work runs and stops.");
  v.field("vram", t.vram, ObjectCodec<VramShape>{}, "Video memory.");
  v.field("link", t.link, ObjectCodec<LinkShape>{}, "PCIe link to the host.");
  v.field("mmu", t.mmu, ObjectCodec<MmuShape>{}, "GPU MMU.");
  v.field("fabric", t.fabric, ObjectCodec<FabricShape>{}, "Paths from agents to memory.");
  v.field("command_processor", t.command_processor, ObjectCodec<CommandProcessorShape>{},
          "Fetches and decodes packets.");
  v.field("cmp", t.cmp, ObjectCodec<CmpShape>{}, "Context management processor.");
  v.field("engines", t.engines, list(ObjectCodec<EngineShape>{}, 1, 16),
          "Nodes; a list given here replaces the profile's.");
  v.field("clock", t.clock.hertz, frequency(), "Frequency of the timestamp counter.");
  v.field("clock_start", t.clock.start, IntegerCodec{0, kMaxNumber},
          "Timestamp counter at the start of the simulation, in ticks.");
  v.field("clock_fast_ppm", t.clock.fast_ppm, IntegerCodec{0, 10'000},
          "Deviation of the counter's real frequency from the reported one, in millionths.");
  v.field("log_timestamps", t.clock.log_timestamps,
          ChoiceCodec<common::LogTimestamps, 4>{kLogTimestamps}, "Timestamps in the log entries.");
  v.field("native_fences", t.native_fences, BooleanCodec{},
          "Engines and CMP support native fences. Otherwise only monitored fences.");
  v.field("atomics64", t.atomics64, BooleanCodec{},
          "64-bit stores are not split. Otherwise a value may be read torn.");
  v.field("vram_bar", t.vram_bar, ObjectCodec<VramBarShape>{},
          "BAR through which the CPU accesses VRAM, and its possible sizes.");
  v.field("preemption", t.preemption, ObjectCodec<PreemptionShape>{},
          "Preemption of work on its engines.");
  v.field("iommu", t.iommu, BooleanCodec{}, "The GPU uses addresses of CPU processes.");
}

struct AdapterShape : FromProfile {
  using Type = top::GpuConfig;
  static constexpr const char* kName = "adapter";
  template <class V, class T>
  static void fields(V& v, T& t) {
    v.required("name", t.name, name(), "Unique among the adapters.");
    v.field("profile", t.profile, WordCodec{profile_names("gpus")},
            "Values that are not given here come from this profile.");
    v.on_read(t, [](auto& target) { load_gpu_profile(target.profile, target); });
    gpu_fields(v, t);
    v.field("doorbells", t.command_processor.doorbells, IntegerCodec{0, abi::kQueueSlots},
            "Number of doorbells that hardware queues share. If there are too few, queues take "
            "them from each other. 0: each queue has its own.");
    v.field("display", t.display, ObjectCodec<DisplayShape>{}, "Display engine.");
  }
};

struct PlatformShape : FromProfile {
  using Type = Platform;
  static constexpr const char* kName = "platform";
  template <class V, class T>
  static void fields(V& v, T& t) {
    v.field("host", t, ObjectCodec<HostShape>{}, "CPU side. Default: the profile \"desktop\".");
    v.field("adapters", t.gpus, list(ObjectCodec<AdapterShape>{}, 1, 8),
            "GPUs. Default: \"gpu0\" with the profile \"discrete\".");
    v.field("ordering", t.ordering, ObjectCodec<OrderingShape>{},
            "Switches of the ordering mechanisms; the defaults lose no waiter.");
    v.field("os", t.system, ObjectCodec<OsShape>{}, "Features and rules of the operating system.");
    v.field("drivers", t.drivers, list(ObjectCodec<DriverShape>{}, 0, 8),
            "Drivers that differ from the default, one per adapter.");
  }
};

/// A file under scenarios/profiles/hosts. T is PlatformConfig.
struct HostProfileShape : FromProfile {
  using Type = top::PlatformConfig;
  static constexpr const char* kName = "host_profile";
  template <class V, class T>
  static void fields(V& v, T& t) {
    host_fields(v, t);
  }
};

/// A file under scenarios/profiles/gpus. T is GpuConfig.
struct GpuProfileShape : FromProfile {
  using Type = top::GpuConfig;
  static constexpr const char* kName = "gpu_profile";
  template <class V, class T>
  static void fields(V& v, T& t) {
    gpu_fields(v, t);
  }
};

}  // namespace fenceline::scenario
