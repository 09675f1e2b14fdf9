#pragma once

#include <array>

#include "models/abi/registers.h"
#include "tb/scenario/ordering_names.h"
#include "tb/scenario/profiles.h"
#include "tb/scenario/shapes_chip.h"
#include "tb/scenario/shapes_system.h"

namespace fenceline::scenario {

// Shapes of /platform: see reader.h. Their defaults come from profiles.

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
               "From wake-up to the first instruction.");
    v.required("target_residency", t.target_residency, duration(),
               "Shortest idle period for which the state pays.");
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
            "Buffers of 64 bytes a core; 0: such stores are uncached ones.");
    v.field("sent_by", t.order, choice(kCombiningOrders),
            "What has them sent: barriers alone, or atomic operations, uncached accesses and "
            "interrupts, too.");
    v.field("drain", t.drain, duration(),
            "A buffer that nothing asks for leaves after it; 0ns: it stays.");
    v.field("evict", t.evict, duration(), "To send one whose place is needed.");
    v.field("flush", t.flush, duration(), "To send one that is full or asked for.");
    v.field("fence", t.fence, duration(), "A store fence, when all are sent.");
  }
};

struct SystemMemoryShape : FromProfile {
  using Type = memory::SystemMemoryConfig;
  static constexpr const char* kName = "system_memory";
  template <class V, class T>
  static void fields(V& v, T& t) {
    v.field("size", t.size_bytes, scenario::size(1 << 20, 1ULL << 40U, 4096), "Capacity.");
    v.field("bandwidth", t.bandwidth_mbps, rate(), "Of the whole memory.");
    v.field("latency", t.latency, duration(), "Load to use.");
  }
};

/// What host profiles and /platform/host share. T is PlatformConfig.
template <class V, class T>
void host_fields(V& v, T& t) {
  v.field("cores", t.host.cores, IntegerCodec{2, 64}, "CPU cores.");
  v.field("memory_model", t.host.memory_model, choice(kMemoryModels),
          "What a core's own loads and stores may do: nothing, wait in a store buffer, or pass "
          "each other there too.");
  v.field("io_coherent", t.host.io_coherent, BooleanCodec{},
          "Caches see what devices write to memory.");
  v.field("speculative_reads", t.host.speculative_reads, BooleanCodec{},
          "Where caches do not see that: lines of cached allocations come back to them although no "
          "program asks.");
  v.field("speculation", t.host.speculation, duration(1),
          "From the drop of a line until it is back.");
  v.field("cache_lines", t.host.cache_lines, IntegerCodec{1, 1 << 20},
          "Lines of the caches, where their content counts.");
  v.field("cache_hit", t.host.cache_hit, duration(), "A load that hits.");
  v.field("store", t.host.store, duration(), "A store to cached memory.");
  v.field("mmio_write", t.host.mmio_write, duration(), "Issue of an uncached store.");
  v.field("write_combining", t.host.write_combining, ObjectCodec<WriteCombiningShape>{},
          "Buffers for stores to allocations that are not cached.");
  v.field("lock", t.host.lock, duration(), "An uncontended spin lock.");
  v.field("interrupt_delivery", t.host.interrupt_delivery, duration(),
          "MSI at the local APIC to the first instruction of the ISR.");
  v.field("isr_overhead", t.host.isr_overhead, duration(), "Dispatch of the ISR by the kernel.");
  v.field("dpc_latency", t.host.dpc_latency, duration(), "DPC queued to its first instruction.");
  v.field("thread_wake", t.host.thread_wake, duration(), "Ready to running on an awake core.");
  v.field("time_slice", t.host.time_slice, duration(1'000),
          "For which a thread has a core that others wait for.");
  v.field("fence_fallback", t.host.fence_fallback, duration(1),
          "A wait without news after which all fences are looked at, with os.fallback_timer; "
          "between two looks of os.watchdog.");
  v.field("system_call", t.host.system_call, duration(), "User to kernel and back.");
  v.field("poll_interval", t.host.poll_interval, duration(1),
          "Between two looks of a polling loop.");
  v.field("ring_poll_interval", t.host.ring_poll_interval, duration(1),
          "Between two looks of a submitting thread for room in a full ring.");
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
            "Bytes of a channel before the next.");
    v.field("channel_bandwidth", t.channel_mbps, rate(), "Of one channel.");
    v.field("latency", t.latency, duration(), "Load to use at the pins.");
  }
};

struct LinkShape : FromProfile {
  using Type = pcie::LinkConfig;
  static constexpr const char* kName = "link";
  template <class V, class T>
  static void fields(V& v, T& t) {
    v.field("generation", t.generation, IntegerCodec{1, 6}, "PCIe generation.");
    v.field("width", t.width_lanes, IntegerCodec{1, 16, true}, "Lanes.");
    v.field("max_payload", t.max_payload_bytes, scenario::size(128, 4096, 1, true),
            "Max_Payload_Size.");
    v.field("max_read_request", t.max_read_request_bytes, scenario::size(128, 4096, 1, true),
            "Max_Read_Request_Size.");
    v.field("posted_header_credits", t.posted_header_credits, IntegerCodec{1, 4096},
            "Posted TLPs in flight a direction.");
    v.field("tags", t.tags, IntegerCodec{1, 16384}, "Non-posted requests in flight a direction.");
    v.field("no_snoop", t.no_snoop, BooleanCodec{},
            "Requests to the host carry No Snoop: its caches do not see them.");
    v.field("propagation", t.propagation, duration(),
            "One way, through root complex, PHYs and endpoint.");
  }
};

struct MmuShape : FromProfile {
  using Type = mmu::MmuConfig;
  static constexpr const char* kName = "mmu";
  template <class V, class T>
  static void fields(V& v, T& t) {
    v.field("tlb_entries", t.tlb_entries, IntegerCodec{1, 65536, true}, "Direct mapped.");
    v.field("hit_latency", t.hit_latency, duration(), "Of the TLB.");
  }
};

struct FabricShape : FromProfile {
  using Type = fabric::FabricConfig;
  static constexpr const char* kName = "fabric";
  template <class V, class T>
  static void fields(V& v, T& t) {
    v.field("write_banks", t.write_banks, IntegerCodec{1, 16},
            "Posted FIFOs an agent keeps towards VRAM.");
    v.field("fifo_depth", t.fifo_depth, IntegerCodec{1, 1024},
            "Writes a FIFO holds before its agent stalls.");
    v.field("drain_latency", t.drain_latency, duration(), "FIFO to home.");
    v.field("drain_interval", t.drain_interval, duration(), "Between two writes of one FIFO.");
    v.field("read_latency", t.read_latency, duration(), "Agent to memory controller.");
  }
};

struct CommandProcessorShape : FromProfile {
  using Type = command_processor::CommandProcessorConfig;
  static constexpr const char* kName = "command_processor";
  template <class V, class T>
  static void fields(V& v, T& t) {
    v.field("doorbell", t.doorbell, duration(), "Doorbell write to queue ready.");
    v.field("decode", t.decode, duration(), "One packet.");
    v.field("queue_switch", t.queue_switch, duration(), "An engine takes up another queue.");
    v.field("fetch", t.fetch_bytes, scenario::size(64, 4096, 1, true),
            "One read of ring or indirect buffer.");
    v.field("write_back", t.write_back, choice(kWriteBacks),
            "When the ring's read index goes to memory: also when the ring is empty, or only after "
            "each quarter of it.");
  }
};

struct CmpShape : FromProfile {
  using Type = cmp::CmpConfig;
  static constexpr const char* kName = "cmp";
  template <class V, class T>
  static void fields(V& v, T& t) {
    v.field("decision", t.decision, duration(), "One compare.");
    v.field("update", t.update, duration(), "Taking up one MonitoredValue update.");
    v.field("barrier", t.barrier, duration(), "A barrier with nothing to wait for.");
  }
};

struct EngineShape : FromProfile {
  using Type = engine::EngineConfig;
  static constexpr const char* kName = "engine";
  template <class V, class T>
  static void fields(V& v, T& t) {
    v.required("name", t.name, name(), "Unique on the adapter.");
    v.required("kind", t.kind, choice(kEngineKinds), "What it can do.");
    v.field("issue", t.issue, duration(), "One memory instruction.");
    v.field("compare", t.compare, duration(), "Value against MonitoredValue.");
    v.field("copy_bandwidth", t.copy_mbps, rate(), "Data path of a copy engine.");
    v.field("function", t.function, IntegerCodec{0, 7},
            "PCIe function that its accesses to the host come from.");
    v.field("fence_write", t.fence_write, choice(kFenceWrites),
            "Monitored fences: it cannot write their value, it can, or it interrupts too.");
  }
};

/// What GPU profiles and the adapters of a scenario share. T is GpuConfig.
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
            "As firmware set it: a power of two; 0B: all of VRAM.");
    v.field("largest", t.largest_bytes, scenario::size(0, 1ULL << 40U, 1 << 20, true),
            "Largest size of its resizable-BAR capability; 0B: it has none.");
    v.field("window", t.window_bytes, scenario::size(0, 1ULL << 40U, 1 << 20),
            "Room that the bridge above has for it; 0B: enough.");
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
            "Where draws can be stopped.");
    v.field("compute", t.granularity.compute,
            ChoiceCodec<abi::ComputeGranularity, 6>{kComputeGranularities},
            "Where dispatches can be stopped.");
    v.field("context_switch", t.context_switch, duration(),
            "A node leaves a context or takes one up, beside what it moves through memory.");
    v.field("state", t.state_bytes, scenario::size(0, 1ULL << 30U, 4096),
            "Room for the state of work that was stopped, in each context.");
    v.field("resets_together", t.resets_together, BooleanCodec{},
            "A reset of one node takes the others of the adapter along.");
    v.field(
        "engine_timeout", t.engine_timeout, duration(),
        "A hardware queue that runs a packet for longer is to leave its node, and has hung when "
        "that takes as long again; 0ps: the device finds no hangs.");
  }
};

struct DisplayShape : FromProfile {
  using Type = display::DisplayConfig;
  static constexpr const char* kName = "display";
  template <class V, class T>
  static void fields(V& v, T& t) {
    v.field("period", t.refresh_period, duration(0, common::kSecond),
            "From one vertical sync to the next; 0ps: there is no display.");
    v.field("blanking", t.blanking, duration(), "Of that, before the first line.");
    v.field("primary", t.primary_bytes, scenario::size(64 << 10, 1 << 28, 4096),
            "Bytes of an image in its mode.");
    v.field("self_refresh_frames", t.self_refresh_frames, IntegerCodec{1, 1000},
            "Frames without a new image after which the panel shows its own copy.");
  }
};

template <class V, class T>
void gpu_fields(V& v, T& t) {
  v.field("chip", t, ObjectCodec<ChipShape>{}, "What decides how work runs and stops.");
  v.field("vram", t.vram, ObjectCodec<VramShape>{}, "Video memory.");
  v.field("link", t.link, ObjectCodec<LinkShape>{}, "PCIe link to the host.");
  v.field("mmu", t.mmu, ObjectCodec<MmuShape>{}, "GPU MMU.");
  v.field("fabric", t.fabric, ObjectCodec<FabricShape>{}, "From agents to memory.");
  v.field("command_processor", t.command_processor, ObjectCodec<CommandProcessorShape>{},
          "Fetches and decodes packets.");
  v.field("cmp", t.cmp, ObjectCodec<CmpShape>{}, "Context management processor.");
  v.field("engines", t.engines, list(ObjectCodec<EngineShape>{}, 1, 16),
          "Nodes; a list given here replaces the profile's.");
  v.field("clock", t.clock.hertz, frequency(), "Of the timestamp counter.");
  v.field("clock_start", t.clock.start, IntegerCodec{0, kMostNumber},
          "Timestamp counter when the simulation begins, in ticks.");
  v.field("clock_fast_ppm", t.clock.fast_ppm, IntegerCodec{0, 10'000},
          "How much faster than reported the counter runs, in millionths.");
  v.field("log_timestamps", t.clock.log_timestamps,
          ChoiceCodec<common::LogTimestamps, 4>{kLogTimestamps}, "What the log entries carry.");
  v.field("native_fences", t.native_fences, BooleanCodec{},
          "Engines and CMP know native fences; else monitored ones only.");
  v.field("atomics64", t.atomics64, BooleanCodec{},
          "It does not split stores of 64 bits; else a value may be read torn.");
  v.field("vram_bar", t.vram_bar, ObjectCodec<VramBarShape>{},
          "Window of the CPU to VRAM, and what may become of it.");
  v.field("preemption", t.preemption, ObjectCodec<PreemptionShape>{},
          "How its engines stop work before its end.");
  v.field("iommu", t.iommu, BooleanCodec{}, "It uses the addresses of CPU processes.");
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
            "Doorbells that hardware queues share, taken from each other where they are too few; "
            "0: each queue has its own for good.");
    v.field("display", t.display, ObjectCodec<DisplayShape>{}, "What scans images out.");
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
    v.field("os", t.system, ObjectCodec<OsShape>{},
            "What the operating system offers and demands.");
    v.field("drivers", t.drivers, list(ObjectCodec<DriverShape>{}, 0, 8),
            "Drivers that are not the default one, an adapter each.");
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
