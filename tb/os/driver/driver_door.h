#pragma once

#include "tb/os/core/cpu.h"
#include "tb/os/core/system_options.h"

namespace fenceline::os {

/// The door of one adapter's driver: who is inside, and who has the driver for itself while it
/// resets the adapter. Where no resets may come nobody is counted.
/// Source: WDDM, threading and synchronization: level 3.
class DriverDoor {
 public:
  DriverDoor(Cpu& cpu, const SystemOptions& options)
      : cpu_(cpu),
        options_(options),
        opened_(cpu.simulation().steps),
        emptied_(cpu.simulation().steps) {}

  /// The current agent is in the driver, or about to enter it, while this exists.
  class Stay {
   public:
    /// @param counts false: a reset does not wait for it.
    explicit Stay(DriverDoor& door, bool counts = true)
        : door_(door), counts_(counts && door.come_in()) {}
    ~Stay() {
      if (counts_) door_.leave();
    }
    Stay(const Stay&) = delete;
    Stay& operator=(const Stay&) = delete;

   private:
    DriverDoor& door_;
    const bool counts_;
  };

  /// Waits until no thread is in the driver; then no other one enters it until `open`: it gives its
  /// core up meanwhile. At PASSIVE_LEVEL.
  /// @return how many threads have not left within TdrDdiDelay; not 0: the door is not closed.
  std::uint32_t close();
  void open();
  bool closed() const { return closed_; }
  bool counts_threads() const { return options_.may_reset(); }
  /// That agent runs DPCs: it may be in the driver while the adapter is reset.
  void set_deferred_agent(common::AgentId agent) { deferred_ = agent; }

 private:
  bool come_in();
  void leave();

  static constexpr common::AgentId kNobody = 0xFFFF;
  Cpu& cpu_;
  const SystemOptions& options_;
  std::uint32_t inside_ = 0;
  bool closed_ = false;
  common::AgentId resetter_ = kNobody;  ///< agent that has closed it
  common::AgentId deferred_ = kNobody;  ///< agent of DPCs
  common::Gate opened_;
  KernelEvent emptied_;
};

}  // namespace fenceline::os
