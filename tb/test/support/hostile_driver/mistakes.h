#pragma once

#include <cstddef>

#include "kmd_stub/host/host_port.h"
#include "kmd_stub/wddm/driver.h"

/// Where a mistake is made: once, at the end of that call but for kEntry.
enum class Moment {
  kLoad,   ///< a static constructor of the library: no port, no functions
  kEntry,  ///< DriverEntry, when the table is filled
  kAddDevice,
  kStartDevice,
  kCreateFence,
  kUpdateMonitored,
  kUpdateCurrent,
  kInterrupt,
  kDpc,
  kDestroyFence,
  kConnectDoorbell,
  kQueryAdapterInfo,
};

/// What a mistake has at hand.
struct Scene {
  fenceline::kmd_host::HostPort& port;    ///< from DxgkDdiAddDevice on
  DXGKRNL_INTERFACE& os;                  ///< empty before DxgkDdiStartDevice
  DRIVER_INITIALIZATION_DATA* table;      ///< in DriverEntry, else null
  DXGKARG_CONNECTDOORBELL* doorbell;      ///< in DxgkDdiConnectDoorbell, else null
  const DXGKARG_QUERYADAPTERINFO* query;  ///< in DxgkDdiQueryAdapterInfo, else null
  NTSTATUS status = STATUS_SUCCESS;       ///< what the DDI returns
};

/// One thing that a driver must not do.
struct Mistake {
  const char* name;
  const char* what;
  Moment moment;
  /// An invariant, "crash", "stop" (a bug check), "no start", "fine", or "verdict": any of them
  /// that is no crash.
  const char* expected;
  void (*make)(Scene&);
  /// Below scenarios/, where the usual one has nothing of that kind.
  const char* scenario = "combined/only_the_last_signal_interrupts.json";
};

/// A family of mistakes.
struct Mistakes {
  const Mistake* first;
  std::size_t count;
};

Mistakes register_mistakes();
Mistakes address_mistakes();
Mistakes memory_mistakes();
Mistakes lock_mistakes();
Mistakes notification_mistakes();
Mistakes callback_mistakes();
Mistakes return_mistakes();
Mistakes answer_mistakes();
Mistakes device_mistakes();
Mistakes fatal_mistakes();

/// Mistake `index` of all families; null behind the last one. For the test of them all.
extern "C" const Mistake* hostile_mistake(std::size_t index);
