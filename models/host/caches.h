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

/// The cores' caches in front of system memory. Cores see each other's lines: one cache stands for
/// all.
///
/// Where devices snoop every access, data is always coherent and only time matters: which core
/// holds which 64-byte line; a hit is quick, a write by anybody else makes the next read miss.
///
/// Otherwise (`keeps_content`) lines of write-back mappings have bytes of their own. A store stays
/// in its line, which goes to memory as a whole when another one needs its place or when the CPU
/// asks for that; a line that has been read stays as it was. An access by a device that snoops
/// finds and ends such lines, one that does not passes them by. The place of a line is given by its
/// address. With speculative_reads the agent `host.prefetch` brings back lines that the CPU has had
/// dropped, at any time, the lowest first: programs that have used a line may use it again.
/// Source: Arm architecture, mismatched attributes and speculative accesses; assumptions A-410,
///
class Caches : public sc_core::sc_module, public common::Hashed {
 public:
  tlm_utils::multi_passthrough_target_socket<Caches> SC_NAMED(in);
  tlm_utils::simple_initiator_socket<Caches> SC_NAMED(memory);

  /// @param keeps_content there are devices that do not snoop.
  Caches(const sc_core::sc_module_name& name, common::Simulation& simulation,
         const HostConfig& config, bool keeps_content);

  std::uint64_t hits() const { return hits_; }
  std::uint64_t misses() const { return misses_; }
  bool keeps_content() const { return keeps_content_; }
  /// The aligned 64 bits at a host physical address, if a line holds them that memory will get yet.
  std::optional<std::uint64_t> unwritten(std::uint64_t address) const;
  std::uint64_t state_hash() const override;

 private:
  struct Line {
    std::uint64_t number = 0;  ///< address / 64
    bool dirty = false;
    std::array<unsigned char, common::kLineBytes> data{};
  };

  // caches.cpp: who holds what
  void transport(int id, tlm::tlm_generic_payload& payload, sc_core::sc_time& delay);
  void from_device(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay);
  void from_core(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay);
  // cache_lines.cpp: lines with content
  void read(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay);
  void write(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay);
  void snoop(const tlm::tlm_generic_payload& payload, sc_core::sc_time& delay);
  void drop_for(const tlm::tlm_generic_payload& payload, sc_core::sc_time& delay);
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
  std::unordered_map<std::uint64_t, std::uint64_t> holders_;  ///< line -> cores; looked up only
  std::unordered_map<std::uint64_t, Line> lines_;             ///< by place; looked up only
  std::uint64_t lines_hash_ = 0;                              ///< over all lines
  std::uint64_t place_ = 0;                                   ///< of cache place 0, for footprints
  /// Lines that may come back, and whether their mapping is still there. Only the agent takes out.
  std::map<std::uint64_t, bool> wanted_;
  std::uint64_t wanted_place_ = 0;  ///< of footprints
  common::Gate wanted_changed_;
  std::uint64_t hits_ = 0;
  std::uint64_t misses_ = 0;
};

}  // namespace fenceline::host
