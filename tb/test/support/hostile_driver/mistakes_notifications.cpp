#include "tb/test/support/hostile_driver/mistakes.h"

namespace {

using Data = DXGKARGCB_NOTIFY_INTERRUPT_DATA;
constexpr Moment kIsr = Moment::kInterrupt;

Data of_type(UINT type) {
  Data data{};
  data.InterruptType = static_cast<DXGK_INTERRUPT_TYPE>(type);
  return data;
}
void notify(Scene& scene, const Data& data) {
  scene.os.DxgkCbNotifyInterrupt(scene.os.DeviceHandle, &data);
}
void notify_all(Scene& scene) { notify(scene, of_type(DXGK_INTERRUPT_NATIVE_FENCE_SIGNALED)); }

template <UINT type>
void notify_type(Scene& scene) {
  notify(scene, of_type(type));
}
template <UINT node>
void notify_native_node(Scene& scene) {
  Data data = of_type(DXGK_INTERRUPT_NATIVE_FENCE_SIGNALED);
  data.NativeFenceSignaled.NodeOrdinal = node;
  notify(scene, data);
}
template <UINT node>
void notify_completed_node(Scene& scene) {
  Data data = of_type(DXGK_INTERRUPT_DMA_COMPLETED);
  data.DmaCompleted.NodeOrdinal = node;
  notify(scene, data);
}

constexpr Mistake kTable[] = {
    {"notify_unknown_adapter", "notifies for a handle from nowhere", kIsr, "I134",
     [](Scene& scene) {
       const Data data = of_type(DXGK_INTERRUPT_NATIVE_FENCE_SIGNALED);
       scene.os.DxgkCbNotifyInterrupt(&scene, &data);
     }},
    {"notify_null_adapter", "notifies for no adapter", kIsr, "I134",
     [](Scene& scene) {
       const Data data = of_type(DXGK_INTERRUPT_NATIVE_FENCE_SIGNALED);
       scene.os.DxgkCbNotifyInterrupt(nullptr, &data);
     }},
    {"notify_null_data", "notifies of nothing", kIsr, "I134",
     [](Scene& scene) { scene.os.DxgkCbNotifyInterrupt(scene.os.DeviceHandle, nullptr); }},
    {"notify_type_0", "notifies of type 0", kIsr, "I134", notify_type<0>},
    {"notify_type_99", "notifies of type 99", kIsr, "I134", notify_type<99>},
    {"notify_type_largest", "notifies of type 2^32 - 1", kIsr, "I134", notify_type<UINT32_MAX>},
    {"notify_type_context_list", "notifies of a type of other drivers", kIsr, "I134",
     notify_type<DXGK_INTERRUPT_HWCONTEXTLIST_SWITCH_COMPLETED>},
    {"notify_node_16", "notifies of node 16", kIsr, "I134", notify_native_node<16>},
    {"notify_node_largest", "notifies of node 2^32 - 1", kIsr, "I134",
     notify_native_node<UINT32_MAX>},
    {"notify_engine_1", "notifies of the second engine of a node", kIsr, "I134",
     [](Scene& scene) {
       Data data = of_type(DXGK_INTERRUPT_NATIVE_FENCE_SIGNALED);
       data.NativeFenceSignaled.EngineOrdinal = 1;
       notify(scene, data);
     }},
    {"notify_array_null", "notifies of 3 fences without an array", kIsr, "I134",
     [](Scene& scene) {
       Data data = of_type(DXGK_INTERRUPT_NATIVE_FENCE_SIGNALED);
       data.NativeFenceSignaled.SignaledNativeFenceCount = 3;
       notify(scene, data);
     }},
    {"notify_fence_unknown", "names a fence that there is not", kIsr, "stop",
     [](Scene& scene) {
       HANDLE handles[1] = {&scene};
       Data data = of_type(DXGK_INTERRUPT_NATIVE_FENCE_SIGNALED);
       data.NativeFenceSignaled.SignaledNativeFenceCount = 1;
       data.NativeFenceSignaled.pSignaledNativeFenceArray = handles;
       notify(scene, data);
     }},
    {"notify_fence_null", "names a null fence", kIsr, "stop",
     [](Scene& scene) {
       HANDLE handles[1] = {nullptr};
       Data data = of_type(DXGK_INTERRUPT_NATIVE_FENCE_SIGNALED);
       data.NativeFenceSignaled.SignaledNativeFenceCount = 1;
       data.NativeFenceSignaled.pSignaledNativeFenceArray = handles;
       notify(scene, data);
     }},
    {"notify_completed_node_16", "completes a buffer of node 16", kIsr, "I134",
     notify_completed_node<16>},
    {"notify_completed_node_largest", "completes a buffer of node 2^32 - 1", kIsr, "I134",
     notify_completed_node<UINT32_MAX>},
    {"notify_preempted_node", "preempts on node 77", kIsr, "I134",
     [](Scene& scene) {
       Data data = of_type(DXGK_INTERRUPT_DMA_PREEMPTED);
       data.DmaPreempted.NodeOrdinal = 77;
       notify(scene, data);
     }},
    {"notify_faulted_node", "gives up a buffer of node 77", kIsr, "I134",
     [](Scene& scene) {
       Data data = of_type(DXGK_INTERRUPT_DMA_FAULTED);
       data.DmaFaulted.NodeOrdinal = 77;
       notify(scene, data);
     }},
    {"notify_page_fault_node", "gives up a buffer of node 77", kIsr, "I134",
     [](Scene& scene) {
       Data data = of_type(DXGK_INTERRUPT_DMA_PAGE_FAULTED);
       data.DmaPageFaulted.NodeOrdinal = 77;
       notify(scene, data);
     }},
    {"notify_timeout_node", "takes node 77 for hung", kIsr, "I134",
     [](Scene& scene) {
       Data data = of_type(DXGK_INTERRUPT_GPU_ENGINE_TIMEOUT);
       data.GpuEngineTimeout.NodeOrdinal = 77;
       notify(scene, data);
     }},
    {"notify_state_node", "reports the state of node 77", kIsr, "I134",
     [](Scene& scene) {
       Data data = of_type(DXGK_INTERRUPT_GPU_ENGINE_STATE_CHANGE);
       data.EngineStateChange.NodeOrdinal = 77;
       notify(scene, data);
     }},
    {"notify_monitored_node", "reports monitored fences of node 77", kIsr, "I134",
     [](Scene& scene) {
       Data data = of_type(DXGK_INTERRUPT_MONITORED_FENCE_SIGNALED);
       data.MonitoredFenceSignaled.NodeOrdinal = 77;
       notify(scene, data);
     }},
    {"notify_suspended_unknown", "suspends a context that there is not", kIsr, "I134",
     [](Scene& scene) {
       Data data = of_type(DXGK_INTERRUPT_SUSPEND_CONTEXT_COMPLETED);
       data.SuspendContextCompleted.hContext = &scene;
       notify(scene, data);
     }},
    {"notify_suspended_null", "suspends no context", kIsr, "I134",
     notify_type<DXGK_INTERRUPT_SUSPEND_CONTEXT_COMPLETED>},
    {"notify_queue_unknown", "reports a queue that there is not", kIsr, "I134",
     [](Scene& scene) {
       Data data = of_type(DXGK_INTERRUPT_NATIVE_FENCE_SIGNALED);
       data.NativeFenceSignaled.hHWQueue = &scene;
       notify(scene, data);
     },
     "combined/two_queues_in_one_interrupt.json"},
    {"notify_completed_unknown", "completes a buffer that was never submitted", kIsr, "verdict",
     [](Scene& scene) {
       Data data = of_type(DXGK_INTERRUPT_DMA_COMPLETED);
       data.DmaCompleted.SubmissionFenceId = 12345;
       notify(scene, data);
     },
     "preemption/fault_page.json"},
    {"notify_preempted_unknown", "answers a preemption that was never asked for", kIsr, "verdict",
     [](Scene& scene) {
       Data data = of_type(DXGK_INTERRUPT_DMA_PREEMPTED);
       data.DmaPreempted.PreemptionFenceId = 12345;
       notify(scene, data);
     },
     "preemption/fault_page.json"},
    {"notify_faulted_unknown", "gives up a buffer that was never submitted", kIsr, "verdict",
     [](Scene& scene) {
       Data data = of_type(DXGK_INTERRUPT_DMA_FAULTED);
       data.DmaFaulted.FaultedFenceId = 12345;
       notify(scene, data);
     },
     "preemption/fault_page.json"},
    {"notify_timeout_unasked", "takes node 0 for hung", kIsr, "verdict",
     [](Scene& scene) {
       Data data = of_type(DXGK_INTERRUPT_GPU_ENGINE_TIMEOUT);
       notify(scene, data);
     },
     "preemption/bands.json"},
    {"notify_vsync", "reports a vertical sync without a display", kIsr, "stop",
     notify_type<DXGK_INTERRUPT_CRTC_VSYNC>},
    {"notify_page_fault_fatal", "reports a fault that ends all", kIsr, "stop",
     notify_type<DXGK_INTERRUPT_HWQUEUE_PAGE_FAULTED>},
    {"notify_fault_flags", "reports a fault that names nothing", kIsr, "stop",
     [](Scene& scene) {
       Data data = of_type(DXGK_INTERRUPT_DMA_PAGE_FAULTED);
       data.DmaPageFaulted.PageFaultFlags = DXGK_PAGE_FAULT_FENCE_INVALID;
       notify(scene, data);
     }},
    {"notify_and_goes_on", "catches the bug check of its notification", kIsr, "stop",
     [](Scene& scene) {
       try {
         notify_type<DXGK_INTERRUPT_CRTC_VSYNC>(scene);
       } catch (...) {
         scene.status = STATUS_SUCCESS;
       }
     }},
    {"notify_at_passive", "notifies at PASSIVE_LEVEL", Moment::kStartDevice, "I22", notify_all},
    {"notify_in_dpc", "notifies in the DPC", Moment::kDpc, "I22", notify_all},
};

}  // namespace

Mistakes notification_mistakes() { return {kTable, std::size(kTable)}; }
