#pragma once

#include <string>

#include "tb/os/dxgk/system.h"

namespace fenceline::os {

/// Contexts of hardware queues. The driver creates a context with its first queue and destroys it
/// with the last.
class HwContexts {
 public:
  explicit HwContexts(System& system) : system_(system) {}

  /// Stores the properties of a hardware context before its first queue is created.
  void plan(Process& process, const std::string& name, UINT node);
  /// Null if the context has no queue.
  static HwContext* find(Process& process, const std::string& name);
  /// Adds the queue to the context; the first queue creates the context.
  NTSTATUS join(Process& process, HwQueue& queue, HwContext& context, UINT flags);
  /// Removes a queue from the context.
  static void leave(Adapter& adapter, HwContext& context);
  /// Holds or releases all existing contexts of a process.
  void hold(const Process& process, bool stand_still);

 private:
  NTSTATUS create(Process& process, HwContext& context);

  System& system_;
};

}  // namespace fenceline::os
