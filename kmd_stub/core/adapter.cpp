#include "kmd_stub/core/adapter.h"

#include "kmd_stub/core/segments.h"

namespace fenceline::kmd {

namespace {

constexpr std::uint64_t kMostNodes = 16;

}  // namespace

Adapter::Adapter(kmd_host::HostPort& port)
    : port_(port),
      fence_table_(port),
      queue_table_(port),
      address_spaces_(port),
      cpu_events_(port, os_),
      interrupts_(port, os_, fence_table_, cpu_events_),
      submission_(port, queue_table_),
      processes_(port),
      devices_(port),
      contexts_(port),
      hw_contexts_(port),
      hw_queues_(port),
      doorbells_(port),
      fences_(port),
      opened_fences_(port) {
  port_.expose_state(
      [](const void* adapter) { return static_cast<const Adapter*>(adapter)->state_hash(); }, this);
}

std::uint64_t Adapter::state_hash() const {
  StateHasher hasher;
  fence_table_.add_to(hasher);
  queue_table_.add_to(hasher);
  interrupts_.add_to(hasher);
  cpu_events_.add_to(hasher);
  submission_.add_to(hasher);
  processes_.add_to(hasher);
  devices_.add_to(hasher);
  contexts_.add_to(hasher);
  hw_contexts_.add_to(hasher);
  hw_queues_.add_to(hasher);
  doorbells_.add_to(hasher);
  fences_.add_to(hasher);
  opened_fences_.add_to(hasher);
  return hasher.value();
}

NTSTATUS Adapter::start(const DXGKRNL_INTERFACE& functions) {
  os_.set_functions(functions);
  if (port_.read_register(abi::kId) != abi::kDeviceId) return STATUS_NOT_SUPPORTED;
  const std::uint64_t nodes = port_.read_register(abi::kEngineCount);
  vram_bytes_ = port_.read_register(abi::kVramBytes);
  if (nodes == 0 || nodes > kMostNodes || vram_bytes_ <= kReservedVram) return STATUS_NOT_SUPPORTED;
  node_count_ = static_cast<std::uint32_t>(nodes);
  read_hardware();
  // The variant that does not ask takes the feature for granted.
  native_fences_ = port_.policy().advertise_without_feature ? NativeFenceSupport{true, 0}
                                                            : negotiate_native_fences(os_);
  // A value that is written in halves may be read torn: such a device has no native fences.
  if (!hardware_.native_fences || !hardware_.atomics64) native_fences_ = {};
  port_.write_register(abi::kShadowBase, kShadowOffset);
  const NTSTATUS status = interrupts_.start();
  started_ = NT_SUCCESS(status);
  return status;
}

void Adapter::read_hardware() {
  constexpr std::uint64_t kSplitAtomics = 32;
  const std::uint64_t caps = port_.read_register(abi::kHardwareCaps);
  hardware_.native_fences = (caps & abi::kNoNativeFences) == 0;
  hardware_.iommu = (caps & abi::kHasIommu) != 0;
  hardware_.atomics64 = port_.read_register(abi::kAtomicBits) != kSplitAtomics;
  hardware_.fence_writers = port_.read_register(abi::kFenceWriters);
  hardware_.fence_notifiers = port_.read_register(abi::kFenceNotifiers);
}

void Adapter::stop() {
  interrupts_.stop();
  started_ = false;
}

void Adapter::drain_interrupts() {
  os_.synchronize([this] { interrupts_.service(); });
}

}  // namespace fenceline::kmd
