#pragma once

#include "tb/user/machine.h"

namespace fenceline::user {

inline os::Kernel& kernel() { return Machine::current().kernel(); }

/// The object of a handle of the calling process; null for a bad handle or another kind.
inline KmtObject* find(D3DKMT_HANDLE handle, KmtObject::Kind kind) {
  auto& objects = Machine::current().process().objects;
  if (handle == 0 || handle > objects.size()) return nullptr;
  KmtObject& object = objects[handle - 1];
  return object.open && object.kind == kind ? &object : nullptr;
}

inline D3DKMT_HANDLE add(const KmtObject& object) {
  auto& objects = Machine::current().process().objects;
  objects.push_back(object);
  return static_cast<D3DKMT_HANDLE>(objects.size());
}

/// Objects of a call, with their handles in the operating system.
struct Inner {
  NTSTATUS status = STATUS_SUCCESS;
  os::Process* process = nullptr;
  std::vector<D3DKMT_HANDLE> handles;
};
/// STATUS_INVALID_HANDLE for a bad handle; STATUS_INVALID_PARAMETER for no handle or handles of two
/// devices. @param of required process; null: any.
Inner inner_sync_objects(UINT count, const D3DKMT_HANDLE* handles, os::Process* of = nullptr);

/// The same for allocations of a device.
Inner inner_allocations(UINT count, const D3DKMT_HANDLE* handles, os::Process* of);

}  // namespace fenceline::user
