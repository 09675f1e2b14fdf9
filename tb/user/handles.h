#pragma once

#include "tb/user/machine.h"

namespace fenceline::user {

inline os::Kernel& kernel() { return Machine::current().kernel(); }

/// The object of the calling process behind a handle; null for a bad one or one of another kind.
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

/// Objects that a call names, as the operating system knows them.
struct Inner {
  NTSTATUS status = STATUS_SUCCESS;
  os::Process* process = nullptr;
  std::vector<D3DKMT_HANDLE> handles;
};
/// STATUS_INVALID_HANDLE for a bad handle; STATUS_INVALID_PARAMETER for none, or of two devices.
/// @param of the device they have to be of; null: any.
Inner inner_sync_objects(UINT count, const D3DKMT_HANDLE* handles, os::Process* of = nullptr);

/// The same for allocations of a device.
Inner inner_allocations(UINT count, const D3DKMT_HANDLE* handles, os::Process* of);

}  // namespace fenceline::user
