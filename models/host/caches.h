#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <systemc>
#include <tlm_utils/multi_passthrough_target_socket.h>
#include <tlm_utils/simple_initiator_socket.h>
#include <unordered_map>

#include "models/common/simulation.h"
#include "models/host/config.h"

namespace fenceline::host {

/// The cores' caches in front of system memory. Cores are coherent among each other: one cache
/// models all.
///
/// If devices snoop every access, data is always coherent and only time is modelled: which core
/// holds which 64-byte line. A hit is fast; a write by another agent makes the next read miss.
///
/// Otherwise (`keeps_content`) lines of write-back mappings have their own bytes. A store stays in
/// its line. The whole line goes to memory when another line needs its place or when the CPU asks
/// for it. A line that was read keeps its old bytes. A snooping device sees such lines and its
/// writes drop them; a non-snooping device bypasses them. The address of a line selects its place.
/// With speculative_reads the agent `host.prefetch` refetches lines that the CPU has dropped, at
/// any time, lowest address first: a program that used a line may use it again. Source: Arm
/// architecture, mismatched attributes and speculative accesses; assumptions.
class Caches : public sc_core::sc_module, public common::Hashed {
 public:
  tlm_utils::multi_passthrough_target_socket<Caches> SC_NAMED(in);
  tlm_utils::simple_initiator_socket<Caches> SC_NAMED(memory);

  /// @param keeps_content true if some device does not snoop.
  Caches(const sc_core::sc_module_name& name, common::Simulation& simulation,
         const HostConfig& config, bool keeps_content);

  bool keeps_content() const { return keeps_content_; }
  /// The aligned 64 bits at a host physical address, if they are in a dirty line.
  std::optional<std::uint64_t> unwritten(std::uint64_t address) const;
  std::uint64_t state_hash() const override;

 private:
  struct Line {
    std::uint64_t number = 0;  ///< address / 64
    bool dirty = false;
    std::array<unsigned char, common::kLineBytes> data{};
  };

  // caches.cpp: ownership of lines
  void transport(int id, tlm::tlm_generic_payload& payload, sc_core::sc_time& delay);
  void from_device(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay);
  void from_core(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay);
  // cache_lines.cpp: lines with content
  void read(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay);
  void write(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay);
  void snoop(const tlm::tlm_generic_payload& payload, sc_core::sc_time& delay);
  void maintain(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay);
  void maintain_line(std::uint64_t number, common::CacheMaintenance what, sc_core::sc_time& delay);
  Line* find(std::uint64_t number);
  Line& fill(std::uint64_t number);
  void write_back(Line& line, sc_core::sc_time& delay);
  void drop(std::uint64_t number);
  void toggle(const Line& line);
  void touch(std::uint64_t number, bool write) const;
  void touch_wanted() const;
  void speculate();

  common::Simulation& simulation_;
  const HostConfig config_;
  const bool keeps_content_;
  std::unordered_map<std::uint64_t, std::uint64_t>
      holders_;                                    ///< line -> bits of cores; never iterated
  std::unordered_map<std::uint64_t, Line> lines_;  ///< by place; never iterated
  std::uint64_t lines_hash_ = 0;                   ///< sum over all lines
  std::uint64_t place_ = 0;                        ///< footprint place of cache place 0
  /// Lines that may be refetched, and whether their mapping still exists. Only the agent removes
  /// entries.
  std::map<std::uint64_t, bool> wanted_;
  std::uint64_t wanted_place_ = 0;  ///< for footprints
  common::Gate wanted_changed_;
};

}  // namespace fenceline::host
