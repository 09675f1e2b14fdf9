#pragma once

#include <algorithm>
#include <functional>
#include <utility>
#include <vector>

#include "tb/os/driver/ddi_names.h"

namespace fenceline::support {

/// The stub driver, with a list of its calls. A test may replace the body of an entry. Its state is
/// static, because an entry of a driver is a plain function.
class ScriptedDriver {
 public:
  /// Calls of entries that return NTSTATUS, in order.
  static inline std::vector<os::Ddi> calls;
  /// Changes the table when the driver is loaded.
  static inline std::function<void(DRIVER_INITIALIZATION_DATA&)> change_table;

  /// The driver's entry point.
  static NTSTATUS entry(DRIVER_INITIALIZATION_DATA* table);

  template <os::Ddi ddi>
  using Pointer = std::remove_reference_t<decltype(std::declval<DRIVER_INITIALIZATION_DATA&>().*
                                                   os::kEntry<ddi>)>;

  template <os::Ddi ddi, typename Type>
  struct Entry {
    static void put(DRIVER_INITIALIZATION_DATA& /*table*/) {}
  };
  template <os::Ddi ddi, typename... Args>
  struct Entry<ddi, NTSTATUS (*)(Args...)> {
    static inline NTSTATUS (*stub)(Args...) = nullptr;
    static inline std::function<NTSTATUS(Args...)> body;
    static NTSTATUS call(Args... args) {
      calls.push_back(ddi);
      return body ? body(args...) : stub(args...);
    }
    static void put(DRIVER_INITIALIZATION_DATA& table) {
      stub = std::exchange(table.*os::kEntry<ddi>, call);
      if (stub == nullptr) table.*os::kEntry<ddi> = nullptr;
    }
  };
  /// Replaces the body of an entry.
  template <os::Ddi ddi, typename Body>
  static void replace(Body body) {
    Entry<ddi, Pointer<ddi>>::body = std::move(body);
  }
  /// The entry returns that, and the stub does not see the call.
  template <os::Ddi ddi>
  static void answer(NTSTATUS status) {
    replace<ddi>([status](const auto&... /*arguments*/) { return status; });
  }
  /// The stub's own entry.
  template <os::Ddi ddi>
  static auto stub() {
    return Entry<ddi, Pointer<ddi>>::stub;
  }
  static auto count(os::Ddi ddi) { return std::count(calls.begin(), calls.end(), ddi); }
};

}  // namespace fenceline::support
