#pragma once

#include <memory>
#include <vector>

#include "tb/os/adapter.h"
#include "tb/os/process.h"
#include "tb/os/sync_object.h"

namespace fenceline::os {

/// Objects whose handles the OS gives its drivers, by the lists that own them.
struct KnownObjects {
  const std::vector<std::unique_ptr<Process>>& processes;
  const std::vector<std::unique_ptr<CpuEvent>>& cpu_events;

  /// A CPU event stays known when it is destroyed: signalling it then is another mistake.
  bool has(Adapter::Known kind, HANDLE handle) const;
};

}  // namespace fenceline::os
