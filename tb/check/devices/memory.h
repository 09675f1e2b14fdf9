#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "tb/check/core/world.h"

namespace fenceline::check {

constexpr std::uint64_t kWord = 8;   ///< [bytes] unit in which contents are kept and compared
constexpr std::uint64_t kLine = 64;  ///< [bytes] size of a cache line

/// Memory that the OS manages: I81 to I86 and I108. Keeps a copy of the expected content of each
/// allocation, from the stores of CPU and engines alone. Compares it with each read, and with the
/// whole content after each move.
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
  void on(const common::At<event::BoundUse>& event) { bound_.insert(event.adapter); }
  void on(const common::At<event::PacketBegin>& event);
  void on(const common::At<event::HostAperture>& event);
  void on(const common::At<event::AdapterPower>& event);
  void add_to(Canonical& hash) const override;

 private:
  /// The last writer of a line, for messages only.
  struct Writer {
    common::AgentId agent = 0;
    bool engine = false;
    std::uint64_t buffers = 0;  ///< as in Place, for an engine
    std::uint64_t packets = 0;
    std::uint64_t opcode = 0;
    std::uint64_t time = 0;
    std::uint32_t core = 0;   ///< core whose write-combining buffers took the store, 0: none
    std::uint64_t order = 0;  ///< number among stores into buffers and drains
  };
  /// A core has sent its write-combined stores.
  struct Drained {
    std::uint64_t time = 0;
    event::CombiningDrain why = event::CombiningDrain::kFence;
    std::uint64_t order = 0;
  };
  /// Cache maintenance of a range, for messages only.
  struct Maintained {
    std::uint64_t offset = 0;
    std::uint64_t bytes = 0;
    std::uint64_t time = 0;
    event::CacheCall caller = event::CacheCall::kUserMode;
  };
  /// The expected state of an allocation.
  struct Allocation {
    std::uint64_t address = 0;  ///< GPU virtual
    std::uint64_t bytes = 0;
    std::map<std::uint64_t, std::uint64_t> words;  ///< by number; only words that are not 0
    event::Placement placement = event::Placement::kSystem;
    std::uint32_t locks = 0;
    bool pinned = false;
    bool alive = true;
    bool lost = false;  ///< its content is unknown
    bool mapped = false;
    event::MapMode mode = event::MapMode::kRead;
    std::map<std::uint64_t, Writer> writers;  ///< by line
    std::vector<Maintained> maintained;       ///< the latest calls, by time

    std::uint64_t word(std::uint64_t number) const;
    void store(std::uint64_t number, std::uint64_t value);
    std::uint64_t hash() const;
  };
  /// Allocations of one address space, by start address.
  using Space = std::map<std::uint64_t, std::uint32_t>;
  /// Position of an engine's front end.
  struct Place {
    std::uint64_t buffers = 0;  ///< number of completed buffers
    std::uint64_t packets = 0;  ///< number of the next packet
    std::uint64_t opcode = 0;
    // The copy that it runs.
    std::uint64_t source = 0;
    std::uint64_t destination = 0;
  };

  /// Number of the allocation that an engine reaches at an address; 0 if there never was one.
  std::uint32_t find(std::uint64_t adapter, std::uint64_t vmid, std::uint64_t address) const;
  /// What holds the bytes at an address: the allocation with this number, or for 0 all memory of
  /// the address space that the OS does not manage. Null for an unknown space.
  Allocation* holder(std::uint32_t number, std::uint64_t adapter, std::uint64_t vmid);
  void judge_use(common::AgentId engine, std::uint32_t number, std::uint64_t address, bool writes);
  std::string packet(common::AgentId engine) const;
  // Defined in memory_coherency.cpp.
  void note_writer(common::AgentId agent, bool engine, std::uint32_t number, std::uint64_t offset,
                   std::uint64_t bytes);
  std::string describe(const Writer& writer) const;
  void stale_load(const common::At<event::CpuLoad>& event, std::uint64_t wanted);
  std::string last_writer(std::uint32_t number, std::uint64_t offset) const;
  std::string missing_call(std::uint32_t number, std::uint64_t offset, bool read_by_engine) const;
  std::string quoted(std::uint32_t number) const;
  // Defined in memory_combining.cpp.
  const Writer* combined_writer(std::uint32_t number, std::uint64_t offset) const;
  /// The result of a load.
  struct Load {
    common::AgentId agent;
    bool by_cpu;  ///< false: by an engine
    std::uint64_t value;
  };
  bool judge_combined(const Load& load, std::uint32_t number, std::uint64_t offset);
  std::string missing_fence(const Writer& writer) const;
  std::uint64_t combined_hash() const;

  /// Adapter << 32 | VMID to the root of its page table.
  std::map<std::uint64_t, std::uint64_t> roots_;
  std::map<std::pair<std::uint64_t, std::uint64_t>, Space> spaces_;  ///< by adapter and root
  std::map<std::uint32_t, Allocation> allocations_;
  /// Memory that the OS does not manage, by adapter and root.
  std::map<std::pair<std::uint64_t, std::uint64_t>, Allocation> fixed_;
  /// Adapters whose work uses bound slots: what that writes to fixed allocations is not known.
  std::set<std::uint64_t> bound_;
  std::map<common::AgentId, Place> places_;
  /// Mapped pages of the CpuHostAperture, by adapter.
  std::map<std::uint64_t, std::set<std::uint64_t>> windows_;
  std::map<std::uint32_t, Drained> drained_;  ///< last drain, by core
  std::uint64_t order_ = 0;  ///< number of the next store into a write-combining buffer, or drain
};

}  // namespace fenceline::check
