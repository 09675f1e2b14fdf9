#pragma once

#include <vector>

#include "tb/os/dxgk/process.h"

namespace fenceline::os {

/// Monitored fences that a call names.
struct MonitoredPoints {
  bool any = false;  ///< it names at least one
  NTSTATUS status = STATUS_SUCCESS;
  std::vector<MonitoredFences::Point> points;
};

/// @param refused flag of an object that the call may not name. One call is for fences of one kind.
MonitoredPoints monitored_points(Process& process, UINT count, const D3DKMT_HANDLE* handles,
                                 const UINT64* values, UINT refused);
/// Native fences that a call names; none if one of the handles is bad.
std::vector<FenceScheduler::Point> native_points(Process& process, UINT count,
                                                 const D3DKMT_HANDLE* handles,
                                                 const UINT64* values);

}  // namespace fenceline::os
