// Functions of the OS by which a driver names objects: context allocations, contexts, events and
// doorbells.
#include <catch2/catch.hpp>

#include "tb/test/support/os/driver_call_bench.h"
#include "tb/test/support/os/fence_caller.h"
#include "tb/test/support/os/queue_request.h"

namespace fenceline::os::test_driver_callback_objects {

namespace {

using support::DriverCallBench;
using support::FenceCaller;
using support::QueueRequest;
using support::with_driver_calls;

top::PlatformConfig with_doorbells() {
  top::PlatformConfig platform = support::small_platform();
  platform.gpus[0].command_processor.doorbells = 2;
  return platform;
}

HANDLE unknown() {
  static int object = 0;
  return &object;
}

}  // namespace

TEST_CASE("a driver makes context allocations and destroys those that it has", "[driver]") {
  with_driver_calls([](DriverCallBench& it) {
    NTSTATUS status = STATUS_NO_MEMORY;
    std::vector<HANDLE> destroyed;
    it.adapter.create_context_allocation = [&](DXGKARGCB_CREATECONTEXTALLOCATION& args) {
      args.hAllocation = unknown();
      return status;
    };
    it.adapter.destroy_context_allocation = [&](HANDLE allocation) {
      destroyed.push_back(allocation);
      return STATUS_SUCCESS;
    };
    DXGKARGCB_CREATECONTEXTALLOCATION create{};
    DXGKARGCB_DESTROYCONTEXTALLOCATION destroy{};
    create.hAdapter = destroy.hAdapter = it.handle();
    CHECK(it.os.DxgkCbCreateContextAllocation(&create) == STATUS_NO_MEMORY);
    destroy.hAllocation = unknown();
    CHECK(it.os.DxgkCbDestroyContextAllocation(&destroy) == STATUS_INVALID_HANDLE);
    CHECK(it.reported(Misuse::kCallbackObject));
    status = STATUS_SUCCESS;
    CHECK(it.os.DxgkCbCreateContextAllocation(&create) == STATUS_SUCCESS);
    CHECK(it.os.DxgkCbDestroyContextAllocation(&destroy) == STATUS_SUCCESS);
    CHECK(it.quiet());
    CHECK(it.os.DxgkCbDestroyContextAllocation(&destroy) == STATUS_INVALID_HANDLE);
    CHECK(it.reported(Misuse::kCallbackObject));
    CHECK(destroyed == std::vector<HANDLE>{unknown()});
  });
}

TEST_CASE("a driver names its adapter for a context allocation", "[driver]") {
  with_driver_calls([](DriverCallBench& it) {
    it.adapter.create_context_allocation = nullptr;  // it is not called
    DXGKARGCB_CREATECONTEXTALLOCATION create{};
    DXGKARGCB_DESTROYCONTEXTALLOCATION destroy{};
    CHECK(it.os.DxgkCbCreateContextAllocation(nullptr) == STATUS_INVALID_PARAMETER);
    CHECK(it.reported(Misuse::kCallbackNull));
    CHECK(it.os.DxgkCbDestroyContextAllocation(nullptr) == STATUS_INVALID_PARAMETER);
    CHECK(it.reported(Misuse::kCallbackNull));
    CHECK(it.os.DxgkCbCreateContextAllocation(&create) == STATUS_INVALID_PARAMETER);
    CHECK(it.reported(Misuse::kCallbackHandle));
    CHECK(it.os.DxgkCbDestroyContextAllocation(&destroy) == STATUS_INVALID_PARAMETER);
    CHECK(it.reported(Misuse::kCallbackHandle));
  });
}

TEST_CASE("a driver invalidates hardware contexts that there are", "[driver]") {
  with_driver_calls([](DriverCallBench& it) {
    QueueRequest request(it.kernel, it.kernel.devices.create_process("app", 0));
    REQUIRE(request.create() == STATUS_SUCCESS);
    HwContext* const context = request.queue().context;
    HANDLE got = nullptr;
    UINT got_flags = 0;
    it.adapter.invalidate_hw_context = [&](HANDLE handle, UINT flags) {
      got = handle;
      got_flags = flags;
      return STATUS_NO_MEMORY;
    };
    DXGKARGCB_INVALIDATEHWCONTEXT args{};
    args.hAdapter = it.handle();
    args.Flags.Value = 5;
    CHECK(it.os.DxgkCbInvalidateHwContext(nullptr) == STATUS_INVALID_PARAMETER);
    CHECK(it.reported(Misuse::kCallbackNull));
    args.hHwContext = unknown();
    CHECK(it.os.DxgkCbInvalidateHwContext(&args) == STATUS_INVALID_PARAMETER);
    CHECK(it.reported(Misuse::kCallbackObject));
    args.hHwContext = context;
    args.hAdapter = nullptr;
    CHECK(it.os.DxgkCbInvalidateHwContext(&args) == STATUS_INVALID_PARAMETER);
    CHECK(it.reported(Misuse::kCallbackHandle));
    CHECK(got == nullptr);
    args.hAdapter = it.handle();
    CHECK(it.os.DxgkCbInvalidateHwContext(&args) == STATUS_NO_MEMORY);
    CHECK(it.quiet());
    CHECK(got == context);
    CHECK(got_flags == 5);
  });
}

TEST_CASE("a driver signals CPU events that the OS has given to it", "[driver]") {
  with_driver_calls([](DriverCallBench& it) {
    FenceCaller caller(it.kernel);
    KernelEvent event(it.kernel.simulation().steps);
    DXGKARGCB_SIGNALEVENT args{};
    args.Flags.Value = DXGKARGCB_SIGNALEVENT_FLAGS::kCpuEventObject;
    CHECK(it.os.DxgkCbSignalEvent(nullptr) == STATUS_INVALID_PARAMETER);
    CHECK(it.reported(Misuse::kCallbackNull));
    CHECK(it.os.DxgkCbSignalEvent(&args) == STATUS_INVALID_PARAMETER);
    CHECK(it.reported(Misuse::kCallbackNull));
    args.hEvent = unknown();
    CHECK(it.os.DxgkCbSignalEvent(&args) == STATUS_INVALID_HANDLE);
    CHECK(it.reported(Misuse::kCallbackObject));
    args.hEvent = caller.process.sync_object(caller.cpu_event(event))->cpu_event;
    CHECK(it.os.DxgkCbSignalEvent(&args) == STATUS_SUCCESS);
    CHECK(event.is_set());
    args.hDxgkProcess = caller.process.space.get();  // the event is still the object
    CHECK(it.os.DxgkCbSignalEvent(&args) == STATUS_INVALID_PARAMETER);
    args.Flags.Value = 0;
    args.hDxgkProcess = nullptr;
    CHECK(it.os.DxgkCbSignalEvent(&args) == STATUS_INVALID_PARAMETER);
    CHECK(it.quiet());
    args.Flags.Value = DXGKARGCB_SIGNALEVENT_FLAGS::kCpuEventObject;
    args.hDxgkProcess = caller.process.space.get();
    args.hEvent = unknown();
    CHECK(it.os.DxgkCbSignalEvent(&args) == STATUS_INVALID_HANDLE);
    CHECK(it.reported(Misuse::kCallbackObject));
  });
}

TEST_CASE("a driver signals events of a process that the OS has given to it", "[driver]") {
  with_driver_calls([](DriverCallBench& it) {
    FenceCaller caller(it.kernel);
    KernelEvent event(it.kernel.simulation().steps);
    DXGKARGCB_SIGNALEVENT args{};
    args.hEvent = caller.process.add_event(event);
    CHECK(it.os.DxgkCbSignalEvent(&args) == STATUS_INVALID_HANDLE);  // it is no CPU event
    CHECK(it.reported(Misuse::kCallbackObject));
    args.hDxgkProcess = unknown();
    CHECK(it.os.DxgkCbSignalEvent(&args) == STATUS_INVALID_HANDLE);
    CHECK(it.reported(Misuse::kCallbackObject));
    args.hDxgkProcess = caller.process.space.get();
    CHECK(it.os.DxgkCbSignalEvent(&args) == STATUS_SUCCESS);
    CHECK(event.is_set());
    CHECK(it.quiet());
  });
}

TEST_CASE("a driver takes doorbells away from queues that there are", "[driver]") {
  with_driver_calls(
      [](DriverCallBench& it) {
        QueueRequest request(it.kernel, it.kernel.devices.create_process("app", 0));
        REQUIRE(request.create() == STATUS_SUCCESS);
        HwQueue& queue = request.queue();
        DXGKARGCB_DISCONNECTDOORBELL args{};
        const auto disconnect = [&] { return it.os.DxgkCbDisconnectDoorbell(&args); };
        args.DisconnectReason = D3DDDI_DOORBELLSTATUS_DISCONNECTED_RETRY;
        CHECK(it.os.DxgkCbDisconnectDoorbell(nullptr) == STATUS_INVALID_PARAMETER);
        CHECK(it.reported(Misuse::kCallbackNull));
        args.hHwQueue = &queue;
        args.hDoorbell = unknown();
        CHECK(disconnect() == STATUS_INVALID_HANDLE);
        CHECK(it.reported(Misuse::kCallbackObject));
        args.hHwQueue = unknown();
        args.hDoorbell = &queue;
        CHECK(disconnect() == STATUS_INVALID_HANDLE);
        CHECK(it.reported(Misuse::kCallbackObject));
        args.hHwQueue = &queue;
        args.DisconnectReason = D3DDDI_DOORBELLSTATUS_CONNECTED;
        CHECK(disconnect() == STATUS_INVALID_PARAMETER);
        CHECK(it.reported(Misuse::kCallbackValue, D3DDDI_DOORBELLSTATUS_CONNECTED));
        args.DisconnectReason = D3DDDI_DOORBELLSTATUS_DISCONNECTED_ABORT;
        it.at(DISPATCH_LEVEL, [&] { CHECK(disconnect() == STATUS_INVALID_PARAMETER); });
        CHECK(it.machine.events.of<event::IrqlViolation>().size() == 1);
        CHECK(queue.user_doorbell->connected);
        args.DisconnectReason = D3DDDI_DOORBELLSTATUS_DISCONNECTED_RETRY;
        CHECK(disconnect() == STATUS_SUCCESS);
        CHECK_FALSE(queue.user_doorbell->connected);
        CHECK_FALSE(queue.user_doorbell->aborted);
        args.DisconnectReason = D3DDDI_DOORBELLSTATUS_DISCONNECTED_ABORT;
        CHECK(disconnect() == STATUS_SUCCESS);
        CHECK(queue.user_doorbell->aborted);
        CHECK(it.quiet());
      },
      with_doorbells());
}

}  // namespace fenceline::os::test_driver_callback_objects
