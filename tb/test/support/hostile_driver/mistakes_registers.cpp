#include "models/abi/registers.h"
#include "tb/test/support/hostile_driver/mistakes.h"

namespace abi = fenceline::abi;

namespace {

constexpr std::uint64_t kBeyond = abi::kRegisterBarBytes;

#define READ(offset) [](Scene& scene) { scene.port.read_register(offset); }
#define WRITE(offset) [](Scene& scene) { scene.port.write_register(offset, 1); }
#define POLL(offset) [](Scene& scene) { scene.port.poll_register(offset, 1); }

constexpr Moment kStart = Moment::kStartDevice;

constexpr Mistake kTable[] = {
    {"register_read_unaligned", "reads offset 4", kStart, "I130", READ(4)},
    {"register_write_unaligned", "writes offset 0x104", kStart, "I130", WRITE(0x104)},
    {"register_poll_unaligned", "polls offset 0x211", kStart, "I130", POLL(0x211)},
    {"register_read_beyond", "reads behind the BAR", kStart, "I130", READ(kBeyond)},
    {"register_write_beyond", "writes behind the BAR", kStart, "I130", WRITE(kBeyond)},
    {"register_poll_beyond", "polls behind the BAR", kStart, "I130", POLL(kBeyond)},
    {"register_read_huge", "reads the last offset of 64 bits", kStart, "I130",
     READ(UINT64_MAX - 7)},
    {"register_write_huge", "writes the last offset", kStart, "I130", WRITE(UINT64_MAX - 7)},
    {"register_read_hole", "reads behind the identification", kStart, "I130", READ(0x60)},
    {"register_write_hole", "writes behind the display", kStart, "I130", WRITE(0x728)},
    {"register_poll_hole", "polls where nothing is", kStart, "I130", POLL(0x3000)},
    {"register_write_between_tables", "writes behind the queue table", kStart, "I130",
     WRITE(0x48000)},
    {"register_write_in_queue_entry", "writes a word of a queue that there is not", kStart, "I130",
     WRITE(std::uint64_t{abi::kQueueTable} + abi::kQueueContext + 8)},
    {"register_write_band_4", "writes a fifth band", kStart, "I130", WRITE(abi::kBandGrace + 32)},
    {"register_write_context_slot", "writes behind the context table", kStart, "I130",
     WRITE(abi::kContextTable + 8 * abi::kContextSlots)},
    {"register_write_doorbell_slot", "writes behind the doorbell table", kStart, "I130",
     WRITE(abi::kDoorbellTable + 8 * abi::kQueueSlots)},
    {"register_write_id", "writes the device's id", kStart, "I130", WRITE(abi::kId)},
    {"register_write_nodes", "writes the number of nodes", kStart, "I130",
     WRITE(abi::kEngineCount)},
    {"register_write_clock", "writes the clock", kStart, "I130", WRITE(abi::kTimestamp)},
    {"register_write_updates_done", "writes what the CMP counts", kStart, "I130",
     WRITE(abi::kMonitoredUpdatesDone)},
    {"register_write_kicks_done", "writes what the CMP counts", kStart, "I130",
     WRITE(abi::kFenceKicksDone)},
    {"register_write_flushes_done", "writes what the CMP counts", kStart, "I130",
     WRITE(abi::kLogFlushesDone)},
    {"register_write_retires_done", "writes what the CMP counts", kStart, "I130",
     WRITE(abi::kFenceRetiresDone)},
    {"register_write_submission", "writes what a node ran", kStart, "I130",
     WRITE(abi::kSubmission)},
    {"register_write_engine_queue", "writes which queue a reset ended", kStart, "I130",
     WRITE(abi::kEngineQueue)},
    {"register_write_display_current", "writes what is scanned out", kStart, "I130",
     WRITE(abi::kDisplayCurrent)},
    {"register_write_msix_address", "sends interrupts elsewhere", kStart, "I130",
     WRITE(abi::kMsixTable)},
    {"register_write_msix_data", "changes the vector", kStart, "I130", WRITE(abi::kMsixTable + 8)},
    {"register_unaligned_in_isr", "reads offset 4 in the ISR", Moment::kInterrupt, "I130", READ(4)},
    {"register_unaligned_in_dpc", "reads offset 4 in the DPC", Moment::kDpc, "I130", READ(4)},
    {"register_hole_in_update", "writes a hole at device level", Moment::kUpdateMonitored, "I130",
     WRITE(0x60)},
};

}  // namespace

Mistakes register_mistakes() { return {kTable, std::size(kTable)}; }
