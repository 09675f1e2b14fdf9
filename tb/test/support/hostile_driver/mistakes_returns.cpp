#include <new>
#include <stdexcept>

#include "tb/test/support/hostile_driver/mistakes.h"

namespace {

using fenceline::wddm::make_status;

void throws_number(Scene& /*scene*/) { throw 42; }
void throws_error(Scene& /*scene*/) { throw std::runtime_error("a driver's own"); }
void throws_bad_alloc(Scene& /*scene*/) { throw std::bad_alloc(); }
void throws_under_lock(Scene& scene) {
  scene.port.acquire_lock(scene.port.create_lock());
  throw std::logic_error("under a lock");
}

template <std::uint32_t status>
void returns(Scene& scene) {
  scene.status = make_status(status);
}

#define WITHOUT(entry) [](Scene& scene) { scene.table->entry = nullptr; }

constexpr Mistake kTable[] = {
    {"throws_in_entry", "throws out of DriverEntry", Moment::kEntry, "I135", throws_error},
    {"throws_in_add_device", "throws a number", Moment::kAddDevice, "I135", throws_number},
    {"throws_in_start_device", "throws a number", Moment::kStartDevice, "I135", throws_number},
    {"throws_in_query", "throws std::bad_alloc", Moment::kQueryAdapterInfo, "I135",
     throws_bad_alloc},
    {"throws_in_create_fence", "throws std::bad_alloc", Moment::kCreateFence, "I135",
     throws_bad_alloc},
    {"throws_in_update_monitored", "throws at device level", Moment::kUpdateMonitored, "I135",
     throws_error},
    {"throws_in_isr", "throws out of the ISR", Moment::kInterrupt, "I135", throws_error},
    {"throws_in_dpc", "throws out of the DPC", Moment::kDpc, "I135", throws_error},
    {"throws_in_connect", "throws where a doorbell is connected", Moment::kConnectDoorbell, "I135",
     throws_error},
    {"throws_under_lock", "throws with a lock held", Moment::kCreateFence, "I135",
     throws_under_lock},
    {"returns_one", "returns 1", Moment::kCreateFence, "I135", returns<1>},
    {"returns_pending", "returns STATUS_PENDING", Moment::kCreateFence, "I135", returns<0x103>},
    {"returns_timeout", "returns STATUS_TIMEOUT", Moment::kUpdateMonitored, "I135", returns<0x102>},
    {"returns_information", "returns an informational status", Moment::kStartDevice, "I135",
     returns<0x40000000>},
    {"returns_warning", "returns a warning", Moment::kStartDevice, "I135", returns<0x80000005>},
    {"returns_customers_code", "returns a customer's code", Moment::kStartDevice, "I135",
     returns<0xE0000001>},
    {"returns_minus_one", "returns -1", Moment::kAddDevice, "I135", returns<0xFFFFFFFF>},
    {"start_fails", "fails in DxgkDdiStartDevice, as it may", Moment::kStartDevice, "no start",
     returns<0xC0000001>},
    {"add_fails", "fails in DxgkDdiAddDevice, as it may", Moment::kAddDevice, "no start",
     returns<0xC0000017>},
    {"entry_fails", "fails in DriverEntry, as it may", Moment::kEntry, "no start",
     returns<0xC0000001>},
    {"update_fails", "fails in DxgkDdiUpdateMonitoredValues", Moment::kUpdateMonitored, "stop",
     returns<0xC0000001>},
    {"entry_all_null", "leaves its whole table null", Moment::kEntry, "I135",
     [](Scene& scene) { *scene.table = {}; }},
    {"without_add_device", "leaves the entry null", Moment::kEntry, "I135",
     WITHOUT(DxgkDdiAddDevice)},
    {"without_start_device", "leaves the entry null", Moment::kEntry, "I135",
     WITHOUT(DxgkDdiStartDevice)},
    {"without_query_adapter_info", "leaves the entry null", Moment::kEntry, "I135",
     WITHOUT(DxgkDdiQueryAdapterInfo)},
    {"without_query_interface", "leaves the entry null", Moment::kEntry, "I135",
     WITHOUT(DxgkDdiQueryInterface)},
    {"without_interrupt_routine", "leaves the entry null", Moment::kEntry, "I135",
     WITHOUT(DxgkDdiInterruptRoutine)},
    {"without_dpc_routine", "leaves the entry null", Moment::kEntry, "I135",
     WITHOUT(DxgkDdiDpcRoutine)},
    {"without_create_process", "leaves the entry null", Moment::kEntry, "I135",
     WITHOUT(DxgkDdiCreateProcess)},
    {"without_create_device", "leaves the entry null", Moment::kEntry, "I135",
     WITHOUT(DxgkDdiCreateDevice)},
    {"without_paging_buffer", "leaves the entry null", Moment::kEntry, "I135",
     WITHOUT(DxgkDdiBuildPagingBuffer)},
    {"without_create_fence", "leaves the entry null", Moment::kEntry, "no start",
     WITHOUT(DxgkDdiCreateNativeFence)},
    {"without_update_monitored", "leaves the entry null", Moment::kEntry, "no start",
     WITHOUT(DxgkDdiUpdateMonitoredValues)},
    {"without_connect_doorbell", "leaves the entry null", Moment::kEntry, "I135",
     WITHOUT(DxgkDdiConnectDoorbell)},
    {"without_create_hw_queue", "leaves the entry null", Moment::kEntry, "I135",
     WITHOUT(DxgkDdiCreateHwQueue)},
    {"without_create_hw_context", "leaves the entry null", Moment::kEntry, "I135",
     WITHOUT(DxgkDdiCreateHwContext)},
    {"without_root_page_table", "leaves the entry null", Moment::kEntry, "I135",
     WITHOUT(DxgkDdiSetRootPageTable)},
    {"without_create_context", "leaves the entry null", Moment::kEntry, "I135",
     WITHOUT(DxgkDdiCreateContext)},
};

}  // namespace

Mistakes return_mistakes() { return {kTable, std::size(kTable)}; }
