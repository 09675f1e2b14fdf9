#pragma once

#include <cstdint>
#include <tlm>

#include "models/common/simulation.h"
#include "models/common/watches.h"
#include "models/memory/sparse_memory.h"

namespace fenceline::memory {

/// Memory bytes with events for changes of fence values, shadows and logs.
class WatchedMemory : public common::Hashed {
 public:
  /// @param space_bit abi::kSystemMemoryBit for host memory, 0 for VRAM. It is added to addresses
  /// that are looked up in `watches` and named in footprints.
  WatchedMemory(common::Simulation& simulation, std::uint64_t size_bytes, std::uint64_t space_bit)
      : simulation_(simulation),
        bytes_(size_bytes),
        space_bit_(space_bit),
        place_(simulation.steps.new_place() << 36) {
    simulation.steps.add_state(*this);
  }

  /// One whole access without time. Sets the response: ADDRESS_ERROR past the end.
  void access(tlm::tlm_generic_payload& payload);

  /// Same as a read, but for a cache line fill: it reports no values.
  void fetch(const tlm::tlm_generic_payload& payload);

  SparseMemory& bytes() { return bytes_; }
  /// Index of the word at `address` in footprints, of the kind common::Place::kMemory.
  std::uint64_t place_of(std::uint64_t address) const { return place_ + address / 8; }
  common::Watches& watches() { return watches_; }
  /// Covers everything written while exploring.
  std::uint64_t state_hash() const override { return hash_; }

 private:
  void load_early(tlm::tlm_generic_payload& payload);
  void report_read(const common::Watch& watch, const tlm::tlm_generic_payload& payload,
                   event::Reader reader);
  void report_write(const common::Watch& watch, tlm::tlm_generic_payload& payload);
  void report_log_write(const common::Watch& watch, std::uint64_t address, std::size_t length);

  common::Simulation& simulation_;
  SparseMemory bytes_;
  common::Watches watches_;
  void touch(std::uint64_t address, std::size_t length, bool write);
  void toggle(std::uint64_t address, std::size_t length);

  std::uint64_t space_bit_;
  std::uint64_t place_;     ///< footprint place of line 0
  std::uint64_t hash_ = 0;  ///< over all words; independent of the order of writes
};

}  // namespace fenceline::memory
