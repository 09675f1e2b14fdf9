#pragma once

#include <cstdint>
#include <functional>

#include "kmd_stub/host/call_site.h"
#include "kmd_stub/host/driver_policy.h"
#include "kmd_stub/wddm/base.h"

namespace fenceline::kmd_host {

/// What the kernel and the machine offer a driver, in the place of the WDK's functions: register
/// and memory access, locks, contiguous memory. One port an adapter.
///
/// Every call may let other cores, interrupts and the GPU go on; nothing else in the driver does.
/// Kernel virtual addresses are opaque pointers of the modelled machine: never dereference them.
/// Which core and IRQL a call runs at is known to the implementation, as on a real machine.
///
/// A call that a driver must not make is reported with its place, `site`, and has no effect: reads
/// return all ones, writes are dropped, requests for memory return null.
/// docs/drivers.md says what is checked.
class HostPort {
 public:
  virtual ~HostPort() = default;

  // Device registers (READ_REGISTER_ULONG64 and friends). `offset` is in the register BAR [bytes].
  /// Non-posted: returns after the device's earlier writes have reached memory.
  virtual std::uint64_t read_register(std::uint64_t offset,
                                      const CallSite& site = CallSite::here()) = 0;
  /// Posted: may still be on its way on return.
  virtual void write_register(std::uint64_t offset, std::uint64_t value,
                              const CallSite& site = CallSite::here()) = 0;
  /// Reads a counter register until it is at least `value` (a bounded poll: false after about
  /// 100 ms of simulated time). Usable at any IRQL.
  virtual bool poll_register(std::uint64_t offset, std::uint64_t value,
                             const CallSite& site = CallSite::here()) = 0;

  /// Where the bus driver has put the VRAM BAR and how large it is: a memory resource of the list
  /// that the OS hands to DxgkDdiStartDevice. In no time.
  struct MemoryResource {
    std::uint64_t address = 0;  ///< host physical
    std::uint64_t bytes = 0;
  };
  virtual MemoryResource vram_bar() const = 0;

  // Mapped memory, by kernel virtual address (8-aligned where 64 bits are moved).
  virtual std::uint64_t read_memory(const void* address,
                                    const CallSite& site = CallSite::here()) = 0;
  virtual void write_memory(void* address, std::uint64_t value,
                            const CallSite& site = CallSite::here()) = 0;
  /// Copies `bytes` (a multiple of 8) to or from mapped memory, as one access for every 64. Which
  /// words of a read are loaded first is up to the core.
  virtual void read_memory(const void* address, void* data, std::size_t bytes,
                           const CallSite& site = CallSite::here()) = 0;
  virtual void write_memory(void* address, const void* data, std::size_t bytes,
                            const CallSite& site = CallSite::here()) = 0;
  /// All earlier stores of this core are visible to the device and to other cores, and its later
  /// loads come after its earlier ones.
  virtual void memory_barrier() = 0;

  /// Physically contiguous, zeroed, cacheable system memory for the device to reach by DMA. Up to
  /// DISPATCH_LEVEL.
  struct ContiguousMemory {
    void* kernel_address = nullptr;      ///< null when there is none left
    std::uint64_t physical_address = 0;  ///< host physical
  };
  virtual ContiguousMemory allocate_contiguous(std::size_t bytes,
                                               const CallSite& site = CallSite::here()) = 0;
  /// Kernel mapping of a host physical range or, with `vram`, of a VRAM offset through the BAR. Up
  /// to DISPATCH_LEVEL.
  virtual void* map_physical(std::uint64_t address, std::size_t bytes, bool vram,
                             const CallSite& site = CallSite::here()) = 0;

  /// Kernel mapping of a page of the doorbell BAR. Up to DISPATCH_LEVEL.
  /// @param page of a queue, or from abi::kNodeDoorbell on.
  virtual void* map_doorbell(std::uint32_t page, const CallSite& site = CallSite::here()) = 0;

  // Spin locks (KeAcquireSpinLock): raise to DISPATCH_LEVEL while held, and restore the IRQL
  // before. A DDI releases what it has acquired, the last one first.
  using LockId = std::uint32_t;
  virtual LockId create_lock() = 0;
  virtual void acquire_lock(LockId lock, const CallSite& site = CallSite::here()) = 0;
  virtual void release_lock(LockId lock, const CallSite& site = CallSite::here()) = 0;

  /// KeQueryPerformanceCounter: ticks of kPerformanceHz. At any IRQL.
  virtual std::uint64_t performance_counter() = 0;
  static constexpr std::uint64_t kPerformanceHz = 10'000'000;

  /// IRQL of the calling context.
  virtual KIRQL current_irql() = 0;

  /// Marks an access to state that the ISR and a DDI share, so that orders of such accesses are
  /// explored; see Shared<T>.
  virtual void touch_shared(std::uint32_t id, bool write,
                            const CallSite& site = CallSite::here()) = 0;
  virtual std::uint32_t create_shared() = 0;

  /// A hash of the driver's state as far as its locks and the interrupt lock protect it.
  using StateHash = std::uint64_t (*)(const void* state);
  /// Lets states of the driver be told apart while orders are explored. Without it, what the
  /// holders of a lock knew stands for what it protects: right as well, and more states.
  /// @param state must outlive the port.
  virtual void expose_state(StateHash /*hash*/, const void* /*state*/,
                            const CallSite& /*site*/ = CallSite::here()) {}

  /// Switches of the platform that change what a driver does: see DriverPolicy.
  virtual const DriverPolicy& policy() const = 0;
};

/// A value that ISR and DDIs share. Each access is a step of the port.
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
