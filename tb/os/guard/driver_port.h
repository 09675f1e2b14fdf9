#pragma once

#include <optional>
#include <vector>

#include "tb/os/driver/host_port_model.h"
#include "tb/os/guard/driver_locks.h"
#include "tb/os/guard/kernel_ranges.h"

namespace fenceline::os {

/// HostPort as a driver sees it: looks at each call first, reports what a driver must not do, and
/// then does the least harm. What is in order goes to the HostPortModel.
class DriverPort : public kmd_host::HostPort, public common::Hashed {
 public:
  using CallSite = kmd_host::CallSite;
  /// Sizes of the ranges that a driver may map.
  struct Limits {
    std::uint64_t system_memory = 0;  ///< [bytes]
    std::uint64_t vram = 0;           ///< [bytes]
    std::uint32_t nodes = 0;
  };
  /// @param model and `guard` must outlive the port.
  DriverPort(Cpu& cpu, HostPortModel& model, DriverGuard& guard, const pcie::BarMap& bars,
             const Limits& limits);

  std::uint64_t read_register(std::uint64_t offset, const CallSite& site) override;
  void write_register(std::uint64_t offset, std::uint64_t value, const CallSite& site) override;
  bool poll_register(std::uint64_t offset, std::uint64_t value, const CallSite& site) override;
  MemoryResource vram_bar() const override { return model_.vram_bar(); }
  std::uint64_t read_memory(const void* address, const CallSite& site) override;
  void write_memory(void* address, std::uint64_t value, const CallSite& site) override;
  void read_memory(const void* address, void* data, std::size_t bytes,
                   const CallSite& site) override;
  void write_memory(void* address, const void* data, std::size_t bytes,
                    const CallSite& site) override;
  void memory_barrier() override;
  ContiguousMemory allocate_contiguous(std::size_t bytes, const CallSite& site) override;
  void* map_physical(std::uint64_t address, std::size_t bytes, bool vram,
                     const CallSite& site) override;
  void* map_doorbell(std::uint32_t page, const CallSite& site) override;
  LockId create_lock() override;
  void acquire_lock(LockId lock, const CallSite& site) override;
  void release_lock(LockId lock, const CallSite& site) override;
  std::uint64_t performance_counter() override { return model_.performance_counter(); }
  KIRQL current_irql() override { return cpu_.irql(); }
  void touch_shared(std::uint32_t id, bool write, const CallSite& site) override;
  std::uint32_t create_shared() override;
  void expose_state(StateHash hash, const void* state, const CallSite& site) override;
  const kmd_host::DriverPolicy& policy() const override { return model_.policy(); }

  /// A kernel address that the driver may use from now on. @param bytes that the OS says are there.
  void* give(std::uint64_t bus_address, std::uint64_t bytes);
  /// An address that a DDI has returned is one that the driver may use; false after a report.
  bool good_answer(const void* address, std::uint64_t bytes, Ddi ddi);
  /// State that the driver reports; null if it reports none.
  const common::Hashed* driver_state() const {
    return driver_.hash != nullptr ? &driver_ : nullptr;
  }
  DriverLocks& locks() { return locks_; }
  std::uint64_t state_hash() const override;

 private:
  bool good_register(std::uint64_t offset, bool write, const CallSite& site);
  /// The fault of an access to that memory.
  std::optional<Misuse> fault_of(const void* address, std::uint64_t bytes) const;
  bool good_address(const void* address, std::uint64_t bytes, const CallSite& site);
  bool good_copy(const void* address, const void* data, std::size_t bytes, const CallSite& site);
  bool may_map(std::size_t bytes, const CallSite& site);

  Cpu& cpu_;
  HostPortModel& model_;
  DriverGuard& guard_;
  const pcie::BarMap bars_;
  const Limits limits_;
  DriverLocks locks_;
  KernelRanges ranges_;
  struct DriverState : common::Hashed {
    StateHash hash = nullptr;
    const void* state = nullptr;
    std::uint64_t state_hash() const override { return hash(state); }
  };
  DriverState driver_;
  /// A value that ISR and DDIs of the driver share.
  struct SharedValue {
    std::uint64_t place;  ///< of footprints
    std::uint64_t trail;  ///< stands for its content
  };
  std::vector<SharedValue> shared_;
};

}  // namespace fenceline::os
