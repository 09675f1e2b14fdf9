#pragma once

#include <cstdint>

/// What hardware and driver agree on, part 1: base address registers and the register file.
/// All registers are 64 bits wide, little endian and 8-aligned. Writes are posted.
/// This layout is our own: no published device has it.
namespace fenceline::abi {

// Base address registers of the endpoint. Sizes are fixed but for VRAM.
constexpr std::uint32_t kRegisterBar = 0;  ///< registers, fence and queue tables, MSI-X
constexpr std::uint32_t kDoorbellBar = 2;  ///< doorbells of queues, of other GPUs, of the driver
constexpr std::uint32_t kVramBar = 4;      ///< VRAM, or the window of the host aperture
constexpr std::uint64_t kRegisterBarBytes = 1ULL << 20;
constexpr std::uint64_t kDoorbellBarBytes = 1ULL << 21;
constexpr std::uint64_t kDoorbellStride = 4096;  ///< [bytes] from one doorbell to the next

constexpr std::uint32_t kFenceSlots = 2048;    ///< fences the CMP knows at once
constexpr std::uint32_t kQueueSlots = 256;     ///< hardware queues
constexpr std::uint32_t kAddressSpaces = 64;   ///< VMIDs; 0 is the system process
constexpr std::uint32_t kContextSlots = 1024;  ///< contexts with a save area; 0 is none
constexpr std::uint32_t kPeers = 8;            ///< GPUs whose doorbells a GPU can ring
constexpr std::uint32_t kInterruptVector = 0;  ///< the only MSI-X vector in use

/// Identification, kId.
constexpr std::uint64_t kDeviceId = 0x464E434C00010000;  ///< "FNCL", version 1

/// Offsets in the register BAR [bytes].
enum Register : std::uint64_t {
  kId = 0x0000,              ///< RO: kDeviceId
  kEngineCount = 0x0008,     ///< RO: nodes, at most 16
  kVramBytes = 0x0010,       ///< RO: size of VRAM [bytes]
  kAtomicBits = 0x0018,      ///< RO: widest store that the device does not split: 32 or 64
  kTimestamp = 0x0020,       ///< RO: GPU clock counter
  kClockHz = 0x0028,         ///< RO: its frequency [Hz]
  kHardwareCaps = 0x0030,    ///< RO: bits of the hardware
  kFenceWriters = 0x0038,    ///< RO: a bit a node that executes FENCE_WRITE
  kFenceNotifiers = 0x0040,  ///< RO: a bit a node whose FENCE_WRITE can interrupt
  kGranularity = 0x0048,     ///< RO: GraphicsGranularity | ComputeGranularity << 8 of all nodes
  kStateBytes = 0x0050,      ///< RO: the most that a buffer leaves to be saved when it is stopped
  kResetGroup = 0x0058,      ///< RO: a bit a node: a reset of one of these takes them all along

  kInterruptRingBase = 0x0100,     ///< host physical address of the interrupt ring
  kInterruptRingEntries = 0x0108,  ///< entries of the ring, a power of two
  kInterruptEnable = 0x0110,       ///< 1: entries raise MSI-X messages
  /// WO: ends the pending interrupt. Value: number of entries the ISR has read since power-on. If
  /// the device has written more, it raises the next interrupt at once. With
  /// kAcknowledgeWithoutCount it does not look.
  kInterruptAcknowledge = 0x0118,

  kShadowBase = 0x0200,            ///< VRAM offset of the shadow MonitoredValues, 8 bytes a slot
  kMonitoredUpdate = 0x0208,       ///< WO: fence slot whose MonitoredValue the CPU has changed
  kMonitoredUpdatesDone = 0x0210,  ///< RO: updates the CMP has completed since power-on
  kFenceKick = 0x0218,  ///< WO: fence slot (low 32 bits) | kKick flags: queues that wait look again
  kFenceKicksDone = 0x0220,  ///< RO
  kLogFlush = 0x0228,        ///< WO: queue slot whose log writes are to reach host memory
  kLogFlushesDone = 0x0230,  ///< RO
  /// WO: fence slot to be forgotten. Once done nothing names it, no signal of it is under way, and
  /// packets that still name it are old.
  kFenceRetire = 0x0238,
  kFenceRetiresDone = 0x0240,  ///< RO

  kPeerDoorbell = 0x0280,  ///< + 8 * peer: bus address of the page that its GPU gives to others

  /// + 8 * node, WO: id of a preemption. The buffers of the driver's own rings stop where they can,
  /// and the interrupt ring says so (InterruptCause::kPreempted). One at a time a node.
  kPreempt = 0x0600,
  /// + 8 * node. WO: the node forgets what it was doing and the buffers in the driver's own rings.
  /// RO: kEngineResetDone when it has, less until then.
  kEngineReset = 0x0680,
  /// + 8 * node, RO: submission id of the buffer that a reset has ended, 0: none, or the node has
  /// begun another one since.
  kSubmission = 0x0800,

  /// + 8 * node, WO: a node that was reset and held goes on.
  kEngineResume = 0x0880,
  /// + 8 * node, RO: slot + 1 of the queue of user mode that the last reset of the node has ended;
  /// 0: none.
  kEngineQueue = 0x0900,
  /// + 8 * band, WO: how long contexts of the band go on when one of a higher band could run
  /// [100 ns].
  kBandGrace = 0x0980,

  // The display, where there is one; else these are 0.
  kDisplayMode = 0x0700,  ///< RO: bytes of a primary; 0: no display
  /// GPU physical address of the primary in VRAM, a multiple of 4096, | kFlipImmediate. Scanned out
  /// from the next vertical sync on, or at once.
  kDisplayPrimary = 0x0708,
  kDisplayCurrent = 0x0710,    ///< RO: the one that is scanned out
  kDisplayInterrupt = 0x0718,  ///< 1: vertical syncs interrupt
  kDisplayBlank = 0x0720,      ///< RO: 1 in vertical blanking

  /// 1: the device cannot tell fences apart: whatever fence interrupts, the entry is one of
  /// InterruptCause::kFenceSignaled that names no fence and no queue.
  kOneFenceCause = 0x02C0,

  kMmuInvalidate = 0x0300,  ///< WO: VMID whose TLB entries are dropped
  kMmuRoot = 0x0400,        ///< + 8 * VMID: page-table root, see page_table.h; 0 is none

  kFenceTable = 0x10000,    ///< + kFenceEntryBytes * slot
  kPeerTable = 0x20000,     ///< + kPeerEntryBytes * fence slot: a word a peer, see kPeerValid
  kQueueTable = 0x40000,    ///< + kQueueEntryBytes * slot
  kContextTable = 0x50000,  ///< + 8 * slot: GPU virtual address of the context's save area, 0: none
  /// + 8 * slot of kContextTable: GPU virtual address of memory that all contexts of a device
  /// share, 0: none. A node reads a word of it before it runs a buffer of the context.
  kDeviceTable = 0x54000,
  kHwContextTable = 0x60000,  ///< + kHwContextBytes * slot of kContextTable
  /// + 8 * page: queue slot | kDoorbellGiven of the queue that a doorbell is for; 0: nobody's, what
  /// is written there is lost. Only where queues share doorbells, see kDoorbellsShift; else the
  /// page of a doorbell is the slot of its queue.
  kDoorbellTable = 0x70000,
  /// WO: queue slot whose write pointer in memory (kQueueWritePointer) the device looks at, as if
  /// its doorbell had been rung with that.
  kRingScan = 0x71000,

  kMsixTable = 0x80000,  ///< + 16 * vector: {address, data | mask << 32}

  kHostApertureControl = 0x90000,  ///< 1: the VRAM BAR is translated page by page
  kHostApertureEntry = 0x90008     ///< WO: see host_aperture_entry
};

/// Written to kEngineReset: only the queue of user mode that the node runs is ended. Until
/// kEngineResume the node begins nothing new. The driver's own ring keeps its buffers; one that the
/// node runs goes on.
constexpr std::uint64_t kResetAndHold = 2;
/// The same, and the buffers in the driver's own ring are forgotten too.
constexpr std::uint64_t kResetAllAndHold = 3;
constexpr std::uint32_t kBands = 4;  ///< of priorities of contexts, from idle to realtime

constexpr std::uint64_t kEngineResetDone = 2;
constexpr std::uint64_t kFlipImmediate = 1;
/// Engine that interrupt entries of the display name: above all nodes.
constexpr std::uint32_t kDisplayEngine = 16;

/// What is written to kHostApertureEntry: where a page of the BAR leads. After power-on and after
/// D3 no page leads anywhere. @param bar_page below 2^24. @param vram_page below 2^36.
constexpr std::uint64_t kHostApertureValid = 1ULL << 39;
constexpr std::uint32_t kHostAperturePageShift = 40;
constexpr std::uint64_t host_aperture_entry(std::uint64_t bar_page, std::uint64_t vram_page,
                                            bool valid) {
  return bar_page << kHostAperturePageShift | (valid ? kHostApertureValid : 0) | vram_page;
}

// Bits of kHardwareCaps.
constexpr std::uint64_t kNoNativeFences = 1;   ///< monitored fences only
constexpr std::uint64_t kHasIommu = 2;         ///< it uses the addresses of CPU processes
constexpr std::uint64_t kHasDisplay = 4;       ///< kDisplayMode and what follows it are there
constexpr std::uint32_t kPagingNodeShift = 8;  ///< bits [11:8]: a node with a copy engine, or 0
constexpr std::uint64_t kPagingNodeMask = 0xF;
/// Bits [24:16]: doorbells that queues share, the pages from 0 on; 0: each queue slot has its own.
constexpr std::uint32_t kDoorbellsShift = 16;
constexpr std::uint64_t kDoorbellsMask = 0x1FF;
constexpr std::uint64_t kDoorbellGiven = 1ULL << 32;  ///< of a word of kDoorbellTable

constexpr std::uint64_t kAcknowledgeWithoutCount = 1ULL << 63;
constexpr std::uint64_t kKickAlwaysSignaled = 1ULL
                                              << 32;  ///< from now on every wait on it is satisfied
constexpr std::uint64_t kKickRetired = 1ULL
                                       << 34;  ///< set by the device itself: the slot is free again
/// Set by the device itself, above a tag: packets that name the slot carry that from now on.
constexpr std::uint64_t kKickNamed = 1ULL << 35;
constexpr std::uint32_t kKickTagShift = 36;
constexpr std::uint64_t kKickFromCpu = 1ULL << 33;  ///< set by the device itself on its way inside

/// Fence table entry. Write the addresses first, kFenceControl last.
constexpr std::uint64_t kFenceEntryBytes = 32;
enum FenceField : std::uint64_t {
  kFenceCurrentValue = 0x00,    ///< GPU virtual address of CurrentValue in kFenceSpace
  kFenceMonitoredValue = 0x08,  ///< the same for MonitoredValue
  kFenceControl = 0x10,         ///< bit 0: valid; from kFenceTagShift on the tag of its packets
  kFenceSpace = 0x18            ///< address space of both; 0 is the system process
};
constexpr std::uint64_t kFenceValid = 1;
constexpr std::uint32_t kFenceTagShift = 32;

/// How packets name a fence: its slot, and above that a tag, which is another one each time that
/// the slot is used again. The device does not execute what names an old tag: a signal changes
/// nothing and a wait is over. Retiring a slot makes the tag of its fence an old one.
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

/// Doorbells between GPUs: what a signal of the fence in a slot writes to the page of each peer.
constexpr std::uint64_t kPeerEntryBytes = 8 * kPeers;
constexpr std::uint64_t kPeerValid = 1ULL << 63;  ///< of a word of kPeerTable: this peer is rung
constexpr std::uint64_t kPeerPage = kQueueSlots * kDoorbellStride;  ///< offset in the doorbell BAR
/// Page of the doorbell of the driver's own ring on node 0; the other nodes' follow.
constexpr std::uint32_t kNodeDoorbell = kQueueSlots + 1;
constexpr std::uint32_t kMostNodes = 16;
/// What is written: nothing more, so that every queue that waits looks again; or one of these.
constexpr std::uint64_t kPeerNamesFence = 1ULL << 56;   ///< low 32 bits: the peer's fence slot
constexpr std::uint64_t kPeerNamesQueues = 1ULL << 57;  ///< low 32 bits: a bit a queue slot, mod 32

/// Address space of the system process: of the addresses that the driver hands the CMP.
constexpr std::uint32_t kSystemVmid = 0;
/// Queue table entry. Write kQueueLogEntries before the logs' addresses, and kQueueControl last.
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
  /// The same logs in the address space kSystemVmid, 0: the CMP uses the other addresses. Taken
  /// over when the other one is written.
  kQueueSystemWaitLog = 0x48,
  kQueueSystemSignalLog = 0x50,
  kQueueWritePointer =
      0x58,  ///< GPU virtual address of the write pointer in the queue's address space, 0: none
  kQueueContext = 0x60  ///< slot of the context that it belongs to, 0: none
};
constexpr std::uint64_t kQueueEnabled = 1;
/// The ring and the read pointer are GPU physical addresses: a ring of the driver's own.
constexpr std::uint64_t kQueuePhysical = 2;
/// LOG packets that only a trace wants (kVerboseLog) are executed, else passed over.
constexpr std::uint64_t kQueueVerboseLogs = 4;

/// It is not in the run list: nothing of it is fetched, however far the ring is filled.
constexpr std::uint64_t kQueueRemoved = 8;
/// Its node may run a packet of it for any time without InterruptCause::kEngineTimeout.
constexpr std::uint64_t kQueueNoTimeout = 16;

/// Context of queues that user mode feeds: how the node's scheduler treats it. All WO.
constexpr std::uint64_t kHwContextBytes = 64;
enum HwContextField : std::uint64_t {
  /// The fence of a suspension. When none of its queues that are out of the run list is at the node
  /// and all that they wrote is visible, the interrupt ring says so
  /// (InterruptCause::kContextSuspended).
  kContextSuspend = 0x00,
  kContextResume = 0x08,  ///< a suspension that is not reported yet will not be
  /// kBandMask | level within the highest band << 8 | priority among contexts of one VMID << 16.
  kContextRank = 0x10,
  kContextQuantum = 0x18,     ///< [100 ns] before others of its rank have their turn; 0: no end
  kContextGraceSame = 0x20,   ///< [100 ns] that it then leaves to the one that runs
  kContextGraceLower = 0x28,  ///< [100 ns] that it leaves to one of lower rank in its band
  kContextVmid = 0x30
};

/// What an interrupt entry reports.
enum class InterruptCause : std::uint32_t {
  kFenceSignaled = 1,
  /// The CMP found no translation; value is the address, fence_slot the fence, or queue_slot the
  /// queue whose log it is.
  kPageFault = 2,
  kFenceWritten = 3,     ///< a node executed FENCE_WRITE with kNotify; only the engine is named
  kBufferCompleted = 4,  ///< value is the submission id of the last buffer the engine completed
  kPreempted = 5,  ///< value is the id of the preemption | the last submission id completed << 32
  kVerticalSync = 6,      ///< value is the address of the primary that is scanned out from now on
  kContextSuspended = 7,  ///< value is the fence of the suspension, queue_slot the context's slot
  /// A buffer that the engine has given up; fence_slot is its submission id, queue_slot the
  /// FaultCode, value the GPU virtual address that has no translation, else 0.
  kBufferFaulted = 8,
  /// The queue of user mode in queue_slot neither ends a packet nor leaves the engine. The engine
  /// does nothing until it is reset.
  kEngineTimeout = 9
};
/// Why a node gives a buffer up.
enum class FaultCode : std::uint32_t {
  kNone = 0,
  kIllegal = 1,     ///< it does not know the packet, or cannot execute it
  kPrivileged = 2,  ///< only the driver's own buffers may have such a packet
  kPageRead = 3,    ///< an address without a translation was read
  kPageWrite = 4    ///< or written
};
constexpr std::uint32_t kUnknownSlot = 0xFFFFFFFF;

/// One entry of the interrupt ring in host memory. The device writes it with one TLP.
struct InterruptEntry {
  std::uint64_t sequence;    ///< @0: 1 for the first entry since power-on; tells new from old
  InterruptCause cause;      ///< @8
  std::uint32_t engine;      ///< @12: node that ran, kUnknownSlot if several
  std::uint32_t fence_slot;  ///< @16: kUnknownSlot if signals were coalesced
  std::uint32_t queue_slot;  ///< @20: queue that ran, kUnknownSlot if not known
  std::uint64_t value;       ///< @24: value signalled, 0 if not known
};
static_assert(sizeof(InterruptEntry) == 32);

/// Every MSI-X write goes to this window of host physical addresses.
constexpr std::uint64_t kMessageWindow = 0xFEE00000;
constexpr std::uint64_t kMessageWindowBytes = 0x100000;

}  // namespace fenceline::abi
