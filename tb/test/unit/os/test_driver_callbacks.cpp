// Functions of the OS that a driver calls: who may call them when, and with what.
#include <catch2/catch.hpp>

#include "tb/os/driver/driver_callbacks.h"
#include "tb/test/support/os/driver_call_bench.h"

namespace fenceline::os::test_driver_callbacks {

namespace {

using support::DriverCallBench;
using support::with_driver_calls;

DXGKARGCB_NOTIFY_INTERRUPT_DATA completion() {
  DXGKARGCB_NOTIFY_INTERRUPT_DATA data{};
  data.InterruptType = DXGK_INTERRUPT_DMA_COMPLETED;
  data.DmaCompleted.SubmissionFenceId = 9;
  return data;
}

BOOLEAN at_device_level(PVOID context) {
  return static_cast<DriverCallBench*>(context)->cpu().irql() == DEVICE_LEVEL ? TRUE : FALSE;
}
BOOLEAN never(PVOID /*context*/) { return FALSE; }

}  // namespace

TEST_CASE("functions that an OS does not have are null", "[driver]") {
  DXGKRNL_INTERFACE functions{};
  fill_callbacks(functions, {});
  CHECK(functions.DxgkCbCreateContextAllocation == nullptr);
  CHECK(functions.DxgkCbDestroyContextAllocation == nullptr);
  CHECK(functions.DxgkCbInvalidateHwContext == nullptr);
  CHECK(functions.DxgkCbQueueDpc != nullptr);
  CHECK(functions.DxgkCbDisconnectDoorbell != nullptr);
  fill_callbacks(functions, {true, false});
  CHECK(functions.DxgkCbCreateContextAllocation != nullptr);
  CHECK(functions.DxgkCbDestroyContextAllocation != nullptr);
  CHECK(functions.DxgkCbInvalidateHwContext == nullptr);
  fill_callbacks(functions, {false, true});
  CHECK(functions.DxgkCbCreateContextAllocation == nullptr);
  CHECK(functions.DxgkCbInvalidateHwContext != nullptr);
}

TEST_CASE("a driver names the adapter that the OS has given to it", "[driver]") {
  with_driver_calls([](DriverCallBench& it) {
    int other = 0;
    CHECK(it.os.DxgkCbQueueDpc(&other) == FALSE);
    CHECK(it.reported(Misuse::kCallbackHandle));
    CHECK(it.os.DxgkCbQueueDpc(nullptr) == FALSE);
    CHECK(it.reported(Misuse::kCallbackHandle));
    CHECK_FALSE(it.adapter.dpc_queued());
    CHECK(it.os.DxgkCbQueueDpc(it.handle()) == TRUE);
    CHECK(it.os.DxgkCbQueueDpc(it.handle()) == FALSE);  // it is queued already
    CHECK(it.quiet());
    CHECK(it.counted() == 4);
  });
}

TEST_CASE("a driver calls the OS while its adapter is started", "[driver]") {
  with_driver_calls([](DriverCallBench& it) {
    it.adapter.stop();
    it.machine.events.all.clear();
    CHECK(it.os.DxgkCbQueueDpc(it.handle()) == FALSE);
    CHECK(it.reported(Misuse::kCallbackEarly));
    CHECK(it.os.DxgkCbQueueDpc(nullptr) == FALSE);
    CHECK(it.reported(Misuse::kCallbackEarly));
    CHECK(it.os.DxgkCbSignalEvent(nullptr) == STATUS_INVALID_PARAMETER);
    CHECK(it.reported(Misuse::kCallbackEarly));
  });
}

TEST_CASE("services of the OS are asked for at PASSIVE_LEVEL with a table", "[driver]") {
  with_driver_calls([](DriverCallBench& it) {
    DXGK_FEATURE_INTERFACE table{};
    table.Size = sizeof table;
    auto* const features = reinterpret_cast<INTERFACE*>(&table);
    CHECK(it.os.DxgkCbQueryServices(it.handle(), DxgkServicesFeature, nullptr) ==
          STATUS_INVALID_PARAMETER);
    CHECK(it.reported(Misuse::kCallbackNull));
    const KIRQL old = it.cpu().raise(DISPATCH_LEVEL);
    CHECK(it.os.DxgkCbQueryServices(it.handle(), DxgkServicesFeature, features) ==
          STATUS_INVALID_PARAMETER);
    it.cpu().lower(old);
    CHECK(it.machine.events.of<event::IrqlViolation>().size() == 1);
    CHECK(table.IsFeatureEnabled == nullptr);
    CHECK(it.os.DxgkCbQueryServices(it.handle(), DxgkServicesFeature, features) == STATUS_SUCCESS);
    CHECK(table.IsFeatureEnabled != nullptr);
    CHECK(it.quiet());
  });
}

TEST_CASE("a driver asks the OS for features of an adapter", "[driver]") {
  with_driver_calls([](DriverCallBench& it) {
    DXGK_FEATURE_INTERFACE table{};
    fill_feature_callbacks(table);
    DXGKARGCB_ISFEATUREENABLED2 enabled{};
    enabled.FeatureId = DXGK_FEATURE_NATIVE_FENCE;
    CHECK(table.IsFeatureEnabled(nullptr, &enabled) == STATUS_INVALID_PARAMETER);
    DXGKARGCB_QUERYFEATUREINTERFACE query{};
    CHECK(table.QueryFeatureInterface(nullptr, &query) == STATUS_INVALID_PARAMETER);
    CHECK(it.quiet());  // that would be a global feature
    CHECK(table.IsFeatureEnabled(it.handle(), nullptr) == STATUS_INVALID_PARAMETER);
    CHECK(it.reported(Misuse::kCallbackNull));
    CHECK(table.IsFeatureEnabled(it.handle(), &enabled) == STATUS_SUCCESS);
    CHECK((enabled.Result.Value & DXGK_ISFEATUREENABLED_RESULT::kEnabled) != 0);
    CHECK(table.QueryFeatureInterface(it.handle(), nullptr) == STATUS_INVALID_PARAMETER);
    CHECK(it.reported(Misuse::kCallbackNull));
    CHECK(table.QueryFeatureInterface(it.handle(), &query) == STATUS_INVALID_PARAMETER);
    CHECK(it.reported(Misuse::kCallbackNull));  // no room for the table
    DXGKCBINT_FEATURE_NATIVEFENCE_1 functions{};
    query.FeatureId = DXGK_FEATURE_NATIVE_FENCE;
    query.Version = enabled.Result.Version;
    query.Interface = &functions;
    query.InterfaceSize = sizeof functions;
    CHECK(table.QueryFeatureInterface(it.handle(), &query) == STATUS_SUCCESS);
    CHECK(it.quiet());
  });
}

TEST_CASE("a routine of the driver runs with the interrupt lock", "[driver]") {
  with_driver_calls([](DriverCallBench& it) {
    BOOLEAN result = FALSE;
    const auto synchronize = [&](PKSYNCHRONIZE_ROUTINE routine, ULONG message, BOOLEAN* out) {
      return it.os.DxgkCbSynchronizeExecution(it.handle(), routine, &it, message, out);
    };
    CHECK(synchronize(nullptr, 0, &result) == STATUS_INVALID_PARAMETER);
    CHECK(it.reported(Misuse::kCallbackNull));
    CHECK(synchronize(at_device_level, 0, nullptr) == STATUS_INVALID_PARAMETER);
    CHECK(it.reported(Misuse::kCallbackNull));
    CHECK(synchronize(at_device_level, 3, &result) == STATUS_INVALID_PARAMETER);
    CHECK(it.reported(Misuse::kCallbackMessage, 3));
    CHECK(result == FALSE);
    CHECK(synchronize(at_device_level, 0, &result) == STATUS_SUCCESS);
    CHECK(result == TRUE);
    CHECK(synchronize(never, 0, &result) == STATUS_SUCCESS);
    CHECK(result == FALSE);
    CHECK(it.quiet());
  });
}

TEST_CASE("a driver reports interrupts at device level and from inside", "[driver]") {
  with_driver_calls([](DriverCallBench& it) {
    std::size_t completions = 0;
    it.adapter.on_fences_signaled = [&](const FenceNotification& told) {
      completions += told.completions.size();
    };
    DXGKARGCB_NOTIFY_INTERRUPT_DATA data = completion();
    const auto interrupt = [&](const DXGKARGCB_NOTIFY_INTERRUPT_DATA* what) {
      it.at(DEVICE_LEVEL, [&] { it.os.DxgkCbNotifyInterrupt(it.handle(), what); });
    };
    const auto deferred = [&] {
      it.at(DISPATCH_LEVEL, [&] { it.os.DxgkCbNotifyDpc(it.handle()); });
    };
    interrupt(nullptr);
    CHECK(it.reported(Misuse::kCallbackNull));
    it.os.DxgkCbNotifyInterrupt(it.handle(), &data);  // at PASSIVE_LEVEL
    it.os.DxgkCbNotifyDpc(it.handle());
    CHECK(it.machine.events.of<event::IrqlViolation>().size() == 2);
    data.DmaCompleted.NodeOrdinal = 77;
    interrupt(&data);
    CHECK(it.reported(Misuse::kInterruptNode, 77));
    it.leave_driver();
    data = completion();
    interrupt(&data);
    CHECK(it.reported(Misuse::kCallbackOutside));
    deferred();
    CHECK(it.reported(Misuse::kCallbackOutside));
    it.enter_driver();
    deferred();
    CHECK(completions == 0);
    interrupt(&data);
    deferred();
    CHECK(it.quiet());
    CHECK(completions == 1);
  });
}

}  // namespace fenceline::os::test_driver_callbacks
