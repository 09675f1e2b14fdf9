#pragma once

#include <string>

#include "tb/os/dxgk/system.h"

namespace fenceline::os {

/// The contexts of hardware queues: created at the driver with their first queue, gone with the
/// last one.
class HwContexts {
 public:
  explicit HwContexts(System& system) : system_(system) {}

  /// What a hardware context is created with: before its first queue is.
  void plan(Process& process, const std::string& name, const SchedulingProperties& properties);
  /// Null: it has no queue.
  static HwContext* find(Process& process, const std::string& name);
  /// The queue becomes one of the context, which is created if it is the first.
  NTSTATUS join(Process& process, HwQueue& queue, UINT node, const std::string& name, UINT flags);
  /// A queue of it is no more.
  static void leave(Adapter& adapter, HwContext& context);
  /// Those of a process that were created must stand still, or may go on.
  void hold(const Process& process, bool stand_still);

 private:
  static HwContext* planned(Process& process, const std::string& name);
  NTSTATUS create(Process& process, HwContext& context, UINT node);

  System& system_;
};

}  // namespace fenceline::os
