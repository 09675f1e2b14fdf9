#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "tb/check/core/world.h"

namespace fenceline::check {

constexpr std::uint64_t kWord = 8;   ///< [bytes] contents are kept and compared in words
constexpr std::uint64_t kLine = 64;  ///< [bytes] of caches

/// Memory that the OS manages: I81 to I86 and I108. Keeps a copy of what each allocation should
/// hold, from the stores of CPU and engines alone, and compares it with what is read, and with the
/// whole content each time that it has been moved.
class MemoryChecks : public Checks<MemoryChecks> {
 public:
  explicit MemoryChecks(World& world) : Checks(world) {}

  void on(const common::At<event::AddressSpace>& event);
  void on(const common::At<event::AllocationCreated>& event);
  void on(const common::At<event::AllocationPlaced>& event);
  void on(const common::At<event::AllocationLocked>& event);
  void on(const common::At<event::AllocationUnlocked>& event);
  void on(const common::At<event::AllocationDestroyed>& event);
  void on(const common::At<event::AllocationMapped>& event);
  void on(const common::At<event::CpuStore>& event);
  void on(const common::At<event::CpuLoad>& event);
  void on(const common::At<event::GpuStore>& event);
  void on(const common::At<event::GpuCopy>& event);
  void on(const common::At<event::GpuLoad>& event);
  void on(const common::At<event::CacheMaintained>& event);
  void on(const common::At<event::CombiningDrained>& event);
  void on(const common::At<event::GpuTraffic>& event);
  void on(const common::At<event::PacketBegin>& event);
  void on(const common::At<event::HostAperture>& event);
  void on(const common::At<event::AdapterPower>& event);
  void add_to(Canonical& hash) const override;

 private:
  /// Who wrote something last; messages alone need it.
  struct Writer {
    common::AgentId agent = 0;
    bool engine = false;
    std::uint64_t buffers = 0;  ///< as in Place, of an engine
    std::uint64_t packets = 0;
    std::uint64_t opcode = 0;
    std::uint64_t time = 0;
    std::uint32_t core = 0;   ///< whose write-combining buffers took it; 0: none
    std::uint64_t order = 0;  ///< among what buffers took and sent
  };
  /// A core has sent its write-combined stores.
  struct Drained {
    std::uint64_t time = 0;
    event::CombiningDrain why = event::CombiningDrain::kFence;
    std::uint64_t order = 0;
  };
  /// Caches were maintained for a range; messages alone need it.
  struct Maintained {
    std::uint64_t offset = 0;
    std::uint64_t bytes = 0;
    std::uint64_t time = 0;
    event::CacheCall caller = event::CacheCall::kUserMode;
  };
  /// What an allocation should be.
  struct Allocation {
    std::uint64_t address = 0;  ///< GPU virtual
    std::uint64_t bytes = 0;
    std::map<std::uint64_t, std::uint64_t> words;  ///< by number; those that are not 0
    event::Placement placement = event::Placement::kSystem;
    std::uint32_t locks = 0;
    bool pinned = false;
    bool alive = true;
    bool lost = false;  ///< nobody knows what is in it
    bool mapped = false;
    event::MapMode mode = event::MapMode::kRead;
    std::map<std::uint64_t, Writer> writers;  ///< by line
    std::vector<Maintained> maintained;       ///< the latest, by time

    std::uint64_t word(std::uint64_t number) const;
    void store(std::uint64_t number, std::uint64_t value);
    std::uint64_t hash() const;
  };
  /// Allocations of one address space, by their start.
  using Space = std::map<std::uint64_t, std::uint32_t>;
  /// Where the front end of an engine is.
  struct Place {
    std::uint64_t buffers = 0;  ///< completed
    std::uint64_t packets = 0;  ///< of the next one
    std::uint64_t opcode = 0;
    // Of the copy that it makes.
    std::uint64_t source = 0;
    std::uint64_t destination = 0;
  };

  /// Number of the allocation that an engine reaches at an address; 0 if there never was one.
  std::uint32_t find(std::uint64_t adapter, std::uint64_t vmid, std::uint64_t address) const;
  void judge_use(common::AgentId engine, std::uint32_t number, std::uint64_t address, bool writes);
  std::string packet(common::AgentId engine) const;
  // memory_coherency.cpp
  void note_writer(common::AgentId agent, bool engine, std::uint32_t number, std::uint64_t offset,
                   std::uint64_t bytes);
  std::string describe(const Writer& writer) const;
  void stale_load(const common::At<event::CpuLoad>& event, std::uint64_t wanted);
  std::string last_writer(std::uint32_t number, std::uint64_t offset) const;
  std::string missing_call(std::uint32_t number, std::uint64_t offset, bool read_by_engine) const;
  std::string quoted(std::uint32_t number) const;
  // memory_combining.cpp
  const Writer* combined_writer(std::uint32_t number, std::uint64_t offset) const;
  /// What a load has found.
  struct Load {
    common::AgentId agent;
    bool by_cpu;  ///< else by an engine
    std::uint64_t value;
  };
  bool judge_combined(const Load& load, std::uint32_t number, std::uint64_t offset);
  std::string missing_fence(const Writer& writer) const;
  std::uint64_t combined_hash() const;

  std::map<std::uint64_t, std::uint64_t> roots_;  ///< adapter << 32 | VMID to its root
  std::map<std::pair<std::uint64_t, std::uint64_t>, Space> spaces_;  ///< by adapter, root
  std::map<std::uint32_t, Allocation> allocations_;
  std::map<common::AgentId, Place> places_;
  std::map<std::uint64_t, std::set<std::uint64_t>> windows_;  ///< by adapter: pages that lead on
  std::map<std::uint32_t, Drained> drained_;                  ///< by core: the last time
  std::uint64_t order_ = 0;  ///< of the next store into a write-combining buffer, or drain
};

}  // namespace fenceline::check
