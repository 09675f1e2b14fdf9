#pragma once

#include <cstdint>
#include <vector>

#include "kmd_stub/host/host_port.h"
#include "models/common/watches.h"
#include "models/pcie/config.h"
#include "tb/os/core/cpu.h"
#include "tb/os/guard/kernel_address.h"
#include "tb/os/vidmm/host_aperture.h"
#include "tb/os/vidmm/memory_pool.h"

namespace fenceline::os {

/// What kernel mode does to the machine: accesses become transactions of the core that the caller
/// runs on. The driver comes here by way of DriverPort, which looks at its calls.
class HostPortModel {
 public:
  using ContiguousMemory = kmd_host::HostPort::ContiguousMemory;
  using MemoryResource = kmd_host::HostPort::MemoryResource;
  /// @param adapter ObjectKind::kAdapter, for events.
  HostPortModel(Cpu& cpu, const pcie::BarMap& bars, PagePool& system_pages,
                const kmd_host::DriverPolicy& policy, std::uint32_t adapter);

  std::uint64_t read_register(std::uint64_t offset);
  void write_register(std::uint64_t offset, std::uint64_t value);
  bool poll_register(std::uint64_t offset, std::uint64_t value);
  std::uint64_t read_memory(const void* address);
  void write_memory(void* address, std::uint64_t value);
  void read_memory(const void* address, void* data, std::size_t bytes);
  void write_memory(void* address, const void* data, std::size_t bytes);
  void memory_barrier();
  /// @pre there are so many bytes left; else it throws std::invalid_argument. @param purpose in
  /// words, for stories
  ContiguousMemory allocate_contiguous(std::size_t bytes,
                                       const char* purpose = "memory of the driver");
  /// System memory that was allocated here.
  struct Allocated {
    std::uint64_t address = 0;
    std::uint64_t bytes = 0;
    const char* purpose = nullptr;
  };
  const std::vector<Allocated>& allocated() const { return allocated_; }
  /// [bytes] of whole pages.
  std::uint64_t contiguous_left() const { return system_pages_.left() / kPage * kPage; }
  MemoryResource vram_bar() const { return vram_resource_; }
  std::uint64_t performance_counter();
  const kmd_host::DriverPolicy& policy() const { return policy_; }

  /// Where stores of MonitoredValue are told by; events alone need it. Both must outlive the port.
  void watch_stores(const common::Watches& vram, const common::Watches& system) {
    vram_watches_ = &vram;
    system_watches_ = &system;
  }
  /// Location of the VRAM BAR, for the driver.
  void set_vram_bar(const MemoryResource& resource) { vram_resource_ = resource; }
  /// Kernel mode reaches VRAM through a window from now on; it must outlive the port's use.
  void use_host_aperture(const HostAperture& aperture) { aperture_ = &aperture; }
  /// An access of 8 bytes by its bus address, for user mode.
  /// @param cached through a mapping that keeps lines; otherwise through a write-combined one.
  void access_user(std::uint64_t bus_address, bool write, std::uint64_t& value, bool cached);
  /// Has the caches maintained for a range of system memory.
  void maintain_caches(std::uint64_t bus_address, std::size_t bytes, common::CacheMaintenance what);
  /// A read of mapped memory that tells who reads.
  /// @param write_back through a mapping that keeps lines on a host without I/O coherency.
  std::uint64_t read_value(const void* address, common::Operation operation, event::Reader reader,
                           bool write_back = false);
  /// Last value that the driver wrote to abi::kInterruptAcknowledge; 0 before the first write.
  std::uint64_t acknowledged() const { return acknowledged_; }

 private:
  /// How the caller's mapping treats what it does.
  enum class Mapping : std::uint8_t { kUncached, kWriteBack, kWriteCombined };

  void access(tlm::tlm_command command, std::uint64_t bus_address, void* data, std::size_t bytes,
              common::Operation operation, event::Reader reader = event::Reader::kOther,
              std::uint64_t at_least = 0, Mapping mapping = Mapping::kUncached);

  void transact(tlm::tlm_command command, std::uint64_t bus_address, void* data, std::size_t bytes,
                common::Operation operation, event::Reader reader, std::uint64_t at_least,
                Mapping mapping);
  void report_store(std::uint64_t bus_address, std::uint64_t value) const;
  /// Several words of cached memory, the first in program order and the others whenever.
  void read_apart(std::uint64_t bus_address, unsigned char* data, std::size_t bytes);

  Cpu& cpu_;
  const pcie::BarMap bars_;
  PagePool& system_pages_;
  const kmd_host::DriverPolicy policy_;
  const std::uint32_t adapter_;
  const common::Watches* vram_watches_ = nullptr;
  const common::Watches* system_watches_ = nullptr;
  MemoryResource vram_resource_;
  const HostAperture* aperture_ = nullptr;
  std::uint64_t acknowledged_ = 0;
  std::vector<Allocated> allocated_;
};

}  // namespace fenceline::os
