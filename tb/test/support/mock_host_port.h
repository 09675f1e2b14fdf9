#pragma once

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "kmd_stub/host/host_port.h"
#include "kmd_stub/wddm/driver.h"
#include "models/abi/private_data.h"
#include "models/abi/registers.h"

namespace fenceline::support {

/// A pointer that must not be followed: a handle of the OS, an address of the modelled machine.
void* opaque(std::uint64_t number);

/// One call of the driver to its port or to the OS.
struct HostCall {
  enum class Kind : std::uint8_t {
    kReadRegister,
    kWriteRegister,
    kPoll,
    kReadMemory,
    kWriteMemory,
    kBarrier,
    kAcquire,
    kRelease,
    kShared,
    kNotifyInterrupt,
    kQueueDpc,
    kNotifyDpc,
    kSynchronize,
    kSynchronized
  };
  Kind kind;
  std::uint64_t where = 0;  ///< register offset, memory address, lock
  std::uint64_t value = 0;  ///< first 64 bits written, or polled for
  std::size_t bytes = 0;
};

/// A machine with a hand crank: registers and memory are maps, nothing happens unless the test says
/// so. Polls are answered at once unless `answer_polls` is off.
class MockHostPort : public kmd_host::HostPort {
 public:
  std::uint64_t read_register(std::uint64_t offset, const kmd_host::CallSite& site = {}) override;
  void write_register(std::uint64_t offset, std::uint64_t value,
                      const kmd_host::CallSite& site = {}) override;
  bool poll_register(std::uint64_t offset, std::uint64_t value,
                     const kmd_host::CallSite& site = {}) override;
  std::uint64_t read_memory(const void* address, const kmd_host::CallSite& site = {}) override;
  void write_memory(void* address, std::uint64_t value,
                    const kmd_host::CallSite& site = {}) override;
  void read_memory(const void* address, void* data, std::size_t bytes,
                   const kmd_host::CallSite& site = {}) override;
  void write_memory(void* address, const void* data, std::size_t bytes,
                    const kmd_host::CallSite& site = {}) override;
  void memory_barrier() override { note({HostCall::Kind::kBarrier}); }
  ContiguousMemory allocate_contiguous(std::size_t bytes,
                                       const kmd_host::CallSite& site = {}) override;
  MemoryResource vram_bar() const override { return vram_resource; }
  MemoryResource vram_resource{1ULL << 36, 1ULL << 40};
  void* map_physical(std::uint64_t address, std::size_t bytes, bool vram,
                     const kmd_host::CallSite& site = {}) override;
  void* map_doorbell(std::uint32_t page, const kmd_host::CallSite& site = {}) override;
  LockId create_lock() override { return ++locks_; }
  void acquire_lock(LockId lock, const kmd_host::CallSite& site = {}) override;
  void release_lock(LockId lock, const kmd_host::CallSite& site = {}) override;
  KIRQL current_irql() override { return irql; }
  std::uint64_t performance_counter() override { return performance; }
  std::uint64_t performance = 0;
  void touch_shared(std::uint32_t id, bool write, const kmd_host::CallSite& site = {}) override;
  std::uint32_t create_shared() override { return ++shared_; }
  const kmd_host::DriverPolicy& policy() const override { return driver_policy; }

  /// The device reports: writes the next interrupt entry into the ring.
  void push_entry(std::uint32_t fence_slot, std::uint32_t engine = 0, std::uint64_t value = 1,
                  std::uint32_t queue_slot = 0,
                  abi::InterruptCause cause = abi::InterruptCause::kFenceSignaled);
  /// An entry that names no fence.
  void push_other_entry(abi::InterruptCause cause, std::uint32_t engine, std::uint64_t value);
  bool holds_lock() const { return !held_.empty(); }
  /// Written registers, in order, as {offset, value}.
  std::vector<std::pair<std::uint64_t, std::uint64_t>> register_writes() const;
  /// The calls of these kinds, in order.
  std::vector<HostCall> calls_of(std::initializer_list<HostCall::Kind> kinds) const;
  std::size_t count(HostCall::Kind kind) const { return calls_of({kind}).size(); }

  void note(const HostCall& call);

  kmd_host::DriverPolicy driver_policy;
  KIRQL irql = PASSIVE_LEVEL;
  bool answer_polls = true;
  bool out_of_memory = false;
  std::map<std::uint64_t, std::uint64_t> registers;
  std::map<std::uint64_t, std::uint64_t> memory;  ///< by kernel address, 8-aligned
  std::vector<HostCall> calls;
  std::function<void(const HostCall&)> on_call;  ///< runs after the call took effect
  ContiguousMemory ring;

 private:
  void put_entry(abi::InterruptEntry entry);

  LockId locks_ = 0;
  std::uint32_t shared_ = 0;
  std::uint64_t entries_ = 0;  ///< pushed
  std::vector<LockId> held_;
};

/// An OS that gives the driver its functions and keeps what it is told.
class MockSystem {
 public:
  explicit MockSystem(MockHostPort& machine);
  MockSystem(const MockSystem&) = delete;
  MockSystem& operator=(const MockSystem&) = delete;
  ~MockSystem();

  /// A notification with the array it had.
  struct Notification {
    DXGKARGCB_NOTIFY_INTERRUPT_DATA data;
    std::vector<HANDLE> handles;
    bool null_array;
  };

  DXGKRNL_INTERFACE functions();
  /// AddDevice and StartDevice. @return the status of the latter.
  NTSTATUS start();
  /// Runs the interrupt routine as the OS does. @return its answer.
  BOOLEAN interrupt(ULONG message = 0);

  // Objects on a started adapter; a DDI that fails throws.
  HANDLE create_process(bool system = false);
  HANDLE create_device(HANDLE process);
  HANDLE create_hw_context(HANDLE device, UINT node = 0);
  /// @param data a ring that the driver accepts; gets the slot.
  HANDLE create_hw_queue(HANDLE hw_context, abi::QueuePrivateData& data);
  HANDLE create_hw_queue(HANDLE hw_context);
  HANDLE create_doorbell(HANDLE queue);
  /// Arguments that the driver accepts. @param os_handle any value but null.
  static DXGKARG_CREATENATIVEFENCE fence_arguments(HANDLE os_handle);
  HANDLE create_fence(HANDLE os_handle) const;
  HANDLE open_fence(HANDLE fence, HANDLE device);
  NTSTATUS destroy_fence(HANDLE fence) const;

  MockHostPort& port;
  DRIVER_INITIALIZATION_DATA ddi{};
  PVOID adapter = nullptr;
  std::vector<Notification> notifications;
  /// Calls of DxgkCbSignalEvent.
  struct EventSignal {
    DXGKARGCB_SIGNALEVENT args;
    bool locked;  ///< under a lock of the driver
  };
  std::vector<EventSignal> signals;
  /// Calls of DxgkCbDisconnectDoorbell.
  std::vector<DXGKARGCB_DISCONNECTDOORBELL> lost_doorbells;
  std::function<void()> on_lost_doorbell;  ///< runs in each
  std::uint32_t dpcs_queued = 0;
  std::uint32_t dpcs_notified = 0;

  // Feature services.
  bool has_feature_services = true;
  bool feature_enabled = true;
  DXGK_FEATURE_VERSION feature_version = 1;
  USHORT feature_table_bytes = sizeof(DXGKCBINT_FEATURE_NATIVEFENCE_1);
  bool has_caps_function = true;
  UINT native_fence_caps = 0;
  NTSTATUS caps_status = STATUS_SUCCESS;
  std::vector<std::string> negotiation;  ///< what the driver asked, in order
};

}  // namespace fenceline::support
