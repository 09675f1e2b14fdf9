#include "tb/os/calls/fence_points.h"

namespace fenceline::os {

FencePoints fence_points(Process& process, UINT count, const D3DKMT_HANDLE* handles,
                         const UINT64* values, UINT refused) {
  const auto failure = [](NTSTATUS status) { return FencePoints{status, {}, {}}; };
  if (count == 0 || handles == nullptr || values == nullptr)
    return failure(STATUS_INVALID_PARAMETER);
  FencePoints result;
  for (UINT i = 0; i < count; ++i) {
    if (const SyncObject* object = process.sync_object(handles[i])) {
      if (object->fence == nullptr) return failure(STATUS_INVALID_PARAMETER);
      if ((object->flags & refused) != 0) return failure(STATUS_ACCESS_DENIED);
      result.monitored.push_back({object->fence, values[i], object->object});
    } else if (const LocalFence* local = process.fence(handles[i])) {
      if (local->fence->origin != nullptr)
        result.monitored.push_back({local->fence->origin, values[i], local->object});
      else
        result.native.push_back({local->fence, values[i], local->object});
    } else {
      return failure(STATUS_INVALID_HANDLE);
    }
  }
  const bool mixed = !result.monitored.empty() && !result.native.empty();
  return mixed ? failure(STATUS_INVALID_PARAMETER) : result;
}

std::vector<FenceScheduler::Point> native_points(Process& process, UINT count,
                                                 const D3DKMT_HANDLE* handles,
                                                 const UINT64* values) {
  std::vector<FenceScheduler::Point> result;
  for (UINT i = 0; i < count; ++i) {
    LocalFence* local = process.fence(handles[i]);
    if (local == nullptr) return {};
    result.push_back({local->fence, values[i], local->object});
  }
  return result;
}

}  // namespace fenceline::os
