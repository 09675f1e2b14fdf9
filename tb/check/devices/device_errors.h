#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <utility>

#include "tb/check/core/world.h"

namespace fenceline::check {

/// Devices in error: I123 (all their work ends) and I124 (fences with NoSignalMaxValueOnTdr keep
/// their value).
class DeviceErrorChecks : public Checks<DeviceErrorChecks> {
 public:
  explicit DeviceErrorChecks(World& world) : Checks(world) {}

  void on(const common::At<event::DeviceError>& event);
  /// A process whose device is in error gets another one, with contexts of its own.
  void on(const common::At<event::DeviceCreated>& event);
  /// The event links a context or a hardware context to its process.
  void on(const common::At<event::ContextPacket>& event);
  void on(const common::At<event::QueueGuarded>& event);
  /// A context is ended: with its device, suspended, or lost to a reset.
  void on(const common::At<event::ContextEnded>& event);
  void on(const common::At<event::SuspendCall>& event) {
    end_hardware({event.adapter, event.context});
  }
  void on(const common::At<event::ContextLost>& event) {
    end_hardware({event.adapter, event.context});
  }
  void on(const common::At<event::ResumeCall>& event);
  void on(const common::At<event::FenceCreate>& event);
  void on(const common::At<event::CpuSignal>& event);
  void finish_quiescent() override;

  void add_to(Canonical& hash) const override;

 private:
  using HardwareKey = std::pair<std::uint64_t, std::uint64_t>;  ///< adapter, number
  struct Work {
    std::uint64_t process = 0;
    std::uint64_t queue = 0;  ///< one of its hardware queues, or the context itself
    bool ended = false;
    bool of_later_device = false;
  };
  void end_hardware(const HardwareKey& key);
  void look(const Work& work, bool hardware) const;

  std::map<std::uint64_t, bool> in_error_;  ///< processes; true if a thread has asked for the error
  std::set<std::uint64_t> renewed_;         ///< processes with another device since
  std::map<std::uint64_t, Work> contexts_;
  std::map<HardwareKey, Work> hardware_;
  std::set<std::uint64_t> kept_;  ///< fences with NoSignalMaxValueOnTdr
};

}  // namespace fenceline::check
