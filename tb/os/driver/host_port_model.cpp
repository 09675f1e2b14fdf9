#include "tb/os/driver/host_port_model.h"

#include <algorithm>

#include "models/abi/page_table.h"
#include "models/abi/registers.h"

namespace fenceline::os {

using common::Operation;
using event::Reader;

namespace {
constexpr common::Time kPollLimit = 100 * common::kMillisecond;  ///< A-20
constexpr std::size_t kAccessBytes = 64;
constexpr std::size_t kLoadBytes = 8;
}  // namespace

HostPortModel::HostPortModel(Cpu& cpu, const pcie::BarMap& bars, PagePool& system_pages,
                             const kmd_host::DriverPolicy& policy, std::uint32_t adapter)
    : cpu_(cpu),
      bars_(bars),
      system_pages_(system_pages),
      policy_(policy),
      adapter_(adapter),
      vram_resource_{bars.vram, bars.vram_bytes} {}

void HostPortModel::access(tlm::tlm_command command, std::uint64_t bus_address, void* data,
                           std::size_t bytes, Operation operation, Reader reader,
                           std::uint64_t at_least, Mapping mapping) {
  // Kernel addresses of VRAM count from its start, wherever the window shows the page.
  const bool windowed = aperture_ != nullptr && bus_address >= bars_.vram;
  const std::uint64_t at =
      windowed ? bars_.vram + aperture_->kernel_offset(bus_address - bars_.vram) : bus_address;
  transact(command, at, data, bytes, operation, reader, at_least, mapping);
}

void HostPortModel::access_user(std::uint64_t bus_address, bool write, std::uint64_t& value,
                                bool cached) {
  transact(write ? tlm::TLM_WRITE_COMMAND : tlm::TLM_READ_COMMAND, bus_address, &value,
           sizeof value, write ? Operation::kWrite : Operation::kRead, Reader::kOther, 0,
           cached ? Mapping::kWriteBack : Mapping::kWriteCombined);
}

void HostPortModel::maintain_caches(std::uint64_t bus_address, std::size_t bytes,
                                    common::CacheMaintenance what) {
  auto transaction =
      cpu_.simulation().transactions.lend(tlm::TLM_IGNORE_COMMAND, bus_address, nullptr, bytes);
  transaction->attributes.maintenance = what;
  cpu_.core().access(transaction, Operation::kWrite);
}

void HostPortModel::transact(tlm::tlm_command command, std::uint64_t bus_address, void* data,
                             std::size_t bytes, Operation operation, Reader reader,
                             std::uint64_t at_least, Mapping mapping) {
  auto transaction = cpu_.simulation().transactions.lend(command, bus_address, data, bytes);
  const bool device = bus_address >= bars_.registers;
  const bool write = command == tlm::TLM_WRITE_COMMAND;
  transaction->attributes.posted = device && write;
  transaction->attributes.reader = reader;
  transaction->attributes.at_least = at_least;
  transaction->attributes.write_back = mapping == Mapping::kWriteBack;
  transaction->attributes.write_combined = mapping == Mapping::kWriteCombined;
  if (device && !write) transaction->attributes.operation = operation;
  const bool gathers = mapping == Mapping::kWriteCombined && cpu_.core().combines();
  if (device && write && !gathers) cpu_.compute(cpu_.core().config().mmio_write);
  cpu_.core().access(transaction, operation);
}

std::uint64_t HostPortModel::read_register(std::uint64_t offset) {
  std::uint64_t value = 0;
  access(tlm::TLM_READ_COMMAND, bars_.registers + offset, &value, sizeof value,
         Operation::kRegisterRead);
  cpu_.load_barrier();
  return value;
}

void HostPortModel::write_register(std::uint64_t offset, std::uint64_t value) {
  access(
      tlm::TLM_WRITE_COMMAND, bars_.registers + offset, &value, sizeof value,
      offset == abi::kInterruptAcknowledge ? Operation::kAcknowledge : Operation::kRegisterWrite);
  if (const std::uint64_t space = (offset - abi::kMmuRoot) / 8; space < abi::kAddressSpaces)
    cpu_.simulation().emit(event::AddressSpace{adapter_, space, value & abi::kEntryAddressMask});
  if (offset != abi::kInterruptAcknowledge) return;
  acknowledged_ = value;
  cpu_.simulation().emit(event::IsrAcknowledge{adapter_, value});
}

bool HostPortModel::poll_register(std::uint64_t offset, std::uint64_t value) {
  const common::Time give_up = cpu_.simulation().steps.now() + kPollLimit;
  for (;;) {
    std::uint64_t found = 0;
    access(tlm::TLM_READ_COMMAND, bars_.registers + offset, &found, sizeof found,
           Operation::kRegisterRead, Reader::kOther, value);
    cpu_.load_barrier();
    if (found >= value) return true;
    if (cpu_.simulation().steps.now() >= give_up) return false;
    cpu_.compute(cpu_.core().config().poll_interval);
  }
}

std::uint64_t HostPortModel::read_value(const void* address, Operation operation, Reader reader,
                                        bool write_back) {
  std::uint64_t value = 0;
  access(tlm::TLM_READ_COMMAND, to_bus_address(address), &value, sizeof value, operation, reader, 0,
         write_back ? Mapping::kWriteBack : Mapping::kUncached);
  return value;
}

std::uint64_t HostPortModel::read_memory(const void* address) {
  return read_value(address, Operation::kRead, Reader::kOther);
}

void HostPortModel::write_memory(void* address, std::uint64_t value) {
  access(tlm::TLM_WRITE_COMMAND, to_bus_address(address), &value, sizeof value, Operation::kWrite);
  report_store(to_bus_address(address), value);
}

void HostPortModel::report_store(std::uint64_t bus_address, std::uint64_t value) const {
  const bool device = bus_address >= bars_.registers;
  const common::Watches* watches = device ? vram_watches_ : system_watches_;
  if (watches == nullptr) return;
  const common::Watch* watch =
      watches->find(device ? bus_address - bars_.vram : bus_address | abi::kSystemMemoryBit);
  if (watch == nullptr || (watch->kind != common::WatchKind::kMonitoredValue &&
                           watch->kind != common::WatchKind::kCurrentValue))
    return;
  if (watch->kind == common::WatchKind::kMonitoredValue)
    cpu_.simulation().emit(event::MonitoredValueStored{watch->object, value, adapter_});
  else
    cpu_.simulation().emit(event::CurrentValueStored{watch->object, value, adapter_});
}

void HostPortModel::read_memory(const void* address, void* data, std::size_t bytes) {
  const bool weak = cpu_.core().loads_apart();
  for (std::size_t done = 0; done < bytes; done += kAccessBytes) {
    const std::uint64_t from = to_bus_address(address) + done;
    auto* to = static_cast<unsigned char*>(data) + done;
    const std::size_t count = std::min(kAccessBytes, bytes - done);
    if (weak && count > kLoadBytes && from < bars_.registers)
      read_apart(from, to, count);
    else
      access(tlm::TLM_READ_COMMAND, from, to, count, Operation::kRead);
  }
}

void HostPortModel::read_apart(std::uint64_t bus_address, unsigned char* data, std::size_t bytes) {
  auto others = cpu_.simulation().transactions.lend(tlm::TLM_READ_COMMAND, bus_address + kLoadBytes,
                                                    data + kLoadBytes, bytes - kLoadBytes);
  cpu_.core().begin_load(others);
  access(tlm::TLM_READ_COMMAND, bus_address, data, kLoadBytes, Operation::kRead);
  cpu_.core().end_load();
}

void HostPortModel::write_memory(void* address, const void* data, std::size_t bytes) {
  auto* in = const_cast<unsigned char*>(static_cast<const unsigned char*>(data));
  for (std::size_t done = 0; done < bytes; done += kAccessBytes)
    access(tlm::TLM_WRITE_COMMAND, to_bus_address(address) + done, in + done,
           std::min(kAccessBytes, bytes - done), Operation::kWrite);
}

void HostPortModel::memory_barrier() {
  cpu_.compute(cpu_.core().config().store);
  cpu_.drain_stores();
}

HostPortModel::ContiguousMemory HostPortModel::allocate_contiguous(std::size_t bytes,
                                                                   const char* purpose) {
  const std::uint64_t address = system_pages_.allocate(bytes);
  allocated_.push_back({address, bytes, purpose});
  return {to_kernel_address(address), address};
}

std::uint64_t HostPortModel::performance_counter() {
  return cpu_.simulation().steps.simulated() /
         (common::kSecond / kmd_host::HostPort::kPerformanceHz);
}

}  // namespace fenceline::os
