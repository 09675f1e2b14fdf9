#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "tb/run/machine/scenario_machine.h"

namespace fenceline::run {

/// Names of the objects behind the locations that steps touch (common::Footprint), for stories.
class KnownPlaces {
 public:
  KnownPlaces() = default;
  explicit KnownPlaces(ScenarioMachine& machine);

  /// Thread whose own waits use the event at a location; null if there is none.
  const common::AgentId* thread_of(std::uint64_t location) const;
  /// The word of memory at a location, such as "the ring of Q"; empty if it is not known.
  std::string word(std::uint64_t location) const;
  /// The words in a line of system memory, such as "the header of L or entry 0 of L" or "entry 0 or
  /// 1 of L"; empty if none is known. @param line see common::Place::kMemory
  std::string line(std::uint64_t line) const;
  /// The register or interrupt message behind a line of bus addresses, such as "the doorbell of Q";
  /// empty if it is not known. @param line see common::Place::kMemory
  std::string device(std::uint64_t line) const;
  /// True for the line of a doorbell that other GPUs ring.
  bool is_peer_doorbell(std::uint64_t line) const { return peers_.count(line) != 0; }

 private:
  /// Equal parts one behind the other, or a single one.
  struct Words {
    std::uint64_t first = 0;  ///< place of the first word
    std::uint64_t count = 0;
    std::string name;
    std::uint64_t part = 0;  ///< words of a part, whose number precedes the name; 0: one part
  };

  /// Words that hold a location, and the number of its part.
  struct Found {
    const Words* words = nullptr;
    std::uint64_t part = 0;
  };
  Found find(std::uint64_t location) const;

  void add(const memory::WatchedMemory& memory, std::uint64_t address, std::uint64_t bytes,
           const std::string& name, std::uint64_t part_bytes = 0);
  void add(ScenarioMachine& machine, const os::Fence& fence, const std::string& name);
  void add(ScenarioMachine& machine, const os::Process& process, const os::HwQueue& queue);
  void add_log(ScenarioMachine& machine, const os::Process& process, const os::FenceLog& log,
               const std::string& name);

  std::map<std::uint64_t, std::string> doorbells_;   ///< of queues, by line
  std::map<std::uint64_t, std::string> peers_;       ///< peer doorbells, by line
  std::uint64_t system_ = 0;                         ///< place of the first word of system memory
  std::map<std::uint64_t, common::AgentId> events_;  ///< by place
  std::map<std::uint64_t, Words> words_;             ///< by the place of their first word
};

}  // namespace fenceline::run
