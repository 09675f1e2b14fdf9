#include <catch2/catch.hpp>
#include <functional>
#include <string>
#include <vector>

#include "tb/test/support/mock_host_port.h"

namespace fenceline::kmd_tests::test_handles {

using fenceline::support::MockHostPort;
using fenceline::support::MockSystem;

namespace {

/// One object of each kind; an entry that takes a handle must refuse all but its own kind.
struct Machine {
  Machine() {
    REQUIRE(system.start() == STATUS_SUCCESS);
    process = system.create_process();
    device = system.create_device(process);
    hw_context = system.create_hw_context(device);
    DXGKARG_CREATECONTEXT args{};
    REQUIRE(system.ddi.DxgkDdiCreateContext(device, &args) == STATUS_SUCCESS);
    context = args.hContext;
    queue = system.create_hw_queue(hw_context);
    doorbell = system.create_doorbell(queue);
    fence = system.create_fence(this);
    local = system.open_fence(fence, device);
    port.calls.clear();
  }
  std::vector<HANDLE> all() const {
    return {nullptr, system.adapter, process,  device, hw_context,
            context, queue,          doorbell, fence,  local};
  }
  MockHostPort port;
  MockSystem system{port};
  HANDLE process = nullptr, device = nullptr, hw_context = nullptr, context = nullptr,
         queue = nullptr, doorbell = nullptr, fence = nullptr, local = nullptr;
};

/// An entry as a function of the one handle that it takes, and the kind that it wants.
struct Entry {
  std::string name;
  HANDLE Machine::*wants;  ///< null: the adapter
  std::function<NTSTATUS(HANDLE)> call;
};

std::vector<Entry> context_entries(const DRIVER_INITIALIZATION_DATA& ddi, HANDLE adapter) {
  return {
      {"DestroyProcess", &Machine::process,
       [=](HANDLE handle) { return ddi.DxgkDdiDestroyProcess(adapter, handle); }},
      {"DestroyDevice", &Machine::device, ddi.DxgkDdiDestroyDevice},
      {"CreateContext", &Machine::device,
       [=](HANDLE handle) {
         DXGKARG_CREATECONTEXT args{};
         return ddi.DxgkDdiCreateContext(handle, &args);
       }},
      {"DestroyContext", &Machine::context, ddi.DxgkDdiDestroyContext},
      {"CreateHwContext", &Machine::device,
       [=](HANDLE handle) {
         DXGKARG_CREATEHWCONTEXT args{};
         return ddi.DxgkDdiCreateHwContext(handle, &args);
       }},
      {"DestroyHwContext", &Machine::hw_context, ddi.DxgkDdiDestroyHwContext},
      {"CreateHwQueue", &Machine::hw_context,
       [=](HANDLE handle) {
         DXGKARG_CREATEHWQUEUE args{};
         return ddi.DxgkDdiCreateHwQueue(handle, &args);
       }},
      {"DestroyHwQueue", &Machine::queue, ddi.DxgkDdiDestroyHwQueue},
  };
}

std::vector<Entry> queue_and_fence_entries(const DRIVER_INITIALIZATION_DATA& ddi, HANDLE adapter) {
  return {
      {"CreateDoorbell", &Machine::queue,
       [=](HANDLE handle) {
         DXGKARG_CREATEDOORBELL args{};
         args.hHwQueue = handle;
         return ddi.DxgkDdiCreateDoorbell(&args);
       }},
      {"ConnectDoorbell", &Machine::doorbell,
       [=](HANDLE handle) {
         DXGKARG_CONNECTDOORBELL args{};
         args.hDoorbell = handle;
         return ddi.DxgkDdiConnectDoorbell(&args);
       }},
      {"DisconnectDoorbell", &Machine::doorbell,
       [=](HANDLE handle) {
         DXGKARG_DISCONNECTDOORBELL args{handle, {}};
         return ddi.DxgkDdiDisconnectDoorbell(&args);
       }},
      {"DestroyDoorbell", &Machine::doorbell,
       [=](HANDLE handle) {
         DXGKARG_DESTROYDOORBELL args{handle};
         return ddi.DxgkDdiDestroyDoorbell(&args);
       }},
      {"NotifyWorkSubmission", &Machine::queue,
       [=](HANDLE handle) {
         DXGKARG_NOTIFYWORKSUBMISSION args{handle, {}};
         return ddi.DxgkDdiNotifyWorkSubmission(&args);
       }},
      {"SetNativeFenceLogBuffer", &Machine::queue,
       [=](HANDLE handle) {
         DXGKARG_SETNATIVEFENCELOGBUFFER args{};
         args.hHwQueue = handle;
         return ddi.DxgkDdiSetNativeFenceLogBuffer(&args);
       }},
      {"CloseNativeFence", &Machine::local,
       [=](HANDLE handle) {
         DXGKARG_CLOSENATIVEFENCE args{};
         args.hLocalNativeFence = handle;
         return ddi.DxgkDdiCloseNativeFence(adapter, &args);
       }},
      {"DestroyNativeFence", &Machine::fence,
       [=](HANDLE handle) {
         DXGKARG_DESTROYNATIVEFENCE args{};
         args.hGlobalNativeFence = handle;
         return ddi.DxgkDdiDestroyNativeFence(&args);
       }},
  };
}

std::vector<Entry> adapter_entries(const DRIVER_INITIALIZATION_DATA& ddi) {
  const auto with = [](auto argument, auto function) {
    return [=](HANDLE handle) mutable { return function(handle, &argument); };
  };
  return {
      {"StartDevice", nullptr,
       [=](HANDLE handle) {
         return ddi.DxgkDdiStartDevice(handle, nullptr, nullptr, nullptr, nullptr);
       }},
      {"StopDevice", nullptr, ddi.DxgkDdiStopDevice},
      {"RemoveDevice", nullptr, ddi.DxgkDdiRemoveDevice},
      {"QueryInterface", nullptr, with(QUERY_INTERFACE{}, ddi.DxgkDdiQueryInterface)},
      {"QueryAdapterInfo", nullptr, with(DXGKARG_QUERYADAPTERINFO{}, ddi.DxgkDdiQueryAdapterInfo)},
      {"GetNodeMetadata", nullptr,
       [=](HANDLE handle) {
         DXGKARG_GETNODEMETADATA args{};
         return ddi.DxgkDdiGetNodeMetadata(handle, 0, &args);
       }},
      {"CalibrateGpuClock", nullptr,
       [=](HANDLE handle) {
         DXGKARG_CALIBRATEGPUCLOCK args{};
         return ddi.DxgkDdiCalibrateGpuClock(handle, 0, 0, &args);
       }},
      {"CreateProcess", nullptr, with(DXGKARG_CREATEPROCESS{}, ddi.DxgkDdiCreateProcess)},
      {"DestroyProcess", nullptr,
       [=](HANDLE handle) { return ddi.DxgkDdiDestroyProcess(handle, nullptr); }},
      {"CreateDevice", nullptr, with(DXGKARG_CREATEDEVICE{}, ddi.DxgkDdiCreateDevice)},
      {"BuildPagingBuffer", nullptr,
       [=](HANDLE handle) {
         DXGKARG_BUILDPAGINGBUFFER args{};
         return ddi.DxgkDdiBuildPagingBuffer(handle, &args);
       }},
      {"GetStandardAllocationDriverData", nullptr,
       with(DXGKARG_GETSTANDARDALLOCATIONDRIVERDATA{}, ddi.DxgkDdiGetStandardAllocationDriverData)},
      {"CreateNativeFence", nullptr,
       with(DXGKARG_CREATENATIVEFENCE{}, ddi.DxgkDdiCreateNativeFence)},
      {"OpenNativeFence", nullptr, with(DXGKARG_OPENNATIVEFENCE{}, ddi.DxgkDdiOpenNativeFence)},
      {"CloseNativeFence", nullptr, with(DXGKARG_CLOSENATIVEFENCE{}, ddi.DxgkDdiCloseNativeFence)},
  };
}

}  // namespace

TEST_CASE("every entry refuses a handle of another kind", "[kmd][handle]") {
  Machine machine;
  const DRIVER_INITIALIZATION_DATA& ddi = machine.system.ddi;
  const HANDLE adapter = machine.system.adapter;
  for (const auto& entries : {context_entries(ddi, adapter), queue_and_fence_entries(ddi, adapter)})
    for (const Entry& entry : entries) {
      INFO(entry.name);
      for (const HANDLE handle : machine.all()) {
        if (handle == machine.*entry.wants) continue;
        CHECK(entry.call(handle) == STATUS_INVALID_HANDLE);
      }
    }
  for (const Entry& entry : adapter_entries(ddi)) {
    INFO(entry.name);
    for (const HANDLE handle : machine.all()) {
      if (handle == adapter) continue;
      CHECK(entry.call(handle) == STATUS_INVALID_HANDLE);
    }
  }
  CHECK(machine.port.register_writes().empty());
}

TEST_CASE("a destroyed handle names nothing", "[kmd][handle]") {
  Machine machine;
  const DRIVER_INITIALIZATION_DATA& ddi = machine.system.ddi;
  DXGKARG_DESTROYDOORBELL doorbell{machine.doorbell};
  DXGKARG_CLOSENATIVEFENCE local{};
  local.hLocalNativeFence = machine.local;
  const std::function<NTSTATUS()> calls[] = {
      [&] { return ddi.DxgkDdiDestroyDoorbell(&doorbell); },
      [&] { return ddi.DxgkDdiDestroyHwQueue(machine.queue); },
      [&] { return ddi.DxgkDdiDestroyHwContext(machine.hw_context); },
      [&] { return ddi.DxgkDdiDestroyContext(machine.context); },
      [&] { return ddi.DxgkDdiCloseNativeFence(machine.system.adapter, &local); },
      [&] { return machine.system.destroy_fence(machine.fence); },
      [&] { return ddi.DxgkDdiDestroyDevice(machine.device); },
      [&] { return ddi.DxgkDdiDestroyProcess(machine.system.adapter, machine.process); }};
  for (const auto& call : calls) {
    CHECK(call() == STATUS_SUCCESS);
    CHECK(call() == STATUS_INVALID_HANDLE);
  }
}

TEST_CASE("routines without a status ignore a bad adapter", "[kmd][handle]") {
  Machine machine;
  const DRIVER_INITIALIZATION_DATA& ddi = machine.system.ddi;
  for (const HANDLE handle : {HANDLE{nullptr}, machine.device}) {
    DXGKARG_SETROOTPAGETABLE root{};
    root.hContext = machine.hw_context;
    DXGKARG_GETROOTPAGETABLESIZE size{};
    CHECK(ddi.DxgkDdiInterruptRoutine(handle, 0) == FALSE);
    CHECK(ddi.DxgkDdiGetRootPageTableSize(handle, &size) == 0);
    ddi.DxgkDdiDpcRoutine(handle);
    ddi.DxgkDdiSetRootPageTable(handle, &root);
  }
  CHECK(machine.system.dpcs_notified == 0);
  CHECK(machine.port.calls.empty());
}

TEST_CASE("every entry refuses a null argument", "[kmd][handle]") {
  Machine machine;
  const DRIVER_INITIALIZATION_DATA& ddi = machine.system.ddi;
  const HANDLE adapter = machine.system.adapter;
  CHECK(DriverEntry(nullptr) == STATUS_INVALID_PARAMETER);
  PVOID context = nullptr;
  CHECK(ddi.DxgkDdiAddDevice(nullptr, &context) == STATUS_INVALID_PARAMETER);
  CHECK(ddi.DxgkDdiAddDevice(&machine.port, nullptr) == STATUS_INVALID_PARAMETER);
  const NTSTATUS answers[] = {ddi.DxgkDdiQueryInterface(adapter, nullptr),
                              ddi.DxgkDdiQueryAdapterInfo(adapter, nullptr),
                              ddi.DxgkDdiGetNodeMetadata(adapter, 0, nullptr),
                              ddi.DxgkDdiCalibrateGpuClock(adapter, 0, 0, nullptr),
                              ddi.DxgkDdiCreateProcess(adapter, nullptr),
                              ddi.DxgkDdiCreateDevice(adapter, nullptr),
                              ddi.DxgkDdiCreateContext(machine.device, nullptr),
                              ddi.DxgkDdiCreateHwContext(machine.device, nullptr),
                              ddi.DxgkDdiCreateHwQueue(machine.hw_context, nullptr),
                              ddi.DxgkDdiBuildPagingBuffer(adapter, nullptr),
                              ddi.DxgkDdiGetStandardAllocationDriverData(adapter, nullptr),
                              ddi.DxgkDdiCreateNativeFence(adapter, nullptr),
                              ddi.DxgkDdiOpenNativeFence(adapter, nullptr),
                              ddi.DxgkDdiCloseNativeFence(adapter, nullptr),
                              ddi.DxgkDdiDestroyNativeFence(nullptr),
                              ddi.DxgkDdiUpdateMonitoredValues(nullptr),
                              ddi.DxgkDdiUpdateCurrentValuesFromCpu(nullptr),
                              ddi.DxgkDdiCreateDoorbell(nullptr),
                              ddi.DxgkDdiConnectDoorbell(nullptr),
                              ddi.DxgkDdiDisconnectDoorbell(nullptr),
                              ddi.DxgkDdiDestroyDoorbell(nullptr),
                              ddi.DxgkDdiNotifyWorkSubmission(nullptr),
                              ddi.DxgkDdiSetNativeFenceLogBuffer(nullptr),
                              ddi.DxgkDdiUpdateNativeFenceLogs(nullptr)};
  for (const NTSTATUS answer : answers) CHECK(answer == STATUS_INVALID_PARAMETER);
  CHECK(ddi.DxgkDdiGetRootPageTableSize(adapter, nullptr) == 0);
  ddi.DxgkDdiSetRootPageTable(adapter, nullptr);
}

}  // namespace fenceline::kmd_tests::test_handles
