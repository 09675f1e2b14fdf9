#pragma once

#include <cstdint>
#include <functional>

#include "kmd_stub/host/call_site.h"
#include "kmd_stub/host/driver_policy.h"
#include "kmd_stub/wddm/base.h"

namespace fenceline::kmd_host {

/// Kernel and machine services for a driver, instead of the WDK's functions: register and memory
/// access, locks, contiguous memory. One port per adapter.
///
/// Other cores, interrupts and the GPU may run during every call, and at no other point of the
/// driver. Kernel virtual addresses are opaque pointers of the modelled machine: never dereference
/// them. The implementation knows the core and IRQL of a call, as on a real machine.
///
/// A forbidden call is reported with its place, `site`, and has no effect: reads return all ones,
/// writes are dropped, requests for memory return null. docs/how_to/drivers.md lists the checks.
class HostPort {
 public:
  virtual ~HostPort() = default;

  // Device registers (READ_REGISTER_ULONG64 and friends). `offset` is in the register BAR [bytes].
  /// Non-posted: returns after the device's earlier writes have reached memory.
  virtual std::uint64_t read_register(std::uint64_t offset,
                                      const CallSite& site = CallSite::here()) = 0;
  /// Posted: may still be in flight on return.
  virtual void write_register(std::uint64_t offset, std::uint64_t value,
                              const CallSite& site = CallSite::here()) = 0;
  /// Reads a counter register until it is at least `value`. A bounded poll: false after about 100
  /// ms of simulated time. Any IRQL.
  virtual bool poll_register(std::uint64_t offset, std::uint64_t value,
                             const CallSite& site = CallSite::here()) = 0;

  /// Base and size of the VRAM BAR, as assigned by the bus driver: a memory resource in the list
  /// that the OS passes to DxgkDdiStartDevice. Takes no time.
  struct MemoryResource {
    std::uint64_t address = 0;  ///< host physical
    std::uint64_t bytes = 0;
  };
  virtual MemoryResource vram_bar() const = 0;

  // Mapped memory, by kernel virtual address (8-aligned for 64-bit accesses).
  virtual std::uint64_t read_memory(const void* address,
                                    const CallSite& site = CallSite::here()) = 0;
  virtual void write_memory(void* address, std::uint64_t value,
                            const CallSite& site = CallSite::here()) = 0;
  /// Copies `bytes` (a multiple of 8) to or from mapped memory, with one access per 64 bytes. The
  /// core may load the words of a read in any order.
  virtual void read_memory(const void* address, void* data, std::size_t bytes,
                           const CallSite& site = CallSite::here()) = 0;
  virtual void write_memory(void* address, const void* data, std::size_t bytes,
                            const CallSite& site = CallSite::here()) = 0;
  /// On return all earlier stores of this core are visible to the device and to other cores. Later
  /// loads come after earlier loads.
  virtual void memory_barrier() = 0;

  /// Physically contiguous, zeroed, cacheable system memory for DMA. Up to DISPATCH_LEVEL.
  struct ContiguousMemory {
    void* kernel_address = nullptr;      ///< null if no memory is left
    std::uint64_t physical_address = 0;  ///< host physical
  };
  virtual ContiguousMemory allocate_contiguous(std::size_t bytes,
                                               const CallSite& site = CallSite::here()) = 0;
  /// Kernel mapping of a host physical range or, with `vram`, of a VRAM offset through the BAR. Up
  /// to DISPATCH_LEVEL.
  virtual void* map_physical(std::uint64_t address, std::size_t bytes, bool vram,
                             const CallSite& site = CallSite::here()) = 0;

  /// Kernel mapping of a page of the doorbell BAR. Up to DISPATCH_LEVEL. @param page page of a
  /// queue, or abi::kNodeDoorbell + node.
  virtual void* map_doorbell(std::uint32_t page, const CallSite& site = CallSite::here()) = 0;

  // Spin locks (KeAcquireSpinLock): DISPATCH_LEVEL while held; release restores the previous IRQL.
  // A DDI releases its locks in reverse order before it returns.
  using LockId = std::uint32_t;
  virtual LockId create_lock() = 0;
  virtual void acquire_lock(LockId lock, const CallSite& site = CallSite::here()) = 0;
  virtual void release_lock(LockId lock, const CallSite& site = CallSite::here()) = 0;

  /// KeQueryPerformanceCounter: ticks of kPerformanceHz. Any IRQL.
  virtual std::uint64_t performance_counter() = 0;
  static constexpr std::uint64_t kPerformanceHz = 10'000'000;

  /// IRQL of the calling context.
  virtual KIRQL current_irql() = 0;

  /// Marks an access to state that the ISR and a DDI share. The search explores orders of such
  /// accesses; see Shared<T>.
  virtual void touch_shared(std::uint32_t id, bool write,
                            const CallSite& site = CallSite::here()) = 0;
  virtual std::uint32_t create_shared() = 0;

  /// A hash of the driver state that its locks and the interrupt lock protect.
  using StateHash = std::uint64_t (*)(const void* state);
  /// Lets the search distinguish states of the driver. Without it, the knowledge of lock holders
  /// represents the protected state. That is also correct, but gives more states. @param state must
  /// outlive the port.
  virtual void expose_state(StateHash /*hash*/, const void* /*state*/,
                            const CallSite& /*site*/ = CallSite::here()) {}

  /// Platform switches that change the driver's behaviour: see DriverPolicy.
  virtual const DriverPolicy& policy() const = 0;
};

/// A value shared by ISR and DDIs. Each access is a step of the port.
template <typename T>
class Shared {
 public:
  explicit Shared(HostPort& port, T value = {})
      : port_(port), id_(port.create_shared()), value_(value) {}
  T load(const CallSite& site = CallSite::here()) const {
    port_.touch_shared(id_, false, site);
    return value_;
  }
  void store(T value, const CallSite& site = CallSite::here()) {
    port_.touch_shared(id_, true, site);
    value_ = value;
  }

 private:
  HostPort& port_;
  std::uint32_t id_;
  T value_;
};

}  // namespace fenceline::kmd_host
