#include "kmd_stub/core/adapter.h"

#include <memory>

#include "kmd_stub/core/memory/host_aperture.h"
#include "kmd_stub/core/memory/segments.h"

namespace fenceline::kmd {

namespace {

constexpr std::size_t kPageBytes = 4096;

}  // namespace

Adapter::Adapter(kmd_host::HostPort& port)
    : port_(port),
      fence_table_(port),
      queue_table_(port),
      address_spaces_(port),
      cpu_events_(port, os_),
      interrupts_(port, os_, fence_table_, queue_table_, cpu_events_, scheduled_contexts_),
      submission_(port, queue_table_),
      device_doorbells_(port, os_, queue_table_),
      processes_(port),
      devices_(port),
      contexts_(port),
      hw_contexts_(port),
      hw_queues_(port),
      doorbells_(port),
      fences_(port),
      opened_fences_(port),
      allocations_(port),
      opened_allocations_(port) {
  port_.expose_state(
      [](const void* adapter) { return static_cast<const Adapter*>(adapter)->state_hash(); }, this);
}

std::uint64_t Adapter::state_hash() const {
  StateHasher hasher;
  fence_table_.add_to(hasher);
  queue_table_.add_to(hasher);
  interrupts_.add_to(hasher);
  scheduled_contexts_.add_to(hasher);
  cpu_events_.add_to(hasher);
  submission_.add_to(hasher);
  device_doorbells_.add_to(hasher);
  processes_.add_to(hasher);
  devices_.add_to(hasher);
  contexts_.add_to(hasher);
  hw_contexts_.add_to(hasher);
  hw_queues_.add_to(hasher);
  doorbells_.add_to(hasher);
  fences_.add_to(hasher);
  opened_fences_.add_to(hasher);
  allocations_.add_to(hasher);
  opened_allocations_.add_to(hasher);
  return hasher.value();
}

NTSTATUS Adapter::start(const DXGKRNL_INTERFACE& functions) {
  os_.set_functions(functions);
  if (port_.read_register(abi::kId) != abi::kDeviceId) return STATUS_NOT_SUPPORTED;
  const std::uint64_t nodes = port_.read_register(abi::kEngineCount);
  vram_bytes_ = port_.read_register(abi::kVramBytes);
  vram_bar_ = port_.vram_bar();
  if (nodes == 0 || nodes > abi::kMaxNodes || vram_bytes_ <= kReservedVram)
    return STATUS_NOT_SUPPORTED;
  node_count_ = static_cast<std::uint32_t>(nodes);
  read_hardware();
  device_doorbells_.start(hardware_.doorbells);
  native_fences_ = negotiate_native_fences(os_, caps());
  // Without 64-bit atomics a value may be read torn. Such a device has no native fences.
  if (!hardware_.native_fences || (no_64bit_atomics() && !caps().offers_anyway))
    native_fences_ = {};
  port_.write_register(abi::kShadowBase, kShadowOffset);
  enable_host_aperture(*this);
  const NTSTATUS status = interrupts_.start(node_count_);
  started_ = NT_SUCCESS(status);
  return status;
}

void Adapter::read_hardware() {
  constexpr std::uint64_t kSplitAtomics = 32;
  const std::uint64_t bits = port_.read_register(abi::kHardwareCaps);
  hardware_.native_fences = (bits & abi::kNoNativeFences) == 0;
  hardware_.doorbells =
      static_cast<std::uint32_t>(bits >> abi::kDoorbellsShift & abi::kDoorbellsMask);
  hardware_.paging_node =
      static_cast<std::uint32_t>(bits >> abi::kPagingNodeShift & abi::kPagingNodeMask);
  hardware_.iommu = (bits & abi::kHasIommu) != 0;
  if ((bits & abi::kHasDisplay) != 0)
    hardware_.primary_bytes = port_.read_register(abi::kDisplayMode);
  hardware_.atomics64 =
      port_.read_register(abi::kAtomicBits) != kSplitAtomics || caps().hides_atomics;
  hardware_.state_bytes = port_.read_register(abi::kStateBytes);
  const std::uint64_t levels = port_.read_register(abi::kGranularity);
  hardware_.granularity = {static_cast<abi::GraphicsGranularity>(levels & 0xFF),
                           static_cast<abi::ComputeGranularity>(levels >> 8 & 0xFF)};
  hardware_.reset_group = port_.read_register(abi::kResetGroup);
  hardware_.fence_writers = port_.read_register(abi::kFenceWriters);
  hardware_.fence_notifiers = port_.read_register(abi::kFenceNotifiers);
}

void Adapter::stop() {
  interrupts_.stop();
  started_ = false;
}

void* Adapter::unwatched_page() {
  if (unwatched_page_ == nullptr)
    unwatched_page_ = port_.allocate_contiguous(kPageBytes).kernel_address;
  return unwatched_page_;
}

void Adapter::drain_interrupts() {
  os_.synchronize([this] { interrupts_.service(); });
}

bool Adapter::drain_reports() {
  const auto entries_read = [this] {
    std::uint64_t read = 0;
    os_.synchronize([&] { read = interrupts_.entries_read(); });
    return read;
  };
  // The CMP serves earlier reports, and then the flush. If reports wait for room then, the ring is
  // full of entries that are read behind this point; they come once those are acknowledged.
  for (;;) {
    const std::uint64_t before = entries_read();
    if (!queue_table_.wait_log_flushes(queue_table_.post_log_flush(0))) return false;
    drain_interrupts();
    if (entries_read() - before < caps().interrupt_entries) return true;
  }
}

NTSTATUS DxgkDdiAddDevice(PVOID physical_device_object, PVOID& miniport_device_context) {
  if (physical_device_object == nullptr) return STATUS_INVALID_PARAMETER;
  auto adapter = std::make_unique<Named<Adapter>>();
  adapter->object.emplace(*static_cast<kmd_host::HostPort*>(physical_device_object));
  adapter->magic = Adapter::kMagic;
  miniport_device_context = static_cast<HandleHeader*>(adapter.release());
  return STATUS_SUCCESS;
}

NTSTATUS DxgkDdiStartDevice(AnyAdapter adapter, DXGK_START_INFO& /*info*/,
                            DXGKRNL_INTERFACE& functions, ULONG& sources, ULONG& children) {
  if (adapter->started()) return STATUS_INVALID_DEVICE_STATE;
  sources = children = 0;
  const NTSTATUS status = adapter->start(functions);
  if (NT_SUCCESS(status) && adapter->hardware().primary_bytes != 0) sources = children = 1;
  return status;
}

NTSTATUS DxgkDdiStopDevice(Adapter& adapter) {
  adapter.stop();
  return STATUS_SUCCESS;
}

NTSTATUS DxgkDdiRemoveDevice(AnyAdapter adapter) {
  if (adapter->started()) return STATUS_INVALID_DEVICE_STATE;
  const std::unique_ptr<Named<Adapter>> owner(
      static_cast<Named<Adapter>*>(static_cast<HandleHeader*>(adapter.handle)));
  return STATUS_SUCCESS;
}

NTSTATUS DxgkDdiSetPowerState(AnyAdapter adapter, ULONG device_uid, DEVICE_POWER_STATE state,
                              POWER_ACTION /*action*/) {
  if (device_uid != DISPLAY_ADAPTER_HW_ID || state == PowerDeviceUnspecified)
    return STATUS_INVALID_PARAMETER;
  if (state == PowerDeviceD0 && adapter->started()) enable_host_aperture(adapter.adapter);
  return STATUS_SUCCESS;
}

}  // namespace fenceline::kmd
