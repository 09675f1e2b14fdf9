#include <stdexcept>

#include "tb/test/support/hostile_driver/mistakes.h"

namespace {

constexpr Moment kStart = Moment::kStartDevice;
constexpr Moment kIsr = Moment::kInterrupt;

BOOLEAN nothing(PVOID /*context*/) { return TRUE; }
BOOLEAN throws(PVOID /*context*/) { throw std::runtime_error("from the routine"); }

void synchronize(Scene& scene, HANDLE adapter, PKSYNCHRONIZE_ROUTINE routine, ULONG message = 0) {
  BOOLEAN result = FALSE;
  scene.os.DxgkCbSynchronizeExecution(adapter, routine, &scene, message, &result);
}
BOOLEAN nested(PVOID context) {
  auto& scene = *static_cast<Scene*>(context);
  synchronize(scene, scene.os.DeviceHandle, nothing);
  return TRUE;
}
/// The feature services of the OS.
DXGK_FEATURE_INTERFACE features(Scene& scene) {
  DXGK_FEATURE_INTERFACE table{};
  table.Size = sizeof table;
  table.Version = DXGK_FEATURE_INTERFACE_VERSION_1;
  scene.os.DxgkCbQueryServices(scene.os.DeviceHandle, DxgkServicesFeature,
                               reinterpret_cast<INTERFACE*>(&table));
  return table;
}
void signal(Scene& scene, HANDLE process, HANDLE event) {
  DXGKARGCB_SIGNALEVENT args{};
  args.hDxgkProcess = process;
  args.hEvent = event;
  if (process == nullptr) args.Flags.Value = DXGKARGCB_SIGNALEVENT_FLAGS::kCpuEventObject;
  scene.os.DxgkCbSignalEvent(&args);
}
void disconnect(Scene& scene, HANDLE queue) {
  DXGKARGCB_DISCONNECTDOORBELL args{};
  args.hHwQueue = args.hDoorbell = queue;
  args.DisconnectReason = D3DDDI_DOORBELLSTATUS_DISCONNECTED_RETRY;
  scene.os.DxgkCbDisconnectDoorbell(&args);
}
void query_services(Scene& scene, INTERFACE* table) {
  scene.os.DxgkCbQueryServices(scene.os.DeviceHandle, DxgkServicesFeature, table);
}

constexpr Mistake kTable[] = {
    {"dpc_notified_in_isr", "calls DxgkCbNotifyDpc in the ISR", kIsr, "I22",
     [](Scene& scene) { scene.os.DxgkCbNotifyDpc(scene.os.DeviceHandle); }},
    {"dpc_notified_at_passive", "calls DxgkCbNotifyDpc at PASSIVE_LEVEL", kStart, "I22",
     [](Scene& scene) { scene.os.DxgkCbNotifyDpc(scene.os.DeviceHandle); }},
    {"dpc_notified_unknown", "calls DxgkCbNotifyDpc for no adapter", Moment::kDpc, "I134",
     [](Scene& scene) { scene.os.DxgkCbNotifyDpc(&scene); }},
    {"dpc_queued_unknown", "queues a DPC of no adapter", kIsr, "I134",
     [](Scene& scene) { scene.os.DxgkCbQueueDpc(&scene); }},
    {"dpc_queued_null", "queues a DPC for null", kIsr, "I134",
     [](Scene& scene) { scene.os.DxgkCbQueueDpc(nullptr); }},
    {"dpc_queued_at_start", "queues a DPC at start, as it may", kStart, "fine",
     [](Scene& scene) { scene.os.DxgkCbQueueDpc(scene.os.DeviceHandle); }},
    {"synchronize_null_routine", "synchronizes with nothing", kStart, "I134",
     [](Scene& scene) { synchronize(scene, scene.os.DeviceHandle, nullptr); }},
    {"synchronize_null_result", "gives no place for the result", kStart, "I134",
     [](Scene& scene) {
       scene.os.DxgkCbSynchronizeExecution(scene.os.DeviceHandle, nothing, nullptr, 0, nullptr);
     }},
    {"synchronize_unknown", "synchronizes with no adapter", kStart, "I134",
     [](Scene& scene) { synchronize(scene, &scene, nothing); }},
    {"synchronize_message", "names message 7", kStart, "I134",
     [](Scene& scene) { synchronize(scene, scene.os.DeviceHandle, nothing, 7); }},
    {"synchronize_in_isr", "synchronizes in the ISR", kIsr, "I22",
     [](Scene& scene) { synchronize(scene, scene.os.DeviceHandle, nothing); }},
    {"synchronize_nested", "synchronizes in the routine", kStart, "I22",
     [](Scene& scene) { synchronize(scene, scene.os.DeviceHandle, nested); }},
    {"synchronize_throws", "throws out of the routine", kStart, "I135",
     [](Scene& scene) { synchronize(scene, scene.os.DeviceHandle, throws); }},
    {"services_null", "asks for services without a table", kStart, "I134",
     [](Scene& scene) { query_services(scene, nullptr); }},
    {"services_unknown_adapter", "asks for services of no adapter", kStart, "I134",
     [](Scene& scene) {
       INTERFACE table{};
       scene.os.DxgkCbQueryServices(&scene, DxgkServicesFeature, &table);
     }},
    {"services_in_dpc", "asks for services in the DPC", Moment::kDpc, "I22",
     [](Scene& scene) {
       INTERFACE table{};
       query_services(scene, &table);
     }},
    {"services_small", "asks with a table that is too small, as it may", kStart, "fine",
     [](Scene& scene) {
       INTERFACE table{};
       query_services(scene, &table);
     }},
    {"feature_null", "asks for a feature without arguments", kStart, "I134",
     [](Scene& scene) { features(scene).IsFeatureEnabled(scene.os.DeviceHandle, nullptr); }},
    {"feature_unknown_adapter", "asks for a feature of no adapter", kStart, "I134",
     [](Scene& scene) {
       DXGKARGCB_ISFEATUREENABLED2 args{};
       features(scene).IsFeatureEnabled(&scene, &args);
     }},
    {"feature_table_null", "asks for the table without arguments", kStart, "I134",
     [](Scene& scene) { features(scene).QueryFeatureInterface(scene.os.DeviceHandle, nullptr); }},
    {"feature_table_without_place", "gives no place for the table", kStart, "I134",
     [](Scene& scene) {
       DXGKARGCB_QUERYFEATUREINTERFACE args{};
       args.FeatureId = DXGK_FEATURE_NATIVE_FENCE;
       args.Version = 1;
       args.InterfaceSize = 64;
       features(scene).QueryFeatureInterface(scene.os.DeviceHandle, &args);
     }},
    {"event_null", "signals without arguments", kStart, "I134",
     [](Scene& scene) { scene.os.DxgkCbSignalEvent(nullptr); }},
    {"event_null_handle", "signals a null event", kStart, "I134",
     [](Scene& scene) { signal(scene, nullptr, nullptr); }},
    {"event_unknown", "signals an event that there is not", kStart, "I134",
     [](Scene& scene) { signal(scene, nullptr, &scene); }},
    {"event_unknown_process", "signals an event of no process", kStart, "I134",
     [](Scene& scene) { signal(scene, &scene, &scene); }},
    {"event_unknown_in_isr", "signals an event that there is not in the ISR", kIsr, "I134",
     [](Scene& scene) { signal(scene, nullptr, &scene); }},
    {"allocation_unknown", "destroys a context allocation that there is not", kStart, "I134",
     [](Scene& scene) {
       const DXGKARGCB_DESTROYCONTEXTALLOCATION args{scene.os.DeviceHandle, &scene};
       scene.os.DxgkCbDestroyContextAllocation(&args);
     },
     "preemption/fault_page.json"},
    {"allocation_null", "creates a context allocation without arguments", kStart, "I134",
     [](Scene& scene) { scene.os.DxgkCbCreateContextAllocation(nullptr); },
     "preemption/fault_page.json"},
    {"allocation_unknown_adapter", "creates a context allocation of no adapter", kStart, "I134",
     [](Scene& scene) {
       DXGKARGCB_CREATECONTEXTALLOCATION args{};
       args.hAdapter = &scene;
       scene.os.DxgkCbCreateContextAllocation(&args);
     },
     "preemption/fault_page.json"},
    {"context_lost_unknown", "loses a hardware context that there is not", kStart, "I134",
     [](Scene& scene) {
       const DXGKARGCB_INVALIDATEHWCONTEXT args{scene.os.DeviceHandle, &scene, {}};
       scene.os.DxgkCbInvalidateHwContext(&args);
     },
     "preemption/bands.json"},
    {"context_lost_null", "loses a hardware context without arguments", kStart, "I134",
     [](Scene& scene) { scene.os.DxgkCbInvalidateHwContext(nullptr); }, "preemption/bands.json"},
    {"doorbell_taken_null", "takes a doorbell without arguments", kStart, "I134",
     [](Scene& scene) { scene.os.DxgkCbDisconnectDoorbell(nullptr); }},
    {"doorbell_taken_unknown", "takes the doorbell of no queue", kStart, "I134",
     [](Scene& scene) { disconnect(scene, &scene); }},
    {"doorbell_taken_null_queue", "takes the doorbell of a null queue", kStart, "I134",
     [](Scene& scene) { disconnect(scene, nullptr); }},
    {"doorbell_taken_in_isr", "takes a doorbell in the ISR", kIsr, "I22",
     [](Scene& scene) { disconnect(scene, &scene); }},
};

}  // namespace

Mistakes callback_mistakes() { return {kTable, std::size(kTable)}; }
