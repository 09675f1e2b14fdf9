#pragma once

#include <vector>

#include "tb/os/dxgk/process.h"

namespace fenceline::os {

/// Fences that a call names: all are monitored, or all are native.
struct FencePoints {
  NTSTATUS status = STATUS_SUCCESS;
  std::vector<MonitoredFences::Point> monitored;
  std::vector<FenceScheduler::Point> native;
};

/// Fences of a call on several objects. On success one of the lists has `count` points. On
/// failure both lists are empty; the status is that of the first bad object.
/// @param refused flag of an object that the call may not name.
/// Errors: STATUS_INVALID_PARAMETER without objects, with an object that is no fence or with fences
/// of both kinds, STATUS_ACCESS_DENIED with a refused object, STATUS_INVALID_HANDLE with another
/// bad handle.
FencePoints fence_points(Process& process, UINT count, const D3DKMT_HANDLE* handles,
                         const UINT64* values, UINT refused);
/// Native fences that a call names; none if one of the handles is bad.
std::vector<FenceScheduler::Point> native_points(Process& process, UINT count,
                                                 const D3DKMT_HANDLE* handles,
                                                 const UINT64* values);

}  // namespace fenceline::os
