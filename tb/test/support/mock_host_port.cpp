#include "tb/test/support/mock_host_port.h"

#include <algorithm>
#include <cstring>
#include <stdexcept>

namespace fenceline::support {

namespace {

using Kind = HostCall::Kind;

constexpr std::uint64_t kContiguousBase = 0xFFFF8000'00000000;
constexpr std::uint64_t kDoorbellBase = 0xFFFF9000'00000000;
constexpr std::uint64_t kMappedBase = 0xFFFFA000'00000000;
constexpr std::uint64_t kKernelMask = 0x0000'0FFF'FFFF'FFFF;

std::uint64_t number(const void* address) { return reinterpret_cast<std::uint64_t>(address); }

void require(bool condition, const char* what) {
  if (!condition) throw std::logic_error(what);
}

}  // namespace

void* opaque(std::uint64_t number) {
  void* pointer = nullptr;
  static_assert(sizeof(pointer) == sizeof(number));
  std::memcpy(&pointer, &number, sizeof(pointer));
  return pointer;
}

void MockHostPort::note(const HostCall& call) {
  calls.push_back(call);
  if (on_call) on_call(call);
}

std::uint64_t MockHostPort::read_register(std::uint64_t offset,
                                          const kmd_host::CallSite& /*site*/) {
  require(offset % 8 == 0, "register offset is not aligned");
  const std::uint64_t value = registers[offset];
  note({Kind::kReadRegister, offset, value, 8});
  return value;
}

void MockHostPort::write_register(std::uint64_t offset, std::uint64_t value,
                                  const kmd_host::CallSite& /*site*/) {
  require(offset % 8 == 0, "register offset is not aligned");
  registers[offset] = value;
  note({Kind::kWriteRegister, offset, value, 8});
}

bool MockHostPort::poll_register(std::uint64_t offset, std::uint64_t value,
                                 const kmd_host::CallSite& /*site*/) {
  note({Kind::kPoll, offset, value, 8});
  return answer_polls;
}

std::uint64_t MockHostPort::read_memory(const void* address, const kmd_host::CallSite& /*site*/) {
  require(number(address) % 8 == 0, "memory address is not aligned");
  note({Kind::kReadMemory, number(address), 0, 8});
  return memory[number(address)];
}

void MockHostPort::write_memory(void* address, std::uint64_t value,
                                const kmd_host::CallSite& /*site*/) {
  require(number(address) % 8 == 0, "memory address is not aligned");
  memory[number(address)] = value;
  note({Kind::kWriteMemory, number(address), value, 8});
}

void MockHostPort::read_memory(const void* address, void* data, std::size_t bytes,
                               const kmd_host::CallSite& /*site*/) {
  require(number(address) % 8 == 0 && bytes % 8 == 0, "memory access is not aligned");
  for (std::size_t at = 0; at < bytes; at += 8)
    std::memcpy(static_cast<char*>(data) + at, &memory[number(address) + at], 8);
  note({Kind::kReadMemory, number(address), 0, bytes});
}

void MockHostPort::write_memory(void* address, const void* data, std::size_t bytes,
                                const kmd_host::CallSite& /*site*/) {
  require(number(address) % 8 == 0 && bytes % 8 == 0, "memory access is not aligned");
  for (std::size_t at = 0; at < bytes; at += 8)
    std::memcpy(&memory[number(address) + at], static_cast<const char*>(data) + at, 8);
  note({Kind::kWriteMemory, number(address), memory[number(address)], bytes});
}

kmd_host::HostPort::ContiguousMemory MockHostPort::allocate_contiguous(
    std::size_t /*bytes*/, const kmd_host::CallSite& /*site*/) {
  if (out_of_memory) return {};
  ring = {opaque(kContiguousBase), kContiguousBase & kKernelMask};
  return ring;
}

void* MockHostPort::map_physical(std::uint64_t address, std::size_t /*bytes*/, bool /*vram*/,
                                 const kmd_host::CallSite& /*site*/) {
  return opaque(kMappedBase + address);
}

void* MockHostPort::map_doorbell(std::uint32_t page, const kmd_host::CallSite& /*site*/) {
  if (out_of_memory) return nullptr;
  return opaque(kDoorbellBase + abi::kDoorbellStride * page);
}

void MockHostPort::acquire_lock(LockId lock, const kmd_host::CallSite& /*site*/) {
  require(std::find(held_.begin(), held_.end(), lock) == held_.end(), "a lock is taken twice");
  require(irql <= DISPATCH_LEVEL, "a spin lock above DISPATCH_LEVEL");
  held_.push_back(lock);
  note({Kind::kAcquire, lock, 0, 0});
}

void MockHostPort::release_lock(LockId lock, const kmd_host::CallSite& /*site*/) {
  const auto held = std::find(held_.begin(), held_.end(), lock);
  require(held != held_.end(), "a lock is released that nobody holds");
  held_.erase(held);
  note({Kind::kRelease, lock, 0, 0});
}

void MockHostPort::touch_shared(std::uint32_t id, bool write, const kmd_host::CallSite& /*site*/) {
  note({Kind::kShared, id, write ? 1U : 0U, 0});
}

void MockHostPort::push_entry(std::uint32_t fence_slot, std::uint32_t engine, std::uint64_t value,
                              std::uint32_t queue_slot, abi::InterruptCause cause) {
  put_entry({0, cause, engine, fence_slot, queue_slot, value});
}

void MockHostPort::push_other_entry(abi::InterruptCause cause, std::uint32_t engine,
                                    std::uint64_t value) {
  put_entry({0, cause, engine, abi::kUnknownSlot, abi::kUnknownSlot, value});
}

void MockHostPort::put_entry(abi::InterruptEntry entry) {
  const std::uint64_t slot = entries_ % registers[abi::kInterruptRingEntries];
  entry.sequence = ++entries_;
  for (std::size_t at = 0; at < sizeof(entry); at += 8)
    std::memcpy(&memory[number(ring.kernel_address) + slot * sizeof(entry) + at],
                reinterpret_cast<const char*>(&entry) + at, 8);
}

std::vector<std::pair<std::uint64_t, std::uint64_t>> MockHostPort::register_writes() const {
  std::vector<std::pair<std::uint64_t, std::uint64_t>> writes;
  for (const HostCall& call : calls)
    if (call.kind == Kind::kWriteRegister) writes.emplace_back(call.where, call.value);
  return writes;
}

std::vector<HostCall> MockHostPort::calls_of(std::initializer_list<Kind> kinds) const {
  std::vector<HostCall> result;
  for (const HostCall& call : calls)
    if (std::find(kinds.begin(), kinds.end(), call.kind) != kinds.end()) result.push_back(call);
  return result;
}

// --- The OS
// ---------------------------------------------------------------------------------------

namespace {

MockSystem* caps_system = nullptr;  // GetOSCaps has no argument that tells the adapter

MockSystem& system_of(HANDLE handle) { return *static_cast<MockSystem*>(handle); }

NTSTATUS get_caps(DXGKARGCB_FEATURE_NATIVEFENCE_CAPS_1* args) {
  caps_system->negotiation.emplace_back("GetOSCaps");
  args->Value = caps_system->native_fence_caps;
  return caps_system->caps_status;
}

NTSTATUS signal_event(const DXGKARGCB_SIGNALEVENT* args) {
  caps_system->signals.push_back({*args, caps_system->port.holds_lock()});
  return STATUS_SUCCESS;
}

NTSTATUS lose_doorbell(DXGKARGCB_DISCONNECTDOORBELL* args) {
  require(caps_system->port.irql == PASSIVE_LEVEL && !caps_system->port.holds_lock(),
          "DxgkCbDisconnectDoorbell under a lock");
  caps_system->lost_doorbells.push_back(*args);
  if (caps_system->on_lost_doorbell) caps_system->on_lost_doorbell();
  return STATUS_SUCCESS;
}

NTSTATUS is_feature_enabled(HANDLE adapter, DXGKARGCB_ISFEATUREENABLED2* args) {
  MockSystem& system = system_of(adapter);
  require(args->Flags == 0, "reserved flags of IsFeatureEnabled");
  system.negotiation.emplace_back("IsFeatureEnabled " + std::to_string(args->FeatureId));
  args->Result.Version = system.feature_version;
  args->Result.Value = DXGK_ISFEATUREENABLED_RESULT::kKnownFeature;
  if (system.feature_enabled) args->Result.Value |= DXGK_ISFEATUREENABLED_RESULT::kEnabled;
  return STATUS_SUCCESS;
}

NTSTATUS query_feature_interface(HANDLE adapter, DXGKARGCB_QUERYFEATUREINTERFACE* args) {
  MockSystem& system = system_of(adapter);
  system.negotiation.emplace_back("QueryFeatureInterface " + std::to_string(args->FeatureId) + " " +
                                  std::to_string(args->Version));
  if (args->InterfaceSize < system.feature_table_bytes) return STATUS_BUFFER_TOO_SMALL;
  args->InterfaceSize = system.feature_table_bytes;
  if (system.feature_table_bytes >= sizeof(DXGKCBINT_FEATURE_NATIVEFENCE_1))
    static_cast<DXGKCBINT_FEATURE_NATIVEFENCE_1*>(args->Interface)->GetOSCaps =
        system.has_caps_function ? get_caps : nullptr;
  return STATUS_SUCCESS;
}

NTSTATUS query_services(HANDLE device, DXGK_SERVICES service, INTERFACE* table) {
  MockSystem& system = system_of(device);
  system.negotiation.emplace_back("QueryServices " + std::to_string(service));
  if (!system.has_feature_services) return STATUS_NOT_SUPPORTED;
  auto& services = *reinterpret_cast<DXGK_FEATURE_INTERFACE*>(table);
  services.Context = device;
  services.InterfaceReference = [](PVOID) {};
  services.InterfaceDereference = [](PVOID context) {
    system_of(context).negotiation.emplace_back("InterfaceDereference");
  };
  services.IsFeatureEnabled = is_feature_enabled;
  services.QueryFeatureInterface = query_feature_interface;
  return STATUS_SUCCESS;
}

void notify_interrupt(HANDLE adapter, const DXGKARGCB_NOTIFY_INTERRUPT_DATA* data) {
  MockSystem& system = system_of(adapter);
  require(system.port.irql == DEVICE_LEVEL, "DxgkCbNotifyInterrupt below device level");
  const auto& fence = data->NativeFenceSignaled;
  const bool none = data->InterruptType != DXGK_INTERRUPT_NATIVE_FENCE_SIGNALED ||
                    fence.pSignaledNativeFenceArray == nullptr;
  MockSystem::Notification notification{*data, {}, none};
  if (!notification.null_array)
    notification.handles.assign(fence.pSignaledNativeFenceArray,
                                fence.pSignaledNativeFenceArray + fence.SignaledNativeFenceCount);
  system.notifications.push_back(notification);
  system.port.note({Kind::kNotifyInterrupt, 0, 0, 0});
}

NTSTATUS synchronize(HANDLE device, PKSYNCHRONIZE_ROUTINE routine, PVOID context, ULONG /*message*/,
                     BOOLEAN* result) {
  MockSystem& system = system_of(device);
  require(system.port.irql <= DISPATCH_LEVEL, "DxgkCbSynchronizeExecution above DISPATCH_LEVEL");
  const KIRQL before = system.port.irql;
  system.port.note({Kind::kSynchronize, 0, 0, 0});
  system.port.irql = DEVICE_LEVEL;
  *result = routine(context);
  system.port.irql = before;
  system.port.note({Kind::kSynchronized, 0, 0, 0});
  return STATUS_SUCCESS;
}

}  // namespace

MockSystem::MockSystem(MockHostPort& machine) : port(machine) {
  caps_system = this;
  port.registers[abi::kId] = abi::kDeviceId;
  port.registers[abi::kEngineCount] = 4;
  port.registers[abi::kVramBytes] = 1ULL << 30;
  DriverEntry(&ddi);
}

MockSystem::~MockSystem() {
  port.on_call = nullptr;
  if (adapter == nullptr) return;
  ddi.DxgkDdiStopDevice(adapter);
  ddi.DxgkDdiRemoveDevice(adapter);
}

DXGKRNL_INTERFACE MockSystem::functions() {
  DXGKRNL_INTERFACE table{};
  table.Size = sizeof(table);
  table.DeviceHandle = this;
  table.DxgkCbQueryServices = query_services;
  table.DxgkCbNotifyInterrupt = notify_interrupt;
  table.DxgkCbSynchronizeExecution = synchronize;
  table.DxgkCbSignalEvent = signal_event;
  table.DxgkCbDisconnectDoorbell = lose_doorbell;
  table.DxgkCbQueueDpc = [](HANDLE device) -> BOOLEAN {
    ++system_of(device).dpcs_queued;
    system_of(device).port.note({Kind::kQueueDpc, 0, 0, 0});
    return TRUE;
  };
  table.DxgkCbNotifyDpc = [](HANDLE device) {
    require(system_of(device).port.irql == DISPATCH_LEVEL, "DxgkCbNotifyDpc not at DISPATCH_LEVEL");
    ++system_of(device).dpcs_notified;
  };
  return table;
}

NTSTATUS MockSystem::start() {
  if (adapter == nullptr) {
    const NTSTATUS status = ddi.DxgkDdiAddDevice(static_cast<kmd_host::HostPort*>(&port), &adapter);
    if (!NT_SUCCESS(status)) return status;
  }
  DXGK_START_INFO info{};
  DXGKRNL_INTERFACE table = functions();
  ULONG sources = 7;
  ULONG children = 7;
  const NTSTATUS status = ddi.DxgkDdiStartDevice(adapter, &info, &table, &sources, &children);
  port.calls.clear();
  return status;
}

BOOLEAN MockSystem::interrupt(ULONG message) {
  const KIRQL before = port.irql;
  port.irql = DEVICE_LEVEL;
  const BOOLEAN ours = ddi.DxgkDdiInterruptRoutine(adapter, message);
  port.irql = before;
  return ours;
}

HANDLE MockSystem::create_process(bool system) {
  DXGKARG_CREATEPROCESS args{};
  args.hDxgkProcess = this;
  args.Flags.Value = system ? DXGK_CREATEPROCESSFLAGS::kSystemProcess : 0;
  require(NT_SUCCESS(ddi.DxgkDdiCreateProcess(adapter, &args)), "DxgkDdiCreateProcess failed");
  return args.hKmdProcess;
}

HANDLE MockSystem::create_device(HANDLE process) {
  DXGKARG_CREATEDEVICE args{};
  args.hDevice = this;
  args.hKmdProcess = process;
  require(NT_SUCCESS(ddi.DxgkDdiCreateDevice(adapter, &args)), "DxgkDdiCreateDevice failed");
  return args.hDevice;
}

HANDLE MockSystem::create_hw_context(HANDLE device, UINT node) {
  DXGKARG_CREATEHWCONTEXT args{};
  args.hHwContext = this;
  args.NodeOrdinal = node;
  args.EngineAffinity = 1;
  require(NT_SUCCESS(ddi.DxgkDdiCreateHwContext(device, &args)), "DxgkDdiCreateHwContext failed");
  return args.hHwContext;
}

HANDLE MockSystem::create_hw_queue(HANDLE hw_context, abi::QueuePrivateData& data) {
  DXGKARG_CREATEHWQUEUE args{};
  args.hHwQueue = this;
  args.Flags.Value = D3DDDI_CREATEHWQUEUEFLAGS::kUserModeSubmission;
  args.PrivateDriverDataSize = sizeof(data);
  args.pPrivateDriverData = &data;
  require(NT_SUCCESS(ddi.DxgkDdiCreateHwQueue(hw_context, &args)), "DxgkDdiCreateHwQueue failed");
  return args.hHwQueue;
}

HANDLE MockSystem::create_hw_queue(HANDLE hw_context) {
  abi::QueuePrivateData data{0x10000, 0x1000, 0, 0, 0};
  return create_hw_queue(hw_context, data);
}

HANDLE MockSystem::create_doorbell(HANDLE queue) {
  DXGKARG_CREATEDOORBELL args{};
  args.hHwQueue = queue;
  args.hDoorbell = this;
  require(NT_SUCCESS(ddi.DxgkDdiCreateDoorbell(&args)), "DxgkDdiCreateDoorbell failed");
  return args.hDoorbell;
}

DXGKARG_CREATENATIVEFENCE MockSystem::fence_arguments(HANDLE os_handle) {
  DXGKARG_CREATENATIVEFENCE args{};
  args.hGlobalNativeFence = os_handle;
  args.CurrentValueSystemProcessGpuVa = 0x100000;
  args.MonitoredValueSystemProcessGpuVa = 0x200008;
  return args;
}

HANDLE MockSystem::create_fence(HANDLE os_handle) const {
  DXGKARG_CREATENATIVEFENCE args = fence_arguments(os_handle);
  require(NT_SUCCESS(ddi.DxgkDdiCreateNativeFence(adapter, &args)),
          "DxgkDdiCreateNativeFence failed");
  return args.hGlobalNativeFence;
}

HANDLE MockSystem::open_fence(HANDLE fence, HANDLE device) {
  DXGKARG_OPENNATIVEFENCE args{};
  args.hGlobalNativeFence = fence;
  args.hLocalNativeFence = this;
  args.hDevice = device;
  args.CurrentValueGpuVa = 0x5000;
  args.MonitoredValueGpuVa = 0x6000;
  require(NT_SUCCESS(ddi.DxgkDdiOpenNativeFence(adapter, &args)), "DxgkDdiOpenNativeFence failed");
  return args.hLocalNativeFence;
}

NTSTATUS MockSystem::destroy_fence(HANDLE fence) const {
  DXGKARG_DESTROYNATIVEFENCE args{};
  args.hGlobalNativeFence = fence;
  return ddi.DxgkDdiDestroyNativeFence(&args);
}

}  // namespace fenceline::support
