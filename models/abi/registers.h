#pragma once

#include <cstdint>

/// Base address registers and register file: part 1 of the contract between hardware and driver.
/// All registers are 64 bits wide, little endian and 8-aligned. Writes are posted. The layout is
/// our own: no published device has it.
namespace fenceline::abi {

// Base address registers of the endpoint. All sizes are fixed except that of VRAM.
constexpr std::uint32_t kRegisterBar = 0;  ///< registers, fence and queue tables, MSI-X
constexpr std::uint32_t kDoorbellBar = 2;  ///< doorbells of queues, of peer GPUs and of the driver
constexpr std::uint32_t kVramBar = 4;      ///< VRAM, or the window of the host aperture
constexpr std::uint64_t kRegisterBarBytes = 1ULL << 20;
constexpr std::uint64_t kDoorbellBarBytes = 1ULL << 21;
constexpr std::uint64_t kDoorbellStride = 4096;  ///< [bytes] from one doorbell to the next

constexpr std::uint32_t kFenceSlots = 2048;    ///< number of fences that the CMP can hold
constexpr std::uint32_t kQueueSlots = 256;     ///< hardware queues
constexpr std::uint32_t kAddressSpaces = 64;   ///< VMIDs; 0 is the system process
constexpr std::uint32_t kContextSlots = 1024;  ///< contexts with a save area; slot 0 is none
constexpr std::uint32_t kPeers = 8;            ///< peer GPUs whose doorbells a GPU can ring
constexpr std::uint32_t kInterruptVector = 0;  ///< the only MSI-X vector in use

/// Value of kId.
constexpr std::uint64_t kDeviceId = 0x464E434C00010000;  ///< "FNCL", version 1

/// Offsets in the register BAR [bytes].
enum Register : std::uint64_t {
  kId = 0x0000,              ///< RO: kDeviceId
  kEngineCount = 0x0008,     ///< RO: number of nodes, at most 16
  kVramBytes = 0x0010,       ///< RO: size of VRAM [bytes]
  kAtomicBits = 0x0018,      ///< RO: widest store that the device does not split: 32 or 64
  kTimestamp = 0x0020,       ///< RO: GPU clock counter
  kClockHz = 0x0028,         ///< RO: frequency of the GPU clock [Hz]
  kHardwareCaps = 0x0030,    ///< RO: capability bits, see below
  kFenceWriters = 0x0038,    ///< RO: bit n: node n executes FENCE_WRITE
  kFenceNotifiers = 0x0040,  ///< RO: bit n: FENCE_WRITE of node n can interrupt
  kGranularity = 0x0048,     ///< RO: GraphicsGranularity | ComputeGranularity << 8, of all nodes
  kStateBytes = 0x0050,      ///< RO: largest state that a preempted buffer saves [bytes]
  kResetGroup = 0x0058,      ///< RO: bit n: node n is in the group that resets together

  kInterruptRingBase = 0x0100,     ///< host physical address of the interrupt ring
  kInterruptRingEntries = 0x0108,  ///< entries of the ring, a power of two
  kInterruptEnable = 0x0110,       ///< 1: entries raise MSI-X messages
  /// WO: ends the pending interrupt. Value: number of entries that the ISR has read since power-on.
  /// If the device has written more, it raises the next interrupt at once. With
  /// kAcknowledgeWithoutCount the device makes no such check.
  kInterruptAcknowledge = 0x0118,

  kShadowBase = 0x0200,            ///< VRAM offset of the shadow MonitoredValues, 8 bytes per slot
  kMonitoredUpdate = 0x0208,       ///< WO: fence slot whose MonitoredValue the CPU changed
  kMonitoredUpdatesDone = 0x0210,  ///< RO: number of updates completed since power-on
  kFenceKick = 0x0218,             ///< WO: fence slot (low 32 bits) | kKick flags: recheck waits
  kFenceKicksDone = 0x0220,        ///< RO: number of kicks completed
  kLogFlush = 0x0228,              ///< WO: queue slot whose log writes must reach host memory
  kLogFlushesDone = 0x0230,        ///< RO: number of flushes completed
  /// WO: fence slot to retire. When this is done, the fence has no slot, no signal of it is in
  /// flight, and packets that name it are stale.
  kFenceRetire = 0x0238,
  kFenceRetiresDone = 0x0240,  ///< RO: number of retires completed

  kPeerDoorbell = 0x0280,  ///< + 8 * peer: bus address of the doorbell page of that peer

  /// + 8 * node, WO: preemption id. Buffers in the driver's own rings stop at the next possible
  /// point. The interrupt ring reports this (InterruptCause::kPreempted). Each node handles one
  /// preemption at a time.
  kPreempt = 0x0600,
  /// + 8 * node. WO: the node drops its current work and the buffers in the driver's own rings. RO:
  /// kEngineResetDone when the reset is done, a smaller value before.
  kEngineReset = 0x0680,
  /// + 8 * node, RO: submission id of the buffer that a reset ended. 0: none, or the node has begun
  /// another buffer since.
  kSubmission = 0x0800,

  /// + 8 * node, WO: a held node continues after its reset.
  kEngineResume = 0x0880,
  /// + 8 * node, RO: slot + 1 of the user-mode queue that the last reset of the node ended; 0:
  /// none.
  kEngineQueue = 0x0900,
  /// + 8 * band, WO: time that contexts of the band keep running when a context of a higher band is
  /// ready [100 ns].
  kBandGrace = 0x0980,

  // Display registers. All are 0 on a device without a display.
  kDisplayMode = 0x0700,  ///< RO: bytes per primary; 0: no display
  /// GPU physical address of the primary in VRAM, a multiple of 4096, | kFlipImmediate. Scan-out
  /// starts at the next vertical sync, or at once with kFlipImmediate.
  kDisplayPrimary = 0x0708,
  kDisplayCurrent = 0x0710,    ///< RO: address of the primary in scan-out
  kDisplayInterrupt = 0x0718,  ///< 1: vertical syncs raise interrupts
  kDisplayBlank = 0x0720,      ///< RO: 1 during vertical blanking

  /// 1: the device cannot distinguish fences. Each fence interrupt then writes an
  /// InterruptCause::kFenceSignaled entry that names no fence and no queue.
  kOneFenceCause = 0x02C0,

  kMmuInvalidate = 0x0300,  ///< WO: VMID whose TLB entries are dropped
  kMmuRoot = 0x0400,        ///< + 8 * VMID: page-table root, see page_table.h; 0 is none

  kFenceTable = 0x10000,    ///< + kFenceEntryBytes * slot
  kPeerTable = 0x20000,     ///< + kPeerEntryBytes * fence slot: one word per peer, see kPeerValid
  kQueueTable = 0x40000,    ///< + kQueueEntryBytes * slot
  kContextTable = 0x50000,  ///< + 8 * slot: GPU virtual address of the save area; 0: none
  /// + 8 * slot of kContextTable: GPU virtual address of memory that all contexts of a device
  /// share; 0: none. A node reads one word of it before it runs a buffer of the context.
  kDeviceTable = 0x54000,
  kHwContextTable = 0x60000,  ///< + kHwContextBytes * slot of kContextTable
  /// + 8 * page: queue slot | kDoorbellGiven, the queue of a doorbell. 0: no queue; writes to the
  /// doorbell are lost. Only used when queues share doorbells, see kDoorbellsShift. Otherwise the
  /// page number of a doorbell is the slot of its queue.
  kDoorbellTable = 0x70000,
  /// WO: queue slot. The device reads the queue's write pointer in memory (kQueueWritePointer), as
  /// if its doorbell had been rung with that value.
  kRingScan = 0x71000,

  kMsixTable = 0x80000,  ///< + 16 * vector: {address, data | mask << 32}

  kHostApertureControl = 0x90000,  ///< 1: the VRAM BAR is translated per page
  kHostApertureEntry = 0x90008     ///< WO: see host_aperture_entry
};

/// Value of kEngineReset: end only the user-mode queue that the node runs. The node starts no new
/// work until kEngineResume. The driver's own ring keeps its buffers, and a driver buffer that runs
/// continues.
constexpr std::uint64_t kResetAndHold = 2;
/// The same, but the buffers in the driver's own ring are dropped too.
constexpr std::uint64_t kResetAllAndHold = 3;
constexpr std::uint32_t kBands = 4;  ///< priority bands of contexts, from idle to realtime

constexpr std::uint64_t kEngineResetDone = 2;
constexpr std::uint64_t kFlipImmediate = 1;
/// Engine number of the display in interrupt entries: above all nodes.
constexpr std::uint32_t kDisplayEngine = 16;

/// Value of kHostApertureEntry: maps a page of the BAR. After power-on and after D3 no page is
/// mapped. @param bar_page below 2^24. @param vram_page below 2^36.
constexpr std::uint64_t kHostApertureValid = 1ULL << 39;
constexpr std::uint32_t kHostAperturePageShift = 40;
constexpr std::uint64_t host_aperture_entry(std::uint64_t bar_page, std::uint64_t vram_page,
                                            bool valid) {
  return bar_page << kHostAperturePageShift | (valid ? kHostApertureValid : 0) | vram_page;
}

// Bits of kHardwareCaps.
constexpr std::uint64_t kNoNativeFences = 1;   ///< the device has monitored fences only
constexpr std::uint64_t kHasIommu = 2;         ///< the device uses addresses of CPU processes
constexpr std::uint64_t kHasDisplay = 4;       ///< the display registers exist
constexpr std::uint32_t kPagingNodeShift = 8;  ///< bits [11:8]: node with a copy engine, or 0
constexpr std::uint64_t kPagingNodeMask = 0xF;
/// Bits [24:16]: number of doorbells that queues share, pages 0 and up; 0: one per queue slot.
constexpr std::uint32_t kDoorbellsShift = 16;
constexpr std::uint64_t kDoorbellsMask = 0x1FF;
constexpr std::uint64_t kDoorbellGiven = 1ULL << 32;  ///< flag in a word of kDoorbellTable

constexpr std::uint64_t kAcknowledgeWithoutCount = 1ULL << 63;
constexpr std::uint64_t kKickAlwaysSignaled = 1ULL
                                              << 32;  ///< from now on every wait on it is satisfied
constexpr std::uint64_t kKickRetired = 1ULL
                                       << 34;  ///< set by the device itself: the slot is free again
/// Set by the device itself, above a tag: packets that name the slot use this tag from now on.
constexpr std::uint64_t kKickNamed = 1ULL << 35;
constexpr std::uint32_t kKickTagShift = 36;
constexpr std::uint64_t kKickFromCpu = 1ULL
                                       << 33;  ///< set by the device itself on its internal path

/// Fence table entry. Write the addresses first and kFenceControl last.
constexpr std::uint64_t kFenceEntryBytes = 32;
enum FenceField : std::uint64_t {
  kFenceCurrentValue = 0x00,    ///< GPU virtual address of CurrentValue in kFenceSpace
  kFenceMonitoredValue = 0x08,  ///< the same for MonitoredValue
  kFenceControl = 0x10,         ///< bit 0: valid; bits from kFenceTagShift: tag of its packets
  kFenceSpace = 0x18            ///< address space of both; 0 is the system process
};
constexpr std::uint64_t kFenceValid = 1;
constexpr std::uint32_t kFenceTagShift = 32;

/// Name of a fence in packets: slot and tag. The tag changes each time the slot is reused. The
/// device does not execute a packet with a stale tag: a signal has no effect, a wait ends. Retiring
/// a slot makes its tag stale.
constexpr std::uint32_t kFenceSlotBits = 12;
constexpr std::uint32_t kFenceTags = 1U << (32 - kFenceSlotBits);
static_assert(kFenceSlots <= 1U << kFenceSlotBits);
constexpr std::uint32_t fence_name(std::uint32_t slot, std::uint32_t tag) {
  return tag % kFenceTags << kFenceSlotBits | slot;
}
constexpr std::uint32_t fence_slot_of(std::uint32_t name) {
  return name & ((1U << kFenceSlotBits) - 1);
}
constexpr std::uint32_t fence_tag_of(std::uint32_t name) { return name >> kFenceSlotBits; }

/// Entry of kPeerTable: what a signal of the fence in this slot writes to the page of each peer.
constexpr std::uint64_t kPeerEntryBytes = 8 * kPeers;
constexpr std::uint64_t kPeerValid = 1ULL
                                     << 63;  ///< bit of a word of kPeerTable: this peer is rung
constexpr std::uint64_t kPeerPage = kQueueSlots * kDoorbellStride;  ///< offset in the doorbell BAR
/// Doorbell page of the driver's own ring on node 0. The pages of the other nodes follow.
constexpr std::uint32_t kNodeDoorbell = kQueueSlots + 1;
constexpr std::uint32_t kMaxNodes = 16;
/// Payload of a peer doorbell: 0 makes every waiting queue look again; or one of these flags.
constexpr std::uint64_t kPeerNamesFence = 1ULL << 56;  ///< low 32 bits: the peer's fence slot
constexpr std::uint64_t kPeerNamesQueues =
    1ULL << 57;  ///< low 32 bits: bit n stands for queue slots n mod 32

/// Address space of the system process. The driver's addresses for the CMP are in it.
constexpr std::uint32_t kSystemVmid = 0;
/// Queue table entry. Write kQueueLogEntries before the log addresses, and kQueueControl last.
constexpr std::uint64_t kQueueEntryBytes = 128;
enum QueueField : std::uint64_t {
  kQueueRingBase = 0x00,   ///< GPU virtual address of the ring in the queue's address space
  kQueueRingBytes = 0x08,  ///< [bytes], a power of two
  kQueueReadPointer =
      0x10,             ///< GPU virtual address to which the read pointer is written back, 0: none
  kQueueVmid = 0x18,    ///< address space
  kQueueEngine = 0x20,  ///< node
  kQueueWaitLog =
      0x28,  ///< GPU virtual address of the wait log in the queue's address space, 0: none
  kQueueSignalLog = 0x30,   ///< the same for the signal log
  kQueueLogEntries = 0x38,  ///< entries: wait log | signal log << 32
  kQueueControl = 0x40,     ///< bit 0: enabled
  /// Addresses of the same logs in kSystemVmid. 0: the CMP uses the other addresses. They take
  /// effect when the other address is written.
  kQueueSystemWaitLog = 0x48,
  kQueueSystemSignalLog = 0x50,
  kQueueWritePointer =
      0x58,  ///< GPU virtual address of the write pointer in the queue's address space, 0: none
  kQueueContext = 0x60  ///< slot of the queue's context; 0: none
};
constexpr std::uint64_t kQueueEnabled = 1;
/// The ring and the read pointer have GPU physical addresses: a ring of the driver's own.
constexpr std::uint64_t kQueuePhysical = 2;
/// LOG packets with kVerboseLog are executed. Without this flag they are skipped.
constexpr std::uint64_t kQueueVerboseLogs = 4;

/// The queue is not in the run list: the device fetches none of its packets.
constexpr std::uint64_t kQueueRemoved = 8;
/// A packet of the queue may run without limit and never causes InterruptCause::kEngineTimeout.
constexpr std::uint64_t kQueueNoTimeout = 16;

/// Entry of a hardware-queue context: parameters of the node's scheduler. All WO.
constexpr std::uint64_t kHwContextBytes = 64;
enum HwContextField : std::uint64_t {
  /// Fence of a suspension. The interrupt ring reports it (InterruptCause::kContextSuspended) when
  /// no suspended queue of the context is at its node and all writes of these queues are visible.
  kContextSuspend = 0x00,
  kContextResume = 0x08,  ///< cancels a suspension that is not reported yet
  /// kBandMask | level within the highest band << 8 | priority among contexts of one VMID << 16.
  kContextRank = 0x10,
  kContextQuantum = 0x18,    ///< [100 ns] before contexts of equal rank get their turn; 0: no limit
  kContextGraceSame = 0x20,  ///< [100 ns] extra time for the running context after its quantum
  kContextGraceLower =
      0x28,  ///< [100 ns] extra time for a running context of lower rank in the band
  kContextVmid = 0x30
};

/// Cause of an interrupt entry.
enum class InterruptCause : std::uint32_t {
  kFenceSignaled = 1,
  /// The CMP found no translation. value: the address; fence_slot: the fence; or queue_slot: the
  /// queue whose log it is.
  kPageFault = 2,
  kFenceWritten = 3,      ///< a node executed FENCE_WRITE with kNotify; only engine is valid
  kBufferCompleted = 4,   ///< value: submission id of the engine's last completed buffer
  kPreempted = 5,         ///< value: preemption id | last completed submission id << 32
  kVerticalSync = 6,      ///< value: address of the primary now in scan-out
  kContextSuspended = 7,  ///< value: fence of the suspension; queue_slot: slot of the context
  /// The engine gave up a buffer. fence_slot: its submission id; queue_slot: FaultCode; value: GPU
  /// virtual address without a translation, or 0.
  kBufferFaulted = 8,
  /// The user-mode queue in queue_slot neither finishes a packet nor leaves the engine. The engine
  /// stops until it is reset.
  kEngineTimeout = 9
};
/// Reason why a node gives up a buffer.
enum class FaultCode : std::uint32_t {
  kNone = 0,
  kIllegal = 1,     ///< unknown packet, or a packet that the node cannot execute
  kPrivileged = 2,  ///< a packet reserved for the driver's own buffers
  kPageRead = 3,    ///< read of an address without a translation
  kPageWrite = 4    ///< write to an address without a translation
};
constexpr std::uint32_t kUnknownSlot = 0xFFFFFFFF;

/// One entry of the interrupt ring in host memory. The device writes it with one TLP.
struct InterruptEntry {
  std::uint64_t sequence;    ///< @0: 1 for the first entry since power-on; marks new entries
  InterruptCause cause;      ///< @8
  std::uint32_t engine;      ///< @12: node, kUnknownSlot if several
  std::uint32_t fence_slot;  ///< @16: kUnknownSlot if signals were coalesced
  std::uint32_t queue_slot;  ///< @20: queue, kUnknownSlot if unknown
  std::uint64_t value;       ///< @24: signalled value, 0 if unknown
};
static_assert(sizeof(InterruptEntry) == 32);

/// Host physical address window of all MSI-X writes.
constexpr std::uint64_t kMessageWindow = 0xFEE00000;
constexpr std::uint64_t kMessageWindowBytes = 0x100000;

}  // namespace fenceline::abi
