#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "tb/check/world.h"

namespace fenceline::check {

constexpr std::uint64_t kWord = 8;   ///< [bytes] contents are kept and compared in words
constexpr std::uint64_t kLine = 64;  ///< [bytes] of caches

/// Memory that the OS manages: I81 to I86 and I108. Keeps a copy of what each allocation should
/// hold, from the stores of CPU and engines alone, and compares it with what is read, and with the
/// whole content each time that it has been moved.
class MemoryChecks {
 public:
  explicit MemoryChecks(World& world) : world_(world) {}

  void on_address_space(const common::Event& event);
  void on_created(const common::Event& event);
  void on_placed(const common::Event& event);
  void on_locked(const common::Event& event);
  void on_unlocked(const common::Event& event);
  void on_destroyed(const common::Event& event);
  void on_mapped(const common::Event& event);
  void on_cpu_store(const common::Event& event);
  void on_cpu_load(const common::Event& event);
  void on_gpu_store(const common::Event& event);
  void on_gpu_copy(const common::Event& event);
  void on_gpu_load(const common::Event& event);
  void on_cache_maintained(const common::Event& event);
  void on_combining_drained(const common::Event& event);
  void on_gpu_traffic(const common::Event& event);
  void on_packet(const common::Event& event);
  void on_host_aperture(const common::Event& event);
  void on_power(const common::Event& event);
  void clear() { *this = MemoryChecks(world_); }
  MemoryChecks& operator=(const MemoryChecks& other);
  MemoryChecks(const MemoryChecks& other) = default;
  void add_to(Canonical& hash) const;

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
    common::CombiningDrain why = common::CombiningDrain::kFence;
    std::uint64_t order = 0;
  };
  /// Caches were maintained for a range; messages alone need it.
  struct Maintained {
    std::uint64_t offset = 0;
    std::uint64_t bytes = 0;
    std::uint64_t time = 0;
    common::CacheCall caller = common::CacheCall::kUserMode;
  };
  /// What an allocation should be.
  struct Allocation {
    std::uint64_t address = 0;  ///< GPU virtual
    std::uint64_t bytes = 0;
    std::map<std::uint64_t, std::uint64_t> words;  ///< by number; those that are not 0
    common::Placement placement = common::Placement::kSystem;
    std::uint32_t locks = 0;
    bool pinned = false;
    bool alive = true;
    bool lost = false;  ///< nobody knows what is in it
    bool mapped = false;
    common::MapMode mode = common::MapMode::kRead;
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
  void judge_use(const common::Event& event, std::uint32_t number, std::uint64_t address,
                 bool writes);
  std::string packet(const common::Event& event) const;
  // memory_coherency.cpp
  void note_writer(const common::Event& event, bool engine, std::uint32_t number,
                   std::uint64_t offset, std::uint64_t bytes);
  std::string describe(const Writer& writer) const;
  void stale_load(const common::Event& event, std::uint64_t wanted);
  std::string last_writer(std::uint32_t number, std::uint64_t offset) const;
  std::string missing_call(std::uint32_t number, std::uint64_t offset, bool read_by_engine) const;
  std::string quoted(std::uint32_t number) const;
  // memory_combining.cpp
  const Writer* combined_writer(std::uint32_t number, std::uint64_t offset) const;
  bool judge_combined(const common::Event& event, std::uint32_t number, std::uint64_t offset);
  std::string missing_fence(const Writer& writer) const;
  std::uint64_t combined_hash() const;

  World& world_;
  std::map<std::uint64_t, std::uint64_t> roots_;  ///< adapter << 32 | VMID to its root
  std::map<std::uint64_t, Space> spaces_;         ///< by adapter << 48 | root
  std::map<std::uint32_t, Allocation> allocations_;
  std::map<common::AgentId, Place> places_;
  std::map<std::uint64_t, std::set<std::uint64_t>> windows_;  ///< by adapter: pages that lead on
  std::map<std::uint32_t, Drained> drained_;                  ///< by core: the last time
  std::uint64_t order_ = 0;  ///< of the next store into a write-combining buffer, or drain
};

}  // namespace fenceline::check
