#include "tb/os/calls/fence_points.h"

namespace fenceline::os {

FencePoints fence_points(Process& process, UINT count, const D3DKMT_HANDLE* handles,
                         const UINT64* values, UINT refused) {
  FencePoints result;
  if (count == 0 || handles == nullptr || values == nullptr)
    return {STATUS_INVALID_PARAMETER, {}, {}};
  for (UINT i = 0; i < count; ++i) {
    std::shared_ptr<MonitoredFence> fence;
    LocalPointer through;
    if (const SyncObject* object = process.sync_object(handles[i])) {
      if (object->fence == nullptr || (object->flags & refused) != 0)
        result.status = object->fence == nullptr ? STATUS_INVALID_PARAMETER : STATUS_ACCESS_DENIED;
      fence = object->fence;
      through = object->object;
    } else if (const LocalFence* local = process.fence(handles[i])) {
      fence = local->fence->origin;
      through = local->object;
    }
    if (fence != nullptr) result.monitored.push_back({fence, values[i], through});
  }
  if (!NT_SUCCESS(result.status)) return result;
  if (result.monitored.empty()) {
    result.native = native_points(process, count, handles, values);
    if (result.native.empty()) result.status = STATUS_INVALID_HANDLE;
  } else if (result.monitored.size() != count) {
    result.status = STATUS_INVALID_PARAMETER;
  }
  return result;
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
