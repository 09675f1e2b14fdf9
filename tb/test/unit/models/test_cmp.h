#pragma once

#include <algorithm>
#include <catch2/catch.hpp>
#include <cstring>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <tlm_utils/simple_initiator_socket.h>
#include <tlm_utils/simple_target_socket.h>
#include <vector>

#include "models/cmp/cmp.h"

/// The CMP with a memory, a host, a command processor and engines that take notes.
namespace fenceline::test_cmp {

using cmp::Cmp;
using common::Barrier;
using common::Operation;
using common::Ordering;

constexpr std::uint32_t kSlot = 3, kOtherSlot = 5;
constexpr std::uint64_t kCurrent = 0x1000, kMonitored = 0x2000;  ///< values of fence slot 0
constexpr std::uint64_t kShadows = 0x8000, kRing = 0x100000;
constexpr std::uint64_t kRingEntries = 4;
constexpr std::uint32_t kAdapter = 7, kSpace = 9, kFenceObject = 40;
/// Time after which everything has settled that is not busy.
constexpr common::Time kLong = common::kMillisecond;

/// One access that the CMP has made.
struct Access {
  std::string to;
  tlm::tlm_command command;
  std::uint64_t address;
  std::uint64_t value;  ///< of a write, its first 8 bytes
  unsigned bytes;
  common::Attributes attributes;
  std::vector<unsigned char> data;
};

/// Answers at once, from its words, and notes the access.
struct Target : sc_core::sc_module {
  tlm_utils::simple_target_socket<Target> SC_NAMED(socket);
  std::vector<Access>& seen;
  std::map<std::uint64_t, std::uint64_t> words;
  std::set<std::uint64_t> unmapped;
  common::Time busy = 0;           ///< [ps] that a barrier for all engines takes
  std::function<void()> on_write;  ///< runs before each write

  Target(const sc_core::sc_module_name& name, std::vector<Access>& list)
      : sc_module(name), seen(list) {
    socket.register_b_transport(this, &Target::transport);
    socket.register_transport_dbg(this, &Target::debug);
  }
  void transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) {
    if (payload.is_write() && on_write) on_write();
    const common::Attributes& attributes = common::attributes_of(payload);
    const unsigned char* const data = payload.get_data_ptr();
    Access access{basename(), payload.get_command(),     payload.get_address(),
                  0,          payload.get_data_length(), attributes,
                  {}};
    if (payload.is_write() && data != nullptr) {
      access.data.assign(data, data + access.bytes);
      std::memcpy(&access.value, data, std::min<std::size_t>(8, access.bytes));
      words[access.address] = access.value;
    }
    seen.push_back(access);
    payload.set_response_status(tlm::TLM_OK_RESPONSE);
    if (attributes.barrier == Barrier::kDrain) delay += common::kernel_time(busy);
    if (unmapped.count(access.address) != 0)
      payload.set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE);
    else if (payload.is_read())
      std::memcpy(payload.get_data_ptr(), &words[access.address], 8);
  }
  /// Physical addresses are the virtual ones. Not const: the socket takes no such function.
  // NOLINTNEXTLINE(readability-make-member-function-const)
  unsigned debug(tlm::tlm_generic_payload& payload) {
    CHECK(payload.get_data_length() == 0);
    return unmapped.count(payload.get_address()) == 0 ? 1 : 0;
  }
};

struct Source : sc_core::sc_module {
  tlm_utils::simple_initiator_socket<Source> SC_NAMED(socket);
  explicit Source(const sc_core::sc_module_name& name) : sc_module(name) {}
};

/// Keeps all events.
struct Events : common::EventSink {
  std::vector<common::Event> all;
  void on_event(const common::Event& event) override { all.push_back(event); }
  template <class E>
  std::vector<E> of() const {
    std::vector<E> result;
    for (const common::Event& event : all)
      if (event.is<E>()) result.push_back(event.as<E>());
    return result;
  }
};

inline cmp::Identity identity(bool whole_stores = true) {
  cmp::Identity result;
  result.adapter = kAdapter;
  result.engines = 2;
  result.whole_stores = whole_stores;
  return result;
}

struct Bench {
  common::Simulation simulation;
  Events events;
  std::vector<Access> seen;
  common::GpuClock clock{simulation.steps, {}};
  common::FenceNames fences{abi::kFenceSlots};
  common::Watches vram, system, shadows;
  const std::uint64_t last_place;  ///< before those of the CMP
  Cmp it;
  Source registers{"registers"}, notices{"notices"}, logs{"logs"};
  Target memory{"memory", seen}, host{"host", seen}, rescans{"rescans", seen};
  Target engine0{"engine0", seen}, engine1{"engine1", seen};

  explicit Bench(const Ordering& ordering = {}, const cmp::CmpConfig& config = {},
                 const cmp::Identity& who = identity())
      : simulation(ordering),
        last_place(simulation.steps.new_place()),
        it("cmp", simulation, "cmp", config, who, clock, fences, {{&vram, &system}, &shadows}) {
    simulation.events.subscribe(events);
    registers.socket.bind(it.registers);
    notices.socket.bind(it.notices);
    logs.socket.bind(it.log_writes);
    it.memory.bind(memory.socket);
    it.host.bind(host.socket);
    it.rescans.bind(rescans.socket);
    it.engines.bind(engine0.socket);
    it.engines.bind(engine1.socket);
  }

  void send(Source& by, std::uint64_t address, void* data, std::size_t bytes) {
    auto write = simulation.transactions.lend(tlm::TLM_WRITE_COMMAND, address, data, bytes);
    sc_core::sc_time delay;
    by.socket->b_transport(write->payload, delay);
    CHECK(write->payload.is_response_ok());
  }
  void store(std::uint64_t at, std::uint64_t value) { send(registers, at, &value, sizeof value); }
  std::uint64_t load(std::uint64_t at, Operation operation = Operation::kIdle,
                     std::uint64_t at_least = 0) {
    std::uint64_t value = 0;
    auto read = simulation.transactions.lend(tlm::TLM_READ_COMMAND, at, &value, sizeof value);
    read->attributes.operation = operation;
    read->attributes.at_least = at_least;
    sc_core::sc_time delay;
    registers.socket->b_transport(read->payload, delay);
    CHECK(read->payload.is_response_ok());
    return value;
  }
  void notice(common::SignalNotice what) { send(notices, 0, &what, sizeof what); }
  void signaled(std::uint32_t engine, std::uint32_t slot, std::uint64_t value,
                std::uint32_t queue = 1) {
    notice({engine, slot, queue, 100 + queue, value});
  }

  /// The interrupt ring, the shadows and two fences are there.
  void begin() {
    sc_core::sc_start(sc_core::SC_ZERO_TIME);  // sockets are bound from here on
    store(abi::kInterruptRingBase, kRing);
    store(abi::kInterruptRingEntries, kRingEntries);
    store(abi::kInterruptEnable, 1);
    store(abi::kShadowBase, kShadows);
    for (const std::uint32_t slot : {kSlot, kOtherSlot}) {
      make(slot);
      fences.set(slot, kFenceObject + slot);
    }
    settle();
    seen.clear();
    events.all.clear();
  }
  void make(std::uint32_t slot, std::uint64_t control = abi::kFenceValid) {
    field(slot, abi::kFenceCurrentValue, kCurrent + 8 * slot);
    field(slot, abi::kFenceMonitoredValue, kMonitored + 8 * slot);
    field(slot, abi::kFenceSpace, kSpace);
    field(slot, abi::kFenceControl, control);
  }
  void field(std::uint32_t slot, std::uint64_t at, std::uint64_t value) {
    store(abi::kFenceTable + abi::kFenceEntryBytes * slot + at, value);
  }
  void values(std::uint32_t slot, std::uint64_t current, std::uint64_t monitored) {
    memory.words[kCurrent + 8 * slot] = current;
    memory.words[kMonitored + 8 * slot] = monitored;
  }
  /// The CMP reads this MonitoredValue, and CurrentValue is below.
  void monitor(std::uint32_t slot, std::uint64_t monitored) {
    values(slot, 0, monitored);
    store(abi::kMonitoredUpdate, slot);
    settle();
    seen.clear();
    events.all.clear();
  }
  void settle() { sc_core::sc_start(common::kernel_time(kLong)); }

  /// Accesses to one target, without the reads of other targets.
  std::vector<Access> to(const std::string& target) const {
    std::vector<Access> result;
    for (const Access& access : seen)
      if (access.to == target) result.push_back(access);
    return result;
  }
  /// Entries of the interrupt ring.
  std::vector<abi::InterruptEntry> entries() const {
    std::vector<abi::InterruptEntry> result;
    for (const Access& access : to("host"))
      if (access.bytes == sizeof(abi::InterruptEntry)) {
        result.emplace_back();
        std::memcpy(&result.back(), access.data.data(), sizeof result.back());
      }
    return result;
  }
  std::size_t messages() const {
    std::size_t count = 0;
    for (const Access& access : to("host")) count += access.bytes == 4 ? 1 : 0;
    return count;
  }
};

/// One word for the kind of an access.
inline std::string word(const Access& access) {
  const common::Attributes& with = access.attributes;
  if (with.barrier == Barrier::kSelf) return "self";
  if (with.barrier == Barrier::kDrain) return "drain";
  if (with.barrier == Barrier::kSync) return "sync";
  if (with.barrier == Barrier::kLogs) return "logs";
  if (access.to == "host") return access.bytes == 4 ? "message" : "entry";
  if (access.to != "memory") return access.to;
  if (access.address >= kShadows) return "shadow";
  return access.address >= kMonitored ? "monitored" : "current";
}
using Words = std::vector<std::string>;
inline Words words(const Bench& bench) {
  Words result;
  for (const Access& access : bench.seen) result.push_back(word(access));
  return result;
}
inline bool barrier_is_bare(const Access& access) {
  return access.command == tlm::TLM_IGNORE_COMMAND && access.address == 0 && access.bytes == 0;
}

}  // namespace fenceline::test_cmp
