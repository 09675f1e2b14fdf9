#pragma once

#include "kmd_stub/core/adapter.h"

namespace fenceline::kmd::ddi {

/// Calls `function(adapter)` if the adapter is started and the argument is not null.
template <typename Argument, typename Function>
NTSTATUS with_adapter(HANDLE handle, const Argument* argument, Function function) {
  auto* adapter = from_handle<Adapter>(handle);
  if (adapter == nullptr) return STATUS_INVALID_HANDLE;
  if (!adapter->started()) return STATUS_INVALID_DEVICE_STATE;
  if (argument == nullptr) return STATUS_INVALID_PARAMETER;
  return function(*adapter);
}

/// Calls `function(*argument)` if the argument is not null.
template <typename Argument, typename Function>
NTSTATUS with_argument(Argument* argument, Function function) {
  return argument == nullptr ? STATUS_INVALID_PARAMETER : function(*argument);
}

}  // namespace fenceline::kmd::ddi
