#pragma once

#include <memory>
#include <vector>

#include "tb/os/dxgk/system.h"

namespace fenceline::os {

/// CPU events that drivers signal: their owner, from creation to the end of the run.
class CpuEvents {
 public:
  explicit CpuEvents(System& system) : system_(system) {}

  /// @param object what the handle is to stand for
  NTSTATUS create(Process& process, const D3DKMT_CREATESYNCHRONIZATIONOBJECT2& args,
                  SyncObject& object);
  NTSTATUS destroy(CpuEvent& event);
  /// A handle of one. It stays known when the event is destroyed: signalling it then is another
  /// mistake.
  bool knows(HANDLE handle) const;

 private:
  System& system_;
  std::vector<std::unique_ptr<CpuEvent>> events_;
};

}  // namespace fenceline::os
