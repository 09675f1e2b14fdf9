#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <utility>

#include "tb/check/world.h"

namespace fenceline::check {

/// Devices in error: I123, that all their work ends, and I124, what becomes of fences that a reset
/// is to leave alone.
class DeviceErrorChecks {
 public:
  explicit DeviceErrorChecks(World& world) : world_(world) {}

  void on_error(const common::Event& event);
  /// A context or a hardware context is known to belong to a process.
  void on_packet(const common::Event& event);
  void on_guarded(const common::Event& event);
  /// One is ended: with its device, suspended, or lost to a reset.
  void on_context_ended(const common::Event& event);
  void on_hardware_ended(const common::Event& event);
  /// A hardware context goes on.
  void on_resumed(const common::Event& event);
  void on_create(const common::Event& event);
  void on_cpu_signal(const common::Event& event);
  void finish_quiescent();
  void clear();
  void add_to(Canonical& hash) const;

 private:
  using HardwareKey = std::pair<std::uint64_t, std::uint64_t>;  ///< adapter, number
  struct Work {
    std::uint64_t process = 0;
    std::uint64_t queue = 0;  ///< a hardware queue of it, or the context itself
    bool ended = false;
  };
  void look(const Work& work, bool hardware) const;

  World& world_;
  std::map<std::uint64_t, bool> in_error_;  ///< processes; whether a thread has asked for it
  std::map<std::uint64_t, Work> contexts_;
  std::map<HardwareKey, Work> hardware_;
  std::set<std::uint64_t> kept_;  ///< fences with NoSignalMaxValueOnTdr
};

}  // namespace fenceline::check
