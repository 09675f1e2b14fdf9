#pragma once

#include <memory>
#include <vector>

#include "tb/os/dxgk/system.h"

namespace fenceline::os {

/// Owner of CPU events that drivers signal, from their creation to the end of the run.
class CpuEvents {
 public:
  explicit CpuEvents(System& system) : system_(system) {}

  /// @param object object of the new handle
  NTSTATUS create(Process& process, const D3DKMT_CREATESYNCHRONIZATIONOBJECT2& args,
                  SyncObject& object);
  NTSTATUS destroy(CpuEvent& event);
  /// True for the handle of an event, also after its destruction: signalling a destroyed event is a
  /// different error from a bad handle.
  bool knows(HANDLE handle) const;

 private:
  System& system_;
  std::vector<std::unique_ptr<CpuEvent>> events_;
};

}  // namespace fenceline::os
