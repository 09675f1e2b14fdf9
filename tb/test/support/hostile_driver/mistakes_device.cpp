#include "models/abi/registers.h"
#include "tb/test/support/hostile_driver/mistakes.h"

namespace abi = fenceline::abi;

namespace {

constexpr std::uint64_t kWild = 1ULL << 50;
constexpr Moment kStart = Moment::kStartDevice;
constexpr Moment kFence = Moment::kCreateFence;

template <std::uint64_t offset, std::uint64_t value>
void write(Scene& scene) {
  scene.port.write_register(offset, value);
}

/// What the device is told that it cannot use: it must end in a verdict, whichever it is.
constexpr Mistake kTable[] = {
    {"device_ring_wild", "puts the interrupt ring where no memory is", kStart, "verdict",
     write<abi::kInterruptRingBase, kWild>},
    {"device_ring_null", "puts the interrupt ring at 0", kStart, "verdict",
     write<abi::kInterruptRingBase, 0>},
    {"device_ring_odd", "puts the interrupt ring at an odd address", kStart, "I130",
     write<abi::kInterruptRingBase, (1 << 20) + 3>},
    {"device_ring_empty", "makes an interrupt ring of 0 entries", kStart, "I130",
     write<abi::kInterruptRingEntries, 0>},
    {"device_ring_uneven", "makes an interrupt ring of 3 entries", kStart, "I130",
     write<abi::kInterruptRingEntries, 3>},
    {"device_ring_huge", "makes an interrupt ring of 2^40 entries", kStart, "verdict",
     write<abi::kInterruptRingEntries, 1ULL << 40>},
    {"device_interrupts_off", "switches interrupts off", kStart, "verdict",
     write<abi::kInterruptEnable, 0>},
    {"device_acknowledge_huge", "acknowledges entries that never were", kStart, "verdict",
     write<abi::kInterruptAcknowledge, UINT64_MAX / 2>},
    {"device_shadow_wild", "puts the shadows where no VRAM is", kStart, "verdict",
     write<abi::kShadowBase, kWild>},
    {"device_shadow_odd", "puts the shadows at an odd address", kStart, "I130",
     write<abi::kShadowBase, 3>},
    {"device_update_slot", "updates fence slot 5000", kFence, "I130",
     write<abi::kMonitoredUpdate, 5000>},
    {"device_update_slot_huge", "updates fence slot 2^64 - 1", kFence, "I130",
     write<abi::kMonitoredUpdate, UINT64_MAX>},
    {"device_update_slot_unused", "updates a slot without a fence", kFence, "verdict",
     write<abi::kMonitoredUpdate, 77>},
    {"device_kick_slot", "kicks fence slot 5000", kFence, "I130", write<abi::kFenceKick, 5000>},
    {"device_kick_flags", "kicks with flags of the device's own", kFence, "I130",
     write<abi::kFenceKick, UINT64_MAX>},
    {"device_flush_slot", "flushes logs of queue 5000", kFence, "I130",
     write<abi::kLogFlush, 5000>},
    {"device_retire_slot", "retires fence slot 5000", kFence, "I130",
     write<abi::kFenceRetire, 5000>},
    {"device_scan_slot", "scans the ring of queue 5000", kFence, "I130",
     write<abi::kRingScan, 5000>},
    {"device_scan_unused", "scans the ring of a queue that there is not", kFence, "verdict",
     write<abi::kRingScan, 200>},
    {"device_invalidate_space", "invalidates address space 5000", kFence, "I130",
     write<abi::kMmuInvalidate, 5000>},
    {"device_root_wild", "puts page tables where no VRAM is", kFence, "verdict",
     write<abi::kMmuRoot + 8, kWild>},
    {"device_root_of_system_wild", "puts the system's page tables where no VRAM is", kFence,
     "verdict", write<abi::kMmuRoot, kWild>},
    {"device_preempt_node", "preempts node 15", kFence, "I130", write<abi::kPreempt + 8 * 15, 1>},
    {"device_reset_node", "resets node 15", kFence, "I130", write<abi::kEngineReset + 8 * 15, 1>},
    {"device_reset_value", "resets node 0 with an unknown value", kFence, "verdict",
     write<abi::kEngineReset, UINT64_MAX>},
    {"device_resume_node", "resumes node 15", kFence, "I130",
     write<abi::kEngineResume + 8 * 15, 1>},
    {"device_primary_wild", "shows a primary without a display", kFence, "verdict",
     write<abi::kDisplayPrimary, kWild>},
    {"device_display_interrupt", "wants interrupts without a display", kFence, "verdict",
     write<abi::kDisplayInterrupt, UINT64_MAX>},
    {"device_fence_current_wild", "puts CurrentValue where nothing is mapped", kFence, "verdict",
     write<std::uint64_t{abi::kFenceTable} + abi::kFenceCurrentValue, kWild>},
    {"device_fence_space", "puts a fence into address space 5000", kFence, "verdict",
     write<std::uint64_t{abi::kFenceTable} + abi::kFenceSpace, 5000>},
    {"device_queue_ring_bytes", "gives a queue a ring of 0 bytes", kFence, "verdict",
     write<std::uint64_t{abi::kQueueTable} + abi::kQueueRingBytes, 0>},
    {"device_queue_ring_uneven", "gives a queue a ring of 3 bytes", kFence, "verdict",
     write<std::uint64_t{abi::kQueueTable} + abi::kQueueRingBytes, 3>},
    {"device_queue_node", "gives a queue to node 99", kFence, "verdict",
     write<std::uint64_t{abi::kQueueTable} + abi::kQueueEngine, 99>},
    {"device_queue_space", "gives a queue address space 5000", kFence, "verdict",
     write<std::uint64_t{abi::kQueueTable} + abi::kQueueVmid, 5000>},
    {"device_queue_enabled", "enables a queue without a ring", kFence, "verdict",
     write<abi::kQueueTable + 100 * abi::kQueueEntryBytes + abi::kQueueControl, 1>},
    {"device_queue_flags", "sets all flags of a queue", kFence, "verdict",
     write<abi::kQueueTable + 100 * abi::kQueueEntryBytes + abi::kQueueControl, UINT64_MAX>},
    {"device_queue_context", "gives a queue to context 5000", kFence, "verdict",
     write<std::uint64_t{abi::kQueueTable} + abi::kQueueContext, 5000>},
    {"device_context_area", "puts a save area where nothing is mapped", kFence, "verdict",
     write<abi::kContextTable + 8, kWild>},
    {"device_suspend_unused", "suspends a context that there is not", kFence, "verdict",
     write<abi::kHwContextTable + 500 * abi::kHwContextBytes, 1>},
    {"device_context_rank", "gives a context a rank that there is not", kFence, "verdict",
     write<std::uint64_t{abi::kHwContextTable} + abi::kContextRank, UINT64_MAX>},
    {"device_doorbell_given", "gives a doorbell to queue 5000", kFence, "verdict",
     write<abi::kDoorbellTable, 5000 | abi::kDoorbellGiven>},
    {"device_peer_wild", "puts a peer's doorbells where nothing is", kFence, "verdict",
     write<abi::kPeerDoorbell, kWild>},
    {"device_peer_entry", "has a fence ring a peer that there is not", kFence, "verdict",
     write<abi::kPeerTable, UINT64_MAX>},
    {"device_aperture_on", "translates the VRAM BAR and maps nothing", kFence, "verdict",
     write<abi::kHostApertureControl, 1>},
    {"device_aperture_entry", "maps a page of the window nowhere", kFence, "verdict",
     write<abi::kHostApertureEntry, UINT64_MAX>},
    {"device_one_cause", "has the device tell no fences apart", kFence, "verdict",
     write<abi::kOneFenceCause, 1>},
};

}  // namespace

Mistakes device_mistakes() { return {kTable, std::size(kTable)}; }
