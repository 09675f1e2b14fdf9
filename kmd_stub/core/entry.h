#pragma once

#include <type_traits>

#include "kmd_stub/core/adapter.h"

namespace fenceline::kmd {

/// Checks an argument of the OS and passes it to a parameter of the driver's function.
/// Other types are passed on as they are.
template <typename Parameter>
struct EntryArgument {
  static NTSTATUS check(Parameter /*given*/) { return STATUS_SUCCESS; }
  static Parameter pass(Parameter given) { return given; }
};

/// A pointer that must not be null.
template <typename T>
struct EntryArgument<T&> {
  static NTSTATUS check(T* given) {
    return given == nullptr ? STATUS_INVALID_PARAMETER : STATUS_SUCCESS;
  }
  static T& pass(T* given) { return *given; }
};

/// A handle of a started adapter.
template <>
struct EntryArgument<Adapter&> {
  static NTSTATUS check(HANDLE given) {
    const auto* adapter = from_handle<Adapter>(given);
    if (adapter == nullptr) return STATUS_INVALID_HANDLE;
    return adapter->started() ? STATUS_SUCCESS : STATUS_INVALID_DEVICE_STATE;
  }
  static Adapter& pass(HANDLE given) { return *from_handle<Adapter>(given); }
};
template <>
struct EntryArgument<const Adapter&> : EntryArgument<Adapter&> {};

/// A handle of an adapter, started or not.
template <>
struct EntryArgument<AnyAdapter> {
  static NTSTATUS check(HANDLE given) {
    return from_handle<Adapter>(given) == nullptr ? STATUS_INVALID_HANDLE : STATUS_SUCCESS;
  }
  static AnyAdapter pass(HANDLE given) { return {given, *from_handle<Adapter>(given)}; }
};

template <auto function, typename Function, typename Entry>
struct EntryCode;
template <auto function, typename... Parameters, typename Result, typename... Given>
struct EntryCode<function, Result (*)(Parameters...), Result (*)(Given...)> {
  static Result call(Given... given) {
    NTSTATUS status = STATUS_SUCCESS;
    (..., (status = NT_SUCCESS(status) ? EntryArgument<Parameters>::check(given) : status));
    if (NT_SUCCESS(status)) return function(EntryArgument<Parameters>::pass(given)...);
    if constexpr (std::is_same_v<Result, NTSTATUS>)
      return status;
    else
      return Result();
  }
};

/// The entry in a table of the interface, of that type, that calls a function of this driver. What
/// it checks follows from the parameters of the function, from left to right; see EntryArgument. An
/// entry without a status returns 0 for a bad argument.
template <typename Entry, auto function>
constexpr Entry kEntry = EntryCode<function, decltype(function), Entry>::call;

}  // namespace fenceline::kmd
