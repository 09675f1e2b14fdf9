// Queries of user mode about an adapter, and escapes to its driver.
#include <catch2/catch.hpp>
#include <cstring>

#include "tb/os/calls/adapter_calls.h"
#include "tb/test/support/os/fence_caller.h"
#include "tb/test/support/os/kernel_bench.h"
#include "tb/test/support/os/scripted_driver.h"

namespace fenceline::os::test_adapter_calls {

namespace {

using support::FenceCaller;
using support::KernelBench;
using support::ScriptedDriver;
using EscapeFlags = D3DDDI_ESCAPEFLAGS;

constexpr UINT kKnown = EscapeFlags::kDriverKnownEscape;
constexpr UINT kAsleep = EscapeFlags::kNoAdapterSynchronization;

/// An escape with arguments that no call refuses, and what the driver has got of it.
struct EscapeBench {
  explicit EscapeBench(Kernel& kernel) : caller(kernel) {
    ScriptedDriver::replace<Ddi::DxgkDdiEscape>([this](HANDLE, const DXGKARG_ESCAPE* escape) {
      ++count;
      got = *escape;
      std::memcpy(&got_usage, escape->pPrivateDriverData, sizeof got_usage);
      return answer;
    });
    args.hDevice = caller.process.device();
    args.Flags.Value = kAsleep;
    usage.EscapeType = D3DDDI_DRIVERESCAPETYPE_CPUEVENTUSAGE;
    usage.Usage[0] = 2;
    usage.Usage[1] = 3;
    args.pPrivateDriverData = &usage;
    args.PrivateDriverDataSize = sizeof usage;
  }
  NTSTATUS escape() { return caller.kernel.adapters.D3DKMTEscape(caller.process, args); }

  FenceCaller caller;
  D3DKMT_ESCAPE args{};
  D3DDDI_DRIVERESCAPE_CPUEVENTUSAGE usage{};
  NTSTATUS answer = STATUS_SUCCESS;
  int count = 0;
  DXGKARG_ESCAPE got{};
  D3DDDI_DRIVERESCAPE_CPUEVENTUSAGE got_usage{};
};

void with_escapes(const std::function<void(EscapeBench&, KernelBench&)>& body) {
  KernelBench bench(support::managed_kernel(), support::small_platform(), &ScriptedDriver::entry);
  bench.run({[&](Kernel& kernel) {
    EscapeBench escapes(kernel);
    body(escapes, bench);
  }});
}

/// What KMTQAITYPE_WDDM_3_1_CAPS gives on an OS of that version; its driver has no native fences.
NTSTATUS query_on(DXGK_WDDMVERSION version, UINT& caps) {
  KernelOptions options = support::managed_kernel();
  options.adapter.system.wddm = version;
  options.driver_caps.emplace_back();
  options.driver_caps[0].wddm = version;
  options.driver_caps[0].native_fence = kmd_host::Negotiation::kUnsupported;
  NTSTATUS status = STATUS_SUCCESS;
  support::run_in_kernel(
      [&](Kernel& kernel) {
        status = kernel.adapters.D3DKMTQueryAdapterInfo(
            {adapter_handle(0), KMTQAITYPE_WDDM_3_1_CAPS, &caps, sizeof caps});
      },
      options);
  return status;
}

}  // namespace

TEST_CASE("user mode asks an adapter whether it has native fences", "[calls]") {
  support::run_in_kernel([](Kernel& kernel) {
    UINT caps = 0;
    D3DKMT_QUERYADAPTERINFO args{adapter_handle(0), KMTQAITYPE_WDDM_3_1_CAPS, &caps, sizeof caps};
    const auto query = [&] { return kernel.adapters.D3DKMTQueryAdapterInfo(args); };
    CHECK(query() == STATUS_SUCCESS);
    CHECK(caps == D3DKMT_WDDM_3_1_CAPS::kNativeGpuFenceSupported);
    args.PrivateDriverDataSize = sizeof caps - 1;
    CHECK(query() == STATUS_BUFFER_TOO_SMALL);
    args.pPrivateDriverData = nullptr;
    CHECK(query() == STATUS_INVALID_PARAMETER);
    args.pPrivateDriverData = &caps;
    args.PrivateDriverDataSize = 64;
    args.Type = KMTQAITYPE_WDDM_3_0_CAPS;
    CHECK(query() == STATUS_INVALID_PARAMETER);
    args.Type = KMTQAITYPE_WDDM_3_1_CAPS;
    for (const D3DKMT_HANDLE bad : {0U, kAdapterHandle, adapter_handle(1), adapter_handle(0) - 1}) {
      args.hAdapter = bad;
      CHECK(query() == STATUS_INVALID_HANDLE);
    }
  });
}

TEST_CASE("an adapter without native fences says that it has none", "[calls]") {
  UINT caps = 7;
  CHECK(query_on(DXGKDDI_WDDMv3_1, caps) == STATUS_SUCCESS);
  CHECK(caps == 0);
}

TEST_CASE("an older OS does not know the query for native fences", "[calls]") {
  UINT caps = 7;
  CHECK(query_on(DXGKDDI_WDDMv3_0, caps) == STATUS_INVALID_PARAMETER);
  CHECK(caps == 7);
}

TEST_CASE("user mode gets the answer of OS and driver about a feature", "[calls]") {
  KernelBench bench;
  bench.run({[&](Kernel& kernel) {
    D3DKMT_ISFEATUREENABLED args{adapter_handle(0), DXGK_FEATURE_NATIVE_FENCE, {}};
    bench.events.all.clear();
    CHECK(kernel.adapters.D3DKMTIsFeatureEnabled(args) == STATUS_SUCCESS);
    CHECK((args.Result.Value & DXGK_ISFEATUREENABLED_RESULT::kEnabled) != 0);
    const auto answers = bench.events.of<event::FeatureAnswer>();
    REQUIRE(answers.size() == 1);
    CHECK(answers[0].user_mode);
    CHECK(answers[0].feature == DXGK_FEATURE_NATIVE_FENCE);
    args.hAdapter = adapter_handle(1);
    CHECK(kernel.adapters.D3DKMTIsFeatureEnabled(args) == STATUS_INVALID_HANDLE);
    CHECK(args.Result.Value != 0);  // as it was
  }});
}

TEST_CASE("an OS without features answers that there are none", "[calls]") {
  KernelOptions options = support::managed_kernel();
  options.adapter.system.wddm = DXGKDDI_WDDMv3_0;
  options.driver_caps.emplace_back();
  options.driver_caps[0].wddm = DXGKDDI_WDDMv3_0;
  options.driver_caps[0].native_fence = kmd_host::Negotiation::kUnsupported;
  support::run_in_kernel(
      [&](Kernel& kernel) {
        D3DKMT_ISFEATUREENABLED args{adapter_handle(0), DXGK_FEATURE_NATIVE_FENCE, {}};
        args.Result.Value = 1;
        CHECK(kernel.adapters.D3DKMTIsFeatureEnabled(args) == STATUS_NOT_SUPPORTED);
        CHECK(args.Result.Value == 0);
      },
      options);
}

TEST_CASE("an escape goes to the driver with its handles and its status comes back", "[calls]") {
  with_escapes([](EscapeBench& it, KernelBench&) {
    it.answer = STATUS_NO_MEMORY;
    CHECK(it.escape() == STATUS_NO_MEMORY);
    CHECK(it.count == 1);
    CHECK(it.got.Flags.Value == kAsleep);
    CHECK(it.got.pPrivateDriverData == &it.usage);
    CHECK(it.got.PrivateDriverDataSize == sizeof it.usage);
    CHECK(it.got.hDevice == it.caller.process.space->device());
    CHECK(it.got.hKmdProcessHandle == it.caller.process.space->process());
    it.caller.process.has_device = false;
    it.escape();
    CHECK(it.got.hDevice == nullptr);
  });
}

TEST_CASE("an escape with bad arguments does not reach the driver", "[calls]") {
  with_escapes([](EscapeBench& it, KernelBench&) {
    it.args.Type = static_cast<D3DKMT_ESCAPETYPE>(1);
    CHECK(it.escape() == STATUS_INVALID_PARAMETER);
    it.args.Type = D3DKMT_ESCAPE_DRIVERPRIVATE;
    it.args.Flags.Value = kAsleep | EscapeFlags::kDeviceStatusQuery;
    CHECK(it.escape() == STATUS_INVALID_PARAMETER);
    it.args.Flags.Value = kAsleep;
    it.args.pPrivateDriverData = nullptr;
    CHECK(it.escape() == STATUS_INVALID_PARAMETER);
    CHECK(it.count == 0);
    it.args.pPrivateDriverData = &it.usage;
    it.args.Flags.Value = kAsleep | EscapeFlags::kHardwareAccess;
    CHECK(it.escape() == STATUS_SUCCESS);
  });
}

TEST_CASE("a secured guest makes known escapes only", "[calls]") {
  with_escapes([](EscapeBench& it, KernelBench&) {
    KernelEvent event(it.caller.kernel.simulation().steps);
    it.usage.hSyncObject = it.caller.cpu_event(event);
    it.caller.process.kind = ProcessKind::kSecuredGuest;
    CHECK(it.escape() == STATUS_ACCESS_DENIED);
    CHECK(it.count == 0);
    it.args.Flags.Value = kAsleep | kKnown;
    CHECK(it.escape() == STATUS_SUCCESS);
    it.caller.process.kind = ProcessKind::kGuest;
    it.args.Flags.Value = kAsleep;
    CHECK(it.escape() == STATUS_SUCCESS);
    CHECK(it.count == 2);
  });
}

TEST_CASE("an escape wakes the adapter unless it says that it must not", "[calls]") {
  with_escapes([](EscapeBench& it, KernelBench& bench) {
    AdapterPower& power = *it.caller.kernel.system.adapters[0].power;
    REQUIRE(power.set(false) == STATUS_SUCCESS);
    CHECK(it.escape() == STATUS_SUCCESS);
    CHECK_FALSE(power.on());
    bench.events.all.clear();
    it.args.Flags.Value = EscapeFlags::kHardwareAccess;
    CHECK(it.escape() == STATUS_SUCCESS);
    CHECK(power.on());
    const auto changes = bench.events.of<event::AdapterPower>();
    REQUIRE(changes.size() == 1);
    CHECK(changes[0].escape);
    CHECK(changes[0].flags == EscapeFlags::kHardwareAccess);
  });
}

TEST_CASE("the driver sees its own handle of a CPU event in a known escape", "[calls]") {
  with_escapes([](EscapeBench& it, KernelBench& bench) {
    KernelEvent event(it.caller.kernel.simulation().steps);
    it.usage.hSyncObject = it.caller.cpu_event(event);
    it.args.Flags.Value = kAsleep | kKnown;
    it.caller.process.has_device = false;  // the event keeps the device that it was made with
    CHECK(it.escape() == STATUS_SUCCESS);
    const CpuEvent& made = *it.caller.process.sync_object(it.usage.hSyncObject)->cpu_event;
    CHECK(it.got_usage.hKmdCpuEvent == reinterpret_cast<UINT64>(made.driver_handle));
    CHECK(it.got.hDevice == made.driver_device);
    const auto uses = bench.events.of<event::CpuEventUse>();
    REQUIRE(uses.size() == 1);
    CHECK(uses[0].event == made.number);
    CHECK(uses[0].use == 2);
    CHECK(uses[0].engine == 4);
  });
}

TEST_CASE("a known escape about anything but a CPU event is refused", "[calls]") {
  with_escapes([](EscapeBench& it, KernelBench& bench) {
    KernelEvent event(it.caller.kernel.simulation().steps);
    it.usage.hSyncObject = it.caller.cpu_event(event);
    it.args.Flags.Value = kAsleep | kKnown;
    it.args.PrivateDriverDataSize = sizeof it.usage + 1;
    CHECK(it.escape() == STATUS_INVALID_PARAMETER);
    it.args.PrivateDriverDataSize = sizeof it.usage;
    it.usage.EscapeType = D3DDDI_DRIVERESCAPETYPE_MAX;
    CHECK(it.escape() == STATUS_NOT_SUPPORTED);
    it.usage.EscapeType = D3DDDI_DRIVERESCAPETYPE_CPUEVENTUSAGE;
    ++it.usage.hSyncObject;
    CHECK(it.escape() == STATUS_INVALID_HANDLE);
    it.usage.hSyncObject = it.caller.monitored();
    CHECK(it.escape() == STATUS_INVALID_PARAMETER);
    CHECK(it.count == 0);
    CHECK(bench.events.of<event::CpuEventUse>().empty());
  });
}

TEST_CASE("user mode gets the data that the driver has for it", "[calls]") {
  KernelBench bench(support::managed_kernel(), support::small_platform(), &ScriptedDriver::entry);
  bench.run({[](Kernel& kernel) {
    FenceCaller caller(kernel);
    ScriptedDriver::replace<Ddi::DxgkDdiQueryAdapterInfo>(
        [](HANDLE, const DXGKARG_QUERYADAPTERINFO* query) {
          CHECK(query->Type == DXGKQAITYPE_UMDRIVERPRIVATE);
          const abi::AdapterPrivateData data{3, 4};
          REQUIRE(query->OutputDataSize == sizeof data);
          std::memcpy(query->pOutputData, &data, sizeof data);
          return STATUS_SUCCESS;
        });
    const abi::AdapterPrivateData data = kernel.adapters.user_driver_data(caller.process);
    CHECK(data.fence_writers == 3);
    CHECK(data.fence_notifiers == 4);
  }});
}

}  // namespace fenceline::os::test_adapter_calls
