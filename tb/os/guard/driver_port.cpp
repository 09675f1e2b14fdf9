#include "tb/os/guard/driver_port.h"

#include <cstring>
#include <optional>

#include "models/abi/register_map.h"

namespace fenceline::os {

using abi::RegisterAccess;
using common::Footprint;
using common::Operation;
using common::Place;
using event::GuardedCall;

namespace {
constexpr std::uint64_t kNoValue = UINT64_MAX;  ///< what a PCIe master reads when nobody answers
constexpr std::uint64_t kWordBytes = 8;
constexpr std::uint64_t kKeptShare = 16;
}  // namespace

DriverPort::DriverPort(Cpu& cpu, HostPortModel& model, DriverGuard& guard, const pcie::BarMap& bars,
                       const Limits& limits)
    : cpu_(cpu),
      model_(model),
      guard_(guard),
      bars_(bars),
      limits_(limits),
      locks_(cpu, guard),
      ranges_(bars.vram) {
  cpu.simulation().steps.add_state(*this);
}

std::uint64_t DriverPort::state_hash() const {
  common::Hasher hasher;
  for (const SharedValue& shared : shared_) hasher.add(shared.trail);
  return hasher.value();
}

// --- Registers

bool DriverPort::good_register(std::uint64_t offset, bool write, const CallSite& site) {
  guard_.count(GuardedCall::kRegister);
  if (offset % kWordBytes != 0)
    return guard_.report(Misuse::kRegisterUnaligned, site, offset), false;
  if (abi::is_of_missing_node(offset, limits_.nodes))
    return guard_.report(Misuse::kRegisterUnknown, site, offset), false;
  switch (abi::register_access(offset)) {
    case RegisterAccess::kNone:
      return guard_.report(Misuse::kRegisterUnknown, site, offset), false;
    case RegisterAccess::kReadOnly:
      if (write) guard_.report(Misuse::kRegisterReadOnly, site, offset);
      return !write;
    case RegisterAccess::kOperatingSystem:
      if (write) guard_.report(Misuse::kRegisterOfSystem, site, offset);
      return !write;
    case RegisterAccess::kWritable:
      break;
  }
  return true;
}

std::uint64_t DriverPort::read_register(std::uint64_t offset, const CallSite& site) {
  if (!good_register(offset, false, site)) return kNoValue;
  return guard_.pass([&] { return model_.read_register(offset); });
}

void DriverPort::write_register(std::uint64_t offset, std::uint64_t value, const CallSite& site) {
  if (!good_register(offset, true, site)) return;
  if (!abi::register_takes(offset, value))
    return guard_.report(Misuse::kRegisterValue, site, value);
  guard_.pass([&] { model_.write_register(offset, value); });
}

bool DriverPort::poll_register(std::uint64_t offset, std::uint64_t value, const CallSite& site) {
  if (!good_register(offset, false, site)) return false;
  return guard_.pass([&] { return model_.poll_register(offset, value); });
}

// --- Memory by kernel address

std::optional<Misuse> DriverPort::fault_of(const void* address, std::uint64_t bytes) const {
  const std::uint64_t bus = to_bus_address(address);
  if (address == nullptr) return Misuse::kAddressNull;
  if (reinterpret_cast<std::uint64_t>(address) < kKernelBase || !ranges_.contains(bus, 1))
    return Misuse::kAddressUnmapped;
  if (bus % kWordBytes != 0) return Misuse::kAddressUnaligned;
  if (!ranges_.contains(bus, bytes)) return Misuse::kRangeTooLong;
  return std::nullopt;
}

bool DriverPort::good_address(const void* address, std::uint64_t bytes, const CallSite& site) {
  guard_.count(GuardedCall::kAddress);
  const std::optional<Misuse> fault = fault_of(address, bytes);
  if (fault) guard_.report(*fault, site, bytes);
  return !fault;
}

bool DriverPort::good_answer(const void* address, std::uint64_t bytes, Ddi ddi) {
  const std::optional<Misuse> fault = fault_of(address, bytes);
  if (fault) guard_.report(*fault, ddi, bytes);
  return !fault;
}

bool DriverPort::good_copy(const void* address, const void* data, std::size_t bytes,
                           const CallSite& site) {
  if (data == nullptr) return guard_.report(Misuse::kDataNull, site), false;
  if (bytes == 0) return guard_.report(Misuse::kBytesNone, site), false;
  if (bytes % kWordBytes != 0) return guard_.report(Misuse::kBytesUneven, site, bytes), false;
  return good_address(address, bytes, site);
}

std::uint64_t DriverPort::read_memory(const void* address, const CallSite& site) {
  if (!good_address(address, kWordBytes, site)) return kNoValue;
  return guard_.pass([&] { return model_.read_memory(address); });
}

void DriverPort::write_memory(void* address, std::uint64_t value, const CallSite& site) {
  if (good_address(address, kWordBytes, site))
    guard_.pass([&] { model_.write_memory(address, value); });
}

void DriverPort::read_memory(const void* address, void* data, std::size_t bytes,
                             const CallSite& site) {
  if (good_copy(address, data, bytes, site))
    guard_.pass([&] { model_.read_memory(address, data, bytes); });
  else if (data != nullptr)
    std::memset(data, 0xFF, bytes);
}

void DriverPort::write_memory(void* address, const void* data, std::size_t bytes,
                              const CallSite& site) {
  if (good_copy(address, data, bytes, site))
    guard_.pass([&] { model_.write_memory(address, data, bytes); });
}

void DriverPort::memory_barrier() {
  guard_.pass([&] { model_.memory_barrier(); });
}

void* DriverPort::give(std::uint64_t bus_address, std::uint64_t bytes) {
  ranges_.give(bus_address, bytes);
  return to_kernel_address(bus_address);
}

// --- Memory and mappings

/// Source: WDK, MmAllocateContiguousMemory and MmMapIoSpace: up to DISPATCH_LEVEL.
bool DriverPort::may_map(std::size_t bytes, const CallSite& site) {
  guard_.count(GuardedCall::kMemory);
  const KIRQL irql = cpu_.irql();
  if (irql > DISPATCH_LEVEL) return guard_.report(Misuse::kMemoryIrql, site, irql), false;
  if (bytes == 0) return guard_.report(Misuse::kMemoryNone, site), false;
  return true;
}

kmd_host::HostPort::ContiguousMemory DriverPort::allocate_contiguous(std::size_t bytes,
                                                                     const CallSite& site) {
  if (!may_map(bytes, site)) return {};
  // The OS keeps some memory for itself: A-867.
  const std::uint64_t left = model_.contiguous_left();
  const std::uint64_t kept = limits_.system_memory / kKeptShare;
  if (left <= kept || bytes > left - kept) return {};
  const auto memory = model_.allocate_contiguous(bytes);
  ranges_.add(memory.physical_address, bytes);
  return memory;
}

void* DriverPort::map_physical(std::uint64_t address, std::size_t bytes, bool vram,
                               const CallSite& site) {
  if (!may_map(bytes, site)) return nullptr;
  const auto fits = [&](std::uint64_t first, std::uint64_t size) {
    return address - first < size && bytes <= size - (address - first);
  };
  const MemoryResource bar = model_.vram_bar();
  if (vram ? !fits(0, limits_.vram)
           : !fits(0, limits_.system_memory) && !fits(bar.address, bar.bytes))
    return guard_.report(vram ? Misuse::kMapNoVram : Misuse::kMapNoMemory, site, address), nullptr;
  const std::uint64_t bus = vram ? bars_.vram + address : address;
  ranges_.add(bus, bytes);
  return to_kernel_address(bus);
}

void* DriverPort::map_doorbell(std::uint32_t page, const CallSite& site) {
  if (!may_map(abi::kDoorbellStride, site)) return nullptr;
  const bool of_node = page >= abi::kNodeDoorbell && page - abi::kNodeDoorbell < limits_.nodes;
  if (page >= abi::kQueueSlots && !of_node)
    return guard_.report(Misuse::kMapNoDoorbell, site, page), nullptr;
  const std::uint64_t bus = bars_.doorbells + page * abi::kDoorbellStride;
  ranges_.add(bus, abi::kDoorbellStride);
  return to_kernel_address(bus);
}

// --- Locks, shared values, state

DriverPort::LockId DriverPort::create_lock() { return locks_.create(driver_state()); }

void DriverPort::acquire_lock(LockId lock, const CallSite& site) {
  guard_.count(GuardedCall::kLock);
  guard_.pass([&] { locks_.acquire(lock, site); });
}

void DriverPort::release_lock(LockId lock, const CallSite& site) {
  guard_.count(GuardedCall::kLock);
  guard_.pass([&] { locks_.release(lock, site); });
}

std::uint32_t DriverPort::create_shared() {
  shared_.push_back({cpu_.simulation().steps.new_place(), 0});
  return static_cast<std::uint32_t>(shared_.size() - 1);
}

void DriverPort::touch_shared(std::uint32_t id, bool write, const CallSite& site) {
  guard_.count(GuardedCall::kLock);
  if (id >= shared_.size()) return guard_.report(Misuse::kSharedUnknown, site, id);
  const std::uint64_t place = shared_[id].place;
  common::Steps& steps = cpu_.simulation().steps;
  guard_.pass([&] {
    steps.step(write ? Operation::kWrite : Operation::kRead,
               write ? Footprint().writes(Place::kRegister, place)
                     : Footprint().reads(Place::kRegister, place));
    steps.touch(Place::kRegister, place, write);
  });
  if (write)
    steps.publish(shared_[id].trail);
  else
    steps.observe(shared_[id].trail);
}

void DriverPort::expose_state(StateHash hash, const void* state, const CallSite& site) {
  if (hash == nullptr || state == nullptr) return guard_.report(Misuse::kStateNull, site);
  driver_.hash = hash;
  driver_.state = state;
  locks_.set_content(driver_state());
}

}  // namespace fenceline::os
