#include "tb/os/adapter.h"

#include "models/abi/registers.h"

namespace fenceline::os {

using common::EventKind;

Adapter::Adapter(Cpu& cpu, top::Gpu& gpu, std::uint32_t number, PagePool& system_pages,
                 const kmd_host::DriverPolicy& policy, const AdapterOptions& options,
                 common::Gate& dpc_queued)
    : cpu_(cpu),
      gpu_(gpu),
      options_(options),
      vector_(number),
      port_(cpu, gpu.bars(), system_pages, policy, gpu.object()),
      interrupt_lock_(cpu.simulation().steps),
      interrupts_(*this),
      dpc_changed_(dpc_queued),
      place_(cpu.simulation().steps.new_place()) {
  cpu_.simulation().steps.add_state(*this);
  cpu_.core(options_.interrupt_core).on_interrupt(vector_, DEVICE_LEVEL, [this] { interrupt(); });
}

void Adapter::check_irql(Ddi ddi) {
  const DdiInfo& info = ddi_info(ddi);
  const KIRQL irql = cpu_.irql();
  if (irql >= info.lowest && irql <= info.highest) return;
  cpu_.simulation().events.emit(EventKind::kIrqlViolation, cpu_.simulation().steps.current(),
                                object(), static_cast<std::uint64_t>(ddi), irql, info.highest);
}

void Adapter::before(Ddi ddi) {
  check_irql(ddi);
  cpu_.simulation().events.emit(EventKind::kDdiCall, cpu_.simulation().steps.current(), object(),
                                static_cast<std::uint64_t>(ddi), cpu_.irql());
}

void Adapter::after(Ddi ddi, NTSTATUS status) {
  cpu_.simulation().events.emit(EventKind::kDdiReturn, cpu_.simulation().steps.current(), object(),
                                static_cast<std::uint64_t>(ddi),
                                static_cast<std::uint32_t>(status));
}

void Adapter::require(NTSTATUS status, const char* what) const {
  if (!NT_SUCCESS(status))
    throw std::runtime_error(gpu_.config().name + ": " + what + " failed with " +
                             fenceline::wddm::status_name(status));
}

void Adapter::bug_check(std::uint32_t code, std::uint64_t first, const std::string& why) {
  cpu_.simulation().events.emit(EventKind::kBugCheck, cpu_.simulation().steps.current(), object(),
                                code, first);
  throw BugCheck(code, first, why);
}

void Adapter::program_message() {
  // MSI-X table: address, then data and mask. Data is core << 8 | vector.
  const std::uint64_t data = options_.interrupt_core << 8 | vector_;
  port_.write_register(abi::kMsixTable, abi::kMessageWindow);
  port_.write_register(abi::kMsixTable + 8, data);
}

void Adapter::stop() {
  call(Ddi::kStopDevice, [&](auto& ddi) { return ddi.DxgkDdiStopDevice(context_); });
  call(Ddi::kRemoveDevice, [&](auto& ddi) { return ddi.DxgkDdiRemoveDevice(context_); });
}

void Adapter::query_caps() {
  const auto query = [&](DXGK_QUERYADAPTERINFOTYPE type, void* out, std::size_t bytes) {
    DXGKARG_QUERYADAPTERINFO args{};
    args.Type = type;
    args.pOutputData = out;
    args.OutputDataSize = static_cast<UINT>(bytes);
    return call(Ddi::kQueryAdapterInfo,
                [&](auto& ddi) { return ddi.DxgkDdiQueryAdapterInfo(context_, &args); });
  };
  require(query(DXGKQAITYPE_DRIVERCAPS, &caps_, sizeof caps_), "query of the driver caps");
  if (native_fences()) {
    if (!options_.native_fence_feature)
      throw std::runtime_error(gpu_.config().name +
                               ": the driver advertises NativeGpuFence although the OS has not "
                               "enabled DXGK_FEATURE_NATIVE_FENCE; adapter start fails");
    require(query(DXGKQAITYPE_NATIVE_FENCE_CAPS, &fence_caps_, sizeof fence_caps_),
            "query of the native fence caps");
    if (fence_caps_.MonitoredValueStride == 0 || fence_caps_.MonitoredValueStride % 8 != 0)
      throw std::runtime_error(gpu_.config().name +
                               ": MonitoredValueStride must be a multiple of 8");
  }
  DXGK_QUERYSEGMENTOUT4 segments{};
  require(query(DXGKQAITYPE_QUERYSEGMENT4, &segments, sizeof segments), "count of the segments");
  std::vector<DXGK_SEGMENTDESCRIPTOR4> descriptors(segments.NbSegment);
  segments.pSegmentDescriptor = reinterpret_cast<BYTE*>(descriptors.data());
  segments.SegmentDescriptorStride = sizeof(DXGK_SEGMENTDESCRIPTOR4);
  require(query(DXGKQAITYPE_QUERYSEGMENT4, &segments, sizeof segments), "query of the segments");
  if (descriptors.empty())
    throw std::runtime_error(gpu_.config().name + ": the driver reports no memory segment");
  vram_segment_base_ = static_cast<std::uint64_t>(descriptors[0].BaseAddress.QuadPart);
}

}  // namespace fenceline::os
